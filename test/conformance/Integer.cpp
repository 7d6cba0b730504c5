// Integer arithmetic and bit fields: every form and type.
#include "test/conformance/LaneCase.h"

namespace ashlar::conformance {

namespace {

const std::vector<std::string> scalars = {"u16", "u32", "u64",
                                          "s16", "s32", "s64"};

std::string widened(const std::string &type) {
  return type.substr(0, 1) + (type.ends_with("16") ? "32" : "64");
}

void addArithmetic(LaneCases &cases) {
  for (const std::string &type : scalars) {
    for (const char *name :
         {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"})
      cases.addSame(name, type, 2);
    for (const char *name : {"mad.lo", "mad.hi", "sad"})
      cases.addSame(name, type, 3);
  }
  for (const char *type : {"s16", "s32", "s64"})
    for (const char *name : {"abs", "neg"})
      cases.addSame(name, type, 1);
  for (const char *type : {"u16", "s16", "u32", "s32"}) {
    cases.add(std::string("mul.wide.") + type, {type, type}, widened(type));
    cases.add(std::string("mad.wide.") + type, {type, type, widened(type)},
              widened(type));
  }
  for (const char *type : {"u16x2", "s16x2"})
    for (const char *name : {"add", "min", "max"})
      cases.addSame(name, type, 2);
  for (const char *type : {"s16x2", "s32"})
    for (const char *name : {"min.relu", "max.relu"})
      cases.addSame(name, type, 2);
  for (const char *name : {"min.s16x2.relu", "max.s32.relu"})
    cases.add(name, {"u32", "u32"}, "u32");
  for (const char *name : {"add.sat", "sub.sat"})
    cases.addSame(name, "s32", 2);
  for (const char *name : {"mad.hi.sat", "mad24.hi.sat"})
    cases.addSame(name, "s32", 3);
  for (const char *type : {"u32", "s32"})
    for (const char *part : {"hi", "lo"}) {
      cases.addSame(std::string("mul24.") + part, type, 2);
      cases.addSame(std::string("mad24.") + part, type, 3);
    }
  for (const char *a : {"u32", "s32"})
    for (const char *b : {"u32", "s32"}) {
      std::string types = std::string(a) + "." + b;
      cases.add("dp4a." + types, {a, b, "s32"}, "s32");
      cases.add("dp2a.lo." + types, {a, b, "s32"}, "s32");
      cases.add("dp2a.hi." + types, {a, b, "s32"}, "s32");
    }
}

/// A chain of two, so that the carry that one writes is read by the next, and
/// once more to see the second's own.
void addCarries(LaneCases &cases) {
  for (const char *type : {"u32", "s32", "u64", "s64"}) {
    std::string t = type, copy = t.ends_with("64") ? "%x" : "%w";
    auto two = [&](const std::string &name, const std::string &first,
                   const std::string &second) {
      cases.add(name + "." + t, {t, t, t, t}, t,
                first + "." + t + " " + copy + "0, %a0, %a1;\n" + second +
                    ".cc." + t + " " + copy + "1, %a2, %a3;\n" + second + "." +
                    t + " " + copy + "2, %a1, %a2;\n" + "xor.b" + t.substr(1) +
                    " %d0, " + copy + "1, " + copy + "2;");
      cases.add(name + ".first." + t, {t, t, t, t}, t,
                first + "." + t + " " + copy + "0, %a0, %a1;\n" + second + "." +
                    t + " %d0, %a2, %a3;");
    };
    two("addc", "add.cc", "addc");
    two("subc", "sub.cc", "subc");
    two("addc after sub", "sub.cc", "addc");
    two("subc after add", "add.cc", "subc");
    for (const char *first : {"lo", "hi"})
      for (const char *second : {"lo", "hi"})
        cases.add(std::string("madc.") + second + " after " + first + "." + t,
                  {t, t, t, t}, t,
                  std::string("mad.") + first + ".cc." + t + " " + copy +
                      "0, %a0, %a1, %a2;\nmadc." + second + ".cc." + t + " " +
                      copy + "1, %a1, %a2, %a3;\nmadc." + second + "." + t +
                      " " + copy + "2, %a0, %a3, %a2;\nxor.b" + t.substr(1) +
                      " " + copy + "1, " + copy + "1, " + copy + "2;\nadd.u" +
                      t.substr(1) + " %d0, " + copy + "0, " + copy + "1;");
  }
}

void addBitFields(LaneCases &cases) {
  for (const char *type : {"b32", "b64"}) {
    std::string t = type;
    cases.add("popc." + t, {t}, "u32");
    cases.add("clz." + t, {t}, "u32");
    cases.add("brev." + t, {t}, t);
    cases.add("bfi." + t, {t, t, "byte", "byte"}, t);
    cases.add("bfi.any." + t, {t, t, "u32", "u32"}, t,
              "bfi." + t + " %d0, %a0, %a1, %a2, %a3;");
  }
  for (const char *type : {"u32", "s32", "u64", "s64"}) {
    std::string t = type;
    cases.add("bfind." + t, {t}, "u32");
    cases.add("bfind.shiftamt." + t, {t}, "u32");
    cases.add("bfe." + t, {t, "byte", "byte"}, t);
    cases.add("bfe.any." + t, {t, "u32", "u32"}, t,
              "bfe." + t + " %d0, %a0, %a1, %a2;");
  }
  cases.add("fns.b32", {"b32", "shift", "s32"}, "b32",
            "and.b32 %w0, %a1, 31;\nrem.s32 %w1, %a2, 9;\n"
            "fns.b32 %d0, %a0, %w0, %w1;");
  for (const char *mode : {"clamp", "wrap"}) {
    std::string m = mode;
    cases.add("bmsk." + m + ".b32", {"shift", "shift"}, "b32");
    cases.add("szext." + m + ".u32", {"u32", "shift"}, "u32");
    cases.add("szext." + m + ".s32", {"s32", "shift"}, "s32");
  }
}

void addVideo(LaneCases &cases) {
  for (const char *d : {"u32", "s32"})
    for (const char *a : {"u32", "s32"})
      for (const char *b : {"u32", "s32"})
        for (const char *mode : {"", ".sat", ".add"})
          cases.add(std::string("vabsdiff4.") + d + "." + a + "." + b + mode,
                    {a, b, d}, d);
}

} // namespace

std::vector<Case> integerCases() {
  LaneCases cases("integer");
  addArithmetic(cases);
  addCarries(cases);
  addBitFields(cases);
  addVideo(cases);
  return std::move(cases.all);
}

} // namespace ashlar::conformance
