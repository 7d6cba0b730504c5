#include "ashlar/role.h"
#include "Trace.h"
#include "compiler/target/Target.h"

namespace ashlar {

using namespace detail;

static_assert(warpgroups(1).count == target::warpgroupWarps &&
              ping_pong(1).count == target::warpgroupWarps);

namespace {

void traceRole(std::string_view name, Warps warps, int64_t registers,
               const Body<> &body, SourceLocation where) {
  Trace &trace = Trace::current(where);
  std::string what = "role '" + std::string(name) + "'";
  trace.requireKernelFrame(what, where);
  trace.takeName(what, name, where);
  if (warps.instances < 1)
    fail(where, what + " has " + std::to_string(warps.instances) +
                    " groups of warps; give it at least 1");
  if (warps.instances > target::mostWarps)
    fail(where, what + " has " + std::to_string(warps.instances) +
                    " groups of warps; a role has at most " +
                    std::to_string(target::mostWarps) + " warps");
  if (warps.count < 1 || warps.count > target::mostWarps / warps.instances)
    fail(where, what + " has " + std::to_string(warps.count * warps.instances) +
                    " warps; a role has 1 to " +
                    std::to_string(target::mostWarps));
  mlir::Builder attributes(trace.context());
  auto op = trace.declareOp<tile::RoleOp>(
      where, {},
      {attributes.getNamedAttr("name", attributes.getStringAttr(name)),
       attributes.getNamedAttr("warps",
                               attributes.getI64IntegerAttr(warps.count)),
       attributes.getNamedAttr("instances",
                               attributes.getI64IntegerAttr(warps.instances)),
       attributes.getNamedAttr("registers",
                               attributes.getI64IntegerAttr(registers))});
  trace.openRole(&op.getBody().emplaceBlock(), where);
  body();
  trace.closeRole();
}

} // namespace

void role(std::string_view name, Warps warps, Body<> body,
          SourceLocation where) {
  traceRole(name, warps, 0, body, where);
}

void role(std::string_view name, Warps warps, Registers registers, Body<> body,
          SourceLocation where) {
  int64_t count = registers.count;
  if (!target::isRegisterBudget(count))
    fail(where, "role '" + std::string(name) + "' has a budget of " +
                    std::to_string(count) +
                    " registers; a budget is a multiple of " +
                    std::to_string(target::registerStep) + " from " +
                    std::to_string(target::leastBudget) + " to " +
                    std::to_string(target::mostBudget));
  traceRole(name, warps, count, body, where);
}

} // namespace ashlar
