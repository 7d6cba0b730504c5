#include "ashlar/role.h"
#include "Trace.h"

namespace ashlar {

using namespace detail;

namespace {

void traceRole(std::string_view name, Warps warps, int64_t registers,
               const Body<> &body, SourceLocation where) {
  Trace &trace = Trace::current(where);
  std::string what = "role '" + std::string(name) + "'";
  trace.requireKernelFrame(what, where);
  trace.takeName(what, name, where);
  if (warps.instances < 1)
    fail(where, what + " has " + std::to_string(warps.instances) +
                    " warpgroups to take turns; give it at least 1");
  if (warps.count < 1 || warps.count > 32 / warps.instances)
    fail(where, what + " has " + std::to_string(warps.count * warps.instances) +
                    " warps; a role has 1 to 32");
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
  if (count % 8 || count < 24 || count > 240)
    fail(where, "role '" + std::string(name) + "' has a budget of " +
                    std::to_string(count) +
                    " registers; a budget is a multiple of 8 from 24 to 240");
  traceRole(name, warps, count, body, where);
}

} // namespace ashlar
