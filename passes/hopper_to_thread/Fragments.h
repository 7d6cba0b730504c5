// Where the values of a fragment lie: which thread, which register, which
// element.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_FRAGMENTS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_FRAGMENTS_H

#include "compiler/layout/Fragment.h"
#include "compiler/layout/Swizzle.h"
#include "passes/hopper_to_thread/ThreadBuilder.h"

namespace ashlar {

/// The registers of one fragment in one thread. 16-bit floats lie in pairs,
/// `vector<2xbf16>`, where the number of values is even; pairs of elements of
/// four bits by fours or twos in an integer of as many bytes, the first one
/// lowest; everything else lies one to a register.
using Registers = llvm::SmallVector<mlir::Value>;

/// What a thread holds of a fragment.
struct FragmentType {
  mlir::Type element; ///< as held in registers
  layout::FragmentLayout layout;
  int64_t values; ///< per thread
  int64_t packed; ///< values to a register: 1, 2 or, of pairs, 4
  mlir::Type registerType;

  explicit FragmentType(mlir::RankedTensorType type);
  int64_t registers() const { return values / packed; }
  /// Registers of 32 bits that hold them without gaps, as wgmma has them.
  int64_t words() const;
  /// Whether registers hold two 16-bit floats.
  bool holdsHalves() const { return mlir::isa<mlir::VectorType>(registerType); }
};

/// Registers as one value each, and back.
Registers unpack(PtxBuilder &b, const FragmentType &type,
                 mlir::ValueRange registers);
Registers pack(PtxBuilder &b, const FragmentType &type,
               mlir::ValueRange values);

/// Places of a thread's values.
struct Place {
  llvm::SmallVector<mlir::Value> thread;   ///< of value 0, per dimension
  std::vector<std::vector<int64_t>> value; ///< offset of each, per dimension
};
Place placeOf(PtxBuilder &b, const FragmentType &type, mlir::Value thread);
Place placeOf(ThreadBuilder &b, const FragmentType &type);
/// Of a fragment that may be transposed in memory, by dimensions of memory.
Place placeInMemory(ThreadBuilder &b, const FragmentType &type,
                    bool transposed);

/// Of threads that hold the same, whether this is the first; null where every
/// thread holds something of its own.
mlir::Value isFirstCopy(ThreadBuilder &b, const FragmentType &type);

/// The layout's image of a run-time coordinate.
mlir::Value image(PtxBuilder &b, const layout::Layout &layout,
                  mlir::Value coordinate);
mlir::Value swizzled(PtxBuilder &b, const layout::Swizzle &swizzle,
                     mlir::Value offset);
/// start + swizzle(offset + constant). What of the constant is a multiple of
/// the swizzle's period is added last: addresses that differ by it alone share
/// a register.
mlir::Value swizzledAddress(PtxBuilder &b, mlir::Value start,
                            const layout::Swizzle &swizzle, mlir::Value offset,
                            int64_t constant);

} // namespace ashlar

#endif
