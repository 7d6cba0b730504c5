// The product of one wgmma.mma_async, for one warp.

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/matrix/MatrixFragment.h"
#include "runtime/sim/machine/matrix/MatrixProduct.h"
#include "runtime/sim/machine/matrix/SparseMatrix.h"
#include "runtime/sim/machine/matrix/Wgmma.h"
#include "runtime/sim/machine/matrix/WgmmaDescriptor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace ashlar::sim {

namespace {

constexpr unsigned chunkBytes = 16;
constexpr unsigned rowsOfWarp = 16;
constexpr unsigned storedBytes = 32;   // of A along K
constexpr unsigned maxDepthBytes = 64; // of an operand along K, when sparse
constexpr unsigned maxDepth = 64;      // elements along K but of b1

/// Bytes of an operand along K, the zeros of a sparse A included.
unsigned depthBytes(const WgmmaForm &form) {
  return form.sparse ? maxDepthBytes : storedBytes;
}

/// B operands that were widened lately, by the bytes they came from: all warps
/// that multiply by the same tile share the work. Kept by the CTA's first warp.
struct WidenedOperands {
  struct Entry {
    uint64_t descriptor = 0;
    MatrixType type = MatrixType::f16;
    unsigned columns = 0;
    bool transposed = false;
    std::vector<uint8_t> bytes;
    std::vector<uint32_t> values; // float or int32_t
  };
  std::array<Entry, 8> entries;
  unsigned next = 0;
};

bool isInteger(MatrixType type) { return isIntegerOperand(type); }

} // namespace

WgmmaOperation::WgmmaOperation(Warp &warp, const WgmmaForm &form,
                               uint64_t descriptorA, uint64_t descriptorB,
                               bool accumulate)
    : warp(warp), form(form), instruction(warp.current),
      causality(warp.cluster.index), descriptorB(descriptorB),
      accumulate(accumulate) {
  if (form.a.empty())
    findChunks(chunksA, descriptorA, !form.transposeA,
               warp.index % 4 * rowsOfWarp, rowsOfWarp,
               form.transposeA ? form.k / (form.sparse ? 2 : 1)
                               : storedBytes / chunkBytes,
               "A");
  findChunks(chunksB, descriptorB, !form.transposeB, 0, form.n,
             form.transposeB ? form.k : depthBytes(form) / chunkBytes, "B");
}

void WgmmaOperation::findChunks(std::vector<uint32_t> &chunks, uint64_t bits,
                                bool kMajor, unsigned first, unsigned count,
                                unsigned depth, const char *operand) {
  const std::string who = std::string("the matrix descriptor of ") + operand;
  const std::string did = std::string("reads ") + operand;
  if (const std::string rule = brokenRule(bits); !rule.empty())
    warp.report(Finding::invalidDescriptor, "in " + who + ", " + rule, did);
  const WgmmaDescriptor descriptor(bits);
  descriptor.chunks(kMajor, first, count, depth, chunks);
  const uint32_t last = *std::max_element(chunks.begin(), chunks.end());
  const uint32_t lowest = *std::min_element(chunks.begin(), chunks.end());
  const MemoryBlock &shared = *warp.cta.shared;
  if (!shared.contains(last, chunkBytes))
    warp.stop(Finding::invalidDescriptor,
              who + " leads to shared+" + std::to_string(last) +
                  ", but the shared memory ends at shared+" +
                  std::to_string(shared.sizeBytes) + " (" + descriptor.text() +
                  "): check its start address and offsets",
              did);
  if (lowest < reservedSharedBytes)
    warp.stop(Finding::invalidDescriptor,
              who + " leads to shared+" + std::to_string(lowest) +
                  ", in the bytes that are reserved for the system (" +
                  descriptor.text() + "): check its start address",
              did);
}

bool WgmmaOperation::proceed(Cluster &, std::mt19937_64 &) {
  WgmmaGroups::of(warp).executeThrough(*this);
  return true;
}

std::string WgmmaOperation::describe() const {
  return "wgmma of group " + std::to_string(group) + " issued by " + warp.who();
}

