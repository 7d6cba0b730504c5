#include "test/corpus/Program.h"
#include "test/corpus/Text.h"

#include <functional>

namespace ashlar::corpus {
namespace {

std::string number(double value) { return format("{}", value); }

class Printer {
public:
  explicit Printer(const Program &program) : program(program) {}

  Listing run() {
    line(format("// {} {}: {}", familyName(), program.seed, program.shape));
    std::string sizes;
    for (const Program::Size &size : program.sizes)
      sizes += format("{} = {}; ", size.name, size.value);
    line(sizes);
    for (const TensorOf &tensor : program.tensors)
      printTensor(tensor);
    if (program.cluster > 1)
      line(format("cluster({{{}, 1}});", program.cluster));
    line(format("tiles = {}({{M, N}}, {{{}, {}}});{}",
                program.isPersistent ? "persistent" : "grid", program.rows,
                program.columns,
                program.isPersistent
                    ? format(" // on {} clusters", program.residentClusters)
                    : ""));
    for (size_t i = 0; i < program.rings.size(); ++i)
      printRing(i);
    if (program.hasStaging)
      line(format("staging = shared(f32, {{{}, {}}});", program.rows,
                  program.columns));
    if (program.hasOwnTile)
      line(format("own = shared(bf16, {{{}, 64}});", program.rows));
    for (const Role &role : program.roles)
      printRole(role);
    return std::move(listing);
  }

private:
  std::string familyName() const {
    return program.family == Family::compute ? "compute" : "pipeline";
  }

  void line(const std::string &content) {
    listing.text += std::string(depth * 2, ' ') + content + "\n";
    ++lines;
  }

  void printTensor(const TensorOf &tensor) {
    std::string extents;
    for (const Number &extent : tensor.extents)
      extents += (extents.empty() ? "" : ", ") + str(extent);
    line(format(
        "{} = {}({}, {{{}}}{});", tensor.name,
        tensor.isOutput ? "output" : "input", name(tensor.type), extents,
        tensor.alignment == 16 ? "" : format(", align({})", tensor.alignment)));
  }

  void printRing(size_t index) {
    const Ring &ring = program.rings[index];
    std::string tiles;
    for (const Ring::Tile &tile : ring.tiles)
      tiles += format(", smem({}, {{{}, {}}})", name(tile.type), tile.rows,
                      tile.columns);
    line(format("ring{} = pipeline({}{});", index, ring.stages, tiles));
  }

  void printRole(const Role &role) {
    std::string who = role.instances > 1
                          ? format("ping_pong({})", role.instances)
                          : format("warps({})", role.warps);
    if (role.registers)
      who += format(", registers({})", role.registers);
    line(format("role(\"{}\", {}, for (m, n : tiles) {{", role.name, who));
    nested(role.body);
    line("});");
  }

  void nested(const std::vector<Statement> &statements) {
    ++depth;
    for (const Statement &statement : statements)
      print(statement);
    --depth;
  }

  void print(const Statement &s) {
    listing.lines[&s] = lines + 1;
    using enum Statement::Kind;
    switch (s.kind) {
    case loop:
      line(format("for (k{} : {}) {{", s.variable, rangeOf(s)));
      nested(s.body);
      return line("}");
    case when:
      line(format("when({}) {{", str(s.condition)));
      nested(s.body);
      if (!s.otherwise.empty()) {
        line("} else {");
        nested(s.otherwise);
      }
      return line("}");
    case acquire:
      return line(format("s{} = ring{}.acquire();", s.variable, s.ring));
    case wait:
      return line(format("s{} = ring{}.wait();", s.variable, s.ring));
    case commit:
      return line(format("ring{}.commit(s{});", s.ring, s.variable));
    case release:
      return line(format("ring{}.release(s{});", s.ring, s.variable));
    case copy:
      return line(format("copy({}.tile({{{}}}), {}{});",
                         program.tensors[s.tensor].name, list(s.coordinates),
                         str(s.target), s.multicast ? ", multicast" : ""));
    case write:
      return line(format("store({}, {});", str(s.target), str(s.value)));
    case writeOwn:
      return line(format("store(own, {});", str(s.value)));
    case set:
      return line(format("{}f{} = {};", s.declares ? "Fragment " : "",
                         s.variable, str(s.value)));
    case store:
      return line(format("store({}.tile({{m, n}}), {});",
                         program.tensors[s.tensor].name, str(s.value)));
    case storeByTma:
      line(format("store(staging, {});", str(s.value)));
      return line(format("copy(staging, {}.tile({{m, n}}));",
                         program.tensors[s.tensor].name));
    }
  }

