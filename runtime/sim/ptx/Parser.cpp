// A module: the directives outside of functions (PTX ISA, sections 5 and 11).
#include "runtime/sim/ptx/Declaration.h"
#include "runtime/sim/ptx/Directive.h"
#include "runtime/sim/ptx/Function.h"

#include <charconv>

namespace ashlar::sim::ptx {

namespace {

// `.version 9.0`
void parseVersion(Context &context) {
  Cursor &cursor = context.cursor;
  if (!cursor.acceptDotted("version"))
    cursor.failExpected("'.version', with which a PTX text begins");
  const Token token = cursor.peek();
  const char *end = token.text.data() + token.text.size();
  Module &module = context.module;
  if (token.kind == Token::Kind::real64 && !token.text.starts_with("0d")) {
    auto result = std::from_chars(token.text.data(), end, module.versionMajor);
    if (result.ec == std::errc() && result.ptr != end && *result.ptr == '.') {
      result = std::from_chars(result.ptr + 1, end, module.versionMinor);
      if (result.ec == std::errc() && result.ptr == end) {
        cursor.take();
        return;
      }
    }
  }
  cursor.failExpected("the version of PTX, as '9.0'");
}

// `.target sm_90a, debug`
void parseTarget(Context &context) {
  Cursor &cursor = context.cursor;
  if (!cursor.acceptDotted("target"))
    cursor.failExpected("'.target' after '.version'");
  context.module.target = cursor.expectIdentifier("a target, as 'sm_90a'").text;
  while (cursor.accept(","))
    cursor.expectIdentifier("an option of the target");
}

void parseAddressSize(Context &context) {
  Cursor &cursor = context.cursor;
  const Token size = cursor.peek();
  if (size.kind != Token::Kind::integer || (size.bits != 32 && size.bits != 64))
    cursor.failExpected("32 or 64, the size of an address");
  cursor.take();
  context.module.addressSize = static_cast<int>(size.bits);
}

// What may follow linkage or stand without it.
bool parseLinked(Context &context, const Token &start) {
  Cursor &cursor = context.cursor;
  if (const auto declared = parseLinkedSpace(context, start)) {
    parseVariables(context, declared->space, declared->isExternal,
                   SymbolUse::Kind::moduleVariable, context.module.variables);
    return true;
  }
  Token directive = start;
  if (isLinkage(start)) {
    if (!cursor.atDotted("entry") && !cursor.atDotted("func"))
      cursor.failExpected("a kernel, a function or a variable after '." +
                          std::string(start.text) + "'");
    directive = cursor.take();
  }
  if (directive.text != "entry" && directive.text != "func")
    return false;
  parseFunction(context, directive.text == "entry", start);
  return true;
}

void parseStatement(Context &context) {
  Cursor &cursor = context.cursor;
  if (!cursor.atDotted())
    cursor.failExpected("a directive");
  const Token directive = cursor.take();
  if (directive.text == "address_size")
    parseAddressSize(context);
  else if (directive.text == "file")
    parseFile(context);
  else if (directive.text == "loc")
    parseLocation(context);
  else if (directive.text == "section")
    skipSection(context);
  else if (directive.text == "pragma")
    skipPragma(context);
  else if (directive.text == "alias")
    parseAlias(context);
  else if (!parseLinked(context, directive))
    failUnknownDirective(context, directive, "outside of a function");
}

} // namespace

Module parse(std::string_view text, const std::string &name) {
  Context context(text, name);
  context.module.name = name;
  parseVersion(context);
  parseTarget(context);
  while (!context.cursor.atEnd())
    parseStatement(context);
  context.takeNotes(-1, 0, 0);
  return std::move(context.module);
}

} // namespace ashlar::sim::ptx