namespace {

/// The bytes of the chunks, neighbours together. They are marked in a bitmap
/// first, whatever the order in which the layout visits them.
std::vector<Stretch> stretchesOf(const std::vector<uint32_t> &chunks) {
  const auto [least, greatest] =
      std::minmax_element(chunks.begin(), chunks.end());
  const uint32_t firstWord = *least / chunkBytes / 64;
  std::array<uint64_t, (1u << 18) / chunkBytes / 64> marked;
  const uint32_t words = *greatest / chunkBytes / 64 - firstWord + 1;
  std::fill_n(marked.begin(), words, 0);
  for (uint32_t address : chunks) {
    const uint32_t chunk = address / chunkBytes;
    marked[chunk / 64 - firstWord] |= uint64_t(1) << chunk % 64;
  }
  std::vector<Stretch> stretches;
  stretches.reserve(chunks.size());
  for (uint32_t word = 0; word < words; ++word)
    for (uint64_t rest = marked[word]; rest;) {
      const auto low = static_cast<unsigned>(std::countr_zero(rest));
      const auto length = static_cast<unsigned>(std::countr_one(rest >> low));
      const uint64_t offset =
          (uint64_t(firstWord + word) * 64 + low) * chunkBytes;
      const uint64_t size = uint64_t(length) * chunkBytes;
      if (!stretches.empty() &&
          offset == stretches.back().offset + stretches.back().size)
        stretches.back().size += size;
      else
        stretches.push_back({offset, size});
      rest = low + length == 64 ? 0 : rest >> (low + length) << (low + length);
    }
  return stretches;
}

} // namespace

void WgmmaOperation::track(const std::vector<uint32_t> &chunks) {
  MemoryBlock &shared = *warp.cta.shared;
  constexpr const char *did = "reads it by wgmma";
  std::vector<Stretch> stretches = stretchesOf(chunks);
  auto mayBeStale = [&](const Stretch &stretch) {
    const uint64_t unwritten =
        shared.firstUninitialised(stretch.offset, stretch.size);
    if (unwritten == stretch.offset + stretch.size ||
        warp.cluster.reportEarlyRead(shared, unwritten, accessor, did))
      return true;
    Report report;
    report.finding = Finding::uninitialised;
    report.sentence =
        "wgmma reads " +
        warp.cluster.describeShared(static_cast<uint32_t>(unwritten)) +
        ", which nothing has written: check the descriptor, and that the "
        "tile was filled and its filling waited for";
    report.sites.push_back(warp.cluster.site(accessor, did));
    warp.cluster.launch.reporter.add(std::move(report));
    return false;
  };
  const auto unwritten = std::ranges::partition(stretches, mayBeStale);
  warp.cluster.checkStale(shared, {stretches.begin(), unwritten.begin()},
                          accessor, did);
  shared.trackReads(stretches, accessor,
                    [&](const MemoryBlock::Conflict &conflict) {
                      warp.cluster.reportConflict(shared, conflict, accessor,
                                                  AccessKind::read);
                    });
}

void WgmmaOperation::readShared(const std::vector<uint32_t> &chunks,
                                uint8_t *out) {
  track(chunks);
  const uint8_t *shared = warp.cta.shared->data();
  for (uint32_t address : chunks) {
    std::memcpy(out, shared + address, chunkBytes);
    out += chunkBytes;
  }
}

template <class T> const T *WgmmaOperation::widenedB() {
  std::array<uint8_t, maxProductColumns * maxDepthBytes> bytes;
  readShared(chunksB, bytes.data());
  const size_t size = chunksB.size() * chunkBytes;
  auto &operands = warp.cta.warps.front()->state<WidenedOperands>();
  WidenedOperands::Entry *entry = nullptr;
  for (WidenedOperands::Entry &each : operands.entries)
    if (each.descriptor == descriptorB && each.columns == form.n &&
        each.type == form.typeB && each.transposed == form.transposeB) {
      entry = &each;
      break;
    }
  if (entry && std::memcmp(entry->bytes.data(), bytes.data(), size) == 0)
    return reinterpret_cast<const T *>(entry->values.data());
  if (!entry) {
    entry = &operands.entries[operands.next++ % operands.entries.size()];
    *entry = {descriptorB, form.typeB, form.n, form.transposeB, {}, {}};
    entry->values.resize(size_t(form.n) * form.k);
  }
  entry->bytes.assign(bytes.begin(), bytes.begin() + size);
  std::array<T, maxProductColumns * maxDepth> wide;
  const size_t count = size_t(form.n) * form.k;
  widen(form.typeB, bytes.data(), wide.data(), count);
  T *values = reinterpret_cast<T *>(entry->values.data());
  if (form.transposeB)
    arrangeRows(wide.data(), values, form.n, form.k);
  else
    arrangeColumns(wide.data(), values, form.n, form.k);
  return values;
}

