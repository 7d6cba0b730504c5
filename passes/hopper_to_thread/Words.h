// A fragment's values as memory accesses move them: several to an access, as
// integers that PTX has registers for.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_WORDS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_WORDS_H

#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

/// Shared memory of the CTA, or where it is a peer's of the cluster.
inline std::string spaceOf(bool peer) {
  return peer ? "shared::cluster" : "shared::cta";
}

/// Values that one access moves: consecutive in registers and in memory.
int64_t vectorLength(const FragmentType &type, int64_t alignmentBytes);

/// Vectors of a fragment as one memory access sees them: as integers of at most
/// 32 bits.
struct Words {
  int64_t bits;  ///< of one word
  int64_t count; ///< to an access

  Words(int64_t bytes)
      : bits(std::min<int64_t>(8 * bytes, 32)), count(8 * bytes / bits) {}
  std::string suffix() const {
    return (count > 1 ? ".v" + std::to_string(count) : std::string()) + ".b" +
           std::to_string(bits);
  }
  /// "{$1, $2}" or "$1"
  std::string list(unsigned first) const {
    std::string text;
    for (int64_t i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return count > 1 ? "{" + text + "}" : text;
  }
};

/// Registers as a number for each value, of as many bits; and back.
Registers toNumbers(PtxBuilder &b, const FragmentType &type,
                    mlir::ValueRange registers);
Registers fromNumbers(PtxBuilder &b, const FragmentType &type,
                      mlir::ValueRange numbers);
/// Numbers in a word of 32 bits, the first in the lowest bits; and so many of
/// it, of so many bits.
mlir::Value joinNumbers(PtxBuilder &b, mlir::ValueRange numbers);
Registers splitWord(PtxBuilder &b, mlir::Value word, int64_t count,
                    int64_t bits);
/// Four bytes of two words, each by its number in four bits of the selector
/// (PTX ISA, "prmt").
mlir::Value permuteBytes(PtxBuilder &b, mlir::Value low, mlir::Value high,
                         mlir::Value selector);

/// `count` scalars of the fragment's element as words, and back.
llvm::SmallVector<mlir::Value> toWords(PtxBuilder &b, const Words &words,
                                       llvm::ArrayRef<mlir::Value> scalars);
llvm::SmallVector<mlir::Value> fromWords(PtxBuilder &b,
                                         llvm::ArrayRef<mlir::Value> words,
                                         mlir::Type scalar, int64_t count);

/// PTX moves 8 bits through a 16-bit register.
mlir::Type wordRegister(PtxBuilder &b, const Words &words);
mlir::Value widen(PtxBuilder &b, mlir::Value word);
mlir::Value narrow(PtxBuilder &b, const Words &words, mlir::Value word);

/// PTX that loads words from `offset` bytes behind the address behind its
/// results where the operand behind that is not 0, and gives zeros elsewhere.
std::string loadOrZeros(const Words &words, llvm::StringRef space,
                        int64_t offset = 0);

} // namespace ashlar

#endif
