// A PTX module as written: what the parser makes of the text (PTX ISA 8.0 to
// 9.0). Names are resolved (registers, variables, labels and functions are
// indices), but no instruction is interpreted: its opcode and modifiers stay
// text, which the decoders in runtime/sim/instructions read.
#pragma once

#include "runtime/sim/ptx/Type.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::sim::ptx {

/// A place in the PTX text, both counted from 1.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// What `.loc` says of an instruction: a place in the author's program. `file`
/// is the number that `.file` gave it; line 0 means unknown.
struct SourceLine {
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t column = 0;
};

enum class StateSpace : uint8_t {
  generic, // no space named
  constant,
  global,
  local,
  parameter, // .param of a kernel or of a function, by where it is declared
  shared,
};

/// A reference to a register by its index in Function::registers. `component`
/// is 0 to 3 for `.x .y .z .w` of a vector register, else 0.
struct RegisterUse {
  uint32_t index = 0;
  uint8_t component = 0;
};

/// A variable (of the module or of the function), a parameter or result of the
/// function that the instruction stands in, or a function whose address is
/// taken.
struct SymbolUse {
  enum class Kind : uint8_t {
    moduleVariable,   // in Module::variables
    functionVariable, // in Function::variables
    function,         // in Module::functions
    parameter,        // in Function::parameters
    result,           // in Function::results
  };
  Kind kind = Kind::moduleVariable;
  uint32_t index = 0;
};

struct Operand;
struct Special;

/// `[base + offset]`, `[base, {coordinates}]` (tensor copies),
/// `[base, coordinates, {offsets}]`: base is a register, a symbol, or absent
/// (an absolute address). Further brackets after the base are in `more`.
struct Address {
  std::optional<RegisterUse> base;
  std::optional<SymbolUse> symbol;
  int64_t offset = 0;
  std::vector<Operand> more;
};

struct Operand {
  enum class Kind : uint8_t {
    registerUse, // %r1; with `negated`, !%p1
    special,     // %tid.x: the name with its component in `text`, its row in
                 // `special`, its component (0 to 3, -1: none) in `integer`
    integer,     // in `integer`, a 64-bit pattern
    real32,      // 0f3F800000: `integer` holds the 32 bits
    real64,      // 0d... and decimal literals: `integer` holds the 64 bits
    symbol,      // the address of a variable or function, plus `integer`
    address,     // [...]
    vector,      // {a, b, ...} in `elements`
    pair,        // a|b in `elements` (setp's p|q, shfl's d|p, elect's d|p)
    label,       // index in Function::labels, in `integer`
    sink,        // _
    name,        // a .branchtargets, .calltargets or .callprototype, in `text`;
                 // its index in Function::targets in `integer`
    list,        // ( ... ) in `elements`: a call's arguments and results
  };
  Kind kind = Kind::sink;
  bool negated = false;
  RegisterUse registerUse;
  int64_t integer = 0;
  SymbolUse symbol;
  const Special *special = nullptr;
  std::string text;
  std::unique_ptr<Address> address;
  std::vector<Operand> elements;
  Position position;
};

/// `@p` or `@!p`.
struct Guard {
  RegisterUse predicate;
  bool negated = false;
};

struct Instruction {
  std::optional<Guard> guard;
  /// "mbarrier" of `mbarrier.try_wait.parity.shared::cta.b64`.
  std::string opcode;
  /// "try_wait", "parity", "shared::cta", "b64".
  std::vector<std::string> modifiers;
  std::vector<Operand> operands;
  Position position;
  SourceLine source;
};

/// "mbarrier.try_wait.parity.shared::cta.b64", for messages.
std::string mnemonic(const Instruction &instruction);

/// A register as declared: `.reg .v2 .f32 x` has type f32, vector 2. `%r<5>`
/// declares five registers, "%r0" to "%r4".
struct Register {
  std::string name;
  Type type = Type::b32;
  uint8_t vector = 1;
};