void WgmmaOperation::gatherA(uint8_t *out) {
  std::array<uint8_t, rowsOfWarp * storedBytes> stored;
  if (!form.a.empty()) {
    gatherRows(warp, form.a, 2, storedBytes, stored.data());
  } else {
    readShared(chunksA, stored.data());
    if (form.transposeA) { // rows of k; 16-bit elements
      std::array<uint16_t, rowsOfWarp * storedBytes / 2> byK, byRow;
      std::memcpy(byK.data(), stored.data(), stored.size());
      constexpr unsigned depth = storedBytes / 2;
      for (unsigned row = 0; row < rowsOfWarp; ++row)
        for (unsigned step = 0; step < depth; ++step)
          byRow[row * depth + step] = byK[step * rowsOfWarp + row];
      std::memcpy(stored.data(), byRow.data(), stored.size());
    }
  }
  if (!form.sparse) {
    std::copy(stored.begin(), stored.end(), out);
    return;
  }
  if (!expandSparse(form.typeA, stored.data(),
                    warp.lanes<uint32_t>(form.metadata), form.selector,
                    maxDepthBytes, true, out)) {
    Report report;
    report.finding = Finding::other;
    report.sentence = "the metadata of a sparse A gives two elements one "
                      "place, or not in ascending order";
    report.sites.push_back(warp.cluster.site(accessor, "reads the metadata"));
    warp.cluster.launch.reporter.add(std::move(report));
  }
}

template <class T> void WgmmaOperation::multiply() {
  std::array<uint8_t, rowsOfWarp * maxDepthBytes> bytes;
  std::array<T, rowsOfWarp * maxDepth> a;
  gatherA(bytes.data());
  widen(form.typeA, bytes.data(), a.data(), size_t(rowsOfWarp) * form.k);
  if (form.negate)
    for (T &value : a)
      value = -value;

  const T *b = widenedB<T>();
  std::array<T, rowsOfWarp * maxProductColumns> sums;
  const unsigned count = rowsOfWarp * form.n;
  const bool startsFromZero = !accumulate || form.saturate;
  if (startsFromZero)
    std::fill_n(sums.begin(), count, T(0));
  else
    loadAccumulator(warp, form.d, form.typeD, sums.data());
  multiplyAdd(sums.data(), a.data(), b, 2, form.n / 8, form.k);
  if constexpr (std::is_same_v<T, int32_t>)
    if (form.saturate && accumulate) {
      std::array<T, rowsOfWarp * maxProductColumns> values;
      loadAccumulator(warp, form.d, form.typeD, values.data());
      addSaturated(values.data(), sums.data(), count);
    }
  storeAccumulator(warp, form.d, form.typeD, sums.data());
}

void WgmmaOperation::multiplyBits() {
  std::array<uint32_t, rowsOfWarp * storedBytes / 4> a;
  std::array<uint32_t, maxProductColumns * storedBytes / 4> b;
  gatherA(reinterpret_cast<uint8_t *>(a.data()));
  readShared(chunksB, reinterpret_cast<uint8_t *>(b.data()));
  std::array<int32_t, rowsOfWarp * maxProductColumns> sums{};
  if (accumulate)
    loadAccumulator(warp, form.d, form.typeD, sums.data());
  multiplyAddBits(sums.data(), a.data(), b.data(), 2, form.n / 8,
                  storedBytes / 4, true);
  storeAccumulator(warp, form.d, form.typeD, sums.data());
}

void WgmmaOperation::execute() {
  accessor.causality = &causality;
  if (form.typeA == MatrixType::b1)
    multiplyBits();
  else if (isInteger(form.typeA))
    multiply<int32_t>();
  else
    multiply<float>();
  chunksA.clear();
  chunksB.clear();
  causality.clear();
}

} // namespace ashlar::sim
