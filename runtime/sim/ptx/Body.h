// The body of a function: nested blocks of declarations, labels and
// instructions (PTX ISA, section 4.3).
#pragma once

#include "runtime/sim/ptx/Context.h"

namespace ashlar::sim::ptx {

class BodyParser {
public:
  BodyParser(Context &context, Function &function)
      : context(context), cursor(context.cursor), function(function) {}

  /// Parses the body, whose '{' is next and whose scope the caller has opened.
  /// Returns the offset of its '}'.
  size_t parse();

private:
  /// Something in an open block that names labels: an instruction by its index
  /// in the body, or a list by its index in Function::targets. A label may
  /// follow its use, and hides one of an outer block from uses before it; so
  /// names are looked up when the block that may declare them ends.
  struct Waiting {
    bool isList = false;
    uint32_t index = 0;
  };

  Context &context;
  Cursor &cursor;
  Function &function;
  SourceLine source;
  std::vector<std::vector<Waiting>> waiting; // by open block
  std::vector<std::vector<Token>> listNames; // by list: its labels

  size_t parseBlock();
  void parseStatement();
  void parseDirective();
  void parseLabel(const Token &name);
  void parseInstruction();
  Guard parseGuard();

  // Targets.cpp
  void parseTargets(const Token &name);
  void parseBranchTargets(TargetList &list);
  void parseCallTargets(TargetList &list);
  void resolve();
  bool resolve(Operand &operand);
  bool resolve(Address &address);
  bool resolveList(uint32_t index);
  void failUnresolved(const Waiting &user) const;
};

} // namespace ashlar::sim::ptx
