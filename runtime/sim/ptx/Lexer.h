// The words of a PTX text (PTX ISA, section 4: syntax).
#pragma once

#include "runtime/sim/ptx/Module.h"

namespace ashlar::sim::ptx {

struct Token {
  enum class Kind : uint8_t {
    end,
    identifier,  // "mov", "%r1", "$L__BB0_1", "_"
    dotted,      // ".entry", ".shared::cta", ".4x": `text` is without the dot
    integer,     // `bits` holds the value, isUnsigned as the ISA types it
    real32,      // 0f3F800000: `bits` holds its 32 bits
    real64,      // 1.5, 0d...: `bits` holds its 64 bits
    string,      // `text` is without the quotes
    punctuation, // one of ()[]{}<>,;:=@!|&^~+-*/%? << >> <= >= == != && ||
  };
  Kind kind = Kind::end;
  bool isUnsigned = false;
  std::string_view text;
  uint64_t bits = 0;
  size_t offset = 0; // of its first character in the text
  Position position;
};

/// `//@ text`, with its place in the text.
struct NoteComment {
  std::string_view text;
  size_t offset = 0;
  Position position;
};

/// Cuts a text into tokens, one at a time. The tokens refer to the text, which
/// has to outlive them. Throws ParseError.
class Lexer {
public:
  Lexer(std::string_view text, std::string name)
      : text(text), sourceName(std::move(name)) {}

  Token next();

  /// Makes the character at `offset` the next one to be read; it stands in the
  /// line that the lexer is in.
  void rewind(size_t offset) { at = offset; }

  const std::string &name() const { return sourceName; }
  const std::vector<NoteComment> &notes() const { return noteComments; }

private:
  std::string_view text;
  std::string sourceName;
  std::vector<NoteComment> noteComments;
  size_t at = 0;
  size_t lineStart = 0;
  uint32_t line = 1;

  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  Position here() const;
  void startLine(); // `at` stands on the newline
  void skipBlanks();
  void skipLineComment();
  void skipBlockComment();
  void readNumber(Token &token);
  void readExactReal(Token &token, size_t digits);
  void readDecimalReal(Token &token);
  void readInteger(Token &token);
  void readDotted(Token &token);
  void readString(Token &token);
  void readPunctuation(Token &token);
  [[noreturn]] void fail(Position position, const std::string &sentence) const;
};

} // namespace ashlar::sim::ptx
