#include "runtime/sim/ptx/Cursor.h"

#include "runtime/sim/ptx/Characters.h"

namespace ashlar::sim::ptx {

namespace {

constexpr unsigned maximumDepth = 256;
constexpr size_t maximumQuote = 60; // of a token in a message

std::string quoted(const Token &token) {
  if (token.kind == Token::Kind::end)
    return "the end of the text";
  std::string text(token.text.substr(0, maximumQuote));
  if (token.text.size() > maximumQuote)
    text += "...";
  if (token.kind == Token::Kind::string)
    return "\"" + text + "\"";
  return (token.kind == Token::Kind::dotted ? "'." : "'") + text + "'";
}

} // namespace

Token Cursor::take() {
  Token taken = token;
  token = lexer.next();
  return taken;
}

bool Cursor::accept(std::string_view punctuation) {
  if (!atPunctuation(punctuation))
    return false;
  take();
  return true;
}

bool Cursor::acceptDotted(std::string_view text) {
  if (!atDotted(text))
    return false;
  take();
  return true;
}

void Cursor::expect(std::string_view punctuation, const std::string &place) {
  if (!accept(punctuation))
    failExpected("'" + std::string(punctuation) + "' " + place);
}

Token Cursor::expectIdentifier(const std::string &what) {
  if (!atIdentifier() || token.text == "_")
    failExpected(what);
  return take();
}

void Cursor::splitPercent() {
  if (!atIdentifier() || token.text.size() < 2 || token.text[0] != '%' ||
      !isDigit(token.text[1]))
    return;
  lexer.rewind(token.offset + 1);
  token.kind = Token::Kind::punctuation;
  token.text = token.text.substr(0, 1);
}

void Cursor::failExpected(const std::string &what) const {
  fail(token.position, "expected " + what + ", not " + quoted(token));
}

void Cursor::fail(Position position, const std::string &sentence) const {
  throw ParseError(lexer.name(), position, sentence);
}

Cursor::Nesting::Nesting(Cursor &cursor) : cursor(cursor) {
  if (cursor.depth == maximumDepth)
    cursor.fail(cursor.token.position, "this is nested more than " +
                                           std::to_string(maximumDepth) +
                                           " levels deep");
  ++cursor.depth;
}

} // namespace ashlar::sim::ptx
