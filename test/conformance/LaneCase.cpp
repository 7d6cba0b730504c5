#include "test/conformance/LaneCase.h"

#include "runtime/sim/machine/numbers/Formats.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace ashlar::conformance {

namespace {

using Words = std::vector<uint64_t>;

unsigned bitsOf(const std::string &type) {
  if (type == "shift" || type == "byte" || type == "pred")
    return 32;
  if (type == "s8" || type == "u8")
    return 32; // in a register that is wider
  if (type.ends_with("x2"))
    return type[0] == 'e' ? 16 : 32;
  if (type.ends_with("64"))
    return 64;
  if (type.ends_with("16"))
    return 16;
  return 32;
}

uint64_t mask(unsigned bits) {
  return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

Words integerEdges(unsigned bits) {
  Words edges;
  uint64_t all = mask(bits), sign = uint64_t(1) << (bits - 1);
  const uint64_t values[] = {0,
                             1,
                             2,
                             3,
                             7,
                             10,
                             31,
                             32,
                             33,
                             63,
                             64,
                             100,
                             127,
                             128,
                             255,
                             256,
                             0x7fff,
                             0x8000,
                             0xffff,
                             0x10000,
                             0x7fffff,
                             0x800000,
                             0xffffff,
                             sign,
                             0x7fffffff,
                             0x80000000,
                             0xffffffff,
                             sign - 1,
                             sign + 1,
                             0x5555555555555555,
                             0xaaaaaaaaaaaaaaaa,
                             0x0123456789abcdef};
  for (uint64_t value : values)
    for (uint64_t edge : {value, ~value, uint64_t(0) - value})
      edges.push_back(edge & all);
  return edges;
}

Words singleEdges() {
  Words edges = {0x00000000, 0x7fffffff, 0x7fc00000, 0x7f800001, 0x7f800000,
                 0x00000001, 0x00000002, 0x007fffff, 0x00400000, 0x00800000,
                 0x00800001, 0x00ffffff, 0x01000000, 0x7f7fffff, 0x7f7ffffe,
                 0x3f800000, 0x3f800001, 0x3f7fffff, 0x7e800000, 0x7e800001,
                 0x3f000000, 0x3effffff, 0x3f000001, 0x4f000000, 0x4effffff,
                 0x4f7fffff, 0x4f800000, 0x5f000000, 0x5effffff, 0x5f7fffff,
                 0x5f800000, 0x33000000, 0x33000001, 0x32ffffff, 0x33800000,
                 0x7f7f8000, 0x7f7f7fff, 0x7f7f0000, 0x7f7fefff, 0x7f7ff000,
                 0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000, 0x3f800fff};
  for (float value :
       {1.5f,        2.5f,       3.5f,       2.0f,       3.0f,       10.0f,
        0.1f,        100.0f,     127.0f,     127.5f,     128.0f,     254.5f,
        255.0f,      255.5f,     256.0f,     32767.0f,   32767.5f,   32768.0f,
        65504.0f,    65519.0f,   65520.0f,   65535.0f,   65535.5f,   65536.0f,
        448.0f,      464.0f,     465.0f,     480.0f,     57344.0f,   61440.0f,
        61441.0f,    0x1p-6f,    0x1p-9f,    0x1p-10f,   0x1.8p-10f, 0x1p-14f,
        0x1p-16f,    0x1p-17f,   0x1.8p-17f, 0x1p-126f,  0x1p-133f,  0x1p-134f,
        0x1.8p-134f, 8388607.5f, 8388608.0f, 16777216.0f})
    edges.push_back(std::bit_cast<uint32_t>(value));
  for (size_t index = 0, count = edges.size(); index < count; ++index)
    edges.push_back(edges[index] ^ 0x80000000);
  return edges;
}

Words doubleEdges() {
  Words edges = {0x7fffffffffffffff, 0x7ff8000000000000, 0x7ff0000000000001,
                 0x7ff0000000000000, 0x0000000000000001, 0x000fffffffffffff,
                 0x0010000000000000, 0x7fefffffffffffff, 0x3ff0000000000001,
                 0x3fefffffffffffff, 0x47efffffe0000000, 0x47efffffefffffff,
                 0x47effffff0000000, 0x47f0000000000000, 0x36a0000000000000,
                 0x3690000000000000, 0x3690000000000001, 0x380fffffe0000000,
                 0x3810000000000000, 0x40effc0000000000, 0x40effdffffffffff,
                 0x40effe0000000000, 0x41dfffffffc00000, 0x41dfffffffe00000,
                 0x41dfffffffffffff, 0x41e0000000000000, 0x43dfffffffffffff,
                 0x43e0000000000000, 0x43efffffffffffff, 0x43f0000000000000,
                 0x7fe0000000000000, 0x3ff8000010000000, 0x3ff8000030000000};
  for (uint64_t bits : singleEdges()) {
    double value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(value))
      edges.push_back(std::bit_cast<uint64_t>(value));
  }
  for (size_t index = 0, count = edges.size(); index < count; ++index)
    edges.push_back(edges[index] ^ (uint64_t(1) << 63));
  return edges;
}

Words halfEdges(const sim::FloatFormat &format) {
  Words edges = {0,
                 1,
                 2,
                 3,
                 format.nan,
                 format.infinity(),
                 format.infinity() + 1,
                 format.largest(),
                 format.largest() - 1};
  uint32_t one = 1u << format.mantissaBits;
  for (uint32_t bits : {one, one - 1, one + 1})
    edges.push_back(bits);
  for (float value :
       {1.0f,     1.5f,     2.0f,    2.5f,    3.0f,     0.5f,    0.25f,
        10.0f,    127.5f,   128.0f,  255.5f,  256.0f,   448.0f,  464.0f,
        32768.0f, 57344.0f, 0x1p-6f, 0x1p-9f, 0x1p-10f, 0x1p-14f})
    edges.push_back(sim::encode(value, format));
  for (size_t index = 0, count = edges.size(); index < count; ++index)
    edges.push_back(edges[index] ^ format.sign());
  return edges;
}

Words edgesOf(const std::string &type) {
  if (type == "f32")
    return singleEdges();
  if (type == "f64")
    return doubleEdges();
  if (type == "f16")
    return halfEdges(sim::f16Format);
  if (type == "bf16")
    return halfEdges(sim::bf16Format);
  if (type == "shift")
    return {0,  1,  2,  3,  7,  8,  15,  16,  17,  30,         31,
            32, 33, 47, 63, 64, 65, 100, 255, 256, 0x80000000, 0xffffffff};
  if (type == "byte")
    return {0, 1, 7, 8, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255};
  if (type == "pred")
    return {0, 1};
  return integerEdges(bitsOf(type));
}

/// A number of moderate size in a float type, or any bits.
uint64_t randomOf(const std::string &type, std::mt19937_64 &random) {
  uint64_t any = random();
  if (type == "pred")
    return any & 1;
  if (type == "shift" || type == "byte")
    return any % 72;
  double moderate =
      std::ldexp(1 + std::ldexp(static_cast<double>(any >> 12), -52),
                 static_cast<int>(any % 24) - 12) *
      (any & 0x800 ? -1 : 1);
  bool isModerate = random() & 1;
  if (type == "f32" && isModerate)
    return std::bit_cast<uint32_t>(static_cast<float>(moderate));
  if (type == "f64" && isModerate)
    return std::bit_cast<uint64_t>(moderate);
  if (type == "f16" && isModerate)
    return sim::encode(moderate, sim::f16Format);
  if (type == "bf16" && isModerate)
    return sim::encode(moderate, sim::bf16Format);
  return any & mask(bitsOf(type));
}

uint64_t valueOf(const std::string &type, const Words &edges, size_t index,
                 bool alone, std::mt19937_64 &random) {
  if (alone && index < edges.size())
    return edges[index];
  return random() % 8 < 5 ? edges[random() % edges.size()]
                          : randomOf(type, random);
}

std::vector<uint8_t> inputs(const LaneCase &description,
                            const std::string &type, size_t count,
                            std::mt19937_64 &random) {
  unsigned bytes = bitsOf(type) / 8;
  std::vector<uint8_t> result(count * bytes);
  std::string element = elementOf(type);
  Words edges = edgesOf(element);
  unsigned parts = bitsOf(type) / bitsOf(element);
  for (size_t index = 0; index < count * parts; ++index) {
    uint64_t value =
        valueOf(element, edges, index, description.sources.size() == 1, random);
    if (description.allHalves)
      value = index;
    if (description.low < description.high) {
      double number = description.low +
                      (description.high - description.low) *
                          std::ldexp(static_cast<double>(random() >> 12), -52);
      value = element == "f64"
                  ? std::bit_cast<uint64_t>(number)
                  : std::bit_cast<uint32_t>(static_cast<float>(number));
    }
    std::memcpy(result.data() + index * (bytes / parts), &value, bytes / parts);
  }
  return result;
}

std::string number(size_t value) { return std::to_string(value); }

std::string moduleText(const LaneCase &description) {
  size_t sources = description.sources.size(),
         results = description.results.size();
  std::string text = ".version 8.8\n.target sm_90a\n.address_size 64\n\n"
                     ".visible .entry kernel(";
  for (size_t index = 0; index < sources + results; ++index)
    text += (index ? ", " : "") + std::string(".param .u64 p") + number(index);
  text += ")\n{\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %w<4>;\n"
          ".reg .b64 %x<4>;\n.reg .b32 %i<4>;\n.reg .b64 %q<4>;\n";
  for (size_t index = 0; index < sources; ++index)
    text += ".reg .b" + number(bitsOf(description.sources[index])) + " %a" +
            number(index) + ";\n";
  for (size_t index = 0; index < results; ++index)
    text += ".reg .b" + number(bitsOf(description.results[index])) + " %d" +
            number(index) + ";\n";
  text += "mov.u32 %i0, %ctaid.x;\nmov.u32 %i1, %ntid.x;\n"
          "mov.u32 %i2, %tid.x;\nmad.lo.u32 %i3, %i0, %i1, %i2;\n";
  auto access = [&](size_t parameter, const std::string &type,
                    const std::string &name, bool store) {
    std::string bits = number(bitsOf(type)), bytes = number(bitsOf(type) / 8);
    text += "ld.param.u64 %q0, [p" + number(parameter) +
            "];\ncvta.to.global.u64 %q1, %q0;\nmul.wide.u32 %q2, %i3, " +
            bytes + ";\nadd.u64 %q3, %q1, %q2;\n";
    text += store ? "st.global.b" + bits + " [%q3], " + name + ";\n"
                  : "ld.global.b" + bits + " " + name + ", [%q3];\n";
  };
  for (size_t index = 0; index < sources; ++index)
    access(index, description.sources[index], "%a" + number(index), false);
  if (description.text.empty()) {
    text += description.name + " %d0";
    for (size_t index = 0; index < sources; ++index)
      text += ", %a" + number(index);
    text += ";\n";
  } else {
    text += description.text + "\n";
  }
  for (size_t index = 0; index < results; ++index)
    access(sources + index, description.results[index], "%d" + number(index),
           true);
  return text + "ret;\n}\n";
}

} // namespace

