#include "runtime/sim/ptx/Function.h"

#include "runtime/sim/ptx/Body.h"
#include "runtime/sim/ptx/Declaration.h"
#include "runtime/sim/ptx/Declarator.h"
#include "runtime/sim/ptx/Directive.h"

namespace ashlar::sim::ptx {

namespace {

constexpr uint64_t maximumCount = UINT32_MAX;

uint32_t parseNumber(Context &context, const Token &directive) {
  return static_cast<uint32_t>(
      parseCount(context.cursor, maximumCount,
                 "the value of '." + std::string(directive.text) + "'"));
}

Dimensions parseThreeNumbers(Context &context, const Token &directive) {
  Dimensions dimensions;
  dimensions.x = parseNumber(context, directive);
  if (context.cursor.accept(","))
    dimensions.y = parseNumber(context, directive);
  if (context.cursor.accept(","))
    dimensions.z = parseNumber(context, directive);
  return dimensions;
}

bool parseClusterDirective(Context &context, const Token &directive,
                           Function &function) {
  if (directive.text == "explicitcluster" ||
      directive.text == "blocksareclusters")
    function.explicitCluster = true;
  else if (directive.text == "reqnctapercluster")
    function.requiredCluster = parseThreeNumbers(context, directive);
  else if (directive.text == "maxclusterrank")
    function.maximumClusterRank = parseNumber(context, directive);
  else
    return false;
  return true;
}

bool parseTuningDirective(Context &context, const Token &directive,
                          Function &function) {
  const std::string_view text = directive.text;
  if (text == "maxntid")
    function.maximumThreads = parseThreeNumbers(context, directive);
  else if (text == "reqntid")
    function.requiredThreads = parseThreeNumbers(context, directive);
  else if (text == "maxnreg")
    function.maximumRegisters = parseNumber(context, directive);
  else if (text == "minnctapersm")
    function.minimumBlocks = parseNumber(context, directive);
  else if (text == "maxnctapersm" || text == "abi_preserve" ||
           text == "abi_preserve_control")
    parseNumber(context, directive);
  else if (text == "noreturn")
    function.noReturn = true;
  else if (text == "pragma")
    skipPragma(context);
  else if (text == "attribute")
    skipAttributes(context);
  else
    return false;
  return true;
}

void parseDirectives(Context &context, Function &function) {
  while (context.cursor.atDotted() && !startsStatement(context.cursor.peek())) {
    const Token directive = context.cursor.take();
    if (!parseTuningDirective(context, directive, function) &&
        !parseClusterDirective(context, directive, function))
      failUnknownDirective(context, directive,
                           "between a function's parameters and its body");
  }
}

// From the attributes to the directives before the body. The parameters are
// declared later: the function's name comes first, in the scope around it.
struct Header {
  Function function;
  Token name;
  std::vector<Token> results, parameters;
};

Header parseHeader(Context &context, bool isEntry) {
  Cursor &cursor = context.cursor;
  Header header;
  Function &function = header.function;
  function.isEntry = isEntry;
  while (cursor.acceptDotted("attribute"))
    skipAttributes(context);
  if (!isEntry && cursor.accept("("))
    header.results =
        parseParameters(context, SymbolUse::Kind::result, function);
  header.name = cursor.expectIdentifier(isEntry ? "the name of a kernel"
                                                : "the name of a function");
  function.name = header.name.text;
  function.position = header.name.position;
  if (cursor.accept("("))
    header.parameters =
        parseParameters(context, SymbolUse::Kind::parameter, function);
  parseDirectives(context, function);
  return header;
}

void requireSameParameters(const Context &context, const Function &declared,
                           const Function &function) {
  if (declared.parameters.size() == function.parameters.size() &&
      declared.results.size() == function.results.size())
    return;
  context.cursor.fail(function.position,
                      "'" + function.name +
                          "' has other parameters than its declaration (line " +
                          std::to_string(declared.position.line) + ")");
}

// Gives the function its place in the module: that of a declaration before it,
// or a new one.
uint32_t place(Context &context, Header &header, bool isDefinition) {
  auto &functions = context.module.functions;
  header.function.isDefined = isDefinition;
  const auto first = context.names.findHere(header.name.text);
  if (!first) {
    const auto index = static_cast<uint32_t>(functions.size());
    functions.push_back(std::move(header.function));
    context.names.declare(header.name.text,
                          {Entity::Kind::symbol, SymbolUse::Kind::function,
                           index, header.name.position});
    return index;
  }
  if (first->kind != Entity::Kind::symbol ||
      first->symbol != SymbolUse::Kind::function ||
      functions[first->index].isEntry != header.function.isEntry ||
      (functions[first->index].isDefined && isDefinition))
    context.requireNew(header.name,
                       header.function.isEntry ? "kernel" : "function");
  Function &declared = functions[first->index];
  requireSameParameters(context, declared, header.function);
  if (isDefinition)
    declared = std::move(header.function);
  return first->index;
}

} // namespace

void parseFunction(Context &context, bool isEntry, const Token &start) {
  Header header = parseHeader(context, isEntry);
  // Before PTX 3.0 a declaration had no ';', and ptxas still takes that.
  if (context.cursor.accept(";") || startsStatement(context.cursor.peek())) {
    place(context, header, false);
    return;
  }
  if (!context.cursor.atPunctuation("{"))
    context.cursor.failExpected("'{' or ';' after the head of '" +
                                header.function.name + "'");
  const uint32_t index = place(context, header, true);
  Function &function = context.module.functions[index];
  context.names.enter();
  declareParameters(context, SymbolUse::Kind::result, function, header.results);
  declareParameters(context, SymbolUse::Kind::parameter, function,
                    header.parameters);
  const size_t end = BodyParser(context, function).parse();
  context.names.leave();
  context.takeNotes(static_cast<int>(index), start.offset, end);
}

void parseAlias(Context &context) {
  Cursor &cursor = context.cursor;
  const uint32_t alias = parseFunctionName(context);
  cursor.expect(",", "after the name that is given");
  const uint32_t aliased = parseFunctionName(context);
  cursor.expect(";", "after the alias");
  context.module.functions[alias].aliasOf = aliased;
}

uint32_t parseFunctionName(Context &context) {
  const Token name = context.cursor.expectIdentifier("the name of a function");
  const auto entity = context.names.find(name.text);
  if (!entity || entity->kind != Entity::Kind::symbol ||
      entity->symbol != SymbolUse::Kind::function)
    context.cursor.fail(name.position, "function '" + std::string(name.text) +
                                           "' is not declared");
  return entity->index;
}

void skipPrototype(Context &context) {
  Cursor &cursor = context.cursor;
  Function scratch;
  if (cursor.accept("("))
    parseParameters(context, SymbolUse::Kind::result, scratch);
  if (!cursor.atIdentifier())
    cursor.failExpected("'_' in the place of the function's name");
  cursor.take();
  if (cursor.accept("("))
    parseParameters(context, SymbolUse::Kind::parameter, scratch);
  parseDirectives(context, scratch);
}

} // namespace ashlar::sim::ptx
