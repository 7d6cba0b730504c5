// set, setp, selp, slct: every comparison, combination and type.
#include "test/conformance/LaneCase.h"

namespace ashlar::conformance {

namespace {

using Names = std::vector<std::string>;

Names comparisonsOf(const std::string &type) {
  if (type[0] == 'b' && type.substr(0, 2) != "bf")
    return {"eq", "ne"};
  if (type[0] == 'u')
    return {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
  if (type[0] == 's')
    return {"eq", "ne", "lt", "le", "gt", "ge"};
  return {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
          "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
}

bool hasFlush(const std::string &type) {
  return type == "f32" || type == "f16" || type == "f16x2";
}

const Names types = {"b16", "b32", "b64",  "u16",   "u32",
                     "u64", "s16", "s32",  "s64",   "f32",
                     "f64", "f16", "bf16", "f16x2", "bf16x2"};

Case made(const std::string &name, const Names &sources, const Names &results,
          const std::string &text) {
  LaneCase description;
  description.family = "comparison";
  description.name = name;
  description.sources = sources;
  description.results = results;
  description.text = text;
  return makeCase(description);
}

void addSetPredicate(std::vector<Case> &cases) {
  for (const std::string &type : types)
    for (const std::string &comparison : comparisonsOf(type))
      for (const char *flush : {"", ".ftz"}) {
        if (*flush && !hasFlush(type))
          continue;
        // All combinations in one kernel, a bit of the result each.
        std::string text = "setp.ne.b32 %p3, %a2, 0;\nmov.u32 %d0, 0;\n"
                           "setp.ne.b32 %p1, %a2, %a2;\n";
        const char *results =
            type == "f16" || type == "bf16" ? " %p0" : " %p0|%p1";
        for (const char *combine : {"", ".and", ".or", ".xor"})
          for (const char *other : {", %p3", ", !%p3"}) {
            text += "setp." + comparison + combine + flush + "." + type +
                    results + ", %a0, %a1" + (*combine ? other : "") +
                    ";\nselp.u32 %w0, 1, 0, %p0;\nselp.u32 %w1, 2, 0, %p1;\n"
                    "shl.b32 %d0, %d0, 2;\nor.b32 %d0, %d0, %w0;\n"
                    "or.b32 %d0, %d0, %w1;\n";
          }
        cases.push_back(made("setp." + comparison + flush + "." + type,
                             {type, type, "pred"}, {"u32"}, text));
      }
}

Names resultsOf(const std::string &type) {
  if (type == "f16")
    return {"f16", "bf16", "u16", "s16", "u32", "s32"};
  if (type == "bf16")
    return {"bf16", "u16", "s16", "u32", "s32"};
  if (type == "f16x2" || type == "bf16x2")
    return {type, "u32", "s32"};
  return {"u32", "s32", "f32", "f16", "bf16"};
}

void addSet(std::vector<Case> &cases) {
  for (const std::string &type : types)
    for (const std::string &comparison : comparisonsOf(type))
      for (const std::string &result : resultsOf(type)) {
        // The forms with a predicate and .ftz where it is the first result.
        cases.push_back(made("set." + comparison + "." + result + "." + type,
                             {type, type}, {result}, ""));
        if (result != resultsOf(type)[0])
          continue;
        if (hasFlush(type))
          cases.push_back(
              made("set." + comparison + ".ftz." + result + "." + type,
                   {type, type}, {result}, ""));
        for (const char *combine : {"and", "or", "xor"})
          cases.push_back(made(
              "set." + comparison + "." + combine + "." + result + "." + type,
              {type, type, "pred"}, {result},
              "setp.ne.b32 %p0, %a2, 0;\nset." + comparison + "." + combine +
                  "." + result + "." + type + " %d0, %a0, %a1, !%p0;"));
      }
}

void addSelections(std::vector<Case> &cases) {
  for (const char *type : {"b16", "b32", "b64", "u16", "u32", "u64", "s16",
                           "s32", "s64", "f32", "f64"}) {
    std::string t = type;
    cases.push_back(
        made("selp." + t, {t, t, "pred"}, {t},
             "setp.ne.b32 %p0, %a2, 0;\nselp." + t + " %d0, %a0, %a1, %p0;"));
    cases.push_back(made("slct." + t + ".s32", {t, t, "s32"}, {t}, ""));
    cases.push_back(made("slct." + t + ".f32", {t, t, "f32"}, {t}, ""));
    cases.push_back(made("slct.ftz." + t + ".f32", {t, t, "f32"}, {t}, ""));
  }
}

} // namespace

std::vector<Case> comparisonCases() {
  std::vector<Case> cases;
  addSetPredicate(cases);
  addSet(cases);
  addSelections(cases);
  return cases;
}

} // namespace ashlar::conformance
