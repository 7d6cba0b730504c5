// TMA loads and bulk copies to several CTAs of a cluster, and tensor maps that
// a kernel changes or makes.
#include "test/conformance/CopyKernel.h"

namespace ashlar::conformance {

namespace {

Buffer buffer(std::vector<uint8_t> bytes, bool isOutput) {
  Buffer result;
  result.bytes = std::move(bytes);
  result.isOutput = isOutput;
  return result;
}

constexpr unsigned spaceBytes = 8192;

TensorMap matrix() {
  TensorMap map;
  map.element = "bf16";
  map.extents = {70, 50};
  map.strideBytes = {144};
  map.box = {64, 24};
  map.swizzleBytes = 128;
  return map;
}
constexpr unsigned boxBytes = 64 * 24 * 2;

/// Each CTA whose bit is set in `senders` copies to those in its mask, its copy
/// at its own place.
Case multicast(unsigned ctas, const std::vector<unsigned> &masks, bool isTensor,
               bool hasHint) {
  CopyKernel kernel(2, isTensor ? 1 : 0, spaceBytes * 2);
  kernel.fillTile(1);
  kernel.initialise("bar", 1);
  kernel.publishTile();
  kernel.add("mov.u32 %r1, %cluster_ctarank;");
  kernel.add("createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;");
  std::vector<unsigned> received(ctas);
  for (unsigned sender = 0; sender < ctas; ++sender)
    for (unsigned rank = 0; rank < ctas; ++rank)
      received[rank] += masks[sender] >> rank & 1;
  std::string name = isTensor ? "tensor.multicast" : "bulk.multicast";
  for (unsigned rank = 0; rank < ctas; ++rank) {
    kernel.add("setp.eq.and.u32 %p" + std::to_string(rank + 1) + ", %r1, " +
               std::to_string(rank) + ", %first;");
    kernel.add("@%p" + std::to_string(rank + 1) +
               " mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " +
               std::to_string(received[rank] * boxBytes) + ";");
    name += "." + std::to_string(masks[rank]);
  }
  kernel.syncCluster();
  for (unsigned rank = 0; rank < ctas; ++rank) {
    if (masks[rank] == 0)
      continue;
    const std::string tile = "[tile+" + std::to_string(rank * boxBytes) + "], ";
    const std::string guard = "@%p" + std::to_string(rank + 1) + " ";
    const std::string ending =
        ".multicast::cluster" + std::string(hasHint ? ".L2::cache_hint " : " ");
    const std::string last =
        "[bar], " + std::to_string(masks[rank]) + (hasHint ? ", %d0;" : ";");
    if (isTensor)
      kernel.add(guard +
                 "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes" +
                 ending + tile + "[%m0, {" + std::to_string(8 * rank) + ", " +
                 std::to_string(9 * rank) + "}], " + last);
    else
      kernel.add(guard +
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes" +
                 ending + tile + "[%b0+" + std::to_string(1024 * rank) + "], " +
                 std::to_string(boxBytes) + ", " + last);
  }
  kernel.wait("bar", 0);
  kernel.add("mul.wide.u32 %d1, %r1, " + std::to_string(2 * spaceBytes) + ";");
  kernel.add("add.u64 %b1, %b1, %d1;");
  kernel.tileToBuffer(1, 2 * spaceBytes, 0);
  kernel.syncCluster();
  Case result;
  result.family = "copy";
  result.name = name;
  result.ptx = kernel.ptx();
  result.grid = result.cluster = ctas;
  result.buffers = {buffer(randomBytes(spaceBytes, 21), false),
                    buffer(std::vector<uint8_t>(2 * spaceBytes * ctas), true)};
  if (isTensor)
    result.tensorMaps = {matrix()};
  return result;
}

/// The second CTA of a pair loads into the first's memory.
Case loadIntoPeer(bool isTensor) {
  CopyKernel kernel(2, isTensor ? 1 : 0, spaceBytes);
  kernel.fillTile(1);
  kernel.initialise("bar", 1);
  kernel.publishTile();
  kernel.expect("bar", boxBytes);
  kernel.syncCluster();
  kernel.add("mov.u32 %r1, %cluster_ctarank;");
  kernel.add("xor.b32 %r2, %r1, 1;");
  kernel.add("mov.u32 %r3, tile;");
  kernel.add("mapa.shared::cluster.u32 %r3, %r3, %r2;");
  kernel.add("mov.u32 %r4, bar;");
  kernel.add("mapa.shared::cluster.u32 %r4, %r4, %r2;");
  kernel.add("mul.lo.u32 %r5, %r1, 16;");
  if (isTensor)
    kernel.byFirst("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                   "complete_tx::bytes [%r3], [%m0, {%r5, -2}], [%r4];");
  else
    kernel.byFirst("cp.async.bulk.shared::cluster.global.mbarrier::"
                   "complete_tx::bytes [%r3], [%b0], " +
                   std::to_string(boxBytes) + ", [%r4];");
  kernel.wait("bar", 0);
  kernel.add("mul.wide.u32 %d1, %r1, " + std::to_string(spaceBytes) + ";");
  kernel.add("add.u64 %b1, %b1, %d1;");
  kernel.tileToBuffer(1, spaceBytes, 0);
  kernel.syncCluster();
  Case result;
  result.family = "copy";
  result.name = isTensor ? "tensor.load.peer" : "bulk.load.peer";
  result.ptx = kernel.ptx();
  result.grid = result.cluster = 2;
  result.buffers = {buffer(randomBytes(spaceBytes, 22), false),
                    buffer(std::vector<uint8_t>(2 * spaceBytes), true)};
  if (isTensor)
    result.tensorMaps = {matrix()};
  return result;
}

} // namespace

void addMulticastCases(std::vector<Case> &cases) {
  for (bool isTensor : {true, false}) {
    cases.push_back(multicast(2, {3, 0}, isTensor, false));
    cases.push_back(multicast(2, {2, 1}, isTensor, true));
    cases.push_back(multicast(2, {3, 3}, isTensor, false));
    cases.push_back(multicast(4, {15, 5, 10, 8}, isTensor, true));
    cases.push_back(multicast(4, {15, 15, 15, 15}, isTensor, false));
    cases.push_back(loadIntoPeer(isTensor));
  }
}

namespace {

/// Loads by the map whose address is in %d2, into the tile, and shows it.
void loadByMap(CopyKernel &kernel, unsigned output) {
  kernel.fillTile(2);
  kernel.initialise("bar", 1);
  kernel.publishTile();
  kernel.expect("bar", 64 * 8 * 2);
  kernel.byFirst("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::"
                 "complete_tx::bytes [tile], [%d2, {8, 3}], [bar];");
  kernel.wait("bar", 0);
  kernel.tileToBuffer(output, 4096, 0);
}

/// Publishes the map in shared memory at `tile`, of the first thread, to
/// buffer 2, and leaves its generic address in %d2.
void publishMap(CopyKernel &kernel, const std::string &scope) {
  kernel.sync();
  kernel.add("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
             "release." +
             scope + ".sync.aligned [%b2], [tile], 128;");
  kernel.add("cvta.global.u64 %d2, %b2;");
  kernel.add("fence.proxy.tensormap::generic.acquire." + scope +
             " [%d2], 128;");
  kernel.sync();
}

struct Field {
  const char *name, *operands;
  bool isWide = false;
};

Case mapCase(const std::string &name, const std::vector<Field> &fields,
             bool fromZeros, const std::string &scope) {
  CopyKernel kernel(3, 1, 4096);
  kernel.add("mov.u32 %r1, tile;");
  kernel.add("cvta.global.u64 %d3, %b0;");
  for (unsigned i = 0; i < 16; ++i) {
    kernel.add(fromZeros ? std::string("mov.u64 %d4, 0;")
                         : "ld.u64 %d4, [%m0+" + std::to_string(8 * i) + "];");
    kernel.byFirst("st.shared.u64 [%r1+" + std::to_string(8 * i) + "], %d4;");
  }
  for (const Field &field : fields)
    kernel.byFirst(std::string("tensormap.replace.tile.") + field.name +
                   ".shared::cta.b1024." + (field.isWide ? "b64" : "b32") +
                   " [%r1], " + field.operands + ";");
  publishMap(kernel, scope);
  loadByMap(kernel, 1);
  Case result;
  result.family = "copy";
  result.name = "tensormap." + name;
  result.ptx = kernel.ptx();
  result.buffers = {buffer(randomBytes(spaceBytes, 23), false),
                    buffer(std::vector<uint8_t>(4096), true),
                    buffer(std::vector<uint8_t>(128), false)};
  TensorMap map = matrix();
  map.box = {64, 8};
  result.tensorMaps = {map};
  return result;
}

} // namespace

void addTensorMapCases(std::vector<Case> &cases) {
  const std::vector<Field> all = {{"global_address", "%d3", true},
                                  {"rank", "1"},
                                  {"box_dim", "0, 64"},
                                  {"box_dim", "1, 8"},
                                  {"global_dim", "0, 70"},
                                  {"global_dim", "1, 9"},
                                  {"global_stride", "0, 144", true},
                                  {"element_stride", "0, 1"},
                                  {"element_stride", "1, 1"},
                                  {"elemtype", "10"},
                                  {"interleave_layout", "0"},
                                  {"swizzle_mode", "3"},
                                  {"fill_mode", "0"}};
  cases.push_back(mapCase("copy", {}, false, "gpu"));
  cases.push_back(mapCase("zeros", all, true, "gpu"));
  cases.push_back(mapCase("all", all, false, "sys"));
  cases.push_back(
      mapCase("address", {{"global_address", "%d3", true}}, false, "cta"));
  cases.push_back(mapCase("extents",
                          {{"global_dim", "0, 20"}, {"global_dim", "1, 6"}},
                          false, "cluster"));
  cases.push_back(
      mapCase("stride", {{"global_stride", "0, 160", true}}, false, "gpu"));
  cases.push_back(mapCase("fill", {{"fill_mode", "1"}}, false, "gpu"));
  cases.push_back(
      mapCase("swizzle.none", {{"swizzle_mode", "0"}}, false, "gpu"));
  cases.push_back(mapCase("type.f16", {{"elemtype", "6"}, {"fill_mode", "1"}},
                          false, "gpu"));
  cases.push_back(mapCase(
      "box", {{"box_dim", "1, 16"}, {"element_stride", "1, 2"}}, false, "gpu"));

  CopyKernel kernel(3, 1, 4096);
  kernel.add("createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;");
  kernel.add("mov.b64 %d2, %m0;");
  kernel.byFirst("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d2, {0, "
                 "-1}];");
  kernel.byFirst("cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint "
                 "[%d2, {904, 1}], %d0;");
  loadByMap(kernel, 1);
  Case result = mapCase("prefetch", {}, false, "gpu");
  result.name = "tensor.prefetch";
  result.ptx = kernel.ptx();
  cases.push_back(result);
}

} // namespace ashlar::conformance
