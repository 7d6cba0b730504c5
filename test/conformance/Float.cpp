// f32 and f64: every instruction, rounding and modifier.
#include "test/conformance/LaneCase.h"

#include <cmath>

namespace ashlar::conformance {

std::vector<Case> halfCases(); // Half.cpp

namespace {

const std::vector<std::string> roundings = {".rn", ".rz", ".rm", ".rp"};

class Cases {
public:
  std::vector<Case> all;

  /// Compared to the bit but for the payload of a NaN.
  void add(const std::string &name, const std::string &type, unsigned sources,
           const std::string &text = "") {
    LaneCase made = described(name, type, sources);
    made.text = text;
    made.compare = Compare::nanBits;
    all.push_back(makeCase(made));
  }

  /// Compared within an error, over the edges or over a range.
  void addClose(const std::string &name, const std::string &type,
                unsigned sources, double absolute, double relative,
                double low = 0, double high = 0) {
    LaneCase made = described(name, type, sources);
    made.compare = Compare::close;
    made.absolute = absolute;
    made.relative = relative;
    made.low = low;
    made.high = high;
    if (low < high)
      made.text = name + " %d0, %a0;", made.name += " in a range";
    all.push_back(makeCase(made));
  }

private:
  static LaneCase described(const std::string &name, const std::string &type,
                            unsigned sources) {
    LaneCase made;
    made.family = "float";
    made.name = name;
    made.sources.assign(sources, type);
    made.results = {type};
    return made;
  }
};

void addExact(Cases &cases) {
  for (const std::string &rounding : roundings) {
    for (const char *flush : {"", ".ftz"})
      for (const char *saturate : {"", ".sat"}) {
        std::string rest = rounding + flush + saturate + ".f32";
        for (const char *name : {"add", "sub", "mul"})
          cases.add(name + rest, "f32", 2);
        for (const char *name : {"fma", "mad"})
          cases.add(name + rest, "f32", 3);
        if (*saturate)
          continue;
        cases.add("div" + rest, "f32", 2);
        for (const char *name : {"rcp", "sqrt"})
          cases.add(name + rest, "f32", 1);
      }
    for (const char *name : {"add", "sub", "mul", "div"})
      cases.add(name + rounding + ".f64", "f64", 2);
    for (const char *name : {"fma", "mad"})
      cases.add(name + rounding + ".f64", "f64", 3);
    for (const char *name : {"rcp", "sqrt"})
      cases.add(name + rounding + ".f64", "f64", 1);
  }
  for (const char *name : {"add", "sub", "mul"}) {
    for (const char *rest : {".f32", ".ftz.f32", ".sat.f32", ".ftz.sat.f32"})
      cases.add(std::string(name) + rest, "f32", 2);
    cases.add(std::string(name) + ".f64", "f64", 2);
  }
}

void addSelections(Cases &cases) {
  for (const char *name : {"abs", "neg"}) {
    for (const char *rest : {".f32", ".ftz.f32"})
      cases.add(std::string(name) + rest, "f32", 1);
    cases.add(std::string(name) + ".f64", "f64", 1);
  }
  for (const char *name : {"min", "max"}) {
    for (const char *flush : {"", ".ftz"})
      for (const char *nan : {"", ".NaN"})
        for (const char *sign : {"", ".xorsign.abs"})
          cases.add(std::string(name) + flush + nan + sign + ".f32", "f32", 2);
    cases.add(std::string(name) + ".f64", "f64", 2);
  }
  for (const char *type : {"f32", "f64"}) {
    std::string t = type;
    cases.add("copysign." + t, t, 2);
    for (const char *property : {"finite", "infinite", "number", "notanumber",
                                 "normal", "subnormal"}) {
      LaneCase made;
      made.family = "float";
      made.name = std::string("testp.") + property + "." + t;
      made.text = made.name + " %p0, %a0;\nselp.u32 %d0, 1, 0, %p0;";
      made.sources = {t};
      made.results = {"u32"};
      cases.all.push_back(makeCase(made));
    }
  }
}

/// Tolerances: the error that PTX states, doubled.
void addApproximations(Cases &cases) {
  constexpr double tiny = 0x1p-148;
  const double pi = std::acos(-1.0);
  for (const char *flush : {"", ".ftz"}) {
    std::string rest = std::string(".approx") + flush + ".f32";
    cases.addClose("div" + rest, "f32", 2, tiny, 0x1p-21);
    cases.addClose(std::string("div.full") + flush + ".f32", "f32", 2, tiny,
                   0x1p-21);
    cases.addClose("rcp" + rest, "f32", 1, tiny, 0x1p-22);
    cases.addClose("sqrt" + rest, "f32", 1, tiny, 0x1p-22);
    cases.addClose("rsqrt" + rest, "f32", 1, tiny, 0x1p-21);
    cases.addClose("ex2" + rest, "f32", 1, tiny, 0x1p-21);
    cases.addClose("ex2" + rest, "f32", 1, tiny, 0x1p-21, -130, 130);
    cases.addClose("lg2" + rest, "f32", 1, 0x1p-21, 0x1p-21);
    cases.addClose("lg2" + rest, "f32", 1, 0x1p-21, 0x1p-21, 0, 4);
    cases.addClose("sin" + rest, "f32", 1, 0x1p-19, 0, -pi, pi);
    cases.addClose("cos" + rest, "f32", 1, 0x1p-19, 0, -pi, pi);
  }
  cases.addClose("tanh.approx.f32", "f32", 1, 0x1p-140, 0x1p-10);
  cases.addClose("tanh.approx.f32", "f32", 1, 0, 0x1p-10, -6, 6);
  cases.addClose("rcp.approx.ftz.f64", "f64", 1, 0, 0x1p-18);
  cases.addClose("rsqrt.approx.ftz.f64", "f64", 1, 0, 0x1p-18);
  cases.addClose("rsqrt.approx.f64", "f64", 1, 0, 0x1p-18);
}

} // namespace

std::vector<Case> floatCases() {
  Cases cases;
  addExact(cases);
  addSelections(cases);
  addApproximations(cases);
  for (Case &half : halfCases())
    cases.all.push_back(std::move(half));
  return std::move(cases.all);
}

} // namespace ashlar::conformance
