// Calls that one tries and that do not exist: each is refused by a sentence
// when C++ compiles the program, where else it would list what does exist.
#pragma once

#include "ashlar/debug.h"
#include "ashlar/gather.h"
#include "ashlar/guess_arithmetic.h"
#include "ashlar/kernel.h"
#include "ashlar/launch.h"
#include "ashlar/reduction.h"
#include "ashlar/role.h"
#include "ashlar/schedule.h"

namespace ashlar {

//===-- Fragments ---------------------------------------------------------===//

/// Instead of convert(value, type).
template <class T>
  requires(detail::Real<T> || detail::AnyIndex<T>)
T convert(ElementType, const T &value) {
  static_assert(!detail::Kind<T>, "the value stands before the type: "
                                  "convert(value, bf16)");
  return value;
}
template <class T>
  requires(detail::Real<T> || detail::AnyIndex<T>)
T convert(const T &value) {
  static_assert(!detail::Kind<T>, "convert takes the type: convert(value, "
                                  "bf16)");
  return value;
}
template <detail::OneOf<Mask, Condition> T>
auto convert(const T &, ElementType) {
  static_assert(!detail::OneOf<T, Mask, Condition>,
                "a truth value is converted by select(truth, 1, 0), where one "
                "of the numbers is a fragment or a scalar: full(f32, shape, 1) "
                "or convert(1, f32)");
  return detail::refused<
      std::conditional_t<std::same_as<T, Mask>, Fragment, Scalar>>();
}

template <detail::IndexLike... N>
  requires(sizeof...(N) > 1)
Fragment zeros(ElementType, const N &...) {
  detail::refuseAsShape<N...>();
  return detail::refused<Fragment>();
}
template <detail::Constant T>
Fragment full(ElementType, const T &, const Shape &) {
  static_assert(!detail::Constant<T>, "the shape stands before the value: "
                                      "full(f32, {64, 64}, 1)");
  return detail::refused<Fragment>();
}
template <std::same_as<Fragment> T>
Fragment full(ElementType, const Shape &, const T &) {
  static_assert(!std::same_as<T, Fragment>,
                "full has one number everywhere: broadcast(fragment, shape) "
                "repeats a fragment");
  return detail::refused<Fragment>();
}
#define ASHLAR_REFUSED_DIMENSION(function)                                     \
  template <detail::AnyIndex T>                                                \
  Fragment function(const Fragment &, const T &) {                             \
    detail::refuseAsConstant<T>();                                             \
    return detail::refused<Fragment>();                                        \
  }
ASHLAR_REFUSED_DIMENSION(cluster_sum)
ASHLAR_REFUSED_DIMENSION(cluster_all_sum)
ASHLAR_REFUSED_DIMENSION(cluster_all_max)
ASHLAR_REFUSED_DIMENSION(cluster_all_min)
#undef ASHLAR_REFUSED_DIMENSION

//===-- Loops and branches ------------------------------------------------===//

/// `for (Index i : n)`
template <class T>
  requires(detail::AnyIndex<T> || detail::Real<T>)
Range::Iterator begin(const T &) {
  static_assert(!detail::AnyIndex<T>, "for (Index i : range(count)) counts");
  static_assert(!detail::Real<T>,
                "for (Index i : range(count)) counts: what is computed of a "
                "fragment or scalar is computed of all its elements at once");
  return detail::refused<Range::Iterator>();
}
template <class T>
  requires(detail::AnyIndex<T> || detail::Real<T>)
detail::LoopEnd end(const T &) {
  return {};
}

/// The body of a ready stage takes it.
template <std::same_as<Attempt> T, std::invocable F>
void when(const T &, const F &) {
  static_assert(!std::same_as<T, Attempt>,
                "the body takes the stage: when(ring.try_wait(), [&](Stage s) "
                "{ ... })");
}

template <class T>
  requires(detail::TakenFor<T, Condition> && !detail::OneOf<T, Mask, bool>)
void expect(const T &, std::string_view) {
  detail::refuseAsCondition<T>();
}

//===-- What moves --------------------------------------------------------===//

template <std::same_as<TileRef> T> Fragment load(const T &) {
  static_assert(!std::same_as<T, TileRef>,
                "load of a tensor takes the shape of the tile: "
                "load(tensor.tile({m, n}), {64, 64})");
  return detail::refused<Fragment>();
}
template <std::same_as<TileRef> T, detail::IndexLike... N>
  requires(sizeof...(N) > 0)
Fragment load(const T &, const N &...) {
  detail::refuseAsShape<N...>();
  return detail::refused<Fragment>();
}
template <std::same_as<TileRef> T> Fragment take(const T &) {
  static_assert(!std::same_as<T, TileRef>,
                "take takes the shape of the tile that was posted: "
                "take(tensor.tile({m, n}), {64, 64})");
  return detail::refused<Fragment>();
}
template <detail::OneOf<SharedTile, Stage> T>
Fragment load(const T &, const Shape &) {
  static_assert(!detail::OneOf<T, SharedTile, Stage>,
                "a shared tile has its shape: load(tile); slice(tile, offset, "
                "shape) is a part of it");
  return detail::refused<Fragment>();
}

template <std::same_as<Fragment> T, class V> void store(const T &, const V &) {
  static_assert(!std::same_as<T, Fragment>,
                "where to stands first: store(tensor.tile({m, n}), fragment)");
}
template <std::same_as<Tensor> T, class V> void store(const T &, const V &) {
  detail::refuseAsPlace<T>();
}
template <detail::OneOf<TileRef, SharedTile> T,
          detail::OneOf<TileRef, SharedTile, Stage> V>
void store(const T &, const V &) {
  static_assert(!detail::OneOf<T, TileRef, SharedTile>,
                "store takes a fragment: load(tile) is one; copy(tile, "
                "tensor.tile({m, n})) moves a shared tile without registers");
}

namespace detail {

template <class From, class To> constexpr void refuseCopy() {
  if constexpr (OneOf<From, TileRef, Tensor> && OneOf<To, TileRef, Tensor>)
    static_assert(!OneOf<From, TileRef, Tensor>,
                  "copy moves between a tensor and shared memory: from tensor "
                  "to tensor a tile goes through a stage, or through "
                  "registers, by load and store");
  else if constexpr (OneOf<From, Tensor>)
    refuseAsPlace<From>();
  else if constexpr (OneOf<To, Tensor>)
    refuseAsPlace<To>();
  else
    static_assert(!OneOf<From, Fragment> && !OneOf<To, Fragment>,
                  "copy moves between a tensor and shared memory: load brings "
                  "a tile to registers, store takes a fragment away");
}

} // namespace detail

template <class From, class To>
  requires((detail::OneOf<From, TileRef> && detail::OneOf<To, TileRef>) ||
           detail::OneOf<From, Tensor, Fragment> ||
           detail::OneOf<To, Tensor, Fragment>)
void copy(const From &, const To &) {
  detail::refuseCopy<From, To>();
}
template <std::same_as<SharedTile> T>
void copy(const T &, const TileRef &, Multicast) {
  static_assert(!std::same_as<T, SharedTile>,
                "multicast sends one tile of a tensor to several CTAs: a copy "
                "to a tensor has none");
}
template <std::same_as<TileRef> T>
void copy(const T &, const SharedTile &, Reduction) {
  static_assert(!std::same_as<T, TileRef>,
                "a reduction combines with what a tensor holds: a copy to "
                "shared memory has none");
}

template <class T>
  requires(detail::Kind<T> && !detail::OneOf<T, SharedTile, Fragment>)
Fragment mma(const T &, const auto &, const auto &...) {
  if constexpr (detail::OneOf<T, Stage, Pipeline, StageTile>)
    detail::refuseAsSharedTile<T>();
  else
    static_assert(!detail::Kind<T>,
                  "mma takes A from shared memory or from registers, and B "
                  "from shared memory: copy(tensor.tile({...}), stage[0]) "
                  "brings a tile there");
  return detail::refused<Fragment>();
}

template <detail::OneOf<TileRef, Stage, Fragment> T>
Fragment gather(const T &, std::initializer_list<detail::TileOperand>) {
  static_assert(!detail::OneOf<T, TileRef, Stage, Fragment>,
                "gather reads a whole tensor, gather(tensor, {rows, columns}), "
                "or a shared tile");
  return detail::refused<Fragment>();
}
template <detail::OneOf<Tensor, SharedTile> T, std::same_as<Fragment> I>
Fragment gather(const T &, const I &) {
  static_assert(!detail::OneOf<T, Tensor, SharedTile>,
                "the coordinates stand in braces, one for each dimension: "
                "gather(tensor, {rows, columns})");
  return detail::refused<Fragment>();
}
template <detail::OneOf<TileRef, Stage, Fragment> T>
void scatter(const T &, std::initializer_list<detail::TileOperand>,
             const Fragment &) {
  static_assert(!detail::OneOf<T, TileRef, Stage, Fragment>,
                "scatter writes to a whole tensor, scatter(tensor, {rows, "
                "columns}, fragment), or to a shared tile");
}

template <class T>
  requires(detail::TakenFor<T, Scalar> && !detail::IndexLike<T>)
Scalar atomic_add(const TileRef &, const T &) {
  if constexpr (std::floating_point<T>)
    detail::refuseAsScalar<T>();
  else
    static_assert(!detail::TakenFor<T, Scalar>,
                  "an atomic operation of the role adds one number, an index "
                  "or a scalar: reduce(element, fragment, reduce_add) adds all "
                  "elements of a fragment, scatter each to its coordinates");
  return detail::refused<Scalar>();
}

template <std::same_as<TileRef> T>
Scalar load_scalar(const T &, std::initializer_list<Index>) {
  static_assert(!std::same_as<T, TileRef>,
                "load_scalar(tensor.at({i, j})) reads the element there");
  return detail::refused<Scalar>();
}

template <std::same_as<Fragment> T>
T slice(const T &tile, std::initializer_list<Index>, const Shape &) {
  static_assert(!std::same_as<T, Fragment>,
                "where a slice of a fragment begins is known when the kernel "
                "is built: write numbers of C++; a place that an index chooses "
                "is one in a shared tile or a tensor");
  return tile;
}

//===-- Declarations ------------------------------------------------------===//

template <class... Tiles>
  requires(sizeof...(Tiles) > 0 && !(std::same_as<Tiles, StageTile> && ...))
Pipeline pipeline(detail::Located<int64_t>, const Tiles &...) {
  static_assert((std::same_as<Tiles, StageTile> && ...),
                "the tiles of a pipeline's stages are described by smem(type, "
                "shape)");
  return detail::refused<Pipeline>();
}

template <size_t N>
TileLoop<N> persistent(const Index (&)[N], const Index (&)[N],
                       const Raster & = Raster::along_n()) {
  static_assert(N == 0, "a tile of a tile loop is known when the kernel is "
                        "built: write numbers of C++");
  return detail::refused<TileLoop<N>>();
}
template <size_t N>
TileLoop<N> grid(const Index (&)[N], const Index (&)[N],
                 const Raster & = Raster::along_n()) {
  static_assert(N == 0, "a tile of a tile loop is known when the kernel is "
                        "built: write numbers of C++");
  return detail::refused<TileLoop<N>>();
}
template <size_t N, size_t T>
  requires(N != T)
TileLoop<N> persistent(const Index (&)[N], const int64_t (&)[T],
                       const Raster & = Raster::along_n()) {
  static_assert(N == T, "a tile has as many extents as its tile loop");
  return detail::refused<TileLoop<N>>();
}
template <size_t N, size_t T>
  requires(N != T)
TileLoop<N> grid(const Index (&)[N], const int64_t (&)[T],
                 const Raster & = Raster::along_n()) {
  static_assert(N == T, "a tile has as many extents as its tile loop");
  return detail::refused<TileLoop<N>>();
}
template <detail::IndexLike T, detail::IndexLike U>
TileLoop<1> persistent(const T &, const U &) {
  static_assert(!detail::IndexLike<T>,
                "the extents of a tile loop and its tile stand in braces, also "
                "if there is one: persistent({M}, {64})");
  return detail::refused<TileLoop<1>>();
}
template <detail::IndexLike T, detail::IndexLike U>
TileLoop<1> grid(const T &, const U &) {
  static_assert(!detail::IndexLike<T>,
                "the extents of a tile loop and its tile stand in braces, also "
                "if there is one: grid({M}, {64})");
  return detail::refused<TileLoop<1>>();
}

template <detail::IndexLike T> void cluster(const T &) {
  static_assert(!detail::IndexLike<T>,
                "the extents of a cluster stand in braces, one for each "
                "dimension of the tile loop: cluster({2, 1})");
}
template <class T = Index> void cluster(std::initializer_list<Index>) {
  static_assert(!detail::AnyIndex<T>, "the extents of a cluster are known when "
                                      "the kernel is built: write numbers of "
                                      "C++");
}

#define ASHLAR_REFUSED_TENSOR(function)                                        \
  template <detail::IndexLike T>                                               \
  Tensor function(std::string_view, ElementType, const T &,                    \
                  Alignment = align(16)) {                                     \
    static_assert(!detail::IndexLike<T>,                                       \
                  "the extents of a tensor stand in braces, outermost first, " \
                  "also if there is one: {M}");                                \
    return detail::refused<Tensor>();                                          \
  }                                                                            \
  template <detail::Integer T>                                                 \
  Tensor function(std::string_view, ElementType, std::initializer_list<Index>, \
                  const T &) {                                                 \
    static_assert(!detail::Integer<T>,                                         \
                  "a tensor's alignment is written align(bytes)");             \
    return detail::refused<Tensor>();                                          \
  }
ASHLAR_REFUSED_TENSOR(input)
ASHLAR_REFUSED_TENSOR(output)
ASHLAR_REFUSED_TENSOR(inout)
#undef ASHLAR_REFUSED_TENSOR

template <detail::Integer T>
void role(std::string_view, const T &, detail::Body<>) {
  static_assert(!detail::Integer<T>, "how many warps run a role is written "
                                     "warps(4) or warpgroups(1)");
}
template <detail::Integer T>
void role(std::string_view, Warps, const T &, detail::Body<>) {
  static_assert(!detail::Integer<T>,
                "a role's budget of registers is written registers(40)");
}

#define ASHLAR_REFUSED_COUNT(Type, function)                                   \
  template <class T>                                                           \
    requires(detail::AnyIndex<T> || std::same_as<T, Scalar> ||                 \
             std::floating_point<T>)                                           \
  Type function(const T &) {                                                   \
    detail::refuseAsConstant<T>();                                             \
    return detail::refused<Type>();                                            \
  }
ASHLAR_REFUSED_COUNT(Warps, warps)
ASHLAR_REFUSED_COUNT(Warps, warpgroups)
ASHLAR_REFUSED_COUNT(Warps, ping_pong)
ASHLAR_REFUSED_COUNT(Registers, registers)
ASHLAR_REFUSED_COUNT(void, ctas_per_sm)
#undef ASHLAR_REFUSED_COUNT

/// The format stands first.
template <detail::Kind T, class... Values>
void print(const T &, const Values &...) {
  static_assert(!detail::Kind<T>, "the text stands first, with {} for each "
                                  "value: print(\"x is {}\", x)");
}

} // namespace ashlar