void LaneCases::add(const std::string &name,
                    const std::vector<std::string> &sources,
                    const std::string &result, const std::string &text) {
  LaneCase made;
  made.family = family;
  made.name = name;
  made.text = text;
  made.sources = sources;
  made.results = {result};
  all.push_back(makeCase(made));
}

void LaneCases::addSame(const std::string &name, const std::string &type,
                        unsigned sources) {
  add(name + "." + type, std::vector<std::string>(sources, type), type);
}

std::string elementOf(const std::string &type) {
  if (type == "f16x2" || type == "bf16x2" || type == "u16x2" || type == "s16x2")
    return type.substr(0, type.size() - 2);
  return type;
}

Case makeCase(const LaneCase &description) {
  Case made;
  made.family = description.family;
  made.name = description.name;
  made.ptx = moduleText(description);
  made.block = 128;
  made.grid = description.allHalves ? 512 : 4;
  size_t count = size_t(made.grid) * made.block;
  // Another sequence for each number of sources would do; the name makes each
  // case its own.
  std::seed_seq seed(description.name.begin(), description.name.end());
  std::mt19937_64 random(seed);
  for (const std::string &type : description.sources) {
    Buffer buffer;
    buffer.bytes = inputs(description, type, count, random);
    made.buffers.push_back(std::move(buffer));
  }
  for (const std::string &type : description.results) {
    Buffer buffer;
    buffer.bytes.resize(count * bitsOf(type) / 8);
    buffer.isOutput = true;
    buffer.compare = description.compare;
    std::string element = elementOf(type);
    buffer.element = element == "e4m3x2"   ? "e4m3"
                     : element == "e5m2x2" ? "e5m2"
                     : element[0] == 'f' || element[0] == 'b'
                         ? element
                         : "u" + number(bitsOf(element));
    buffer.absolute = description.absolute;
    buffer.relative = description.relative;
    made.buffers.push_back(std::move(buffer));
  }
  return made;
}

} // namespace ashlar::conformance
