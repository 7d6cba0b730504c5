// A problem of attention: its extents, and where its queries and keys lie.
#ifndef ASHLAR_TEST_KERNELS_ATTENTIONLAYOUT_H
#define ASHLAR_TEST_KERNELS_ATTENTIONLAYOUT_H

#include "ashlar/attention.h"
#include "test/kernels/Check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace ashlar::test {

/// The extents of a problem of attention.
struct AttentionLengths {
  int64_t b, h, hk, sq, sk;
  /// Of packed or paged ones, queries and keys of each sequence.
  std::vector<std::pair<int64_t, int64_t>> sequences = {};
};

/// Between -1 and 1, without a pattern in which sums would cancel: errors are
/// measured by what is left of them.
inline double noise(int64_t seed) {
  const double x = std::sin(double(seed)) * 43758.5453;
  return 2 * (x - std::floor(x)) - 1;
}

/// Where the queries and keys of a batch lie.
struct AttentionLayout {
  const AttentionForm &form;
  const AttentionLengths &n;

  int64_t queries(int64_t b) const {
    return form.packed ? n.sequences[b].first : n.sq;
  }
  int64_t keys(int64_t b) const {
    return form.packed || form.page ? n.sequences[b].second : n.sk;
  }
  int64_t firstRow(int64_t b) const {
    return b ? firstRow(b - 1) + queries(b - 1) : 0;
  }
  int64_t firstKey(int64_t b) const {
    return b ? firstKey(b - 1) + keys(b - 1) : 0;
  }
  /// In V of 8 bits, whose sequences begin at multiples of 16.
  int64_t firstValue(int64_t b) const {
    return b ? firstValue(b - 1) + (keys(b - 1) + 15) / 16 * 16 : 0;
  }
  int64_t pagesOf(int64_t b) const {
    return (keys(b) + *form.page - 1) / *form.page;
  }
  int64_t mostPages() const {
    int64_t most = 1;
    for (int64_t b = 0; b < n.b; ++b)
      most = std::max(most, pagesOf(b));
    return most;
  }
  int64_t mostQueries() const {
    int64_t most = 0;
    for (int64_t b = 0; b < n.b; ++b)
      most = std::max(most, queries(b));
    return most;
  }
  /// Pages of a batch lie apart, in reverse; the first is nobody's.
  int64_t page(int64_t b, int64_t i) const {
    return 1 + (n.b - 1 - b) + n.b * i;
  }
  int64_t pages() const { return 1 + n.b * mostPages(); }

  double query(const HostTensor &q, int64_t b, int64_t h, int64_t i,
               int64_t e) const {
    if (form.group > 1) {
      const int64_t hk = h / shared(), g = h % shared();
      return form.packed ? q(hk, firstRow(b) + i, g, e) : q(b, hk, i, g, e);
    }
    return form.packed ? q(h, firstRow(b) + i, e) : q(b, h, i, e);
  }
  double key(const HostTensor &k, int64_t b, int64_t g, int64_t j,
             int64_t e) const {
    if (form.page)
      return k(page(b, j / *form.page), g, j % *form.page, e);
    return form.packed ? k(g, firstKey(b) + j, e) : k(b, g, j, e);
  }
  /// The same of V, or of K where V is in it, which has the keys of 8 bits
  /// beside one another.
  double value(const HostTensor &v, int64_t b, int64_t g, int64_t j,
               int64_t e) const {
    if (form.type != e4m3)
      return key(v, b, g, j, e);
    if (form.page)
      return v(page(b, j / *form.page), g, e, j % *form.page);
    return form.packed ? v(g, e, firstValue(b) + j) : v(b, g, e, j);
  }
  /// Heads that share keys.
  int64_t shared() const { return n.h / n.hk; }
  double ofHead(const HostTensor &heads, int64_t h) const {
    return form.group > 1 ? heads(h / shared(), h % shared()) : heads(h);
  }
  int64_t rowOfO(int64_t b, int64_t h, int64_t i) const {
    if (form.group == 1)
      return row(b, h, i);
    const int64_t hk = h / shared();
    return (form.packed ? hk * firstRow(n.b) + firstRow(b) + i
                        : (b * n.hk + hk) * n.sq + i) *
               shared() +
           h % shared();
  }
  /// Of row i of L.
  int64_t row(int64_t b, int64_t h, int64_t i) const {
    return form.packed ? h * firstRow(n.b) + firstRow(b) + i
                       : (b * n.h + h) * n.sq + i;
  }

  /// Whether the sequences of V begin elsewhere than those of K.
  bool isOfValues() const {
    return form.type == e4m3 && form.packed && !form.page;
  }
  std::vector<NamedSize> sizes() const {
    std::vector<NamedSize> all = {{"B", n.b}, {"Hk", n.hk}};
    if (form.group > 1)
      all.push_back({"G", shared()});
    else
      all.push_back({"H", n.h});
    if (form.packed) {
      all.insert(
          all.end(),
          {{"Sq", mostQueries()}, {"Tq", firstRow(n.b)}, {"Starts", n.b + 1}});
    } else {
      all.push_back({"Sq", n.sq});
    }
    if (form.page)
      all.insert(all.end(), {{"P", pages()}, {"Pages", mostPages()}});
    else if (form.packed)
      all.push_back({"Tk", firstKey(n.b)});
    else
      all.push_back({"Sk", n.sk});
    if (isOfValues())
      all.push_back({"Tv", firstValue(n.b)});
    return all;
  }

  /// The tables, and pages whose keys behind the last are NaN.
  std::vector<Input> inputs() const {
    std::vector<Input> all;
    const AttentionLayout at = *this;
    auto add = [&](const char *name, auto element) {
      all.push_back({name, [=](const Problem &, Coordinate c) -> double {
                       return element(c);
                     }});
    };
    if (form.packed)
      add("QStarts", [=](Coordinate c) { return at.firstRow(c[0]); });
    if (form.packed && !form.page)
      add("KStarts", [=](Coordinate c) { return at.firstKey(c[0]); });
    if (isOfValues()) {
      add("VStarts", [=](Coordinate c) { return at.firstValue(c[0]); });
      add("V", [=](Coordinate c) {
        for (int64_t b = 0; b < at.n.b; ++b)
          if (const int64_t j = c[2] - at.firstValue(b);
              j >= 0 && j < at.keys(b))
            return noise(1 + c[0] * 7919 + c[1] * 104729 + c[2] * 1299709);
        return std::numeric_limits<double>::quiet_NaN();
      });
    }
    if (!form.page)
      return all;
    add("Lengths", [=](Coordinate c) { return at.keys(c[0]); });
    add("Table", [=](Coordinate c) {
      return c[1] < at.pagesOf(c[0]) ? at.page(c[0], c[1]) : -7;
    });
    for (const char *name : {"K", "V"})
      if (*name == 'K' || !form.latent)
        add(name, [=](Coordinate c) {
          const bool isV = *name == 'V', turned = isV && at.form.type == e4m3;
          const int64_t key = c[turned ? 3 : 2], e = c[turned ? 2 : 3];
          for (int64_t b = 0; b < at.n.b; ++b)
            for (int64_t i = 0; i < at.pagesOf(b); ++i)
              if (at.page(b, i) == c[0] && i * *at.form.page + key < at.keys(b))
                return noise(1 + c[0] * 7919 + c[1] * 104729 + key * 1299709 +
                             e * 15485863 + isV);
          return std::numeric_limits<double>::quiet_NaN();
        });
    return all;
  }
};

} // namespace ashlar::test

#endif
