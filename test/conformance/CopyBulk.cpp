// cp.async.bulk, cp.reduce.async.bulk, their prefetch, and cp.async.
#include "test/conformance/CopyKernel.h"

namespace ashlar::conformance {

namespace {

Case caseOf(const std::string &name, const CopyKernel &kernel,
            std::vector<Buffer> buffers, unsigned ctas = 1) {
  Case result;
  result.family = "copy";
  result.name = name;
  result.ptx = kernel.ptx();
  result.grid = result.cluster = ctas;
  result.buffers = std::move(buffers);
  return result;
}

Buffer input(std::vector<uint8_t> bytes) {
  Buffer buffer;
  buffer.bytes = std::move(bytes);
  return buffer;
}

Buffer output(std::vector<uint8_t> bytes) {
  Buffer buffer = input(std::move(bytes));
  buffer.isOutput = true;
  return buffer;
}

constexpr unsigned tileBytes = 4096;

void addLoads(std::vector<Case> &cases) {
  for (const char *destination : {"shared::cta", "shared::cluster"})
    for (unsigned size : {0u, 16u, 48u, 112u, 1024u, 2000u, 3072u})
      for (bool hasHint : {false, true}) {
        CopyKernel kernel(2, 0, tileBytes);
        kernel.fillTile(3);
        kernel.initialise("bar", 1);
        kernel.publishTile();
        kernel.expect("bar", size);
        kernel.add("mov.u32 %r1, " + std::to_string(size) + ";");
        if (hasHint)
          kernel.add("createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;");
        kernel.byFirst(std::string("cp.async.bulk.") + destination +
                       ".global.mbarrier::complete_tx::bytes" +
                       (hasHint ? ".L2::cache_hint" : "") +
                       " [tile+144], [%b0+32], %r1, [bar]" +
                       (hasHint ? ", %d0;" : ";"));
        kernel.wait("bar", 0);
        kernel.tileToBuffer(1, tileBytes, 0);
        cases.push_back(caseOf(std::string("bulk.load.") + destination + "." +
                                   std::to_string(size) +
                                   (hasHint ? ".hint" : ""),
                               kernel,
                               {input(randomBytes(tileBytes, 1)),
                                output(std::vector<uint8_t>(tileBytes))}));
      }
}

void addStores(std::vector<Case> &cases) {
  for (const char *size : {"0", "16", "496", "2048", "%r1"})
    for (bool hasHint : {false, true}) {
      CopyKernel kernel(2, 0, tileBytes);
      kernel.bufferToTile(1, tileBytes, 0);
      kernel.publishTile();
      kernel.add("mov.u32 %r1, 1008;");
      if (hasHint)
        kernel.add("createpolicy.fractional.L2::evict_first.b64 %d0, 1.0;");
      kernel.byFirst(
          std::string("cp.async.bulk.global.shared::cta.bulk_group") +
          (hasHint ? ".L2::cache_hint" : "") + " [%b0+64], [tile+16], " + size +
          (hasHint ? ", %d0;" : ";"));
      kernel.byFirst("cp.async.bulk.commit_group;");
      // A second group, and an empty third.
      kernel.byFirst("cp.async.bulk.global.shared::cta.bulk_group "
                     "[%b0+3072], [tile], 512;");
      kernel.byFirst("cp.async.bulk.commit_group;");
      kernel.byFirst("cp.async.bulk.commit_group;");
      kernel.byFirst("cp.async.bulk.wait_group.read 2;");
      kernel.byFirst("cp.async.bulk.wait_group.read 0;");
      kernel.byFirst("cp.async.bulk.wait_group 1;");
      kernel.byFirst("cp.async.bulk.wait_group 0;");
      cases.push_back(caseOf(std::string("bulk.store.") +
                                 (size[0] == '%' ? "register" : size) +
                                 (hasHint ? ".hint" : ""),
                             kernel,
                             {output(randomBytes(tileBytes, 2)),
                              input(randomBytes(tileBytes, 3))}));
    }
}

struct Reduction {
  const char *operation, *type, *element;
  bool toShared;
};
const std::vector<Reduction> reductions = {
    {"add", "u32", "u32", true},        {"add", "s32", "s32", true},
    {"add", "u64", "u64", true},        {"min", "u32", "u32", true},
    {"min", "s32", "s32", true},        {"max", "u32", "u32", true},
    {"max", "s32", "s32", true},        {"inc", "u32", "u32", true},
    {"dec", "u32", "u32", true},        {"and", "b32", "u32", true},
    {"or", "b32", "u32", true},         {"xor", "b32", "u32", true},
    {"add", "f32", "f32", false},       {"add", "f64", "f64", false},
    {"add.noftz", "f16", "f16", false}, {"add.noftz", "bf16", "bf16", false},
    {"min", "u64", "u64", false},       {"min", "s64", "s64", false},
    {"max", "u64", "u64", false},       {"max", "s64", "s64", false},
    {"min", "f16", "f16", false},       {"max", "f16", "f16", false},
    {"min", "bf16", "bf16", false},     {"max", "bf16", "bf16", false},
    {"and", "b64", "u64", false},       {"or", "b64", "u64", false},
    {"xor", "b64", "u64", false}};

std::vector<uint8_t> valuesFor(const Reduction &reduction, uint32_t seed) {
  return elementValues(reduction.element,
                       tileBytes / elementBytes(reduction.element), seed);
}

void addReductionsToGlobal(std::vector<Case> &cases) {
  for (const Reduction &reduction : reductions) {
    const bool hasHint = reduction.toShared;
    CopyKernel kernel(2, 0, tileBytes);
    kernel.bufferToTile(1, tileBytes, 0);
    kernel.publishTile();
    if (hasHint)
      kernel.add("createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;");
    kernel.byFirst(
        std::string("cp.reduce.async.bulk.global.shared::cta.bulk_group") +
        (hasHint ? ".L2::cache_hint." : ".") + reduction.operation + "." +
        reduction.type + " [%b0+16], [tile], 4080" +
        (hasHint ? ", %d0;" : ";"));
    kernel.waitForStores();
    cases.push_back(caseOf(
        std::string("bulk.reduce.global.") + reduction.operation + "." +
            reduction.type,
        kernel,
        {output(valuesFor(reduction, 4)), input(valuesFor(reduction, 5))}));
  }
}

/// Each CTA of a pair sends its tile to the other: to the second half of its
/// tile, where `operation` is one, onto what is there.
void addPeers(std::vector<Case> &cases) {
  const auto add = [&](const std::string &operation, const std::string &type,
                       const std::vector<uint8_t> &bytes) {
    CopyKernel kernel(2, 0, 2 * tileBytes);
    kernel.add("mov.u32 %r1, %cluster_ctarank;");
    kernel.add("xor.b32 %r2, %r1, 1;");
    kernel.add("mul.wide.u32 %d1, %r1, 8192;");
    kernel.add("add.u64 %b0, %b0, %d1;");
    kernel.add("add.u64 %b1, %b1, %d1;");
    kernel.bufferToTile(0, 2 * tileBytes, 0);
    kernel.initialise("bar", 1);
    kernel.publishTile();
    kernel.expect("bar", tileBytes - 32);
    kernel.syncCluster();
    kernel.add("mov.u32 %r3, tile;");
    kernel.add("mapa.shared::cluster.u32 %r4, %r3, %r2;");
    kernel.add("mov.u32 %r5, bar;");
    kernel.add("mapa.shared::cluster.u32 %r5, %r5, %r2;");
    kernel.byFirst(
        std::string(operation.empty() ? "cp.async" : "cp.reduce.async") +
        ".bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" +
        (operation.empty() ? "" : "." + operation + "." + type) +
        " [%r4+4112], [tile+32], 4064, [%r5];");
    kernel.wait("bar", 0);
    kernel.tileToBuffer(1, 2 * tileBytes, 0);
    kernel.syncCluster();
    cases.push_back(
        caseOf(operation.empty() ? std::string("bulk.peer")
                                 : "bulk.reduce.peer." + operation + "." + type,
               kernel,
               {input(bytes), output(std::vector<uint8_t>(4 * tileBytes))}, 2));
  };
  add("", "", randomBytes(4 * tileBytes, 6));
  for (const Reduction &reduction : reductions)
    if (reduction.toShared)
      add(reduction.operation, reduction.type,
          elementValues(reduction.element,
                        4 * tileBytes / elementBytes(reduction.element), 8));
}

void addPrefetches(std::vector<Case> &cases) {
  CopyKernel kernel(2, 0, 1024);
  kernel.add("createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;");
  kernel.byFirst("cp.async.bulk.prefetch.L2.global [%b0], 512;");
  kernel.byFirst("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%b0+16], "
                 "64, %d0;");
  kernel.bufferToTile(0, 1024, 0);
  kernel.tileToBuffer(1, 1024, 0);
  cases.push_back(caseOf(
      "bulk.prefetch", kernel,
      {input(randomBytes(1024, 9)), output(std::vector<uint8_t>(1024))}));
}

} // namespace

void addBulkCopyCases(std::vector<Case> &cases) {
  addLoads(cases);
  addStores(cases);
  addReductionsToGlobal(cases);
  addPeers(cases);
  addPrefetches(cases);
}

namespace {

/// Each thread copies twice `size` bytes, from the places of neighbours.
Case threadCopy(const std::string &name, const std::string &modifiers,
                unsigned size, const std::string &operands,
                const std::string &ending) {
  CopyKernel kernel(2, 0, 1024);
  kernel.fillTile(5);
  kernel.initialise("bar", ending.find("noinc") != ending.npos ? 32 : 1);
  kernel.add("createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;");
  kernel.add("mov.u32 %r1, tile;");
  kernel.add("mad.lo.u32 %r1, %r0, " + std::to_string(size) + ", %r1;");
  kernel.add("xor.b32 %r2, %r0, 5;");
  kernel.add("mul.wide.u32 %d1, %r2, " + std::to_string(size) + ";");
  kernel.add("add.u64 %d1, %d1, %b0;");
  kernel.add("and.b32 %r3, %r0, 1;");
  kernel.add("setp.eq.u32 %p1, %r3, 0;");
  kernel.add("rem.u32 %r4, %r0, " + std::to_string(size + 1) + ";");
  const std::string bytes = std::to_string(size);
  kernel.add("cp.async." + modifiers + " [%r1], [%d1], " + bytes + operands +
             ";");
  if (ending == "groups")
    kernel.add("cp.async.commit_group;");
  kernel.add("cp.async." + modifiers + " [%r1+" + std::to_string(32 * size) +
             "], [%d1+512], " + bytes + operands + ";");
  if (ending == "groups") {
    kernel.add("cp.async.commit_group;");
    kernel.add("cp.async.wait_group 1;");
    kernel.add("cp.async.wait_group 0;");
  } else if (ending == "all") {
    kernel.add("cp.async.wait_all;");
  } else {
    kernel.add("cp.async.mbarrier.arrive" + ending + ".b64 [bar];");
    if (ending.find("noinc") == ending.npos)
      kernel.byFirst("mbarrier.arrive.shared::cta.b64 _, [bar];");
    kernel.wait("bar", 0);
  }
  kernel.sync();
  kernel.tileToBuffer(1, 1024, 0);
  return caseOf(
      "async." + name, kernel,
      {input(randomBytes(1024, 10)), output(std::vector<uint8_t>(1024))});
}

} // namespace

void addThreadCopyCases(std::vector<Case> &cases) {
  struct Option {
    const char *name, *hint, *operands;
  };
  const std::vector<Option> options = {
      {"", "", ""},
      {".size", "", ", %r4"},
      {".none", "", ", 0"},
      {".ignore", "", ", %p1"},
      {".keep", "", ", !%p1"},
      {".hint", ".L2::cache_hint", ", %d0"},
      {".hint.size", ".L2::cache_hint", ", %r4, %d0"},
      {".hint.ignore", ".L2::cache_hint", ", %p1, %d0"}};
  const std::vector<const char *> prefetches = {"", ".L2::64B", ".L2::128B",
                                                ".L2::256B"};
  const std::vector<const char *> endings = {
      "groups", "all", "", ".noinc", ".shared", ".noinc.shared::cta"};
  unsigned index = 0;
  for (unsigned size : {4u, 8u, 16u})
    for (const char *level : {"ca", "cg"})
      for (const Option &option : options) {
        if (size != 16 && level[1] == 'g')
          continue;
        const char *prefetch = prefetches[index % prefetches.size()];
        const std::string modifiers = std::string(level) +
                                      (index % 2 ? ".shared::cta" : ".shared") +
                                      ".global" + option.hint + prefetch;
        const char *ending = endings[index++ % endings.size()];
        cases.push_back(threadCopy(std::string(level) + "." +
                                       std::to_string(size) + option.name,
                                   modifiers, size, option.operands, ending));
      }
  for (const char *ending : endings)
    cases.push_back(threadCopy(std::string("end.") + ending, "ca.shared.global",
                               16, "", ending));
}

} // namespace ashlar::conformance
