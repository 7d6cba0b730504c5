#include "runtime/BindTensor.h"

#include "runtime/Text.h"

#include <algorithm>
#include <numeric>

namespace ashlar {
namespace {

/// cuTensorMapEncodeTiled: base address and strides are multiples of 16 bytes.
constexpr int64_t tensorMapAlignmentBytes = 16;
/// cuTensorMapEncodeTiled: strides are less than 2^40 bytes. No tensor in
/// memory has longer ones, so it is asked of all.
constexpr int64_t strideLimitBytes = int64_t(1) << 40;

class TensorBinder {
public:
  TensorBinder(const std::string &kernel, const TensorContract &contract,
               const TensorArgument &argument, BoundTensor &bound)
      : kernel(kernel), contract(contract), argument(argument), bound(bound) {}

  void bind() {
    checkType();
    bound.shape.assign(argument.shape.begin(), argument.shape.end());
    bound.strides.resize(argument.shape.size());
    bound.address = reinterpret_cast<uint64_t>(argument.data);
    bound.empty = std::find(bound.shape.begin(), bound.shape.end(), 0) !=
                  bound.shape.end();
    checkAddress();
    checkRows();
    bindStrides();
    pack();
  }

private:
  void checkType() const {
    // A tf32 tensor is f32 in memory.
    if (argument.type != contract.type &&
        !(contract.type == tf32 && argument.type == f32))
      fail("holds ", name(argument.type), "; it is declared ",
           name(contract.type), ": convert the data or compile the kernel for ",
           name(argument.type));
  }

  void checkAddress() const {
    if (bound.empty)
      return;
    if (!argument.data)
      fail("has a null data pointer and is not empty: pass its device address");
    if (bound.address % static_cast<uint64_t>(bound.alignmentBytes) != 0)
      fail("is at address ", argument.data, "; the kernel needs a multiple of ",
           bound.alignmentBytes, " bytes: pass a tensor that starts at one",
           orAligned(static_cast<int64_t>(
               bound.address % static_cast<uint64_t>(bound.alignmentBytes))));
  }

  /// ", or use a kernel that declares it with align(8)": for what lies on so
  /// many bytes; nothing where that is within an element.
  std::string orAligned(int64_t bytes) const {
    const int64_t alignment = std::gcd(bytes, bound.alignmentBytes);
    return alignment < size_bytes(contract.type)
               ? ""
               : concat(", or use a kernel that declares it with align(",
                        alignment, ")");
  }

  void checkRows() const {
    if (bound.shape.empty() || bound.shape.back() % packLength == 0)
      return;
    fail("has rows of ", bound.shape.back(), " elements; ", packLength, " of ",
         name(contract.type),
         " share a byte: pass a tensor with rows of a multiple of ",
         packLength);
  }

  /// What lies together is one element from here on.
  void pack() {
    for (size_t d = 0; d < bound.shape.size(); ++d)
      (d + 1 == bound.shape.size() ? bound.shape[d] : bound.strides[d]) /=
          packLength;
  }

  // From the innermost dimension outwards: what a dimension spans is the dense
  // stride of the next.
  void bindStrides() {
    if (!argument.strides.empty() &&
        argument.strides.size() != argument.shape.size())
      fail("has ", argument.shape.size(), " extents and ",
           argument.strides.size(),
           " strides: pass one for each dimension, or none for a dense tensor");
    int64_t span = 1;
    for (size_t d = bound.shape.size(); d-- > 0;) {
      const bool innermost = d + 1 == bound.shape.size();
      const bool matters = !bound.empty && bound.shape[d] > 1;
      if (!matters)
        bound.strides[d] = innermost ? 1 : alignedUp(span);
      else
        bound.strides[d] = checkedStride(d, innermost, span);
      int64_t dense = 0;
      if (__builtin_mul_overflow(bound.strides[d],
                                 std::max<int64_t>(bound.shape[d], 1), &dense))
        dense = strideLimitBytes;
      span = std::clamp(dense, span, strideLimitBytes);
    }
  }

  int64_t checkedStride(size_t d, bool innermost, int64_t span) const {
    const bool dense = argument.strides.empty();
    const int64_t stride = dense ? span : argument.strides[d];
    const char *hint = dense ? ": pass a tensor with padded rows"
                             : ": pass a copy with other strides";
    if (stride < 0)
      fail("has stride ", stride, " in dimension ", d,
           "; the kernel takes none below 0: pass a dense copy");
    if (innermost && stride != 1)
      fail("has stride ", stride,
           " in its innermost dimension; the kernel needs 1: pass a dense copy",
           bound.shape.size() > 1
               ? ", or compile the kernel for what is stored so"
               : "");
    if (stride >= strideLimitBytes / size_bytes(contract.type) * packLength)
      fail("has a stride of ", stride, " elements in dimension ", d,
           "; the limit is 2^40 bytes: split the problem");
    if (!innermost && stride % packLength != 0)
      fail("has stride ", stride, " in dimension ", d, "; ", packLength,
           " elements of ", name(contract.type),
           " share a byte, and the kernel needs whole ones", hint);
    const int64_t bytes = stride * size_bytes(contract.type) / packLength;
    if (!innermost && bytes % bound.alignmentBytes != 0)
      fail("has stride ", stride, " (", bytes, " bytes) in dimension ", d,
           "; the kernel needs a multiple of ", bound.alignmentBytes, " bytes",
           hint, orAligned(bytes));
    return stride;
  }

  int64_t alignedUp(int64_t stride) const {
    const int64_t unit =
        packLength *
        std::max<int64_t>(1, bound.alignmentBytes / size_bytes(contract.type));
    return std::min((stride + unit - 1) / unit * unit,
                    strideLimitBytes / size_bytes(contract.type) * packLength -
                        unit);
  }

  template <typename... Parts>
  [[noreturn]] void fail(const Parts &...parts) const {
    throw Error(contract.where, concat("kernel '", kernel, "': tensor '",
                                       contract.name, "' ", parts...));
  }

  const std::string &kernel;
  const TensorContract &contract;
  const TensorArgument &argument;
  BoundTensor &bound;
  const int64_t packLength = pack_length(contract.type);
};

} // namespace

std::vector<BoundTensor> tensorRequirements(const Artifact &artifact) {
  std::vector<BoundTensor> tensors(artifact.tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    tensors[i].alignmentBytes = std::max(artifact.tensors[i].alignmentBytes,
                                         size_bytes(artifact.tensors[i].type));
  for (const Parameter &parameter : artifact.parameters)
    if (parameter.kind == Parameter::Kind::tensorMap) {
      BoundTensor &tensor =
          tensors[static_cast<size_t>(parameter.tensorMap.tensor)];
      tensor.usesTensorMap = true;
      tensor.alignmentBytes =
          std::max(tensor.alignmentBytes, tensorMapAlignmentBytes);
    }
  return tensors;
}

void bindTensor(const std::string &kernel, const TensorContract &contract,
                const TensorArgument &argument, BoundTensor &bound) {
  TensorBinder(kernel, contract, argument, bound).bind();
}

} // namespace ashlar
