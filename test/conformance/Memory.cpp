// Loads, stores, cache instructions and asynchronous stores.
#include "test/conformance/Case.h"

#include <random>

namespace ashlar::conformance {
namespace {

struct Element {
  std::string name;
  unsigned bytes;
  std::string registers; // their prefix
  std::string bits;      // type of the same width, to store the register
  unsigned registerBytes;
};

const Element elements[] = {
    {"b8", 1, "%h", "b16", 2},      {"u8", 1, "%h", "b16", 2},
    {"s8", 1, "%h", "b16", 2},      {"b16", 2, "%h", "b16", 2},
    {"u16", 2, "%h", "b16", 2},     {"s16", 2, "%h", "b16", 2},
    {"b32", 4, "%r", "b32", 4},     {"u32", 4, "%r", "b32", 4},
    {"s32", 4, "%r", "b32", 4},     {"f32", 4, "%f", "b32", 4},
    {"b64", 8, "%rd", "b64", 8},    {"u64", 8, "%rd", "b64", 8},
    {"s64", 8, "%rd", "b64", 8},    {"f64", 8, "%d", "b64", 8},
    {"b128", 16, "%q", "b128", 16},
};

const Element &element(const std::string &name) {
  for (const Element &each : elements)
    if (each.name == name)
      return each;
  return elements[0];
}

std::string number(uint64_t value) { return std::to_string(value); }

Buffer randomBytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Buffer buffer;
  buffer.bytes.resize(count);
  for (uint8_t &byte : buffer.bytes)
    byte = static_cast<uint8_t>(random());
  return buffer;
}

Buffer output(size_t count) {
  Buffer buffer = randomBytes(count, 99);
  buffer.isOutput = true;
  return buffer;
}

/// A kernel of one warp: %rd1 and %rd2 are its two buffers, %r1 the thread,
/// %rd3 a cache policy where the body asks for one.
std::string module(const std::string &body,
                   const std::string &declarations = "") {
  std::string text = ".version 8.8\n.target sm_90a\n.address_size 64\n" +
                     declarations +
                     ".visible .entry kernel(.param .u64 p0, .param .u64 p1)\n"
                     "{\n"
                     "  .reg .pred %p<4>;\n"
                     "  .reg .b16 %h<64>;\n"
                     "  .reg .b32 %r<64>;\n"
                     "  .reg .b64 %rd<64>;\n"
                     "  .reg .f32 %f<64>;\n"
                     "  .reg .f64 %d<64>;\n"
                     "  .reg .b128 %q<16>;\n"
                     "  ld.param.u64 %rd1, [p0];\n"
                     "  ld.param.u64 %rd2, [p1];\n"
                     "  cvta.to.global.u64 %rd1, %rd1;\n"
                     "  cvta.to.global.u64 %rd2, %rd2;\n"
                     "  mov.u32 %r1, %tid.x;\n";
  if (body.find("%rd3") != std::string::npos)
    text += "  createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0;\n";
  return text + body + "  ret;\n}\n";
}

Case makeCase(const std::string &name, const std::string &ptx, size_t inBytes,
              size_t outBytes) {
  Case made;
  made.family = "memory";
  made.name = name;
  made.ptx = ptx;
  made.buffers = {randomBytes(inBytes, 7), output(outBytes)};
  return made;
}

/// `{%r10, %r11}`, or `%r10` alone.
std::string registers(const std::string &prefix, unsigned count) {
  std::string text = count > 1 ? "{" : "";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + number(10 + i);
  return text + (count > 1 ? "}" : "");
}

/// %rd<to> = %rd<base> + thread * stride.
std::string laneAddress(unsigned to, unsigned base, unsigned stride) {
  return "  mad.wide.u32 %rd" + number(to) + ", %r1, " + number(stride) +
         ", %rd" + number(base) + ";\n";
}

/// Stores the registers from 10 on to the second buffer.
std::string storeRegisters(const std::string &prefix, const std::string &bits,
                           unsigned bytes, unsigned count) {
  std::string text = laneAddress(5, 2, bytes * count);
  for (unsigned i = 0; i < count; ++i)
    text += "  st.global." + bits + " [%rd5+" + number(bytes * i) + "], " +
            prefix + number(10 + i) + ";\n";
  return text;
}

/// Copies the first buffer's bytes of the thread to memory at `to`.
std::string copyIn(const std::string &space, const std::string &to,
                   unsigned bytes) {
  std::string text = laneAddress(4, 1, bytes);
  for (unsigned i = 0; i < bytes; ++i)
    text += "  ld.global.b8 %h1, [%rd4+" + number(i) + "];\n  st." + space +
            ".b8 [" + to + "+" + number(i) + "], %h1;\n";
  return text;
}

std::string vectorSuffix(unsigned count) {
  return count > 1 ? ".v" + number(count) : "";
}

/// `mnemonic` is all but vector and type; `policy` the last operand.
Case globalLoad(const std::string &mnemonic, const Element &type,
                unsigned count, bool generic, const std::string &policy = "") {
  const unsigned bytes = type.bytes * count;
  std::string load = mnemonic + vectorSuffix(count) + "." + type.name;
  std::string body = laneAddress(4, 1, bytes);
  if (generic)
    body += "  cvta.global.u64 %rd4, %rd4;\n";
  body += "  " + load + " " + registers(type.registers, count) + ", [%rd4]" +
          policy + ";\n" +
          storeRegisters(type.registers, type.bits, type.registerBytes, count);
  return makeCase(load, module(body), 32 * bytes,
                  32 * type.registerBytes * count);
}

Case globalStore(const std::string &mnemonic, const Element &type,
                 unsigned count, bool generic, const std::string &policy = "") {
  const unsigned bytes = type.bytes * count,
                 registerBytes = type.registerBytes * count;
  std::string store = mnemonic + vectorSuffix(count) + "." + type.name;
  std::string body = laneAddress(4, 1, registerBytes);
  for (unsigned i = 0; i < count; ++i)
    body += "  ld.global." + type.bits + " " + type.registers + number(10 + i) +
            ", [%rd4+" + number(i * type.registerBytes) + "];\n";
  body += laneAddress(5, 2, bytes);
  if (generic)
    body += "  cvta.global.u64 %rd5, %rd5;\n";
  body += "  " + store + " [%rd5], " + registers(type.registers, count) +
          policy + ";\n";
  return makeCase(store, module(body), 32 * registerBytes, 32 * bytes);
}

void addGlobal(std::vector<Case> &cases) {
  const Element &word = element("u32");
  for (const Element &type : elements)
    for (unsigned count : {1u, 2u, 4u}) {
      if (type.bytes * count > 16)
        continue;
      for (const char *load :
           {"ld.global", "ld", "ld.global.nc", "ld.volatile.global",
            "ld.relaxed.gpu", "ld.acquire.sys.global"})
        cases.push_back(
            globalLoad(load, type, count,
                       std::string(load).find("global") == std::string::npos));
      cases.push_back(globalStore("st.global", type, count, false));
      cases.push_back(globalStore("st", type, count, true));
      cases.push_back(globalStore("st.volatile.global", type, count, false));
      cases.push_back(globalStore("st.relaxed.sys.global", type, count, false));
      cases.push_back(globalStore("st.release.gpu", type, count, true));
    }
  for (const char *load : {"ld.weak.global",
                           "ld.global.ca",
                           "ld.global.cg",
                           "ld.global.cs",
                           "ld.global.lu",
                           "ld.global.cv",
                           "ld.global.L1::evict_normal",
                           "ld.global.L1::evict_unchanged",
                           "ld.global.L1::evict_first",
                           "ld.global.L1::evict_last",
                           "ld.global.L1::no_allocate",
                           "ld.global.L2::64B",
                           "ld.global.L2::128B",
                           "ld.global.L2::256B",
                           "ld.global.L1::no_allocate.L2::128B",
                           "ld.relaxed.cta.global",
                           "ld.relaxed.cluster.global",
                           "ld.relaxed.sys.global",
                           "ld.acquire.cta.global",
                           "ld.acquire.cluster.global",
                           "ld.acquire.gpu.global.L1::evict_first",
                           "ld.global.ca.nc",
                           "ld.global.nc.L1::no_allocate.L2::256B",
                           "ldu.global",
                           "ld.mmio.relaxed.sys.global",
                           "ld.weak"}) {
    const bool generic = std::string(load) == "ld.weak";
    cases.push_back(globalLoad(load, word, 1, generic));
    if (std::string(load).find("mmio") == std::string::npos)
      cases.push_back(globalLoad(load, element("f32"), 4, generic));
  }
  cases.push_back(globalLoad("ldu", word, 1, true));
  for (const char *load :
       {"ld.global.L2::cache_hint", "ld.global.cg.L2::cache_hint.L2::64B",
        "ld.global.L1::evict_last.L2::cache_hint.L2::128B",
        "ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B",
        "ld.acquire.gpu.global.L2::cache_hint"})
    cases.push_back(globalLoad(load, element("f32"), 4, false, ", %rd3"));
  for (const char *store :
       {"st.weak.global", "st.global.wb", "st.global.cg", "st.global.cs",
        "st.global.wt", "st.global.L1::evict_normal",
        "st.global.L1::evict_unchanged", "st.global.L1::evict_first",
        "st.global.L1::evict_last", "st.global.L1::no_allocate",
        "st.relaxed.cta.global", "st.relaxed.cluster.global",
        "st.relaxed.gpu.global", "st.release.cta.global",
        "st.release.cluster.global", "st.release.sys.global",
        "st.release.gpu.global.L1::no_allocate",
        "st.mmio.relaxed.sys.global"}) {
    cases.push_back(globalStore(store, word, 1, false));
    if (std::string(store).find("mmio") == std::string::npos)
      cases.push_back(globalStore(store, element("f32"), 4, false));
  }
  for (const char *store :
       {"st.global.L2::cache_hint", "st.global.cs.L2::cache_hint",
        "st.global.L1::evict_last.L2::cache_hint"})
    cases.push_back(globalStore(store, element("f32"), 4, false, ", %rd3"));
}

/// Registers wider than the type: extended when loaded, cut when stored.
void addWidths(std::vector<Case> &cases) {
  for (const Element &type : elements) {
    if (type.name[0] == 'f' || type.bytes > 4)
      continue;
    for (const char *bits : {"b32", "b64"}) {
      const std::string prefix = std::string(bits) == "b32" ? "%r" : "%rd";
      const unsigned bytes = std::string(bits) == "b32" ? 4 : 8;
      std::string body = laneAddress(4, 1, type.bytes) + "  ld.global." +
                         type.name + " " + prefix + "10, [%rd4];\n" +
                         storeRegisters(prefix, bits, bytes, 1);
      cases.push_back(makeCase("ld.global." + type.name + " to ." + bits,
                               module(body), 32 * type.bytes, 32 * bytes));
      body = laneAddress(4, 1, bytes) + "  ld.global." + bits + " " + prefix +
             "10, [%rd4];\n" + laneAddress(5, 2, type.bytes) + "  st.global." +
             type.name + " [%rd5], " + prefix + "10;\n";
      cases.push_back(makeCase("st.global." + type.name + " of ." + bits,
                               module(body), 32 * bytes, 32 * type.bytes));
    }
  }
  std::string body = laneAddress(4, 1, 16) +
                     "  ld.global.v4.b32 {_, %r11, _, %r13}, [%rd4];\n"
                     "  mov.b32 %r10, 0;\n  mov.b32 %r12, 1;\n" +
                     storeRegisters("%r", "b32", 4, 4);
  cases.push_back(
      makeCase("ld.global.v4.b32 with sinks", module(body), 512, 512));
  body = laneAddress(5, 2, 16) +
         "  st.global.v4.b32 [%rd5], {%r1, 7, -1, 0xffff};\n";
  cases.push_back(
      makeCase("st.global.v4.b32 of constants", module(body), 16, 512));
  body = laneAddress(5, 2, 8) +
         "  st.global.f32 [%rd5], 0f3FC00000;\n"
         "  st.global.b8 [%rd5+4], 300;\n  st.global.s16 [%rd5+6], -2;\n";
  cases.push_back(makeCase("st.global of constants", module(body), 16, 256));
}

/// Through shared, local and constant memory, and their generic addresses.
void addSpaces(std::vector<Case> &cases) {
  struct Variant {
    std::string load, store;
    bool generic;
  };
  const Variant variants[] = {
      {"ld.shared", "st.shared", false},
      {"ld.shared::cta", "st.shared::cta", false},
      {"ld.shared::cluster", "st.shared::cluster", false},
      {"ld", "st", true},
      {"ld.volatile.shared", "st.volatile.shared", false},
      {"ld.relaxed.cta.shared", "st.relaxed.cta.shared", false},
      {"ld.acquire.cta.shared", "st.release.cta.shared", false},
      {"ld.acquire.cluster.shared::cluster",
       "st.release.cluster.shared::cluster", false},
  };
  for (const Element &type : elements)
    for (unsigned count : {1u, 2u, 4u}) {
      const unsigned bytes = type.bytes * count;
      if (bytes > 16)
        continue;
      const std::string suffix = vectorSuffix(count) + "." + type.name;
      const std::string values = registers(type.registers, count);
      for (const Variant &variant : variants) {
        // Stored by each thread, loaded by its neighbour.
        std::string body = laneAddress(4, 1, bytes) + "  ld.global" + suffix +
                           " " + values +
                           ", [%rd4];\n"
                           "  mov.u64 %rd6, memory;\n";
        if (variant.generic)
          body += "  cvta.shared.u64 %rd6, %rd6;\n";
        body += laneAddress(7, 6, bytes) + "  " + variant.store + suffix +
                " [%rd7], " + values +
                ";\n  bar.sync 0;\n"
                "  xor.b32 %r2, %r1, 1;\n"
                "  mad.wide.u32 %rd7, %r2, " +
                number(bytes) + ", %rd6;\n  " + variant.load + suffix + " " +
                values + ", [%rd7];\n" +
                storeRegisters(type.registers, type.bits, type.registerBytes,
                               count);
        cases.push_back(
            makeCase(variant.load + suffix + " after " + variant.store +
                         (variant.generic ? " (shared)" : ""),
                     module(body, ".shared .align 16 .b8 memory[512];\n"),
                     32 * bytes, 32 * type.registerBytes * count));
      }
      for (bool generic : {false, true}) {
        std::string body = "  .local .align 16 .b8 memory[64];\n"
                           "  mov.u64 %rd6, memory;\n" +
                           copyIn("local", "%rd6", bytes);
        if (generic)
          body += "  cvta.local.u64 %rd6, %rd6;\n";
        std::string space = generic ? "" : ".local";
        body += "  ld" + space + suffix + " " + values + ", [%rd6];\n  st" +
                space + suffix + " [%rd6+32], " + values + ";\n  ld" + space +
                suffix + " " + values + ", [%rd6+32];\n" +
                storeRegisters(type.registers, type.bits, type.registerBytes,
                               count);
        cases.push_back(makeCase(
            "ld.local" + suffix + (generic ? " (generic)" : ""), module(body),
            32 * bytes, 32 * type.registerBytes * count));
      }
      std::string image;
      std::mt19937 random(3);
      for (unsigned i = 0; i < 512; ++i)
        image += (i ? ", " : "") + number(random() % 256);
      for (const char *load : {"ld.const", "ld.const.ca", "ld"}) {
        const bool generic = std::string(load) == "ld";
        std::string body = "  mov.u64 %rd6, table;\n";
        if (generic)
          body += "  cvta.const.u64 %rd6, %rd6;\n";
        body += laneAddress(7, 6, bytes) + "  " + load + suffix + " " + values +
                ", [%rd7];\n" +
                storeRegisters(type.registers, type.bits, type.registerBytes,
                               count);
        cases.push_back(
            makeCase(load + suffix + (generic ? " (constant)" : ""),
                     module(body, ".const .align 16 .b8 table[512] = {" +
                                      image + "};\n"),
                     16, 32 * type.registerBytes * count));
      }
    }
  // Thread 1's value is read by all behind a barrier.
  std::string body =
      "  mov.u32 %r2, own;\n  shl.b32 %r3, %r1, 2;\n"
      "  add.u32 %r2, %r2, %r3;\n  st.shared.u32 [%r2+128], %r1;\n"
      "  bar.sync 0;\n"
      "  ld.shared.u32 %r10, [%r2+128];\n  ld.shared.u32 %r11, [own+132];\n"
      "  ld.global.u32 %r12, [other];\n  ld.global.u32 %r13, [other+4];\n" +
      storeRegisters("%r", "b32", 4, 4);
  cases.push_back(makeCase("addresses of variables and offsets",
                           module(body, ".shared .align 4 .b8 own[256];\n"
                                        ".global .align 4 .u32 other[2] = "
                                        "{17, 34};\n"),
                           16, 512));
}

/// Caches: nothing but time changes.
void addCaches(std::vector<Case> &cases) {
  const std::string copy = "  ld.global.b32 %r10, [%rd4];\n"
                           "  add.u32 %r10, %r10, 1;\n" +
                           storeRegisters("%r", "b32", 4, 1);
  for (const char *instruction :
       {"prefetch.global.L1 [%rd4]", "prefetch.global.L2 [%rd4]",
        "prefetch.L1 [%rd4]", "prefetch.L2 [%rd4]",
        "prefetch.global.L2::evict_last [%rd4]",
        "prefetch.global.L2::evict_normal [%rd4]", "prefetchu.L1 [%rd4]",
        "applypriority.global.L2::evict_normal [%rd1], 128",
        "applypriority.L2::evict_normal [%rd1], 128",
        "createpolicy.fractional.L2::evict_first.b64 %rd6, 0.5",
        "createpolicy.fractional.L2::evict_unchanged.b64 %rd6",
        "createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 %rd6, "
        "1.0",
        "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 "
        "%rd6, [%rd1], 128, 256",
        "createpolicy.range.L2::evict_first.b64 %rd6, [%rd1], %r1, 1024"})
    cases.push_back(makeCase(
        instruction,
        module(laneAddress(4, 1, 4) + "  " + instruction + ";\n" + copy), 128,
        128));
  for (const char *instruction :
       {"discard.global.L2 [%rd2], 128", "discard.L2 [%rd2], 128"})
    cases.push_back(makeCase(instruction,
                             module(laneAddress(4, 1, 4) +
                                    "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 " +
                                    instruction + ";\n  bar.sync 0;\n" + copy),
                             128, 128));
}

/// To the other CTA of a cluster of two, which waits on its mbarrier.
void addAsynchronous(std::vector<Case> &cases) {
  struct Form {
    std::string instruction, type;
    unsigned count;
  };
  const Form forms[] = {
      {"st.async", "b32", 1}, {"st.async", "u32", 1}, {"st.async", "s32", 2},
      {"st.async", "f32", 4}, {"st.async", "b64", 1}, {"st.async", "u64", 2},
      {"st.async", "s64", 1}, {"st.async", "f64", 2}, {"st.async", "b32", 4},
      {"inc", "u32", 1},      {"dec", "u32", 1},      {"min", "u32", 1},
      {"max", "u32", 1},      {"min", "s32", 1},      {"max", "s32", 1},
      {"add", "u32", 1},      {"add", "s32", 1},      {"add", "u64", 1},
      {"and", "b32", 1},      {"or", "b32", 1},       {"xor", "b32", 1},
  };
  for (const Form &form : forms) {
    const Element &type = element(form.type);
    const unsigned bytes = type.bytes * form.count;
    const bool isStore = form.instruction == "st.async";
    std::string mnemonic =
        isStore ? "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" +
                      vectorSuffix(form.count) + "." + form.type
                : "red.async.relaxed.cluster.shared::cluster."
                  "mbarrier::complete_tx::bytes." +
                      form.instruction + "." + form.type;
    const std::string values = registers(type.registers, form.count);
    const std::string suffix = vectorSuffix(form.count) + "." + form.type;
    // The destination starts with bytes of the input, 512 further on.
    std::string body =
        "  mov.u32 %r2, %cluster_ctarank;\n  xor.b32 %r3, %r2, 1;\n"
        "  mov.u32 %r4, memory;\n  mov.u32 %r5, barrier;\n"
        "  mad.lo.u32 %r6, %r1, " +
        number(bytes) +
        ", %r4;\n"
        "  setp.eq.u32 %p1, %r1, 0;\n"
        "  @%p1 mbarrier.init.shared::cta.b64 [%r5], 1;\n"
        "  @%p1 fence.mbarrier_init.release.cluster;\n" +
        laneAddress(4, 1, bytes) + "  ld.global" + suffix + " " + values +
        ", [%rd4+512];\n  st.shared" + suffix + " [%r6], " + values +
        ";\n"
        "  barrier.cluster.arrive.release.aligned;\n"
        "  barrier.cluster.wait.acquire.aligned;\n"
        "  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], " +
        number(32 * bytes) +
        ";\n"
        "  mapa.shared::cluster.u32 %r7, %r6, %r3;\n"
        "  mapa.shared::cluster.u32 %r8, %r5, %r3;\n"
        "  ld.global" +
        suffix + " " + values + ", [%rd4];\n  " + mnemonic + " [%r7], " +
        values +
        ", [%r8];\n"
        "wait:\n"
        "  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n"
        "  @!%p2 bra wait;\n"
        "  ld.shared" +
        suffix + " " + values +
        ", [%r6];\n"
        "  mad.lo.u32 %r9, %r2, 32, %r1;\n"
        "  mad.wide.u32 %rd5, %r9, " +
        number(bytes) + ", %rd2;\n  st.global" + suffix + " [%rd5], " + values +
        ";\n";
    Case made = makeCase(mnemonic,
                         module(body, ".shared .align 16 .b8 memory[512];\n"
                                      ".shared .align 8 .b64 barrier;\n"),
                         1024, 64 * bytes);
    made.grid = made.cluster = 2;
    cases.push_back(made);
  }
}

} // namespace

std::vector<Case> memoryCases() {
  std::vector<Case> cases;
  addGlobal(cases);
  addWidths(cases);
  addSpaces(cases);
  addCaches(cases);
  addAsynchronous(cases);
  return cases;
}

} // namespace ashlar::conformance
