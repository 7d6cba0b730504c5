#include "test/conformance/ThreadKernel.h"

#include <iterator>
#include <random>

namespace ashlar::conformance {

std::string ThreadKernel::word() { return "%w" + std::to_string(words++); }
std::string ThreadKernel::wide() { return "%d" + std::to_string(wides++); }
std::string ThreadKernel::predicate() {
  return "%p" + std::to_string(predicates++);
}

std::string
ThreadKernel::input(const std::function<uint32_t(unsigned)> &value) {
  for (unsigned thread = 0; thread < threads(); ++thread) {
    const uint32_t word = value(thread);
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<uint8_t>(word >> shift));
  }
  const std::string target = word();
  line("ld.global.u32 " + target + ", [%in+" +
       std::to_string(inputs++ * threads() * 4) + "];");
  return target;
}

std::string ThreadKernel::predicateOf(const std::string &word) {
  const std::string target = predicate();
  line("setp.ne.u32 " + target + ", " + word + ", 0;");
  return target;
}

void ThreadKernel::output(const std::string &word) {
  line("st.global.u32 [%out+" + std::to_string(outputs++ * threads() * 4) +
       "], " + word + ";");
}

void ThreadKernel::outputPredicate(const std::string &predicate) {
  const std::string value = word();
  line("selp.u32 " + value + ", 1, 0, " + predicate + ";");
  output(value);
}

void ThreadKernel::outputWide(const std::string &wide) {
  const std::string low = word(), high = word();
  line("mov.b64 {" + low + ", " + high + "}, " + wide + ";");
  output(low);
  output(high);
}

Case ThreadKernel::finish(const std::string &family,
                          const std::string &name) const {
  Case made;
  made.family = family;
  made.name = name;
  made.grid = grid;
  made.block = block;
  made.cluster = cluster;
  auto registers = [](const char *type, const char *prefix, unsigned count) {
    return count ? "  .reg ." + std::string(type) + " %" + prefix + "<" +
                       std::to_string(count) + ">;\n"
                 : "";
  };
  made.ptx = ".version 8.8\n.target sm_90a\n.address_size 64\n" + declarations +
             ".visible .entry kernel(.param .u64 input, .param .u64 output)\n" +
             directives + "{\n" + registers("b32", "w", words) +
             registers("b64", "d", wides) + registers("pred", "p", predicates) +
             "  .reg .b32 %t, %cta, %rank, %lane, %index, %block;\n"
             "  .reg .b64 %in, %out, %offset;\n"
             "  mov.u32 %t, %tid.x;\n  mov.u32 %cta, %ctaid.x;\n"
             "  mov.u32 %rank, %cluster_ctarank;\n  mov.u32 %lane, %laneid;\n"
             "  mov.u32 %block, %ntid.x;\n"
             "  mad.lo.u32 %index, %cta, %block, %t;\n"
             "  mul.wide.u32 %offset, %index, 4;\n"
             "  ld.param.u64 %in, [input];\n"
             "  cvta.to.global.u64 %in, %in;\n"
             "  add.u64 %in, %in, %offset;\n"
             "  ld.param.u64 %out, [output];\n"
             "  cvta.to.global.u64 %out, %out;\n"
             "  add.u64 %out, %out, %offset;\n" +
             body + "  ret;\n}\n";
  made.buffers.resize(2);
  made.buffers[0].bytes = bytes.empty() ? std::vector<uint8_t>(16) : bytes;
  made.buffers[1].bytes.resize(size_t(outputs) * threads() * 4);
  made.buffers[1].isOutput = true;
  return made;
}

std::function<uint32_t(unsigned)> anyWords(uint32_t seed) {
  return [seed](unsigned thread) {
    static constexpr uint32_t edges[] = {
        0,          1,          2,          31,         32,
        0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe,
        0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0x00000400};
    std::mt19937 random(seed * 7919 + thread);
    const uint32_t value = static_cast<uint32_t>(random());
    return value % 4 ? value : edges[(value >> 2) % std::size(edges)];
  };
}

std::function<uint32_t(unsigned)> smallWords(uint32_t seed, uint32_t count) {
  return [seed, count](unsigned thread) {
    std::mt19937 random(seed * 104729 + thread);
    return static_cast<uint32_t>(random()) % count;
  };
}

} // namespace ashlar::conformance
