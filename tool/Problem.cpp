#include "ashlar/problem.h"

#include "tool/Elements.h"

#include <cstring>

namespace ashlar {

HostTensor::HostTensor(std::string name, ElementType type,
                       std::vector<int64_t> shape, std::vector<int64_t> strides)
    : tensorName(std::move(name)), elementType(type), extents(std::move(shape)),
      elementStrides(std::move(strides)) {
  int64_t length = elements() ? 1 : 0;
  for (size_t d = 0; length && d < extents.size(); ++d)
    length += (extents[d] - 1) * elementStrides[d];
  storage.assign(length * size_bytes(type), std::byte(0xff));
}

int64_t HostTensor::elements() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

int64_t HostTensor::offset(std::span<const int64_t> coordinate) const {
  int64_t sum = 0;
  for (size_t d = 0; d < coordinate.size(); ++d)
    sum += coordinate[d] * elementStrides[d];
  return sum;
}

double HostTensor::read(int64_t offset) const {
  const int64_t bytes = size_bytes(elementType);
  uint32_t bits = 0;
  std::memcpy(&bits, storage.data() + offset * bytes, bytes);
  return harness::decode(elementType, bits);
}

void HostTensor::write(int64_t offset, double value) {
  const int64_t bytes = size_bytes(elementType);
  const uint32_t bits = harness::encode(elementType, value);
  std::memcpy(storage.data() + offset * bytes, &bits, bytes);
}

namespace {

template <typename Entry>
const Entry &find(const std::vector<Entry> &entries, std::string_view name,
                  const char *what) {
  for (const Entry &entry : entries)
    if (entry.name == name)
      return entry;
  throw Error(std::string("the problem has no ") + what + " '" +
              std::string(name) + "'");
}

} // namespace

const HostTensor &Problem::operator[](std::string_view tensor) const {
  for (const HostTensor &candidate : tensors)
    if (candidate.name() == tensor)
      return candidate;
  throw Error("the problem has no tensor '" + std::string(tensor) + "'");
}

int64_t Problem::size(std::string_view name) const {
  return find(sizes, name, "size").value;
}

double Problem::scalar(std::string_view name) const {
  return find(scalars, name, "scalar").value;
}

} // namespace ashlar