/// A variable or a parameter. A parameter of a scalar type has no dimension;
/// an array parameter `.param .align 64 .b8 p[128]` has 128 elements.
struct Variable {
  std::string name;
  StateSpace space = StateSpace::global;
  Type type = Type::b8;
  uint8_t vector = 1;
  /// Elements in all (product of the dimensions), 1 for a scalar; 0 for
  /// `.extern .shared x[]`, the dynamic shared memory.
  uint64_t elements = 1;
  uint64_t alignment = 1; // at least the type's own
  bool isExternal = false;
  /// The image that an initialiser gives, sizeBytes() long, or empty (zeros
  /// for .global and .const, undefined for .shared).
  std::vector<uint8_t> image;
  /// Places in the image that hold the address of a symbol: generic(x) or x.
  struct AddressAt {
    uint64_t offset = 0;
    SymbolUse symbol;
    int64_t addend = 0;
    bool generic = false;
    uint8_t sizeBytes = 8; // 1 for a byte taken by mask, 0xFF(x)
    uint8_t shift = 0;     // right shift in bits of a byte taken by mask
  };
  std::vector<AddressAt> addresses;
  Position position;
  uint64_t sizeBytes() const;
};

/// Where a label leads: an index into Function::body.
struct Label {
  std::string name;
  uint32_t instruction = 0;
  Position position;
};

/// `.branchtargets` and `.calltargets`/`.callprototype`: named lists. Both are
/// empty for a .callprototype.
struct TargetList {
  std::string name;
  std::vector<uint32_t> labels;    // of a .branchtargets
  std::vector<uint32_t> functions; // of a .calltargets
};

struct Dimensions {
  uint32_t x = 1, y = 1, z = 1;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool isDefined = false;           // false for a declaration (`vprintf`, ...)
  std::vector<Variable> results;    // (...) before the name of a .func
  std::vector<Variable> parameters; // .param or .reg
  /// For a .func whose results or parameters are registers, their indices in
  /// `registers`, in order; empty else. Such a one stands in `results` or
  /// `parameters` too, with the space generic.
  std::vector<uint32_t> resultRegisters, parameterRegisters;
  std::vector<Register> registers;
  /// .local, .shared, .global, .const and .param variables declared inside.
  std::vector<Variable> variables;
  std::vector<Instruction> body;
  std::vector<Label> labels;
  std::vector<TargetList> targets;
  // Performance-tuning and cluster directives, where given.
  std::optional<Dimensions> requiredThreads, maximumThreads, requiredCluster;
  std::optional<uint32_t> maximumRegisters, minimumBlocks, maximumClusterRank;
  bool explicitCluster = false;
  bool noReturn = false;
  /// `.alias a, b;`: for a, the index of b, whose body it has.
  std::optional<uint32_t> aliasOf;
  Position position;
  SourceLine source; // of the first instruction that has one
};

/// A line of the form `//@ key words`: what a compiler tells a debugger of its
/// own memory and roles; kept as written after "//@ ".
struct Note {
  std::string text;
  Position position;
  int function = -1; // index of the function it stands in, -1 at module level
};

struct Module {
  int versionMajor = 0, versionMinor = 0; // of `.version`
  std::string target;                     // "sm_90a"
  int addressSize = 64;
  std::vector<std::string> files; // by .file number; unused numbers are ""
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Note> notes;
  /// The text was given this name; for messages.
  std::string name;
};

/// What is wrong with a PTX text. what() is "name:line:column: sentence".
class ParseError : public std::exception {
public:
  ParseError(const std::string &name, Position position,
             const std::string &sentence);
  const char *what() const noexcept override { return message.c_str(); }
  Position position;

private:
  std::string message;
};

/// Parses a PTX text; `name` stands in messages for it. Throws ParseError at
/// the first fault (a lexical error, a name that is not declared or declared
/// twice, a directive that is not known, ...). Instructions are not checked
/// beyond their syntax. Takes time linear in the text.
Module parse(std::string_view text, const std::string &name);

} // namespace ashlar::sim::ptx
