#include "runtime/sim/ptx/Directive.h"

#include "runtime/sim/ptx/Declarator.h"

#include <algorithm>
#include <array>

namespace ashlar::sim::ptx {

namespace {

uint32_t takeNumber(Cursor &cursor, const std::string &what) {
  if (cursor.peek().kind != Token::Kind::integer)
    cursor.failExpected(what);
  const Token token = cursor.take();
  if (token.bits > UINT32_MAX)
    cursor.fail(token.position, what + " does not fit 32 bits");
  return static_cast<uint32_t>(token.bits);
}

SourceLine takeLine(Cursor &cursor) {
  SourceLine line;
  line.file = takeNumber(cursor, "the number of a file");
  line.line = takeNumber(cursor, "the number of a line");
  line.column = takeNumber(cursor, "the number of a column");
  return line;
}

} // namespace

SourceLine parseLocation(Context &context) {
  Cursor &cursor = context.cursor;
  const SourceLine line = takeLine(cursor);
  while (cursor.accept(",")) {
    const Token word =
        cursor.expectIdentifier("'function_name' or 'inlined_at'");
    if (word.text == "inlined_at") {
      takeLine(cursor);
    } else if (word.text == "function_name") {
      // A label of the section .debug_str, or the section and an offset.
      if (!cursor.atIdentifier() && !cursor.atDotted())
        cursor.failExpected("the label of a function's name");
      cursor.take();
      parseOffset(cursor);
    } else {
      cursor.fail(word.position,
                  "'" + std::string(word.text) + "' can't stand in '.loc'");
    }
  }
  return line;
}

void parseFile(Context &context) {
  Cursor &cursor = context.cursor;
  const Position position = cursor.peek().position;
  const uint32_t number = takeNumber(cursor, "the number of a file");
  if (number >= limit::fileNumber)
    cursor.fail(position, "the number of a file is " + std::to_string(number) +
                              "; the limit is " +
                              std::to_string(limit::fileNumber - 1));
  if (cursor.peek().kind != Token::Kind::string)
    cursor.failExpected("the name of a file, in quotes");
  auto &files = context.module.files;
  if (files.size() <= number)
    files.resize(number + 1);
  files[number] = cursor.take().text;
  while (cursor.accept(",")) // its time and its size
    if (cursor.take().kind != Token::Kind::integer)
      cursor.fail(position, "a file's time and size are integers");
}

void skipPragma(Context &context) {
  Cursor &cursor = context.cursor;
  do {
    if (cursor.peek().kind != Token::Kind::string)
      cursor.failExpected("a pragma, in quotes");
    cursor.take();
  } while (cursor.accept(","));
  cursor.expect(";", "after the pragma");
}

void skipSection(Context &context) {
  Cursor &cursor = context.cursor;
  if (!cursor.atDotted() && !cursor.atIdentifier())
    cursor.failExpected("the name of a section");
  const Token name = cursor.take();
  cursor.expect("{", "after the name of a section");
  while (!cursor.accept("}")) {
    if (cursor.atEnd())
      cursor.fail(name.position,
                  "this section is never closed: '}' is missing");
    if (cursor.atPunctuation("{"))
      cursor.fail(cursor.peek().position, "a section has no inner braces");
    cursor.take();
  }
}

std::optional<LinkedSpace> parseLinkedSpace(Context &context,
                                            const Token &token) {
  if (const auto space = variableSpace(token))
    return LinkedSpace{*space, false};
  if (!isLinkage(token))
    return std::nullopt;
  const auto space = variableSpace(context.cursor.peek());
  if (!space)
    return std::nullopt;
  context.cursor.take();
  return LinkedSpace{*space, token.text == "extern"};
}

bool isLinkage(const Token &token) {
  return token.kind == Token::Kind::dotted &&
         (token.text == "extern" || token.text == "visible" ||
          token.text == "weak" || token.text == "common");
}

bool startsStatement(const Token &token) {
  static constexpr std::array<std::string_view, 8> words = {
      "version", "target", "address_size", "alias",
      "entry",   "func",   "section",      "file"};
  return token.kind == Token::Kind::dotted &&
         (isLinkage(token) || variableSpace(token) ||
          std::find(words.begin(), words.end(), token.text) != words.end());
}

void failUnknownDirective(const Context &context, const Token &token,
                          const std::string &place) {
  static constexpr std::array<std::string_view, 18> known = {
      "reg",
      "loc",
      "pragma",
      "maxnreg",
      "maxntid",
      "reqntid",
      "minnctapersm",
      "maxnctapersm",
      "noreturn",
      "abi_preserve",
      "explicitcluster",
      "reqnctapercluster",
      "maxclusterrank",
      "blocksareclusters",
      "branchtargets",
      "calltargets",
      "callprototype",
      "attribute"};
  const std::string quoted = "'." + std::string(token.text) + "' ";
  const bool isKnown =
      startsStatement(token) ||
      std::find(known.begin(), known.end(), token.text) != known.end();
  context.cursor.fail(token.position,
                      isKnown ? quoted + "can't stand " + place
                              : quoted + "is not a directive that is known");
}

} // namespace ashlar::sim::ptx
