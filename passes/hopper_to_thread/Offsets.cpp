#include "passes/hopper_to_thread/Offsets.h"

namespace ashlar {

using namespace mlir;

static constexpr int64_t wordBytes = 4;

Offsets::Offsets(ThreadBuilder &b, const FragmentType &type,
                 const layout::Layout &tile, bool transposed)
    : b(b), type(type), tile(tile), transposed(transposed),
      place(placeOf(b, type)), base(b.i32(0)) {
  for (int64_t value = 0; value < type.values; ++value)
    ofValue.push_back(offset(0, value));
  isSum = checkSums();
  if (isSum)
    for (auto [i, coordinate] : llvm::enumerate(place.thread))
      base = b.add(base, image(b, mode(i), coordinate));
}

Value Offsets::address(Value start, const layout::Swizzle &swizzle,
                       int64_t value, Value further) {
  int64_t constant = 0;
  Value offset = further ? b.add(base, further) : base;
  for (auto [i, coordinates] : llvm::enumerate(place.value)) {
    if (isSum)
      constant += mode(i)(coordinates[value]);
    else
      offset = b.add(offset, image(b, mode(i),
                                   b.add(place.thread[i], coordinates[value])));
  }
  return swizzledAddress(b, start, swizzle, offset, constant);
}

SmallVector<int64_t> Offsets::runFrom(int64_t value, int64_t length) {
  SmallVector<int64_t> found;
  const int64_t bytes = tile::elementBytes(type.element);
  if (!isSum || bytes >= length)
    return {};
  for (int64_t byte = 0; byte < length; byte += bytes) {
    auto *other = llvm::find(ofValue, ofValue[value] + byte);
    if (other == ofValue.end())
      return {};
    found.push_back(other - ofValue.begin());
  }
  if (llvm::any_of(ofThreads(), [&](int64_t offset) {
        return (offset + ofValue[value]) % length != 0;
      }))
    return {};
  return found;
}

SmallVector<int64_t> Offsets::acrossWords(int64_t value, int64_t words) {
  SmallVector<int64_t> found;
  for (int64_t other = 0; isSum && other < type.values; ++other)
    if (ofValue[other] == ofValue[value] + wordBytes * int64_t(found.size()))
      found.push_back(other);
  if (int64_t(found.size()) < words)
    return {};
  if (llvm::any_of(ofThreads(), [&](int64_t offset) {
        return (offset + ofValue[value]) % (wordBytes * words) >= wordBytes;
      }))
    return {};
  found.truncate(words);
  return found;
}

/// Where the first values of all threads lie.
const std::set<int64_t> &Offsets::ofThreads() {
  if (ofThread.empty())
    for (int64_t t = 0; t < type.layout.thread.size(); ++t)
      ofThread.insert(offset(t, 0));
  return ofThread;
}

int64_t Offsets::offset(int64_t thread, int64_t value) const {
  auto at = layout::coordinate(type.layout, thread, value);
  if (transposed)
    std::swap(at[0], at[1]);
  return tile.at(at);
}

bool Offsets::checkSums() const {
  const int64_t threads = type.layout.thread.size();
  for (int64_t bit = 1; bit < threads; bit *= 2) {
    const int64_t first = offset(threads - bit, 0);
    for (int64_t value = 0; value < type.values; ++value)
      if (offset(threads - bit, value) != first + ofValue[value])
        return false;
  }
  return true;
}

} // namespace ashlar
