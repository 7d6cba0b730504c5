// The parser's place in the text: the token that is next.
#pragma once

#include "runtime/sim/ptx/Lexer.h"

namespace ashlar::sim::ptx {

class Cursor {
public:
  Cursor(std::string_view text, std::string name)
      : lexer(text, std::move(name)), token(lexer.next()) {}

  const Token &peek() const { return token; }

  /// The next token, and passes it.
  Token take();

  bool atEnd() const { return token.kind == Token::Kind::end; }
  bool atPunctuation(std::string_view text) const {
    return token.kind == Token::Kind::punctuation && token.text == text;
  }
  bool atIdentifier() const { return token.kind == Token::Kind::identifier; }
  bool atDotted() const { return token.kind == Token::Kind::dotted; }
  bool atDotted(std::string_view text) const {
    return atDotted() && token.text == text;
  }

  /// Passes the next token if it is this one; whether it was.
  bool accept(std::string_view punctuation);
  bool acceptDotted(std::string_view text);

  /// Passes the next token, which has to be this one: "expected ';' after the
  /// instruction", where `place` is "after the instruction".
  void expect(std::string_view punctuation, const std::string &place);

  /// An identifier that is not `_`; `what` is "the name of a function".
  Token expectIdentifier(const std::string &what);

  /// A '%' that the lexer took for the start of an identifier, as in `5%3`,
  /// where an operator is expected: leaves the '%' next.
  void splitPercent();

  /// "expected `what`, not ...": fails at the next token.
  [[noreturn]] void failExpected(const std::string &what) const;
  [[noreturn]] void fail(Position position, const std::string &sentence) const;

  const std::vector<NoteComment> &notes() const { return lexer.notes(); }

  /// Held while a nested thing is parsed; bounds the depth of the recursion.
  class Nesting {
  public:
    explicit Nesting(Cursor &cursor);
    ~Nesting() { --cursor.depth; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;

  private:
    Cursor &cursor;
  };

private:
  Lexer lexer;
  Token token;
  unsigned depth = 0;
};

} // namespace ashlar::sim::ptx
