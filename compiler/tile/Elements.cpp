#include "compiler/tile/Elements.h"

#include "compiler/target/Elements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace ashlar::tile {

Type memoryType(MLIRContext *context, ElementType type) {
  Builder builder(context);
  switch (type) {
  case ElementType::bf16:
    return builder.getBF16Type();
  case ElementType::f16:
    return builder.getF16Type();
  case ElementType::f32:
    return builder.getF32Type();
  case ElementType::tf32:
    return builder.getTF32Type();
  case ElementType::e4m3:
    return Float8E4M3FNType::get(context);
  case ElementType::e5m2:
    return Float8E5M2Type::get(context);
  case ElementType::s8:
    return builder.getI8Type();
  case ElementType::u8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case ElementType::s16:
    return builder.getI16Type();
  case ElementType::s32:
    return builder.getI32Type();
  case ElementType::s4:
    return builder.getIntegerType(4);
  case ElementType::u4:
    return builder.getIntegerType(4, /*isSigned=*/false);
  case ElementType::e2m1:
    return Float4E2M1FNType::get(context);
  case ElementType::e8m0:
    return Float8E8M0FNUType::get(context);
  }
  return {};
}

Type pairOf(Type element) {
  auto type = elementType(element);
  return type && pack_length(*type) == 2 && !isPair(element)
             ? VectorType::get({2}, element)
             : Type();
}

bool isPair(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && pairOf(vector.getElementType()) == type;
}

int64_t elementsIn(Type type) { return isPair(type) ? 2 : 1; }

bool isStorage(Type type) {
  auto known = elementType(type);
  return known && target::isStorage(*known);
}

std::optional<ElementType> elementType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return isPair(type) ? elementType(vector.getElementType()) : std::nullopt;
  for (int i = 0; i < elementTypeCount; ++i)
    if (memoryType(type.getContext(), ElementType(i)) == type)
      return ElementType(i);
  return std::nullopt;
}

Type registerType(Type memory) {
  auto type = elementType(memory);
  return type && !isPair(memory)
             ? memoryType(memory.getContext(), target::inRegisters(*type))
             : memory;
}

bool isFragmentElement(Type type) {
  return type.isInteger(1) || (elementType(type) && registerType(type) == type);
}

int64_t elementBytes(Type type) {
  if (auto known = elementType(type))
    return size_bytes(*known);
  assert(type.isInteger(1) && "an element of no known type has no size");
  return 1;
}

std::string elementName(Type type) {
  if (auto known = elementType(type))
    return std::string(name(*known));
  if (type.isInteger(1))
    return "condition";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

} // namespace ashlar::tile
