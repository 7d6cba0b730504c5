#include "runtime/sim/ptx/Lexer.h"
#include "runtime/sim/ptx/Characters.h"

#include <algorithm>
#include <array>

namespace ashlar::sim::ptx {

Token Lexer::next() {
  skipBlanks();
  Token token;
  token.offset = at;
  token.position = here();
  if (at == text.size())
    return token;
  const char c = peek();
  const bool sigil = c == '_' || ((c == '$' || c == '%') && isFollow(peek(1)));
  if (isLetter(c) || sigil) {
    token.kind = Token::Kind::identifier;
    const size_t start = at++;
    while (isFollow(peek()))
      ++at;
    token.text = text.substr(start, at - start);
  } else if (isDigit(c)) {
    readNumber(token);
  } else if (c == '.' && isFollow(peek(1))) {
    readDotted(token);
  } else if (c == '"') {
    readString(token);
  } else {
    readPunctuation(token);
  }
  return token;
}

Position Lexer::here() const {
  return {line, static_cast<uint32_t>(at - lineStart + 1)};
}

void Lexer::startLine() {
  ++at;
  ++line;
  lineStart = at;
}

void Lexer::skipBlanks() {
  while (at < text.size()) {
    const char c = peek();
    if (c == '\n')
      startLine();
    else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f')
      ++at;
    else if (c == '/' && peek(1) == '/')
      skipLineComment();
    else if (c == '/' && peek(1) == '*')
      skipBlockComment();
    else
      return;
  }
}

void Lexer::skipLineComment() {
  const Position start = here();
  const size_t offset = at;
  const size_t end = std::min(text.find('\n', at), text.size());
  std::string_view comment = text.substr(at, end - at);
  at = end;
  constexpr std::string_view mark = "//@ ";
  if (!comment.starts_with(mark))
    return;
  if (comment.ends_with('\r'))
    comment.remove_suffix(1);
  noteComments.push_back({comment.substr(mark.size()), offset, start});
}

void Lexer::skipBlockComment() {
  const Position start = here();
  at += 2;
  while (at < text.size()) {
    if (peek() == '*' && peek(1) == '/') {
      at += 2;
      return;
    }
    if (peek() == '\n')
      startLine();
    else
      ++at;
  }
  fail(start, "this comment has no end: '*/' is missing");
}

// A modifier may hold `::` (`.shared::cta`) and start with a digit (`.4x`);
// digits alone, or with an exponent, are a number (`.5`, `.5e3`).
void Lexer::readDotted(Token &token) {
  const size_t start = at + 1;
  size_t end = start;
  while (end < text.size() && isDigit(text[end]))
    ++end;
  const char after = end < text.size() ? text[end] : '\0';
  const char next = end + 1 < text.size() ? text[end + 1] : '\0';
  const bool exponent = (after == 'e' || after == 'E') &&
                        (isDigit(next) || next == '+' || next == '-');
  if (end != start && (exponent || !isFollow(after))) {
    readDecimalReal(token);
    return;
  }
  at = start;
  while (isFollow(peek()) ||
         (peek() == ':' && peek(1) == ':' && isFollow(peek(2))))
    at += peek() == ':' ? 2 : 1;
  token.kind = Token::Kind::dotted;
  token.text = text.substr(start, at - start);
}

void Lexer::readString(Token &token) {
  const size_t start = ++at;
  while (at < text.size() && peek() != '"' && peek() != '\n')
    at += peek() == '\\' && peek(1) != '\n' && at + 1 < text.size() ? 2 : 1;
  if (peek() != '"')
    fail(token.position, "this string has no end: '\"' is missing");
  token.kind = Token::Kind::string;
  token.text = text.substr(start, at - start);
  ++at;
}

void Lexer::readPunctuation(Token &token) {
  static constexpr std::array<std::string_view, 8> pairs = {
      "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  constexpr std::string_view singles = "()[]{}<>,;:=@!|&^~+-*/%?";
  token.kind = Token::Kind::punctuation;
  for (std::string_view pair : pairs)
    if (text.substr(at, 2) == pair) {
      token.text = text.substr(at, 2);
      at += 2;
      return;
    }
  const char c = peek();
  if (c != '\0' && singles.find(c) != std::string_view::npos) {
    token.text = text.substr(at, 1);
    ++at;
    return;
  }
  if (c == '#')
    fail(token.position, "a line that begins with '#' is for a preprocessor; "
                         "PTX text has to be preprocessed before");
  if (c == '.')
    fail(token.position, "a word has to follow the '.'");
  if (c > ' ' && c < 127)
    fail(token.position, std::string("'") + c + "' has no meaning in PTX");
  static constexpr std::string_view hex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  fail(token.position, std::string("the byte 0x") + hex[byte >> 4] +
                           hex[byte & 15] +
                           " is not text; PTX is written in ASCII");
}

void Lexer::fail(Position position, const std::string &sentence) const {
  throw ParseError(sourceName, position, sentence);
}

} // namespace ashlar::sim::ptx
