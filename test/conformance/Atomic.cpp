// atom and red.
#include "test/conformance/Case.h"

#include <cstring>
#include <random>

namespace ashlar::conformance {
namespace {

struct AtomicType {
  std::string name;
  unsigned bytes;
  std::string registers;
  std::string move; // type of the same width, to load and store it
  std::string element;
};

const AtomicType types[] = {
    {"u32", 4, "%r", "b32", "u32"},   {"s32", 4, "%r", "b32", "s32"},
    {"b32", 4, "%r", "b32", "u32"},   {"u64", 8, "%rd", "b64", "u64"},
    {"s64", 8, "%rd", "b64", "s64"},  {"b64", 8, "%rd", "b64", "u64"},
    {"b16", 2, "%h", "b16", "u16"},   {"b128", 16, "%q", "b128", "u64"},
    {"f32", 4, "%f", "b32", "f32"},   {"f64", 8, "%d", "b64", "f64"},
    {"f16", 2, "%h", "b16", "f16"},   {"bf16", 2, "%h", "b16", "bf16"},
    {"f16x2", 4, "%r", "b32", "f16"}, {"bf16x2", 4, "%r", "b32", "bf16"},
};

const AtomicType &type(const std::string &name) {
  for (const AtomicType &each : types)
    if (each.name == name)
      return each;
  return types[0];
}

std::string number(uint64_t value) { return std::to_string(value); }

/// Edge values of the type first, then random ones.
Buffer values(const AtomicType &type, size_t count, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> edges;
  if (type.element == "f32")
    edges = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
             0xff800000, 0x7fc00000, 0x00000001, 0x80000001, 0x007fffff,
             0x00800000, 0x7f7fffff, 0x7fa00000, 0x33800000};
  else if (type.element == "f64")
    edges = {0,
             0x8000000000000000,
             0x3ff0000000000000,
             0xbff0000000000000,
             0x7ff0000000000000,
             0xfff0000000000000,
             0x7ff8000000000000,
             1,
             0x000fffffffffffff,
             0x7fefffffffffffff};
  else if (type.element == "f16")
    edges = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
             0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0x7d00, 0x1400};
  else if (type.element == "bf16")
    edges = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0,
             0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f, 0x7fa0, 0x3b80};
  else
    edges = {0,
             1,
             ~uint64_t(0),
             0x7fffffff,
             0x80000000,
             0x7fffffffffffffff,
             0x8000000000000000,
             2,
             5};
  const size_t width = type.element == "f16" || type.element == "bf16" ? 2
                       : type.bytes == 16 ? 8
                                          : type.bytes;
  Buffer buffer;
  buffer.bytes.resize(count * type.bytes);
  for (size_t at = 0; at < buffer.bytes.size(); at += width) {
    uint64_t value = random();
    if (random() % 3)
      value = edges[random() % edges.size()];
    std::memcpy(&buffer.bytes[at], &value, width);
  }
  buffer.element = type.element;
  if (type.element[0] == 'f' || type.element == "bf16")
    buffer.compare = Compare::nanBits;
  return buffer;
}

std::string header(const std::string &declarations) {
  return ".version 8.8\n.target sm_90a\n.address_size 64\n" + declarations +
         ".visible .entry kernel(.param .u64 p0, .param .u64 p1,\n"
         "                       .param .u64 p2, .param .u64 p3)\n"
         "{\n"
         "  .reg .pred %p<4>;\n"
         "  .reg .b16 %h<64>;\n"
         "  .reg .b32 %r<64>;\n"
         "  .reg .b64 %rd<64>;\n"
         "  .reg .f32 %f<64>;\n"
         "  .reg .f64 %d<64>;\n"
         "  .reg .b128 %q<64>;\n"
         "  ld.param.u64 %rd1, [p0];\n" // memory
         "  ld.param.u64 %rd2, [p1];\n" // operand
         "  ld.param.u64 %rd3, [p2];\n" // compared
         "  ld.param.u64 %rd4, [p3];\n" // old values
         "  mov.u32 %r1, %tid.x;\n"
         "  createpolicy.fractional.L2::evict_last.b64 %rd9, 1.0;\n";
}

std::string vectorOf(const AtomicType &type, unsigned first, unsigned count) {
  std::string text = count > 1 ? "{" : "";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + type.registers + number(first + i);
  return text + (count > 1 ? "}" : "");
}

std::string move(const std::string &mnemonic, const AtomicType &type,
                 const std::string &address, unsigned first, unsigned count,
                 bool isStore) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    std::string place = "[" + address + "+" + number(i * type.bytes) + "]";
    std::string value = type.registers + number(first + i);
    text += "  " + mnemonic + "." + type.move + " " +
            (isStore ? place + ", " + value : value + ", " + place) + ";\n";
  }
  return text;
}