  std::string rangeOf(const Statement &s) {
    const bool isUnit =
        s.step.kind == Number::Kind::constant && s.step.value == 1;
    const bool fromZero =
        s.low.kind == Number::Kind::constant && s.low.value == 0;
    if (isUnit && fromZero)
      return "range(" + str(s.high) + ")";
    std::string text = "range(" + str(s.low) + ", " + str(s.high);
    return text + (isUnit ? ")" : ", " + str(s.step) + ")");
  }

  std::string list(const std::vector<Number> &numbers) {
    std::string text;
    for (const Number &each : numbers)
      text += (text.empty() ? "" : ", ") + str(each);
    return text;
  }

  std::string str(const StageTile &tile) {
    if (tile.stage == StageTile::ownTile)
      return "own";
    return format("s{}[{}]", tile.stage, tile.tile);
  }

  std::string str(const Condition &c) {
    const char *const signs[] = {"==", "!=", "<", ">="};
    return format("{} {} {}", str(c.left), signs[int(c.kind)], str(c.right));
  }

  std::string str(const Number &n) {
    auto binary = [&](const char *sign) {
      return format("({} {} {})", str(n.operands[0]), sign, str(n.operands[1]));
    };
    auto call = [&](const char *function) {
      return format("{}({}, {})", function, str(n.operands[0]),
                    str(n.operands[1]));
    };
    using enum Number::Kind;
    switch (n.kind) {
    case constant:
      return std::to_string(n.value);
    case size:
      return program.sizes[n.value].name;
    case counter:
      return format("k{}", n.value);
    case coordinate:
      return n.value == 0 ? "m" : "n";
    case add:
      return binary("+");
    case subtract:
      return binary("-");
    case multiply:
      return binary("*");
    case divide:
      return binary("/");
    case remainder:
      return binary("%");
    case ceilDivide:
      return call("ceil_div");
    case minimum:
      return call("min");
    }
    return "?";
  }

  std::string str(const Value &v) {
    auto binary = [&](const char *sign) {
      return format("({} {} {})", str(v.operands[0]), sign, str(v.operands[1]));
    };
    using enum Value::Kind;
    switch (v.kind) {
    case variable:
      return format("f{}", v.variable);
    case full:
      return v.number == 0 ? "zeros" : "full(" + number(v.number) + ")";
    case product:
      return format("mma({}, {}.T(), {})", str(v.a), str(v.b),
                    str(v.operands[0]));
    case add:
      return binary("+");
    case subtract:
      return binary("-");
    case multiply:
      return binary("*");
    case scale:
      return format("{} * {}", str(v.operands[0]), number(v.number));
    case floor:
      return format("max({}, {})", str(v.operands[0]), number(v.number));
    case row:
      return format("load({}.tile({{{}}}))", program.tensors[v.tensor].name,
                    str(v.at));
    case column:
      return format("along_rows(load({}.tile({{{}}})))",
                    program.tensors[v.tensor].name, str(v.at));
    case tile:
      return format("load({})", str(v.a));
    }
    return "?";
  }

  const Program &program;
  Listing listing;
  int lines = 0; ///< that are written
  size_t depth = 0;
};

} // namespace

Listing list(const Program &program) { return Printer(program).run(); }

std::string print(const Program &program) { return list(program).text; }

} // namespace ashlar::corpus
