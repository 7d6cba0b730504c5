// A kernel as a small tree, which can be printed, traced by the language,
// interpreted on the host, and cut down while it still fails.
#ifndef ASHLAR_TEST_CORPUS_PROGRAM_H
#define ASHLAR_TEST_CORPUS_PROGRAM_H

#include "ashlar/element_type.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ashlar::corpus {

/// An integer that is known when the kernel runs.
struct Number {
  enum class Kind : uint8_t {
    constant,   ///< `value`
    size,       ///< `Program::sizes[value]`
    counter,    ///< of the loop with this number
    coordinate, ///< of the tile: 0 is m, 1 is n
    add,
    subtract,
    multiply,
    divide,
    remainder,
    ceilDivide,
    minimum,
  };

  Number(int64_t value = 0) : value(value) {}
  Number(Kind kind, int64_t value) : kind(kind), value(value) {}
  Number(Kind kind, Number left, Number right)
      : kind(kind), operands{std::move(left), std::move(right)} {}

  Kind kind = Kind::constant;
  int64_t value = 0;
  std::vector<Number> operands; ///< two, or none
};

struct Condition {
  enum class Kind : uint8_t { equal, notEqual, less, atLeast };
  Kind kind = Kind::equal;
  Number left, right;
};

/// A tile of a stage that a role holds, or the shared tile that the math role
/// writes itself.
struct StageTile {
  static constexpr int none = -1, ownTile = -2;
  int stage = none;
  int tile = 0;
};

/// A fragment, by what it is computed from.
struct Value {
  enum class Kind : uint8_t {
    variable, ///< the fragment with this number
    full,     ///< `number` everywhere
    product,  ///< mma(a, b.T(), operands[0])
    add,
    subtract,
    multiply,
    scale,  ///< operands[0] * number
    floor,  ///< max(operands[0], number)
    row,    ///< the vector `tensor`.tile({at}), one element for each column
    column, ///< the same, one element for each row
    tile,   ///< load(a), as f32
  };
  Kind kind = Kind::full;
  int variable = -1;
  double number = 0;
  StageTile a, b;
  int tensor = -1;
  Number at;
  std::vector<Value> operands;
};

struct Statement {
  enum class Kind : uint8_t {
    loop,    ///< for (Index variable : range(low, high, step)) body
    when,    ///< when(condition, body, otherwise)
    acquire, ///< Stage variable = ring.acquire()
    wait,    ///< Stage variable = ring.wait()
    commit,
    release,
    copy,      ///< tensor.tile(coordinates) to `target`
    write,     ///< `value` to `target`, by ordinary stores
    writeOwn,  ///< the same, to the role's own shared tile
    set,       ///< Fragment variable = value; `declares` it or assigns
    store,     ///< tensor.tile({m, n}) = value
    storeByTma ///< the same, through the shared tile of the kernel
  };
  Kind kind = Kind::set;
  /// What belongs together, in all roles, has one label: what fills and drains
  /// a stage, the loops around it.
  int label = 0;
  int variable = -1;
  Number low, high, step = 1;
  Condition condition;
  std::vector<Statement> body, otherwise;
  int ring = -1;
  int tensor = -1;
  StageTile target;
  std::vector<Number> coordinates;
  bool multicast = false;
  bool declares = false;
  Value value;
};

struct TensorOf {
  std::string name;
  ElementType type;
  std::vector<Number> extents;
  int alignment = 16;
  bool isOutput = false;
};

/// A ring of stages; each holds tiles of these rows and columns.
struct Ring {
  struct Tile {
    ElementType type;
    int64_t rows, columns;
  };
  int64_t stages = 1;
  std::vector<Tile> tiles;
};

struct Role {
  std::string name;
  int64_t warps = 1;
  int64_t instances = 1;       ///< more than one: ping-pong
  int64_t registers = 0;       ///< 0: the assembler chooses
  std::vector<Statement> body; ///< for each tile
};

enum class Family : uint8_t { compute, pipeline };

struct Program {
  uint64_t seed = 0;
  Family family = Family::compute;
  std::string shape;               ///< what it was drawn as, in words
  int64_t rows = 64, columns = 64; ///< of a tile of the results
  int64_t cluster = 1;             ///< CTAs along M
  bool isPersistent = true;
  int64_t residentClusters = 1; ///< that the device holds
  bool hasStaging = false;      ///< a shared tile for storeByTma
  bool hasOwnTile = false;      ///< one for writeOwn, `rows` x 64 of bf16
  struct Size {
    std::string name;
    int64_t value;
  };
  std::vector<Size> sizes; ///< M, N, K, ...
  std::vector<TensorOf> tensors;
  std::vector<Ring> rings;
  std::vector<Role> roles;
};

/// As text that reads like the language.
std::string print(const Program &program);

struct Listing {
  std::string text;
  std::map<const Statement *, int> lines; ///< where each begins; 1 is the first
};

/// The same, and the lines of the program's statements.
Listing list(const Program &program);

/// The program of a seed. It is correct: `interpret` gives a result.
Program draw(Family family, uint64_t seed);

} // namespace ashlar::corpus

#endif
