#include "runtime/TensorMap.h"

#include "ashlar/error.h"
#include "runtime/Text.h"

#include <array>

namespace ashlar {

using driver::TensorMapDataType;
using driver::TensorMapSwizzle;

namespace {

constexpr size_t maxRank = 5;

TensorMapDataType dataType(ElementType type) {
  switch (type) {
  case ElementType::bf16:
    return TensorMapDataType::bfloat16;
  case ElementType::f16:
    return TensorMapDataType::float16;
  case ElementType::f32:
  case ElementType::tf32:
    return TensorMapDataType::float32;
  case ElementType::s16:
    return TensorMapDataType::uint16;
  case ElementType::s32:
    return TensorMapDataType::int32;
  case ElementType::e4m3:
  case ElementType::e5m2:
  case ElementType::s8:
  case ElementType::u8:
  case ElementType::s4: // bound in pairs
  case ElementType::u4:
  case ElementType::e2m1:
  case ElementType::e8m0:
    break;
  }
  return TensorMapDataType::uint8;
}

TensorMapSwizzle swizzle(int bytes) {
  return bytes == 128  ? TensorMapSwizzle::bytes128
         : bytes == 64 ? TensorMapSwizzle::bytes64
         : bytes == 32 ? TensorMapSwizzle::bytes32
                       : TensorMapSwizzle::none;
}

} // namespace

void TensorMapSlot::update(const Context &context, const std::string &kernel,
                           const BoundTensor &tensor) {
  if (valid && address == tensor.address && shape == tensor.shape &&
      strides == tensor.strides)
    return;
  valid = false;
  encode(context, kernel, tensor);
  address = tensor.address;
  shape = tensor.shape;
  strides = tensor.strides;
  valid = true;
}

// The driver counts dimensions from the innermost, the tensor from the
// outermost; the innermost stride is not passed, it is 1. The driver refuses a
// tensor without elements: a map of one element stands for it, which is zero as
// what lies outside of a tensor is, or which nobody reads who has not stored
// it.
void TensorMapSlot::encode(const Context &context, const std::string &kernel,
                           const BoundTensor &tensor) {
  const size_t rank = tensor.shape.size();
  const auto elementBytes = static_cast<uint64_t>(size_bytes(contract.type));
  std::array<uint64_t, maxRank> extents = {}, strideBytes = {};
  std::array<uint32_t, maxRank> box = {}, elementStrides = {};
  for (size_t i = 0; i < rank; ++i) {
    const size_t d = rank - 1 - i;
    extents[i] = tensor.empty ? 1 : static_cast<uint64_t>(tensor.shape[d]);
    // Of a box the driver wants to know what it reaches over.
    const int64_t step = recipe.stepOf(d);
    box[i] = static_cast<uint32_t>(recipe.box[d] * step);
    elementStrides[i] = static_cast<uint32_t>(step);
    if (i > 0)
      strideBytes[i - 1] =
          static_cast<uint64_t>(tensor.strides[d]) * elementBytes;
  }
  const uint64_t address = !tensor.empty      ? tensor.address
                           : contract.written ? context.discarded(recipe.tensor)
                                              : context.zeros();
  // For more than is copied DRAM takes longer (docs/benchmark.md, "Copies
  // alone").
  driver::Result result = context.driver.tensorMapEncodeTiled(
      &encoded, dataType(contract.type), static_cast<uint32_t>(rank),
      reinterpret_cast<void *>(address), extents.data(), strideBytes.data(),
      box.data(), elementStrides.data(), driver::TensorMapInterleave::none,
      swizzle(recipe.swizzleBytes), driver::TensorMapL2Promotion::none,
      driver::TensorMapOutOfBoundsFill::zeros);
  if (result != driver::Result::success)
    throw Error(contract.where,
                concat("kernel '", kernel,
                       "': the driver refuses the tensor map of '",
                       contract.name, "' (", describe(context.driver, result),
                       "): check its address, shape and strides"));
}

} // namespace ashlar