struct Form {
  std::string operation, type;
  unsigned vector = 1;
};

/// Each thread on a place of its own; `mnemonic` is all but vector and type.
Case apart(const std::string &mnemonic, const Form &form, bool isReduction,
           const std::string &space, bool policy = false) {
  const AtomicType &type = conformance::type(form.type);
  const unsigned count = form.vector, bytes = type.bytes * count;
  const bool isCompare = form.operation == "cas";
  const bool isShared = space == "shared";
  std::string body;
  for (unsigned i = 0; i < 4; ++i)
    body += "  mad.wide.u32 %rd" + number(11 + i) + ", %r1, " + number(bytes) +
            ", %rd" + number(1 + i) + ";\n";
  body += move("ld.global", type, "%rd12", 10, count, false);
  body += move("ld.global", type, "%rd13", 20, count, false);
  std::string place = "%rd11";
  if (isShared) {
    body += move("ld.global", type, "%rd11", 30, count, false) +
            "  mov.u64 %rd15, memory;\n  mad.wide.u32 %rd15, %r1, " +
            number(bytes) + ", %rd15;\n" +
            move("st.shared", type, "%rd15", 30, count, true);
    if (mnemonic.find("shared") == std::string::npos)
      body += "  cvta.shared.u64 %rd16, %rd15;\n";
    else
      body += "  mov.u64 %rd16, %rd15;\n";
    place = "%rd16";
  }
  std::string text =
      mnemonic + (count > 1 ? ".v" + number(count) : "") + "." + form.type;
  body += "  " + text + " ";
  if (!isReduction)
    body += vectorOf(type, 40, count) + ", ";
  body += "[" + place + "], ";
  if (isCompare)
    body += vectorOf(type, 20, count) + ", ";
  body += vectorOf(type, 10, count) + (policy ? ", %rd9" : "") + ";\n";
  if (!isReduction)
    body += move("st.global", type, "%rd14", 40, count, true);
  if (isShared)
    body += move("ld.shared", type, "%rd15", 30, count, false) +
            move("st.global", type, "%rd11", 30, count, true);
  Case made;
  made.family = "atomic";
  made.name = text + (isShared && mnemonic.find("shared") == std::string::npos
                          ? " (shared)"
                          : "");
  made.ptx = header(isShared ? ".shared .align 16 .b8 memory[1024];\n" : "") +
             body + "  ret;\n}\n";
  Buffer memory = values(type, 32 * count, 1);
  memory.isOutput = true;
  Buffer compared = values(type, 32 * count, 3);
  // Half of the comparisons hold.
  if (isCompare)
    for (size_t at = 0; at < memory.bytes.size(); at += 2 * type.bytes)
      std::memcpy(&compared.bytes[at], &memory.bytes[at], type.bytes);
  Buffer old = values(type, 32 * count, 4);
  old.isOutput = true;
  made.buffers = {memory, values(type, 32 * count, 2), compared, old};
  return made;
}

/// All threads on one place: the sum, extreme or bits are the same in any
/// order.
Case together(const std::string &operation, const std::string &typeName,
              const std::string &space) {
  const AtomicType &type = conformance::type(typeName);
  const bool isShared = space == "shared";
  std::string body = "  mad.wide.u32 %rd12, %r1, " + number(type.bytes) +
                     ", %rd2;\n" +
                     move("ld.global", type, "%rd12", 10, 1, false) +
                     "  setp.eq.u32 %p1, %r1, 0;\n";
  std::string text = "red." + space + "." + operation + "." + typeName;
  if (isShared)
    body += "  ld.global." + type.move + " " + type.registers +
            "30, [%rd1];\n  @%p1 st.shared." + type.move + " [memory], " +
            type.registers + "30;\n  bar.sync 0;\n";
  body += "  " + text + (isShared ? " [memory], " : " [%rd1], ") +
          type.registers + "10;\n";
  if (isShared)
    body += "  bar.sync 0;\n  ld.shared." + type.move + " " + type.registers +
            "30, [memory];\n  @%p1 st.global." + type.move + " [%rd1], " +
            type.registers + "30;\n";
  Case made;
  made.family = "atomic";
  made.name = text + " by all threads";
  made.ptx = header(isShared ? ".shared .align 16 .b8 memory[16];\n" : "") +
             body + "  ret;\n}\n";
  made.block = 128;
  Buffer memory = values(type, 1, 5);
  memory.isOutput = true;
  Buffer unused = values(type, 1, 7);
  made.buffers = {memory, values(type, 128, 6), unused, unused};
  return made;
}

