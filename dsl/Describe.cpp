#include "Describe.h"
#include "Trace.h"
#include "compiler/target/Elements.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

namespace ashlar {

std::string Shape::str() const { return detail::dimensions(extents); }

namespace detail {

using namespace mlir;

Type registerType(MLIRContext *context, ElementType type) {
  return target::inRegisters(type) == type ? tile::memoryType(context, type)
                                           : Type();
}

namespace {

/// No tile has so many elements; their bytes can be counted without overflow.
constexpr uint64_t elementLimit = std::numeric_limits<int32_t>::max();

} // namespace

std::string describe(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return dimensions(tensor.getShape()) + " " +
           tile::elementName(tensor.getElementType());
  if (auto shared = dyn_cast<tile::SharedType>(type))
    return dimensions(shared.getShape()) + " " +
           tile::elementName(shared.getElementType());
  return tile::elementName(type);
}

std::string dimensions(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

llvm::SmallVector<int64_t> checkedShape(const std::string &what,
                                        const Shape &shape,
                                        SourceLocation where) {
  if (shape.rank() < 1 || shape.rank() > 5)
    fail(where, what + " has " + std::to_string(shape.rank()) +
                    " dimensions; it has 1 to 5");
  for (int64_t extent : shape)
    if (extent < 1)
      fail(where,
           what + " has the extents " + shape.str() + "; each is at least 1");
  uint64_t elements = 1;
  for (int64_t extent : shape)
    elements = llvm::SaturatingMultiply(elements, uint64_t(extent));
  if (elements > elementLimit)
    fail(where, what + " has the extents " + shape.str() +
                    "; the product is at most " + std::to_string(elementLimit) +
                    ": use smaller ones");
  return {shape.begin(), shape.end()};
}

void checkPart(llvm::ArrayRef<int64_t> whole, const std::string &what,
               llvm::ArrayRef<int64_t> offset, llvm::ArrayRef<int64_t> part,
               SourceLocation where) {
  if (part.size() != whole.size() || offset.size() != whole.size())
    fail(where, "slice takes a part of " + dimensions(part) + " from " +
                    std::to_string(offset.size()) + " offsets of " + what +
                    " of " + dimensions(whole) +
                    "; give one offset and one extent for each dimension");
  for (size_t i = 0; i < whole.size(); ++i)
    if (offset[i] < 0 || offset[i] + part[i] > whole[i])
      fail(where, "slice takes " + std::to_string(part[i]) + " from " +
                      std::to_string(offset[i]) + " in dimension " +
                      std::to_string(i) + " of " + what + " of " +
                      dimensions(whole) + "; the part must lie inside");
}

void checkRows(const std::string &what, llvm::ArrayRef<int64_t> extents,
               Type element, SourceLocation where) {
  if (tile::pairOf(element) && extents.back() % 2)
    fail(where, what + " is " + dimensions(extents) + ", and two elements of " +
                    describe(element) +
                    " share a byte: make the last number even");
}

RankedTensorType fragmentType(MLIRContext *context, ElementType type,
                              const Shape &shape, SourceLocation where) {
  Type element = registerType(context, type);
  if (!element)
    fail(where, "a fragment can't hold " + std::string(name(type)) + "; use " +
                    (target::isInteger(type) ? "s32" : "f32"));
  auto extents = checkedShape("the fragment", shape, where);
  checkRows("the fragment", extents, element, where);
  return RankedTensorType::get(extents, element);
}

} // namespace detail
} // namespace ashlar
