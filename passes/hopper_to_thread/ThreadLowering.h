// Rebuilds a hopper kernel as the program of one thread.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_THREADLOWERING_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_THREADLOWERING_H

#include "compiler/hopper/Hopper.h"
#include "compiler/layout/Fragment.h"
#include "compiler/layout/Swizzle.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/hopper_to_thread/PtxBuilder.h"

#include <map>

namespace ashlar {

/// The registers of one fragment in one thread. 16-bit floats lie in pairs,
/// `vector<2xbf16>`, where the number of values is even; everything else lies
/// one to a register.
using Registers = llvm::SmallVector<mlir::Value>;

/// What a thread holds of a fragment.
struct FragmentType {
  mlir::Type element; ///< as held in registers
  layout::FragmentLayout layout;
  int64_t values; ///< per thread
  int64_t packed; ///< values to a register: 1 or 2
  mlir::Type registerType;

  explicit FragmentType(mlir::RankedTensorType type);
  int64_t registers() const { return values / packed; }
};

/// Roles that set their registers together: one warpgroup role, or the warps
/// that share a warpgroup.
struct RoleGroup {
  int64_t firstWarp, endWarp, registers;
  llvm::SmallVector<hopper::RoleOp> roles;
};

class ThreadLowering {
public:
  ThreadLowering(hopper::KernelOp kernel, bool comments);
  llvm::LogicalResult run();

private:
  // ThreadLowering.cpp
  void createFunction();
  llvm::LogicalResult lowerBlock(mlir::Block &block);
  llvm::LogicalResult lowerOp(mlir::Operation &op);
  llvm::LogicalResult lowerFor(mlir::scf::ForOp loop);
  llvm::LogicalResult lowerIf(mlir::scf::IfOp branch);
  void keepHere(llvm::MutableArrayRef<mlir::Value> registers);
  void keepBefore(mlir::scf::IfOp branch);
  llvm::LogicalResult lowerGuarded(mlir::Region &region, mlir::Value condition);
  /// Runs a region by one thread of each warp, after the warp has met.
  llvm::LogicalResult lowerOncePerWarp(mlir::Region &region);
  llvm::LogicalResult lower(hopper::ReleaseOp op);
  mlir::Value lookup(mlir::Value value) { return values.at(value).front(); }
  llvm::ArrayRef<mlir::Value> registersOf(mlir::Value value) {
    return values.at(value);
  }
  llvm::SmallVector<mlir::Value> lookup(mlir::ValueRange range);
  llvm::SmallVector<mlir::Value> flatten(mlir::ValueRange range);
  /// Maps values to as many of `flat` as each needs.
  void bind(mlir::ValueRange range, mlir::ValueRange flat);
  llvm::SmallVector<mlir::Type> convert(mlir::Type type);
  mlir::Value sharedBase();
  mlir::Value threadId();     ///< in the CTA
  mlir::Value warp();         ///< in the CTA, the same value for a whole warp
  mlir::Value instance();     ///< of the role being lowered
  mlir::Value warpOfRole();   ///< in the instance of the role
  mlir::Value threadOfRole(); ///< in the instance of the role
  mlir::Value laneOfWarp();
  mlir::Value warpgroupOfRole();
  mlir::Value elect(); ///< i1: true in one thread of the warp

  // Accumulators.cpp
  /// Where the function begins: before all uses in the text of the PTX too.
  void declareAccumulators();
  void lower(hopper::AccumulatorReadOp op);
  void lower(hopper::AccumulatorWriteOp op);
  llvm::SmallVector<mlir::Value> makeDistinct(mlir::ValueRange words);

  // Roles.cpp
  /// Goes on inside of a branch; what it returns is the other side.
  mlir::OpBuilder::InsertPoint enterIf(mlir::Value condition);
  llvm::LogicalResult lowerRoles();
  llvm::LogicalResult lowerGroup(const RoleGroup &group);
  llvm::LogicalResult lowerRole(hopper::RoleOp role);
  /// Warps without a role only meet the others where these meet.
  void lowerWithoutRole();

  // Barriers.cpp
  void lowerSync(hopper::SyncOp op);
  llvm::LogicalResult lowerBarrier(mlir::Operation &op);
  mlir::Value agree(mlir::Value ready, std::optional<int64_t> barrier);

