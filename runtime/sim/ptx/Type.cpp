#include "runtime/sim/ptx/Type.h"

#include <array>

namespace ashlar::sim::ptx {

namespace {

enum class Family : uint8_t {
  signedInteger,
  unsignedInteger,
  bits,
  real,
  pred
};

struct Row {
  std::string_view name;
  uint8_t bits;
  Family family;
};

// In the order of the enumeration.
constexpr std::array<Row, 28> rows = {{
    {"s8", 8, Family::signedInteger},
    {"s16", 16, Family::signedInteger},
    {"s32", 32, Family::signedInteger},
    {"s64", 64, Family::signedInteger},
    {"u8", 8, Family::unsignedInteger},
    {"u16", 16, Family::unsignedInteger},
    {"u32", 32, Family::unsignedInteger},
    {"u64", 64, Family::unsignedInteger},
    {"b8", 8, Family::bits},
    {"b16", 16, Family::bits},
    {"b32", 32, Family::bits},
    {"b64", 64, Family::bits},
    {"b128", 128, Family::bits},
    {"f16", 16, Family::real},
    {"f16x2", 32, Family::real},
    {"bf16", 16, Family::real},
    {"bf16x2", 32, Family::real},
    {"tf32", 32, Family::real},
    {"f32", 32, Family::real},
    {"f32x2", 64, Family::real},
    {"f64", 64, Family::real},
    {"e4m3", 8, Family::real},
    {"e5m2", 8, Family::real},
    {"e4m3x2", 16, Family::real},
    {"e5m2x2", 16, Family::real},
    {"s16x2", 32, Family::signedInteger},
    {"u16x2", 32, Family::unsignedInteger},
    {"pred", 1, Family::pred},
}};

static_assert(rows[static_cast<size_t>(Type::pred)].name == "pred");

const Row &row(Type type) { return rows[static_cast<size_t>(type)]; }

} // namespace

std::optional<Type> typeNamed(std::string_view name) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == name)
      return static_cast<Type>(i);
  return std::nullopt;
}

std::string_view name(Type type) { return row(type).name; }

unsigned bits(Type type) { return row(type).bits; }

bool isSigned(Type type) { return row(type).family == Family::signedInteger; }

bool isFloat(Type type) { return row(type).family == Family::real; }

} // namespace ashlar::sim::ptx
