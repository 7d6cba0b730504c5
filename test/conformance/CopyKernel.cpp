#include "test/conformance/CopyKernel.h"

#include <cstring>
#include <random>

namespace ashlar::conformance {

void CopyKernel::syncCluster() {
  add("barrier.cluster.arrive.release.aligned;");
  add("barrier.cluster.wait.acquire.aligned;");
}

void CopyKernel::forWords(unsigned bytes, const std::string &step) {
  const std::string label = "L" + std::to_string(labels++);
  add("mov.u32 %i, %tid.x;");
  body += label + ":\n";
  add("setp.lt.u32 %more, %i, " + std::to_string(bytes / 4) + ";");
  add("@!%more bra " + label + "_end;");
  body += step;
  add("add.u32 %i, %i, 32;");
  add("bra " + label + ";");
  body += label + "_end:\n";
}

void CopyKernel::fillTile(uint32_t seed) {
  forWords(tileBytes, "  mad.lo.u32 %v, %i, 0x9e3779b1, " +
                          std::to_string(seed) +
                          ";\n  shl.b32 %a, %i, 2;\n  mov.u32 %t, tile;\n"
                          "  add.u32 %a, %a, %t;\n  st.shared.u32 [%a], %v;\n");
}

namespace {

std::string addresses(unsigned buffer, uint64_t offset, unsigned tileOffset) {
  return "  shl.b32 %a, %i, 2;\n  mul.wide.u32 %w, %i, 4;\n"
         "  add.u64 %w, %w, %b" +
         std::to_string(buffer) + ";\n  add.u64 %w, %w, " +
         std::to_string(offset) + ";\n  mov.u32 %t, tile;\n" +
         "  add.u32 %a, %a, %t;\n  add.u32 %a, %a, " +
         std::to_string(tileOffset) + ";\n";
}

} // namespace

void CopyKernel::tileToBuffer(unsigned buffer, unsigned bytes, uint64_t offset,
                              unsigned tileOffset) {
  forWords(bytes, addresses(buffer, offset, tileOffset) +
                      "  ld.shared.u32 %v, [%a];\n"
                      "  st.global.u32 [%w], %v;\n");
}

void CopyKernel::bufferToTile(unsigned buffer, unsigned bytes, uint64_t offset,
                              unsigned tileOffset) {
  forWords(bytes, addresses(buffer, offset, tileOffset) +
                      "  ld.global.u32 %v, [%w];\n"
                      "  st.shared.u32 [%a], %v;\n");
}

void CopyKernel::publishTile() {
  add("fence.proxy.async;");
  sync();
}

void CopyKernel::initialise(const std::string &mbarrier, unsigned count) {
  byFirst("mbarrier.init.shared::cta.b64 [" + mbarrier + "], " +
          std::to_string(count) + ";");
  byFirst("fence.mbarrier_init.release.cluster;");
  sync();
}

void CopyKernel::expect(const std::string &mbarrier, unsigned bytes) {
  byFirst("mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + mbarrier + "], " +
          std::to_string(bytes) + ";");
}

void CopyKernel::wait(const std::string &mbarrier, unsigned parity) {
  const std::string label = "W" + std::to_string(labels++);
  body += label + ":\n";
  add("mbarrier.try_wait.parity.shared::cta.b64 %more, [" + mbarrier + "], " +
      std::to_string(parity) + ";");
  add("@!%more bra " + label + ";");
}

void CopyKernel::waitForStores() {
  byFirst("cp.async.bulk.commit_group;");
  byFirst("cp.async.bulk.wait_group 0;");
  sync();
}

std::string CopyKernel::ptx() const {
  std::string text = ".version 8.8\n.target sm_90a\n.address_size 64\n"
                     ".visible .entry kernel(";
  for (unsigned i = 0; i < buffers; ++i)
    text += (i ? ", " : "") + std::string(".param .u64 p") + std::to_string(i);
  for (unsigned i = 0; i < tensorMaps; ++i)
    text += (i + buffers ? ", " : "") + std::string(".param .align 64 .b8 q") +
            std::to_string(i) + "[128]";
  text += ")\n{\n  .reg .pred %first, %more, %p<8>;\n"
          "  .reg .b16 %h<8>;\n  .reg .b32 %i, %v, %a, %t, %r<16>;\n"
          "  .reg .b64 %w, %d<16>, %b<8>, %m<8>;\n"
          "  .shared .align 1024 .b8 tile[" +
          std::to_string(tileBytes) +
          "];\n  .shared .align 8 .b64 bar;\n  .shared .align 8 .b64 bar2;\n"
          "  mov.u32 %r0, %tid.x;\n  setp.eq.u32 %first, %r0, 0;\n";
  for (unsigned i = 0; i < buffers; ++i) {
    const std::string n = std::to_string(i);
    text += "  ld.param.u64 %b" + n + ", [p" + n + "];\n" +
            "  cvta.to.global.u64 %b" + n + ", %b" + n + ";\n";
  }
  for (unsigned i = 0; i < tensorMaps; ++i) {
    const std::string n = std::to_string(i);
    text += "  mov.b64 %m" + n + ", q" + n + ";\n" + "  cvta.param.u64 %m" + n +
            ", %m" + n + ";\n";
  }
  return text + body + "  ret;\n}\n";
}

std::vector<uint8_t> randomBytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random());
  return bytes;
}

unsigned elementBytes(const std::string &element) {
  const char digit = element[element.find_first_of("0123456789")];
  if (element.starts_with("tf32") || digit == '3')
    return 4;
  return digit == '8' ? 1 : digit == '1' ? 2 : 8;
}

namespace {

std::vector<uint64_t> edges(const std::string &element) {
  if (element == "f16")
    return {0x0000, 0x8000, 0x0001, 0x83ff, 0x3c00, 0xbc00, 0x7bff,
            0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7fff, 0x1400};
  if (element == "bf16")
    return {0x0000, 0x8000, 0x0001, 0x807f, 0x3f80, 0xbf80, 0x7f7f,
            0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7fff, 0x0080};
  if (element == "f64")
    return {0,
            0x8000000000000000,
            1,
            0x800fffffffffffff,
            0x3ff0000000000000,
            0xbff0000000000000,
            0x7fefffffffffffff,
            0x7ff0000000000000,
            0xfff0000000000000,
            0x7ff8000000000001};
  if (element.find("f32") != std::string::npos)
    return {0,          0x80000000, 1,          0x807fffff, 0x3f800000,
            0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
            0x7fc00000, 0xffc12345, 0x7f812345, 0x00800000, 0x80800001,
            0x3f801000, 0x3f803000, 0x3f800fff, 0x3f801001, 0x7f7ff000};
  return {0,
          1,
          ~uint64_t(0),
          0x80,
          0x8000,
          0x80000000,
          0x7fffffff,
          0x8000000000000000,
          0x7fffffffffffffff};
}

} // namespace

std::vector<uint8_t> elementValues(const std::string &element, size_t count,
                                   uint32_t seed) {
  const unsigned size = elementBytes(element);
  const std::vector<uint64_t> special = edges(element);
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count * size);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = uint64_t(random()) << 32 | random();
    if (random() % 4 == 0)
      bits = special[random() % special.size()];
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

} // namespace ashlar::conformance
