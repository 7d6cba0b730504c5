// The kernel that is being traced: its frames, its variables, its IR.
//
// Variables become SSA values while the program is traced, after Braun et al.,
// "Simple and Efficient Construction of Static Single Assignment Form" (CC
// 2013): a read in a loop of a variable from outside makes a block argument on
// demand; closing the loop drops the arguments that were never assigned.
#pragma once

#include "ashlar/body.h"
#include "ashlar/error.h"
#include "ashlar/index.h"
#include "compiler/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <optional>

namespace ashlar::detail {

/// Throws an Error at the author's line.
[[noreturn]] void fail(SourceLocation where, const std::string &message);

/// "gemm.cpp:31"
std::string lineOf(SourceLocation where);

/// What a body that is being traced belongs to.
enum class FrameKind { kernel, role, loop, branch };

struct LoopBounds {
  mlir::Value low, high, step;
};

/// One body that is being traced. The block of a loop or a branch is detached
/// until the frame is closed.
struct Frame {
  FrameKind kind;
  uint32_t number;
  SourceLocation opened;
  mlir::Block *block;
  std::unique_ptr<mlir::Block> detached;
  /// Variables of outer frames: their values here.
  llvm::MapVector<uint32_t, mlir::Value> values;
  /// Loops: the variables whose block arguments follow the counter.
  llvm::SmallVector<uint32_t> carried;
  LoopBounds bounds;
};

class Trace {
public:
  Trace(mlir::MLIRContext &context, mlir::ModuleOp module,
        const std::string &name, SourceLocation where);
  ~Trace();

  /// The trace of this thread. Throws when there is none, or when the program
  /// can't go on because a loop was left by break or return.
  static Trace &current(SourceLocation where);
  static Trace *active();
  /// The same for a copy, which is no call of the author's.
  static Trace &checked(SourceLocation where);

  uint32_t number() const { return serial; }
  tile::KernelOp kernel() const { return kernelOp; }
  mlir::MLIRContext *context() { return builder.getContext(); }
  mlir::Location location(SourceLocation where);

  //===-- Operations ------------------------------------------------------===//

  /// Appends an operation to the body that is being traced.
  template <class Op, class... Arguments>
  Op create(SourceLocation where, Arguments &&...arguments) {
    return Op::create(builder, location(where),
                      std::forward<Arguments>(arguments)...);
  }
  /// Appends an operation by its author's attributes alone; passes set the
  /// rest.
  template <class Op>
  Op declareOp(SourceLocation where, mlir::TypeRange results,
               llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return Op::create(builder, location(where), results, mlir::ValueRange(),
                      attributes);
  }
  /// Appends an operation with one result, or what it folds to.
  template <class Op, class... Arguments>
  mlir::Value emit(SourceLocation where, Arguments &&...arguments) {
    return fold(
        create<Op>(where, std::forward<Arguments>(arguments)...).getOperation(),
        where);
  }
  /// The constant, at the head of the role or the kernel.
  mlir::Value constant(mlir::TypedAttr value, SourceLocation where);
  mlir::Value constantIndex(int64_t value, SourceLocation where);

  //===-- Handles ---------------------------------------------------------===//

  /// Makes a handle of type H for a value of the body that is being traced.
  template <class H>
  H declare(HandleKind kind, mlir::Value value, SourceLocation where) {
    return H(declareHandle(kind, value, where));
  }
  Handle declareHandle(HandleKind kind, mlir::Value value,
                       SourceLocation where);
  /// The current value. Throws when the handle is not valid here.
  mlir::Value read(const Handle &handle, SourceLocation where);
  mlir::Value read(const Index &index, SourceLocation where);
  mlir::Value read(const IndexOperand &operand);
  /// Makes `value` the current value of the variable.
  void assign(const Handle &variable, mlir::Value value, SourceLocation where);
  /// Makes `target` a variable of its own with the current value of `source`.
  static void copyVariable(Handle &target, const Handle &source,
                           SourceLocation where);
  static void copyIndex(Index &target, const Index &source,
                        SourceLocation where);
  static void assignVariable(Handle &target, const Handle &source);
  static void assignIndex(Index &target, const Index &source);
  static void makeIndex(Index &target, SourceLocation where);
  /// Where the last call of the author's was: the best that an assignment has.
  SourceLocation lastLocation() const { return last; }
  /// The author's line where a place lies in the C++ library, whose containers
  /// copy and whose algorithms compute for the author: that of the last call
  /// before.
  static SourceLocation ofAuthor(SourceLocation where);

  //===-- Declarations ----------------------------------------------------===//

  bool isInRole() const {
    return frames.size() > 1 && frames[1].kind == FrameKind::role;
  }
  /// How many groups of warps run the role around; outside of roles 1.
  int64_t groupsOfRole() const;
  /// Throws unless the trace is directly in the kernel.
  void requireKernelFrame(const std::string &what, SourceLocation where);
  /// Throws unless the trace is directly in a loop.
  void requireLoopFrame(const std::string &what, SourceLocation where);
  /// Throws when the name is empty or already declared in this kernel.
  void takeName(const std::string &what, llvm::StringRef name,
                SourceLocation where);

  //===-- Bodies ----------------------------------------------------------===//

  void openRole(mlir::Block *body, SourceLocation where);
  void closeRole();

  /// Opens a loop and returns its counter.
  mlir::Value openLoop(LoopBounds bounds, SourceLocation where);
  /// The block of the innermost body.
  mlir::Block &block() { return *frames.back().block; }
  void closeLoop();
  /// The body of the loop at `where` was left by break or return.
  void abandonLoop(SourceLocation where);

  /// Traces both bodies and makes one conditional of them.
  void branch(mlir::Value condition, const Body<> &then,
              const Body<> *otherwise, SourceLocation where);

  /// Throws when a loop was left by break or return.
  void checkLoops() const;

private:
  struct Cell {
    HandleKind kind;
    uint32_t frame;
    mlir::Value value; // in the frame that declared it
    SourceLocation declared;
  };
  struct FrameRecord {
    FrameKind kind;
    SourceLocation opened;
  };

  Frame &top() { return frames.back(); }
  Frame &push(FrameKind kind, SourceLocation where, mlir::Block *block);
  /// Ends the innermost body; the builder continues in the one around it.
  Frame pop();
  size_t depthOf(const Handle &handle, SourceLocation where) const;
  mlir::Value lookup(uint32_t cell, size_t depth);
  mlir::Type typeOf(uint32_t cell, size_t depth) const;
  void record(uint32_t cell, mlir::Value value);
  mlir::Value fold(mlir::Operation *op, SourceLocation where);
  Frame traceBranch(const Body<> &body, SourceLocation where);

  const uint32_t serial;
  mlir::OpBuilder builder;
  tile::KernelOp kernelOp;
  SourceLocation last;
  std::deque<Frame> frames;
  std::vector<FrameRecord> records;
  std::vector<Cell> cells;
  llvm::StringMap<SourceLocation> names;
  std::optional<Error> abandoned;

  struct ConstantPool {
    llvm::DenseMap<mlir::Attribute, mlir::Value> values;
    mlir::Operation *last = nullptr;
  };
  ConstantPool kernelConstants, roleConstants;
};

} // namespace ashlar::detail
