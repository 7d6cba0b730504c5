// Initialisers (PTX ISA, section 5.4.4).
#include "runtime/sim/ptx/Declaration.h"

#include <bit>

namespace ashlar::sim::ptx {

namespace {

class Initialiser {
public:
  Initialiser(Context &context, Variable &variable,
              std::vector<uint64_t> &dimensions)
      : context(context), cursor(context.cursor), variable(variable),
        dimensions(dimensions), elementBytes(sizeBytes(variable.type)) {}

  void parse();

private:
  Context &context;
  Cursor &cursor;
  Variable &variable;
  std::vector<uint64_t> &dimensions;
  const uint64_t elementBytes;

  uint64_t bytesBelow(size_t dimension) const;
  void grow(uint64_t sizeBytes);
  void parseBraces(size_t dimension, uint64_t offset);
  void parseElement(uint64_t offset);
  void parseSymbol(uint64_t offset, std::optional<Constant> mask);
  SymbolUse parseSymbolName();
  void parseMask(Variable::AddressAt &address, const Constant &mask);
  void put(uint64_t offset, const Constant &value);
  void putReal(uint64_t offset, const Constant &value);
  void putInteger(uint64_t offset, const Constant &value);
  void write(uint64_t offset, uint64_t bits, uint64_t sizeBytes);
  [[noreturn]] void refuse(const Constant &value, const std::string &what);
};

void Initialiser::parse() {
  if (!isFloat(variable.type) || variable.type == Type::f32 ||
      variable.type == Type::f64) {
    if (dimensions.empty() || dimensions[0] != 0)
      grow(bytesBelow(0));
    if (dimensions.empty())
      parseElement(0);
    else
      parseBraces(0, 0);
    return;
  }
  cursor.fail(cursor.peek().position,
              "a variable of type ." + std::string(name(variable.type)) +
                  " can't have an initialiser; declare it with bits, as .b" +
                  std::to_string(bits(variable.type)));
}

// Bytes of the part of the array that dimensions from this one on span.
uint64_t Initialiser::bytesBelow(size_t dimension) const {
  uint64_t size = elementBytes;
  for (size_t i = dimension; i < dimensions.size(); ++i)
    if (__builtin_mul_overflow(size, dimensions[i], &size) ||
        size > limit::imageBytes)
      return limit::imageBytes + 1;
  return size;
}

void Initialiser::grow(uint64_t sizeBytes) {
  if (sizeBytes > limit::imageBytes - context.imageBytes)
    cursor.fail(variable.position,
                "the initialised variables of this module take more than " +
                    std::to_string(limit::imageBytes) + " bytes");
  context.imageBytes += sizeBytes;
  variable.image.resize(variable.image.size() + sizeBytes);
}

// What braces leave out is zero.
void Initialiser::parseBraces(size_t dimension, uint64_t offset) {
  const Cursor::Nesting nesting(cursor);
  const Position start = cursor.peek().position;
  cursor.expect("{", "before the values of an array or vector");
  const uint64_t step = bytesBelow(dimension + 1);
  const bool counted = dimensions[dimension] == 0;
  const bool isVector =
      variable.vector > 1 && dimension + 1 == dimensions.size();
  uint64_t count = 0;
  if (!cursor.atPunctuation("}"))
    do {
      if (cursor.atPunctuation("}"))
        cursor.failExpected("a value after ','");
      if (counted)
        grow(step);
      else if (count == dimensions[dimension])
        cursor.fail(cursor.peek().position, "there are more values than the " +
                                                std::to_string(count) +
                                                " that fit here");
      if (dimension + 1 == dimensions.size())
        parseElement(offset + count * step);
      else
        parseBraces(dimension + 1, offset + count * step);
      ++count;
    } while (cursor.accept(","));
  cursor.expect("}", "after the values");
  if (isVector && count != dimensions[dimension])
    cursor.fail(start, "a vector of " + std::to_string(dimensions[dimension]) +
                           " needs as many values, not " +
                           std::to_string(count));
  if (counted && count == 0)
    cursor.fail(start, "the size of '" + variable.name +
                           "' is not known: it has no values");
  dimensions[dimension] = counted ? count : dimensions[dimension];
}

void Initialiser::parseElement(uint64_t offset) {
  if (cursor.atPunctuation("{"))
    cursor.fail(cursor.peek().position, "there are more braces than '" +
                                            variable.name + "' has dimensions");
  if (cursor.atIdentifier() && cursor.peek().text != "WARP_SZ") {
    parseSymbol(offset, std::nullopt);
    return;
  }
  const Constant value = parseConstant(cursor);
  if (cursor.atPunctuation("("))
    parseSymbol(offset, value);
  else
    put(offset, value);
}

// `x+4`, `generic(x)+4`, `0xFF00(x)`, `0xFF00(generic(x)+4)`.
void Initialiser::parseSymbol(uint64_t offset, std::optional<Constant> mask) {
  Variable::AddressAt address;
  address.offset = offset;
  address.sizeBytes = static_cast<uint8_t>(elementBytes);
  const Position position = cursor.peek().position;
  if (mask) {
    parseMask(address, *mask);
    cursor.expect("(", "after the mask");
  } else if (elementBytes < 4 || elementBytes > 8) {
    cursor.fail(position, "an address does not fit a ." +
                              std::string(name(variable.type)));
  }
  if (cursor.atIdentifier() && cursor.peek().text == "generic") {
    cursor.take();
    address.generic = true;
    cursor.expect("(", "after 'generic'");
    address.symbol = parseSymbolName();
    address.addend = parseOffset(cursor);
    cursor.expect(")", "after the symbol");
  } else {
    address.symbol = parseSymbolName();
  }
  const auto sum = static_cast<uint64_t>(address.addend) +
                   static_cast<uint64_t>(parseOffset(cursor));
  address.addend = static_cast<int64_t>(sum);
  if (mask)
    cursor.expect(")", "after the symbol");
  variable.addresses.push_back(address);
}

SymbolUse Initialiser::parseSymbolName() {
  const Token token = cursor.expectIdentifier("the name of a variable");
  const auto found = context.names.find(token.text);
  if (!found || found->kind != Entity::Kind::symbol ||
      found->symbol == SymbolUse::Kind::parameter ||
      found->symbol == SymbolUse::Kind::result)
    cursor.fail(token.position, "'" + std::string(token.text) +
                                    "' is not a variable or a function that "
                                    "is declared before");
  return {found->symbol, found->index};
}

// A mask takes one byte of the address: 0xFF, 0xFF00, ...
void Initialiser::parseMask(Variable::AddressAt &address,
                            const Constant &mask) {
  const int shift = std::countr_zero(mask.bits | uint64_t{1} << 63);
  if (!mask.isInteger() || shift % 8 != 0 || mask.bits >> shift != 0xFF)
    cursor.fail(mask.position, "a mask selects one byte of the address: 0xFF, "
                               "0xFF00, 0xFF0000, ...");
  if (elementBytes != 1)
    cursor.fail(mask.position, "a byte of an address initialises a variable of "
                               "8 bits, not a ." +
                                   std::string(name(variable.type)));
  address.shift = static_cast<uint8_t>(shift);
}

void Initialiser::put(uint64_t offset, const Constant &value) {
  if (value.isInteger())
    putInteger(offset, value);
  else
    putReal(offset, value);
}

void Initialiser::putReal(uint64_t offset, const Constant &value) {
  const Type type = variable.type;
  const bool isSingle = value.kind == Constant::Kind::real32;
  if (type == Type::f32 || type == Type::b32) {
    const uint64_t bits = isSingle ? value.bits
                                   : std::bit_cast<uint32_t>(static_cast<float>(
                                         std::bit_cast<double>(value.bits)));
    write(offset, bits, 4);
  } else if (type == Type::f64 || type == Type::b64) {
    const auto single = static_cast<uint32_t>(value.bits);
    write(offset,
          isSingle ? std::bit_cast<uint64_t>(
                         static_cast<double>(std::bit_cast<float>(single)))
                   : value.bits,
          8);
  } else {
    refuse(value, "a real number");
  }
}

void Initialiser::putInteger(uint64_t offset, const Constant &value) {
  if (isFloat(variable.type))
    refuse(value, "an integer");
  const unsigned width = bits(variable.type);
  const auto number = static_cast<int64_t>(value.bits);
  const bool fits = width >= 64 ||
                    (value.isNegative() ? number >= -(int64_t{1} << (width - 1))
                                        : value.bits >> width == 0);
  if (!fits)
    refuse(value, value.isNegative() ? std::to_string(number)
                                     : std::to_string(value.bits));
  write(offset, value.bits, std::min<uint64_t>(elementBytes, 8));
  if (elementBytes == 16 && value.isNegative())
    write(offset + 8, ~uint64_t{0}, 8);
}

void Initialiser::write(uint64_t offset, uint64_t bits, uint64_t sizeBytes) {
  for (uint64_t i = 0; i < sizeBytes; ++i)
    variable.image[offset + i] = static_cast<uint8_t>(bits >> (8 * i));
}

void Initialiser::refuse(const Constant &value, const std::string &what) {
  cursor.fail(value.position, what + " does not fit the type ." +
                                  std::string(name(variable.type)) + " of '" +
                                  variable.name + "'");
}

} // namespace

void parseInitialiser(Context &context, Variable &variable,
                      std::vector<uint64_t> &dimensions) {
  Initialiser(context, variable, dimensions).parse();
}

} // namespace ashlar::sim::ptx