/// A ticket for each thread of two CTAs: every number is handed out once.
Case tickets() {
  std::string body = "  atom.global.inc.u32 %r2, [%rd1], 1000;\n"
                     "  mad.wide.u32 %rd14, %r2, 4, %rd4;\n"
                     "  mov.u32 %r3, 1;\n"
                     "  red.global.add.u32 [%rd14], %r3;\n";
  Case made;
  made.family = "atomic";
  made.name = "atom.global.inc.u32 as a ticket";
  made.ptx = header("") + body + "  ret;\n}\n";
  made.grid = 2;
  made.block = 64;
  Buffer zero;
  zero.bytes.resize(512);
  Buffer counter = zero, taken = zero;
  counter.isOutput = taken.isOutput = true;
  made.buffers = {counter, zero, zero, taken};
  return made;
}

std::vector<Form> scalarForms() {
  std::vector<Form> forms;
  for (const char *each : {"u32", "s32", "u64", "f32", "f64"})
    forms.push_back({"add", each});
  for (const char *operation : {"min", "max"})
    for (const char *each : {"u32", "s32", "u64", "s64"})
      forms.push_back({operation, each});
  forms.push_back({"inc", "u32"});
  forms.push_back({"dec", "u32"});
  for (const char *operation : {"and", "or", "xor"})
    for (const char *each : {"b32", "b64"})
      forms.push_back({operation, each});
  for (const char *each : {"f16", "f16x2", "bf16", "bf16x2"})
    forms.push_back({"add.noftz", each});
  for (const char *each : {"b32", "b64", "b128"})
    forms.push_back({"exch", each});
  for (const char *each : {"b16", "b32", "b64", "b128"})
    forms.push_back({"cas", each});
  return forms;
}

std::vector<Form> vectorForms() {
  std::vector<Form> forms{{"add", "f32", 2}, {"add", "f32", 4}};
  for (const char *operation : {"add", "min", "max"}) {
    for (const char *each : {"f16", "bf16"})
      for (unsigned count : {2u, 4u, 8u})
        forms.push_back({std::string(operation) + ".noftz", each, count});
    for (const char *each : {"f16x2", "bf16x2"})
      for (unsigned count : {2u, 4u})
        forms.push_back({std::string(operation) + ".noftz", each, count});
  }
  return forms;
}

} // namespace

std::vector<Case> atomicCases() {
  std::vector<Case> cases;
  for (const Form &form : scalarForms()) {
    const bool hasReduction =
        form.operation != "exch" && form.operation != "cas";
    for (const char *prefix :
         {"global.", "", "relaxed.gpu.global.", "acq_rel.sys.global."})
      cases.push_back(apart("atom." + std::string(prefix) + form.operation,
                            form, false, "global"));
    for (const char *prefix : {"shared.", "shared::cta.", "shared::cluster.",
                               "", "acq_rel.cta.shared."})
      cases.push_back(apart("atom." + std::string(prefix) + form.operation,
                            form, false, "shared"));
    if (!hasReduction)
      continue;
    for (const char *prefix : {"global.", "", "release.gpu.global."})
      cases.push_back(apart("red." + std::string(prefix) + form.operation, form,
                            true, "global"));
    for (const char *prefix : {"shared.", "", "release.cta.shared::cta."})
      cases.push_back(apart("red." + std::string(prefix) + form.operation, form,
                            true, "shared"));
  }
  for (const Form &form : vectorForms()) {
    for (const char *prefix : {"global.", "", "relaxed.gpu.global."})
      cases.push_back(apart("atom." + std::string(prefix) + form.operation,
                            form, false, "global"));
    cases.push_back(
        apart("red.global." + form.operation, form, true, "global"));
    cases.push_back(apart("red.global." + form.operation + ".L2::cache_hint",
                          form, true, "global", true));
  }
  const Form word{"add", "u32"};
  // Those of every form, above, are left out here.
  for (const char *scope : {"cta", "cluster", "gpu", "sys"})
    for (const char *order : {"relaxed", "acquire", "release", "acq_rel"}) {
      const std::string both = std::string(order) + "." + scope;
      if (both != "relaxed.gpu" && both != "acq_rel.sys")
        cases.push_back(
            apart("atom." + both + ".global.add", word, false, "global"));
      if (both == "relaxed." + std::string(scope) ||
          (both == "release." + std::string(scope) && both != "release.gpu"))
        cases.push_back(
            apart("red." + both + ".global.add", word, true, "global"));
    }
  cases.push_back(
      apart("atom.global.add.L2::cache_hint", word, false, "global", true));
  for (const char *space : {"global", "shared"}) {
    for (const char *each : {"u32", "s32", "u64"})
      cases.push_back(together("add", each, space));
    for (const char *operation : {"min", "max"})
      for (const char *each : {"u32", "s32", "u64", "s64"})
        cases.push_back(together(operation, each, space));
    for (const char *operation : {"and", "or", "xor"})
      for (const char *each : {"b32", "b64"})
        cases.push_back(together(operation, each, space));
  }
  cases.push_back(tickets());
  return cases;
}

} // namespace ashlar::conformance
