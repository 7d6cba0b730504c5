// cvt: every pair of types, rounding and modifier that PTX allows, and
// cvt.pack.
#include "test/conformance/LaneCase.h"

namespace ashlar::conformance {

namespace {

using Names = std::vector<std::string>;

const Names integers = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"};
const Names floats = {"f16", "bf16", "f32", "f64"};
const Names toFloatRoundings = {".rn", ".rz", ".rm", ".rp"};
const Names toIntegerRoundings = {".rni", ".rzi", ".rmi", ".rpi"};

unsigned width(const std::string &type) {
  return static_cast<unsigned>(
      std::stoul(type.substr(type.find_first_of("0123456789"))));
}

class Cases {
public:
  std::vector<Case> all;

  void add(const std::string &name, const Names &sources,
           const std::string &result, bool allHalves = false) {
    LaneCase made;
    made.family = "conversion";
    made.name = name;
    made.sources = sources;
    made.results = {result};
    made.compare = Compare::nanBits;
    made.allHalves = allHalves;
    all.push_back(makeCase(made));
  }

  void addPair(const std::string &modifiers, const std::string &to,
               const std::string &from) {
    bool is16 = from == "f16" || from == "bf16";
    add("cvt" + modifiers + "." + to + "." + from, {from}, to,
        is16 && modifiers.find("sat") == std::string::npos);
  }
};

void addIntegers(Cases &cases) {
  for (const std::string &to : integers)
    for (const std::string &from : integers) {
      cases.addPair("", to, from);
      bool holds = from[0] == 's' ? to[0] == 's' && width(to) >= width(from)
                                  : width(to) >= width(from) + (to[0] == 's');
      if (!holds)
        cases.addPair(".sat", to, from);
    }
}

void addMixed(Cases &cases) {
  for (const std::string &floating : floats)
    for (const std::string &integer : integers) {
      bool isBf16 = floating == "bf16";
      if (isBf16 && width(integer) == 8)
        continue;
      for (const char *flush : {"", ".ftz"})
        for (const char *saturate : {"", ".sat"}) {
          if ((*flush && floating != "f32") || (*saturate && isBf16))
            continue;
          std::string rest = std::string(flush) + saturate;
          for (const std::string &rounding : toFloatRoundings)
            cases.addPair(rounding + rest, floating, integer);
          for (const std::string &rounding : toIntegerRoundings)
            cases.addPair(rounding + rest, integer, floating);
        }
    }
}

void addFloatPair(Cases &cases, const std::string &to, const std::string &from,
                  const Names &roundings) {
  bool hasFlush = to == "f32" || from == "f32";
  bool hasSaturate = to != "bf16" && from != "bf16";
  for (const std::string &rounding : roundings)
    for (const char *flush : {"", ".ftz"})
      for (const char *saturate : {"", ".sat"})
        if ((!*flush || hasFlush) && (!*saturate || hasSaturate))
          cases.addPair(rounding + flush + saturate, to, from);
}

void addFloats(Cases &cases) {
  const Names none = {""};
  for (const std::string &type : floats) {
    addFloatPair(cases, type, type, none);
    addFloatPair(cases, type, type, toIntegerRoundings);
  }
  addFloatPair(cases, "f16", "f32", toFloatRoundings);
  addFloatPair(cases, "bf16", "f32", toFloatRoundings);
  addFloatPair(cases, "f16", "f64", toFloatRoundings);
  addFloatPair(cases, "bf16", "f64", toFloatRoundings);
  addFloatPair(cases, "f32", "f64", toFloatRoundings);
  addFloatPair(cases, "f16", "bf16", toFloatRoundings);
  addFloatPair(cases, "bf16", "f16", toFloatRoundings);
  addFloatPair(cases, "f32", "f16", none);
  addFloatPair(cases, "f64", "f16", none);
  addFloatPair(cases, "f64", "f32", none);
  addFloatPair(cases, "f32", "bf16", none);
  addFloatPair(cases, "f64", "bf16", none);
  for (const char *rounding : {".rn", ".rz"})
    for (const char *rest : {".relu", ".satfinite", ".relu.satfinite"})
      for (const char *to : {"f16", "bf16"})
        cases.addPair(std::string(rounding) + rest, to, "f32");
}

void addPacked(Cases &cases) {
  for (const char *rounding : {".rn", ".rz"}) {
    for (const char *rest : {"", ".relu", ".satfinite", ".relu.satfinite"})
      for (const char *to : {"f16x2", "bf16x2"})
        cases.add(std::string("cvt") + rounding + rest + "." + to + ".f32",
                  {"f32", "f32"}, to);
    for (const char *rest : {"", ".relu"})
      cases.add(std::string("cvt") + rounding + rest + ".tf32.f32", {"f32"},
                "f32");
  }
  cases.add("cvt.rna.tf32.f32", {"f32"}, "f32");
  cases.add("cvt.rna.satfinite.tf32.f32", {"f32"}, "f32");
  for (const char *type : {"e4m3x2", "e5m2x2"}) {
    std::string t = type;
    for (const char *relu : {"", ".relu"}) {
      cases.add(std::string("cvt.rn.satfinite") + relu + "." + t + ".f32",
                {"f32", "f32"}, t);
      cases.add(std::string("cvt.rn.satfinite") + relu + "." + t + ".f16x2",
                {"f16x2"}, t);
      cases.add(std::string("cvt.rn") + relu + ".f16x2." + t, {t}, "f16x2",
                true);
    }
  }
  for (const char *type : {"u16", "s16"})
    cases.add(std::string("cvt.pack.sat.") + type + ".s32", {"s32", "s32"},
              "b32");
  for (const char *type : {"u8", "s8", "u4", "s4", "u2", "s2"})
    cases.add(std::string("cvt.pack.sat.") + type + ".s32.b32",
              {"s32", "s32", "b32"}, "b32");
}

} // namespace

std::vector<Case> conversionCases() {
  Cases cases;
  addIntegers(cases);
  addMixed(cases);
  addFloats(cases);
  addPacked(cases);
  return std::move(cases.all);
}

} // namespace ashlar::conformance
