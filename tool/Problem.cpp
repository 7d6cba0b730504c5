#include "ashlar/problem.h"

#include "tool/Elements.h"

#include <algorithm>
#include <unistd.h>

namespace ashlar {

HostTensor::HostTensor(std::string name, ElementType type,
                       std::vector<int64_t> shape, std::vector<int64_t> strides)
    : tensorName(std::move(name)), elementType(type), extents(std::move(shape)),
      elementStrides(std::move(strides)) {
  storage.assign(sizeBytes(), std::byte(0xff));
}

int64_t HostTensor::sizeBytes() const {
  // All of them are there, so that none may be clipped.
  static const int64_t memory =
      ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE);
  int64_t length = 1, reach = 0;
  bool fits = true, empty = false;
  for (size_t d = 0; d < extents.size(); ++d) {
    empty |= extents[d] == 0;
    fits &=
        !__builtin_mul_overflow(extents[d] - 1, elementStrides[d], &reach) &&
        !__builtin_add_overflow(length, reach, &length);
  }
  if (empty)
    return 0;
  if (!fits || harness::bytesOf(elementType, 1) > memory / length)
    throw Error("tensor '" + tensorName + "' does not fit into the memory of " +
                std::to_string(memory >> 30) +
                " GiB that this machine has: give smaller sizes");
  return harness::bytesOf(elementType, length);
}

int64_t HostTensor::elements() const {
  // The product of the others may not be a number.
  if (std::ranges::find(extents, 0) != extents.end())
    return 0;
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

void HostTensor::refuseRank(size_t given) const {
  throw Error("tensor '" + tensorName + "' has " +
              std::to_string(extents.size()) + " dimensions and " +
              std::to_string(given) +
              " coordinates are given of an element of it: give one for each");
}

void HostTensor::refuseOutside(std::span<const int64_t> coordinate) const {
  auto list = [](std::span<const int64_t> numbers) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
  };
  throw Error("tensor '" + tensorName + "' has no element (" +
              list(coordinate) + "): its shape is (" + list(extents) +
              "); beyond an edge a reference says what is there");
}

double HostTensor::read(int64_t offset) const {
  return harness::decode(
      elementType, harness::loadBits(elementType, storage.data(), offset));
}

void HostTensor::write(int64_t offset, double value) {
  harness::storeBits(elementType, storage.data(), offset,
                     harness::encode(elementType, value));
}

namespace {

/// References look names up for every product, most of a letter: a call to
/// compare them would take the longest of it.
bool same(std::string_view a, std::string_view b) {
  size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i])
    ++i;
  return i == a.size() && i == b.size();
}

std::string_view nameOf(const HostTensor &tensor) { return tensor.name(); }
std::string_view nameOf(const auto &entry) { return entry.name; }

template <typename Entry>
const Entry &find(const std::vector<Entry> &entries, std::string_view name,
                  const char *what) {
  for (const Entry &entry : entries)
    if (same(nameOf(entry), name))
      return entry;
  std::string known;
  for (const Entry &entry : entries)
    known += (known.empty() ? "; it has " : ", ") + std::string(nameOf(entry));
  throw Error(std::string("the problem has no ") + what + " '" +
              std::string(name) + "'" + known);
}

} // namespace

const HostTensor &Problem::operator[](std::string_view tensor) const {
  return find(tensors, tensor, "tensor");
}

int64_t Problem::size(std::string_view name) const {
  return find(sizes, name, "size").value;
}

double Problem::scalar(std::string_view name) const {
  return find(scalars, name, "scalar").value;
}

} // namespace ashlar
