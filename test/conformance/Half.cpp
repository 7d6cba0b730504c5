// f16, bf16 and pairs of them: every instruction and modifier.
#include "test/conformance/LaneCase.h"

namespace ashlar::conformance {

namespace {

LaneCase described(const std::string &name, const std::string &type,
                   unsigned sources) {
  LaneCase made;
  made.family = "float";
  made.name = name + "." + type;
  made.sources.assign(sources, type);
  made.results = {type};
  made.compare = Compare::nanBits;
  return made;
}

} // namespace

std::vector<Case> halfCases() {
  std::vector<Case> cases;
  auto add = [&](const std::string &name, const std::string &type,
                 unsigned sources) {
    cases.push_back(makeCase(described(name, type, sources)));
  };
  for (const char *type : {"f16", "f16x2"}) {
    for (const char *name : {"add", "sub", "mul"})
      for (const char *rest : {"", ".rn", ".ftz", ".sat", ".rn.ftz.sat"})
        add(std::string(name) + rest, type, 2);
    for (const char *rest : {"", ".ftz", ".sat", ".ftz.sat", ".relu",
                             ".ftz.relu", ".oob", ".oob.relu"})
      add(std::string("fma.rn") + rest, type, 3);
    for (const char *name : {"abs", "neg", "abs.ftz", "neg.ftz"})
      add(name, type, 1);
    for (const char *name : {"min", "max"})
      for (const char *flush : {"", ".ftz"})
        for (const char *nan : {"", ".NaN"})
          for (const char *sign : {"", ".xorsign.abs"})
            add(std::string(name) + flush + nan + sign, type, 2);
  }
  for (const char *type : {"bf16", "bf16x2"}) {
    for (const char *name : {"add", "sub", "mul", "add.rn", "sub.rn", "mul.rn"})
      add(name, type, 2);
    for (const char *rest : {"", ".relu", ".oob", ".oob.relu"})
      add(std::string("fma.rn") + rest, type, 3);
    for (const char *name : {"abs", "neg"})
      add(name, type, 1);
    for (const char *name : {"min", "max"})
      for (const char *nan : {"", ".NaN"})
        for (const char *sign : {"", ".xorsign.abs"})
          add(std::string(name) + nan + sign, type, 2);
  }
  // Each bit pattern, once as a factor and once as the addend, shows which of
  // them is the out-of-bounds NaN.
  for (const char *type : {"f16", "bf16"})
    for (const char *operands :
         {"%a0, %h0, %h0", "%h0, %a0, %h0", "%h0, %h0, %a0"}) {
      LaneCase made = described("fma.rn.oob", type, 1);
      made.name += std::string(" ") + operands;
      made.text = std::string("mov.b16 %h0, 0x3f80;\nfma.rn.oob.") + type +
                  " %d0, " + operands + ";";
      made.allHalves = true;
      cases.push_back(makeCase(made));
    }
  // Approximations: two units in the last place.
  for (const char *name :
       {"ex2.approx.f16", "ex2.approx.f16x2", "ex2.approx.ftz.bf16",
        "ex2.approx.ftz.bf16x2", "tanh.approx.f16", "tanh.approx.f16x2",
        "tanh.approx.bf16", "tanh.approx.bf16x2"}) {
    std::string text = name, type = text.substr(text.rfind('.') + 1);
    LaneCase made = described(text.substr(0, text.rfind('.')), type, 1);
    made.compare = Compare::close;
    bool isBf16 = type[0] == 'b';
    made.relative = isBf16 ? 0x1p-6 : 0x1p-9;
    made.absolute = isBf16 ? 0x1p-126 : 0x1p-23;
    made.allHalves = !type.ends_with("x2");
    cases.push_back(makeCase(made));
  }
  return cases;
}

} // namespace ashlar::conformance