  // Copies.cpp
  llvm::LogicalResult lowerCopy(mlir::Operation &op);
  void lower(hopper::TmaLoadOp op);
  void lower(hopper::TmaStoreOp op);
  void lower(hopper::CopyTileOp op);
  void lower(hopper::CopyTileOutOp op);
  /// Consecutive elements of a tile's row, in shared and in global memory.
  struct TileChunk {
    mlir::Value sharedOffset; ///< bytes from the tile's start
    mlir::Value element;      ///< elements from the tensor's base, 64 bits
    /// i1: the first element lies in the tensor, or behind its row's end; null:
    /// always.
    mlir::Value inside;
    mlir::Value left; ///< elements from the first to the end of the row
  };
  /// The chunk of this number, `length` elements, counted in row-major order.
  TileChunk tileChunk(tile::SharedType type, mlir::Value number, int64_t length,
                      llvm::ArrayRef<mlir::Value> coordinates,
                      llvm::ArrayRef<mlir::Value> extents,
                      llvm::ArrayRef<mlir::Value> strides, bool nonNegative);

  // Fragments.cpp: places of a thread's values
  struct Place {
    llvm::SmallVector<mlir::Value> thread;   ///< of value 0, per dimension
    std::vector<std::vector<int64_t>> value; ///< offset of each, per dimension

    void transpose() {
      std::swap(thread[0], thread[1]);
      std::swap(value[0], value[1]);
    }
  };
  Place placeOf(const FragmentType &type) {
    return placeOf(type, threadOfRole());
  }
  /// Of a fragment that may be transposed in memory, by dimensions of memory.
  Place placeInMemory(const FragmentType &type, bool transposed) {
    Place place = placeOf(type);
    if (transposed)
      place.transpose();
    return place;
  }
  Place placeOf(const FragmentType &type, mlir::Value thread);
  /// The layout's image of a run-time coordinate.
  mlir::Value image(const layout::Layout &layout, mlir::Value coordinate);
  mlir::Value swizzled(const layout::Swizzle &swizzle, mlir::Value offset);

  // MatrixStore.cpp
  /// Stores by stmatrix; false where the fragment does not lie as it wants it.
  bool storeMatrices(hopper::SharedStoreOp op, const FragmentType &type,
                     const layout::SwizzledLayout &tile);

  // Exchange.cpp
  llvm::LogicalResult lower(hopper::ExchangeSendOp op);
  llvm::LogicalResult lower(hopper::ExchangeReceiveOp op);

  // Global.cpp
  llvm::LogicalResult lower(hopper::ReduceIntoOp op);
  void lower(hopper::InsideOp op);
  void lower(hopper::SignalOp op);
  void lower(hopper::AwaitOp op);
  template <typename Op> mlir::Value elementOf(Op op, mlir::Type element);

  // Memory.cpp
  llvm::LogicalResult lowerMemory(mlir::Operation &op);
  llvm::LogicalResult lower(hopper::SharedLoadOp op);
  llvm::LogicalResult lower(hopper::SharedStoreOp op);
  void lower(hopper::LoadOp op);
  void lower(hopper::StoreOp op);

  // Elementwise.cpp
  llvm::LogicalResult lowerElementwise(mlir::Operation &op);
  llvm::LogicalResult lowerConstant(mlir::Operation &op);
  void lower(hopper::ReciprocalOp op);
  void lower(hopper::SliceOp op);
  void lower(hopper::SplatOp op);
  void lower(hopper::BroadcastOp op);
  Registers unpack(const FragmentType &type, llvm::ArrayRef<mlir::Value> from);
  Registers pack(const FragmentType &type, llvm::ArrayRef<mlir::Value> scalars);

  // Wgmma.cpp
  llvm::LogicalResult lower(hopper::WgmmaOp op);
  void lower(hopper::WgmmaWaitOp op);

  hopper::KernelOp kernel;
  hopper::RoleOp role; ///< the one being lowered
  PtxBuilder b;
  mlir::LLVM::LLVMFuncOp function;
  struct Values {
    std::map<void *, Registers> map;
    Registers &at(mlir::Value value) {
      return map.at(value.getAsOpaquePointer());
    }
    void set(mlir::Value value, Registers registers) {
      map[value.getAsOpaquePointer()] = std::move(registers);
    }
  } values;
  /// The names of accumulators' registers, but for the numbers.
  llvm::SmallDenseMap<mlir::Value, std::string> accumulators;
  mlir::Value shared, thread, warpNumber;
  /// Operations that an earlier one's statement has done already.
  llvm::SmallPtrSet<mlir::Operation *, 2> covered;
};

} // namespace ashlar

#endif
