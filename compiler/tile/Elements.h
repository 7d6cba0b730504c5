// Element types in the IR: which MLIR type stands for which of the language's.
#ifndef ASHLAR_COMPILER_TILE_ELEMENTS_H
#define ASHLAR_COMPILER_TILE_ELEMENTS_H

#include "mlir/IR/Types.h"
#include "runtime/include/ashlar/element_type.h"

#include <optional>

namespace ashlar::tile {

/// What an element of a tensor or shared tile is, as it lies in memory.
mlir::Type memoryType(mlir::MLIRContext *context, ElementType type);

/// The element type that an MLIR type stands for, if there is one, of a pair
/// that of its elements. Truth values are none.
std::optional<ElementType> elementType(mlir::Type type);

/// The type that elements have in registers.
mlir::Type registerType(mlir::Type memory);

/// Two elements of four bits as they lie in memory, in one byte: a vector of
/// them. Other types are no pairs, and null.
mlir::Type pairOf(mlir::Type element);

/// Whether a type is such a pair, and how many elements one of a type is: 1, or
/// of a pair 2.
bool isPair(mlir::Type type);
int64_t elementsIn(mlir::Type type);

/// Whether elements are only moved and converted; pairs of them too.
bool isStorage(mlir::Type type);

/// Whether a fragment can hold these: elements as they are in registers, and
/// truth values.
bool isFragmentElement(mlir::Type type);

/// Bytes of one element in memory, of a known type or a truth value; tf32 takes
/// 4. Elements of four bits have one where they are pairs.
int64_t elementBytes(mlir::Type type);

/// The element type in the author's words, which are also PTX's: "bf16",
/// "e4m3", "s8".
std::string elementName(mlir::Type type);

} // namespace ashlar::tile

#endif
