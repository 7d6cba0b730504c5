// mov, cvta, isspacep, mapa, getctarank.
#include "test/conformance/LaneCase.h"

namespace ashlar::conformance {

namespace {

using Names = std::vector<std::string>;

class Cases {
public:
  std::vector<Case> all;

  Case &add(const std::string &name, const Names &sources, const Names &results,
            const std::string &text = "") {
    LaneCase made;
    made.family = "move";
    made.name = name;
    made.sources = sources;
    made.results = results;
    made.text = text;
    return all.emplace_back(makeCase(made));
  }
};

void addValues(Cases &cases) {
  for (const char *type : {"b16", "b32", "b64", "u16", "u32", "u64", "s16",
                           "s32", "s64", "f32", "f64"})
    cases.add(std::string("mov.") + type, {type}, {type});
  cases.add("mov.pred", {"pred"}, {"u32"},
            "setp.ne.b32 %p0, %a0, 0;\nmov.pred %p1, %p0;\n"
            "mov.pred %p2, !%p0;\nmov.pred %p3, 1;\n"
            "selp.u32 %d0, 1, 0, %p1;\nselp.u32 %w0, 2, 0, %p2;\n"
            "selp.u32 %w1, 4, 0, %p3;\nor.b32 %d0, %d0, %w0;\n"
            "or.b32 %d0, %d0, %w1;");
  cases.add("mov.b128", {"b64", "b64"}, {"b64", "b64"},
            ".reg .b128 %v<2>;\nmov.b128 %v0, {%a0, %a1};\n"
            "mov.b128 %v1, %v0;\nmov.b128 {%d1, %d0}, %v1;");
  cases.add("mov.b64 constant", {"b64"}, {"b64"},
            "mov.b64 %x0, 0x123456789abcdef0;\nxor.b64 %d0, %a0, %x0;");
  cases.add("mov.f32 constant", {"b32"}, {"b32"},
            "mov.f32 %w0, 1.5;\nxor.b32 %d0, %a0, %w0;\n"
            "mov.b32 %w1, 0f7f800000;\nxor.b32 %d0, %d0, %w1;");
  cases.add("mov.f64 constant", {"b64"}, {"b64"},
            "mov.f64 %x0, 0d3ff123456789abcd;\nxor.b64 %d0, %a0, %x0;");
}

void addVectors(Cases &cases) {
  cases.add("mov.b64 {32}", {"b64"}, {"b32", "b32"},
            "mov.b64 {%d0, %d1}, %a0;");
  cases.add("mov.b64 {16}", {"b64"}, {"b16", "b16", "b16", "b16"},
            "mov.b64 {%d0, %d1, %d2, %d3}, %a0;");
  cases.add("mov.b32 {16}", {"b32"}, {"b16", "b16"},
            "mov.b32 {%d0, %d1}, %a0;");
  cases.add("mov.b64 {_}", {"b64"}, {"b32"}, "mov.b64 {_, %d0}, %a0;");
  cases.add("mov.b32 {_}", {"b32"}, {"b16"}, "mov.b32 {%d0, _}, %a0;");
  cases.add("mov.b64 from {32}", {"b32", "b32"}, {"b64"},
            "mov.b64 %d0, {%a0, %a1};");
  cases.add("mov.b64 from {16}", {"b16", "b16", "b16", "b16"}, {"b64"},
            "mov.b64 %d0, {%a0, %a1, %a2, %a3};");
  cases.add("mov.b32 from {16}", {"b16", "b16"}, {"b32"},
            "mov.b32 %d0, {%a0, %a1};");
  cases.add("mov.b32 {8}", {"b32"}, {"b32", "b32"},
            ".reg .b8 %c<4>;\nmov.b32 {%c0, %c1, %c2, %c3}, %a0;\n"
            "mov.b32 %d0, {%c3, %c1, %c0, %c2};\ncvt.u32.u8 %d1, %c2;");
  cases.add("mov.b16 {8}", {"b16"}, {"b16"},
            ".reg .b8 %c<2>;\nmov.b16 {%c0, %c1}, %a0;\n"
            "mov.b16 %d0, {%c1, %c0};");
}

/// Registers that have the same values on every device.
void addSpecialRegisters(Cases &cases) {
  for (const char *name : {"tid.x",
                           "tid.y",
                           "tid.z",
                           "ntid.x",
                           "ntid.y",
                           "ntid.z",
                           "ctaid.x",
                           "ctaid.y",
                           "ctaid.z",
                           "nctaid.x",
                           "nctaid.y",
                           "nctaid.z",
                           "laneid",
                           "lanemask_eq",
                           "lanemask_le",
                           "lanemask_lt",
                           "lanemask_ge",
                           "lanemask_gt",
                           "clusterid.x",
                           "clusterid.y",
                           "clusterid.z",
                           "nclusterid.x",
                           "nclusterid.y",
                           "nclusterid.z",
                           "cluster_ctaid.x",
                           "cluster_ctaid.y",
                           "cluster_ctaid.z",
                           "cluster_nctaid.x",
                           "cluster_nctaid.y",
                           "cluster_nctaid.z",
                           "cluster_ctarank",
                           "cluster_nctarank",
                           "dynamic_smem_size"}) {
    std::string text = std::string("mov.u32 %d0, %") + name + ";";
    cases.add(std::string("mov.u32 %") + name, {"b32"}, {"u32"}, text);
    Case &inCluster = cases.add(std::string("mov.u32 in a cluster %") + name,
                                {"b32"}, {"u32"}, text);
    inCluster.cluster = 2;
    inCluster.sharedBytes = 512;
  }
  cases.add("mov.pred %is_explicit_cluster", {"b32"}, {"u32"},
            "mov.pred %p0, %is_explicit_cluster;\nselp.u32 %d0, 1, 0, %p0;");
  cases.add("mov.u16 %tid.x", {"b32"}, {"u16"}, "mov.u16 %d0, %tid.x;");
  // Clocks do not run backwards.
  for (const char *name :
       {"u32 %w %clock", "u64 %x %clock64", "u64 %x %globaltimer",
        "u32 %w %clock_hi", "u32 %w %globaltimer_hi"}) {
    std::string text = name, type = text.substr(0, 3), reg = text.substr(4, 2),
                special = text.substr(7);
    cases.add("mov." + type + " " + special, {"b32"}, {"u32"},
              "mov." + type + " " + reg + "0, " + special + ";\nmov." + type +
                  " " + reg + "1, " + special + ";\nsub." + type + " " + reg +
                  "2, " + reg + "1, " + reg + "0;\nsetp.ge.s" + type.substr(1) +
                  " %p0, " + reg + "2, 0;\nselp.u32 %d0, 1, 0, %p0;");
  }
}

const char *const spaces[] = {"const",  "global",      "local",
                              "shared", "shared::cta", "shared::cluster",
                              "param",  "param::entry"};

/// Which windows the generic address of a variable is in: a bit for each.
void addSpaces(Cases &cases) {
  struct Variable {
    const char *space, *declaration;
  };
  for (const Variable &variable :
       {Variable{"global", ".global .align 4 .b32 variable[4];\n"},
        Variable{"shared", ".shared .align 4 .b32 variable[4];\n"},
        Variable{"local", ".local .align 4 .b32 variable[4];\n"},
        Variable{"const", ".const .align 4 .b32 variable[4];\n"}}) {
    std::string space = variable.space;
    std::string tests;
    unsigned bit = 1;
    for (const char *tested : spaces) {
      tests += std::string("isspacep.") + tested +
               " %p0, %x0;\nselp.u32 %w0, " + std::to_string(bit) +
               ", 0, %p0;\nor.b32 %d0, %d0, %w0;\n";
      bit *= 2;
    }
    std::string declaration =
        space == "local" || space == "shared" ? variable.declaration : "";
    Case &in = cases.add("isspacep of ." + space, {"b32"}, {"u32"},
                         declaration + "mov.u32 %d0, 0;\ncvta." + space +
                             ".u64 %x0, variable;\n" + tests);
    if (declaration.empty())
      in.ptx.insert(in.ptx.find(".visible"), variable.declaration);
    // There and back, and a value through the generic address.
    Case &back = cases.add("cvta." + space, {"b32"}, {"u32"},
                           declaration + "mov.u64 %x1, variable;\ncvta." +
                               space + ".u64 %x0, %x1;\ncvta.to." + space +
                               ".u64 %x2, %x0;\nsetp.eq.u64 %p0, %x1, %x2;\n"
                               "selp.u32 %d0, 1, 0, %p0;");
    if (declaration.empty())
      back.ptx.insert(back.ptx.find(".visible"), variable.declaration);
  }
}

void addCluster(Cases &cases) {
  const std::string declaration = ".shared .align 4 .b32 variable[4];\n";
  auto inCluster = [&](const std::string &name, const std::string &text) {
    Case &made = cases.add(name, {"b32"}, {"u32"}, declaration + text);
    made.cluster = 4;
  };
  inCluster("mapa.shared::cluster.u32",
            "and.b32 %w0, %a0, 3;\nmov.u32 %w1, variable;\n"
            "mapa.shared::cluster.u32 %w2, %w1, %w0;\n"
            "getctarank.shared::cluster.u32 %w3, %w2;\n"
            "sub.u32 %d0, %w3, %w0;");
  inCluster("mapa.shared::cluster.u64",
            "and.b32 %w0, %a0, 3;\nmov.u64 %x1, variable;\n"
            "mapa.shared::cluster.u64 %x2, %x1, %w0;\n"
            "getctarank.shared::cluster.u64 %w3, %x2;\n"
            "shl.b32 %w3, %w3, 8;\nor.b32 %d0, %w3, %w0;");
  inCluster("mapa.u64",
            "and.b32 %w0, %a0, 3;\ncvta.shared.u64 %x1, variable;\n"
            "mapa.u64 %x2, %x1, %w0;\ngetctarank.u64 %w3, %x2;\n"
            "mov.u32 %w1, %cluster_ctarank;\nsetp.eq.u32 %p0, %w1, %w0;\n"
            "isspacep.shared::cta %p1, %x2;\n"
            "isspacep.shared::cluster %p2, %x2;\n"
            "xor.pred %p3, %p0, %p1;\nselp.u32 %d0, 1, 0, %p3;\n"
            "selp.u32 %w1, 2, 0, %p2;\nor.b32 %d0, %d0, %w1;\n"
            "shl.b32 %w3, %w3, 8;\nor.b32 %d0, %d0, %w3;");
  inCluster("mapa.shared::cluster.u32 of a variable",
            "mapa.shared::cluster.u32 %w2, variable+4, 3;\n"
            "getctarank.shared::cluster.u32 %d0, %w2;");
}

} // namespace

std::vector<Case> moveCases() {
  Cases cases;
  addValues(cases);
  addVectors(cases);
  addSpecialRegisters(cases);
  addSpaces(cases);
  addCluster(cases);
  return std::move(cases.all);
}

} // namespace ashlar::conformance
