#include "compiler/layout/Composition.h"

#include "compiler/layout/Coalesce.h"
#include "compiler/layout/Mode.h"

#include <algorithm>

namespace ashlar::layout {

namespace {

/// Composes one outer layout with the leaves of an inner one. As the offsets
/// of the inner leaves are added before the outer layout takes them apart, it
/// keeps account of how far they fill each outer mode: a carry from one mode
/// into the next is no layout.
class Composer {
public:
  explicit Composer(const Layout &outer)
      : outer(leafModes(coalesce(outer))), filled(this->outer.size(), 0) {}

  Result<Layout> compose(const Layout &inner) {
    if (inner.shape().isLeaf())
      return composeLeaf({inner.shape().value(), inner.stride().value()});
    std::vector<Layout> modes;
    for (const Layout &mode : inner.modes()) {
      Result<Layout> composed = compose(mode);
      if (!composed)
        return composed;
      modes.push_back(*composed);
    }
    return concat(modes);
  }

private:
  Result<Layout> composeLeaf(Mode inner) {
    if (inner.stride == 0 || inner.extent == 1)
      return Layout(inner.extent, 0);
    std::vector<Mode> result;
    Mode rest = inner;
    size_t last = outer.size() - 1;
    for (size_t i = 0; i < last && rest.extent > 1; ++i) {
      int64_t extent = outer[i].extent;
      if (rest.stride % extent == 0) {
        rest.stride /= extent;
        continue;
      }
      int64_t taken = rest.extent;
      if ((rest.extent - 1) * rest.stride >= extent) {
        if (extent % rest.stride != 0)
          return refuse("composition of ", flatLayout(outer), " with ",
                        inner.extent, ":", inner.stride, ": the stride ",
                        rest.stride, " does not divide the extent ", extent,
                        " that it leaves, nor is it a multiple of it");
        taken = extent / rest.stride;
        if (rest.extent % taken != 0)
          return refuse("composition of ", flatLayout(outer), " with ",
                        inner.extent, ":", inner.stride, ": ", rest.extent,
                        " elements are not a multiple of the ", taken,
                        " that fit in the extent ", extent);
      }
      Result<Mode> mode = take(i, taken, rest.stride);
      if (!mode)
        return mode.refusal();
      result.push_back(*mode);
      rest = {rest.extent / taken, 1};
    }
    if (rest.extent > 1) {
      Result<Mode> mode = take(last, rest.extent, rest.stride);
      if (!mode)
        return mode.refusal();
      result.push_back(*mode);
    }
    return flatLayout(result);
  }

  /// `taken` elements of the outer mode i, `stride` apart.
  Result<Mode> take(size_t i, int64_t taken, int64_t stride) {
    filled[i] += (taken - 1) * stride;
    if (i + 1 < outer.size() && filled[i] >= outer[i].extent)
      return refuse("composition with ", flatLayout(outer),
                    ": the inner modes together reach coordinate ", filled[i],
                    " of the mode ", outer[i].extent, ":", outer[i].stride,
                    " and carry into the next");
    return Mode{taken, stride * outer[i].stride};
  }

  std::vector<Mode> outer;
  std::vector<int64_t> filled;
};

} // namespace

Result<Layout> composition(const Layout &outer, const Layout &inner) {
  return Composer(outer).compose(inner);
}

Result<Layout> composition(const Layout &outer,
                           const std::vector<Layout> &inner) {
  if (static_cast<int64_t>(inner.size()) > outer.rank())
    return refuse("the layout ", outer, " has ", outer.rank(),
                  " modes, fewer than the ", inner.size(),
                  " to compose them with");
  std::vector<Layout> modes = outer.modes();
  for (size_t i = 0; i < inner.size(); ++i) {
    Result<Layout> mode = composition(modes[i], inner[i]);
    if (!mode)
      return mode;
    modes[i] = *mode;
  }
  return concat(modes);
}

Result<Layout> complement(const Layout &layout, int64_t cotarget) {
  if (cotarget < 1)
    return refuse("the complement of ", layout, " up to ", cotarget,
                  ": the bound is at least 1");
  std::vector<Mode> modes = leafModes(filterZeros(layout));
  std::erase_if(modes, [](Mode mode) { return mode.extent == 1; });
  std::ranges::stable_sort(modes, {}, &Mode::stride);

  std::vector<Mode> gaps;
  int64_t covered = 1;
  for (Mode mode : modes) {
    if (mode.stride < covered)
      return refuse("the complement of ", layout, ": the mode ", mode.extent,
                    ":", mode.stride, " overlaps the ", covered,
                    " offsets that smaller strides cover");
    if (mode.stride % covered != 0)
      return refuse("the complement of ", layout, ": the stride ", mode.stride,
                    " is not a multiple of the ", covered,
                    " offsets that smaller strides cover");
    gaps.push_back({mode.stride / covered, covered});
    covered = mode.stride * mode.extent;
  }
  gaps.push_back({(cotarget + covered - 1) / covered, covered});
  return coalesce(flatLayout(gaps));
}

} // namespace ashlar::layout
