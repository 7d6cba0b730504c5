// Words of 16 bytes of a row that begins anywhere between them.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_SHIFTEDWORDS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_SHIFTEDWORDS_H

#include "passes/hopper_to_thread/PtxBuilder.h"

namespace ashlar {

inline constexpr int64_t wordBytes = 16;

/// A loop; what it does is written once where it is done once.
void forEach(PtxBuilder &b, mlir::Value from, int64_t to, int64_t step,
             bool isOnce, llvm::function_ref<void(mlir::Value)> body);

/// The word of this number behind an address, as words of 32 bits; zeros where
/// the condition, if there is one, does not hold. `space`: with what else the
/// load says. `hasOthers`: what lies between rows may be read, and the
/// simulator is told so.
llvm::SmallVector<mlir::Value> loadWord(PtxBuilder &b, mlir::Value address,
                                        int64_t number, mlir::Value condition,
                                        llvm::StringRef space, bool hasOthers);

/// Words of 32 bits without the first `address` % 16 bytes of them, a multiple
/// of the alignment: four fewer.
llvm::SmallVector<mlir::Value> shifted(PtxBuilder &b,
                                       llvm::SmallVector<mlir::Value> words,
                                       mlir::Value address, int64_t alignment);

/// The bits of so many words of 32 bits that lie in bytes from `begin`, the
/// first one where that is null, to `end`.
llvm::SmallVector<mlir::Value> bitsBetween(PtxBuilder &b, mlir::Value begin,
                                           mlir::Value end, int64_t words);

} // namespace ashlar

#endif
