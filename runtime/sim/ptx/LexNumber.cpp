// Numbers: PTX ISA, section 4.5, integer and floating-point constants.
#include "runtime/sim/ptx/Characters.h"
#include "runtime/sim/ptx/Lexer.h"

#include <bit>
#include <charconv>

namespace ashlar::sim::ptx {

namespace {

// The value of a digit in any base up to 16, or 16.
unsigned digitValue(char c) {
  if (isDigit(c))
    return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10)
                                      : 16;
}

} // namespace

void Lexer::readNumber(Token &token) {
  const char second = static_cast<char>(peek(1) | 0x20);
  if (peek() == '0' && second == 'f') {
    readExactReal(token, 8);
  } else if (peek() == '0' && second == 'd') {
    readExactReal(token, 16);
  } else {
    size_t end = at;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    const char after = end < text.size() ? text[end] : '\0';
    if (after == '.' || after == 'e' || after == 'E')
      readDecimalReal(token);
    else
      readInteger(token);
  }
  const char c = peek();
  if (isFollow(c))
    fail(token.position, std::string("'") + c +
                             "' can't stand in this number, or a space is "
                             "missing before it");
}

// The bits of a number, written out: 0f and 8 digits, 0d and 16.
void Lexer::readExactReal(Token &token, size_t digits) {
  token.kind = digits == 8 ? Token::Kind::real32 : Token::Kind::real64;
  const size_t start = at + 2;
  at = start;
  for (; at - start < digits && digitValue(peek()) < 16; ++at)
    token.bits = token.bits * 16 + digitValue(peek());
  if (at - start < digits)
    fail(token.position, std::string("a number that begins with 0") +
                             text[start - 1] + " has " +
                             std::to_string(digits) + " hexadecimal digits");
  token.text = text.substr(token.offset, at - token.offset);
}

void Lexer::readDecimalReal(Token &token) {
  const size_t start = at;
  while (isDigit(peek()))
    ++at;
  if (peek() == '.')
    ++at;
  while (isDigit(peek()))
    ++at;
  if (peek() == 'e' || peek() == 'E') {
    ++at;
    if (peek() == '+' || peek() == '-')
      ++at;
    if (!isDigit(peek()))
      fail(token.position, "the exponent of this number has no digits");
    while (isDigit(peek()))
      ++at;
  }
  token.kind = Token::Kind::real64;
  token.text = text.substr(start, at - start);
  double value = 0;
  const char *end = token.text.data() + token.text.size();
  const auto result = std::from_chars(token.text.data(), end, value);
  if (result.ec == std::errc::result_out_of_range)
    fail(token.position, "this number does not fit a .f64");
  if (result.ec != std::errc() || result.ptr != end)
    fail(token.position, "this is not a number");
  token.bits = std::bit_cast<uint64_t>(value);
}

// An integer has 64 bits; it is signed if it fits and no U follows.
void Lexer::readInteger(Token &token) {
  unsigned base = 10;
  const char second = static_cast<char>(peek(1) | 0x20);
  if (peek() == '0' && (second == 'x' || second == 'b')) {
    base = second == 'x' ? 16 : 2;
    at += 2;
  } else if (peek() == '0' && isDigit(peek(1))) {
    base = 8;
  }
  const size_t start = at;
  for (; digitValue(peek()) < base; ++at)
    if (__builtin_mul_overflow(token.bits, base, &token.bits) ||
        __builtin_add_overflow(token.bits, digitValue(peek()), &token.bits))
      fail(token.position, "this integer does not fit 64 bits");
  if (at == start)
    fail(token.position, "digits are missing in this number");
  token.kind = Token::Kind::integer;
  token.isUnsigned = peek() == 'U' || token.bits >> 63 != 0;
  if (peek() == 'U')
    ++at;
  token.text = text.substr(token.offset, at - token.offset);
}

} // namespace ashlar::sim::ptx
