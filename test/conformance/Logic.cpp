// Logic, shifts, byte permutation: every form and type.
#include "test/conformance/LaneCase.h"

namespace ashlar::conformance {

namespace {

void addLogic(LaneCases &cases) {
  for (const char *type : {"b16", "b32", "b64"}) {
    std::string t = type;
    for (const char *name : {"and", "or", "xor"})
      cases.add(name + ("." + t), {t, t}, t);
    for (const char *name : {"not", "cnot"})
      cases.add(name + ("." + t), {t}, t);
  }
  const std::string take = "setp.ne.b32 %p0, %a0, 0;\n"
                           "setp.ne.b32 %p1, %a1, 0;\n";
  const std::string give = "selp.u32 %d0, 1, 0, %p2;";
  for (const char *name : {"and", "or", "xor"})
    for (const char *second : {"%p1", "!%p1", "1", "0"})
      cases.add(std::string(name) + ".pred " + second, {"pred", "pred"}, "u32",
                take + name + ".pred %p2, %p0, " + second + ";\n" + give);
  cases.add("not.pred", {"pred", "pred"}, "u32",
            take + "not.pred %p2, %p0;\n" + give);
}

void addLookUps(LaneCases &cases) {
  for (unsigned table = 0; table < 256; ++table) {
    std::string t = std::to_string(table);
    cases.add("lop3.b32 " + t, {"b32", "b32", "b32"}, "b32",
              "lop3.b32 %d0, %a0, %a1, %a2, " + t + ";");
  }
  for (const char *combine : {"and", "or"})
    for (const char *other : {"%p1", "!%p1"})
      for (const char *table : {"0", "0x80", "0x96", "0xe8", "0xc0"}) {
        LaneCase made;
        made.family = "logic";
        made.name =
            std::string("lop3.") + combine + ".b32 " + table + " " + other;
        made.sources = {"b32", "b32", "b32", "pred"};
        made.results = {"b32", "u32"};
        made.text = std::string("setp.ne.b32 %p1, %a3, 0;\nlop3.") + combine +
                    ".b32 %d0|%p0, %a0, %a1, %a2, " + table + ", " + other +
                    ";\nselp.u32 %d1, 1, 0, %p0;";
        cases.all.push_back(makeCase(made));
      }
}

void addShifts(LaneCases &cases) {
  for (const char *bits : {"16", "32", "64"}) {
    std::string b = bits;
    cases.add("shl.b" + b, {"b" + b, "shift"}, "b" + b);
    for (const char *kind : {"b", "u", "s"})
      cases.add("shr." + (kind + b), {kind + b, "shift"}, kind + b);
  }
  for (const char *direction : {"l", "r"})
    for (const char *mode : {"clamp", "wrap"})
      cases.add(std::string("shf.") + direction + "." + mode + ".b32",
                {"b32", "b32", "shift"}, "b32");
  cases.add("prmt.b32", {"b32", "b32", "b32"}, "b32");
  for (const char *mode : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
    cases.add(std::string("prmt.b32.") + mode, {"b32", "b32", "shift"}, "b32");
}

} // namespace

std::vector<Case> logicCases() {
  LaneCases cases("logic");
  addLogic(cases);
  addLookUps(cases);
  addShifts(cases);
  return std::move(cases.all);
}

} // namespace ashlar::conformance
