#include "tool/DeviceProblem.h"

#include "tool/Elements.h"
#include "tool/MakeProblem.h"

#include <algorithm>

namespace ashlar::harness {

namespace {

constexpr int64_t guardBytes = 4096;
constexpr std::byte poison{0xff};

bool allPoison(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == poison; });
}

bool isDense(const HostTensor &tensor) {
  return static_cast<int64_t>(tensor.bytes().size()) ==
         bytesOf(tensor.type(), tensor.elements());
}

bool paddingIsPoison(HostTensor tensor) {
  forEachCoordinate(tensor.shape(), [&](std::span<const int64_t> at) {
    storeBits(tensor.type(), tensor.bytes().data(), tensor.offset(at), ~0u);
  });
  return allPoison(tensor.bytes());
}

/// Whether some tensor's shape gives the size, so that it is not an argument.
bool isExtent(const Artifact &artifact, int size) {
  for (const TensorContract &tensor : artifact.tensors)
    for (const Extent &extent : tensor.extents)
      if (extent.size == size)
        return true;
  return false;
}

Argument scalarArgument(const ScalarContract &contract, double value) {
  if (contract.type == ElementType::s32)
    return static_cast<int64_t>(value);
  return static_cast<float>(value);
}

} // namespace

DeviceProblem::DeviceProblem(Device &device, const Artifact &artifact,
                             const Problem &problem)
    : artifact(artifact), problem(problem) {
  std::vector<std::byte> guard(guardBytes, poison);
  for (size_t i = 0; i < artifact.tensors.size(); ++i) {
    const HostTensor &tensor = problem.tensors[i];
    std::vector<std::byte> image(guard);
    image.insert(image.end(), tensor.bytes().begin(), tensor.bytes().end());
    image.insert(image.end(), guard.begin(), guard.end());
    Buffer &buffer =
        buffers.emplace_back(device, static_cast<int64_t>(image.size()));
    buffer.copy_from_host(image);
    named.push_back(
        {artifact.tensors[i].name,
         TensorArgument{static_cast<std::byte *>(buffer.data()) + guardBytes,
                        tensor.type(), tensor.shape(), tensor.strides()}});
  }
  for (size_t i = 0; i < artifact.sizes.size(); ++i)
    if (!isExtent(artifact, static_cast<int>(i)))
      named.push_back({artifact.sizes[i], problem.sizes[i].value});
  for (size_t i = 0; i < artifact.scalars.size(); ++i)
    named.push_back(
        {artifact.scalars[i].name,
         scalarArgument(artifact.scalars[i], problem.scalars[i].value)});
}

std::vector<HostTensor> DeviceProblem::results() const {
  std::vector<HostTensor> written;
  for (size_t i = 0; i < artifact.tensors.size(); ++i) {
    const TensorContract &contract = artifact.tensors[i];
    if (!contract.written)
      continue;
    std::vector<std::byte> image(buffers[i].size_bytes());
    buffers[i].copy_to_host(image);
    HostTensor tensor = problem.tensors[i];
    const std::span<const std::byte> all(image);
    std::ranges::copy(all.subspan(guardBytes, tensor.bytes().size()),
                      tensor.bytes().begin());
    if (!allPoison(all.first(guardBytes)) || !allPoison(all.last(guardBytes)) ||
        !(isDense(tensor) || paddingIsPoison(tensor)))
      throw Error(contract.where, "kernel '" + artifact.name +
                                      "' wrote outside of tensor '" +
                                      contract.name + "'");
    written.push_back(std::move(tensor));
  }
  return written;
}

int64_t DeviceProblem::bytesMoved() const {
  int64_t bytes = 0;
  for (size_t i = 0; i < artifact.tensors.size(); ++i) {
    const TensorContract &contract = artifact.tensors[i];
    bytes += (contract.read + contract.written) *
             bytesOf(contract.type, problem.tensors[i].elements());
  }
  return bytes;
}

std::optional<HostTensor>
DeviceProblem::tensorAt(uint64_t address, const std::byte *image) const {
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (reinterpret_cast<uint64_t>(buffers[i].data()) != address)
      continue;
    HostTensor tensor = problem.tensors[i];
    std::copy_n(image + guardBytes, tensor.bytes().size(),
                tensor.bytes().begin());
    return tensor;
  }
  return std::nullopt;
}

} // namespace ashlar::harness
