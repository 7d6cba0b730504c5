// What a guess is told: a value of one kind where another is meant is refused
// by a sentence when C++ compiles the program.
//
// A class of the language takes what it might be confused with in a constructor
// that a static_assert refuses, with the sentence for that kind. Overloads that
// one tries and that do not exist are in guess_arithmetic.h and guess_calls.h.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

namespace ashlar {

class Attempt;
class ColumnVector;
class Condition;
class Fragment;
class Index;
class Mask;
class Pipeline;
class Scalar;
class SharedTile;
class Size;
class Stage;
struct StageTile;
class Tensor;
struct TileRef;

namespace detail {

// One term, so that C++ lists no others where it explains that it does not
// hold.
template <class T, class... Kinds>
inline constexpr bool isOneOf = (std::same_as<T, Kinds> || ...);
template <class T, class... Kinds>
concept OneOf = isOneOf<T, Kinds...>;

template <class T>
concept AnyIndex = OneOf<T, Index, Size>;
/// Numbers and truth values of C++.
template <class T>
concept Constant = std::is_arithmetic_v<T>;
template <class T>
concept Real = OneOf<T, Fragment, Scalar>;

/// What the language has a class for.
template <class T>
concept Kind =
    OneOf<T, Index, Size, Scalar, Condition, Fragment, Mask, ColumnVector,
          SharedTile, Stage, StageTile, Pipeline, Attempt, Tensor, TileRef>;

/// The coordinates of a tile.
template <class T>
concept TileCoordinates = std::same_as<typename T::value_type, Index> &&
                          requires { std::tuple_size<T>::value; };

/// T, once the arguments of a call are known.
template <class T, class...> struct Known {
  using Type = T;
};
template <class T, class... Arguments>
using Later = typename Known<T, Arguments...>::Type;

/// Of a type that a refused call would have; never defined.
template <class T> T refused();

/// What is taken for a T and is none.
template <class T, class Meant>
concept TakenFor = (Kind<T> || Constant<T>) && !std::same_as<T, Meant>;

template <class T> constexpr void refuseAsIndex() {
  static_assert(!Constant<T>,
                "an index is an integer: this is a number with a fraction, or "
                "a truth value");
  static_assert(!TileCoordinates<T>,
                "a tile has a coordinate for each dimension of its loop: for "
                "(auto [m, n] : tiles)");
  static_assert(!OneOf<T, Scalar>,
                "a scalar stands where an index is meant: load_index reads an "
                "index from memory, and convert(index, type) makes a scalar of "
                "one");
  static_assert(!OneOf<T, Fragment, ColumnVector>,
                "a fragment stands where an index is meant: an index is one "
                "number for the whole role; gather, scatter and rows(indices) "
                "take coordinates that differ by element");
  static_assert(!OneOf<T, Mask, Condition, Attempt>,
                "a truth value stands where an index is meant: "
                "select(condition, a, b) makes an index of one");
  static_assert(!OneOf<T, Tensor, TileRef, SharedTile, Stage>,
                "what lies in memory stands where an index is meant: "
                "load_index(tensor.at({...})) reads one");
  static_assert(Constant<T> || TileCoordinates<T> ||
                    !OneOf<T, StageTile, Pipeline>,
                "an index is meant here");
}

template <class T> constexpr void refuseAsScalar() {
  static_assert(!Constant<T>,
                "a number of C++ has no element type: in arithmetic it takes "
                "that of the other operand; convert(0.5, f32) is a scalar");
  static_assert(!AnyIndex<T>, "an index stands where a scalar is meant: "
                              "convert(index, f32) is one");
  static_assert(!OneOf<T, Fragment, ColumnVector>,
                "a fragment stands where a scalar is meant: sum, max and min "
                "of a fragment are scalars");
  static_assert(!OneOf<T, Mask, Condition, Attempt>,
                "a truth value stands where a scalar is meant: "
                "select(condition, a, b) makes a scalar of one");
  static_assert(!OneOf<T, Tensor, TileRef, SharedTile, Stage>,
                "what lies in memory stands where a scalar is meant: "
                "load_scalar(tensor.at({...})) reads one");
  static_assert(!OneOf<T, StageTile, Pipeline>, "a scalar is meant here");
}

template <class T> constexpr void refuseAsFragment() {
  static_assert(!Constant<T> && !AnyIndex<T> && !OneOf<T, Scalar>,
                "a number stands where a fragment is meant: full(type, shape, "
                "number) has it everywhere");
  static_assert(!OneOf<T, Mask, Condition, Attempt>,
                "a truth value stands where a fragment is meant: select(mask, "
                "a, b) makes a fragment of a mask");
  static_assert(!OneOf<T, ColumnVector>,
                "along_rows(vector) stands where a fragment is meant: it meets "
                "a fragment in arithmetic; broadcast(along_rows(vector), "
                "shape) is a fragment");
  static_assert(!OneOf<T, SharedTile>,
                "a shared tile stands where a fragment is meant: load(tile) "
                "brings it to registers");
  static_assert(!OneOf<T, Tensor, TileRef>,
                "a tensor stands where a fragment is meant: "
                "load(tensor.tile({...}), shape) brings a tile of it to "
                "registers");
  static_assert(!OneOf<T, Stage>, "a stage stands where a fragment is meant: "
                                  "load(stage[0]) brings its first tile to "
                                  "registers");
  static_assert(!OneOf<T, StageTile, Pipeline>, "a fragment is meant here");
}

template <class T> constexpr void refuseAsMask() {
  static_assert(!OneOf<T, Condition, Attempt>,
                "a condition stands where a mask is meant: it is one truth "
                "value for the whole role, a mask has one for each element; "
                "when(condition, [&] { ... }) assigns fragments under a "
                "condition");
  static_assert(!Constant<T> && !AnyIndex<T> && !OneOf<T, Scalar, Fragment>,
                "a number stands where a mask is meant: compare a fragment, as "
                "in a != 0");
  static_assert(
      !OneOf<T, ColumnVector, Tensor, TileRef, SharedTile, Stage, StageTile,
             Pipeline>,
      "a mask is meant here: the comparison of a fragment with something");
}

template <class T> constexpr void refuseAsCondition() {
  static_assert(!OneOf<T, Mask>,
                "a mask stands where a condition is meant: it has a truth "
                "value for each element, a condition is one for the whole "
                "role; any(mask) and all(mask) are conditions, and "
                "select(mask, a, b) chooses for each element");
  static_assert(!std::same_as<T, bool>,
                "C++ knows this truth value while the kernel is built: use an "
                "if of C++");
  static_assert(std::same_as<T, bool> ||
                    (!Constant<T> && !AnyIndex<T> &&
                     !OneOf<T, Scalar, Fragment, ColumnVector>),
                "a number stands where a condition is meant: compare it, as in "
                "a != 0");
  static_assert(!OneOf<T, Attempt>,
                "when takes what try_wait and try_acquire give as it is, and a "
                "body with the stage: when(ring.try_wait(), [&](Stage s) { ... "
                "})");
  static_assert(
      !OneOf<T, Tensor, TileRef, SharedTile, Stage, StageTile, Pipeline>,
      "a condition is meant here: the comparison of indices or scalars");
}

template <class T> constexpr void refuseAsSharedTile() {
  static_assert(!OneOf<T, Stage>, "a stage stands where a shared tile is "
                                  "meant: stage[0] is its first tile");
  static_assert(!OneOf<T, Pipeline>,
                "a pipeline stands where a shared tile is meant: acquire() and "
                "wait() give a stage of it, and stage[0] is its first tile");
  static_assert(!OneOf<T, StageTile>,
                "smem(type, shape) describes a tile of a pipeline's stages; "
                "shared(type, shape) is a tile outside of pipelines");
  static_assert(!OneOf<T, Fragment>,
                "a fragment stands where a shared tile is meant: store(tile, "
                "fragment) puts it into shared memory");
  static_assert(!OneOf<T, Tensor, TileRef>,
                "a tensor stands where a shared tile is meant: "
                "copy(tensor.tile({...}), stage[0]) brings a tile of it to "
                "shared memory");
}

template <class T> constexpr void refuseAsStage() {
  static_assert(!OneOf<T, SharedTile>,
                "a tile stands where its stage is meant: what acquire() or "
                "wait() gave");
  static_assert(!OneOf<T, Pipeline>,
                "a pipeline stands where a stage is meant: acquire() and "
                "wait() give one");
  static_assert(!OneOf<T, Attempt>,
                "try_wait and try_acquire may give no stage: "
                "when(ring.try_wait(), [&](Stage s) { ... }) runs its body if "
                "they do");
}

template <class T> constexpr void refuseAsPlace() {
  static_assert(!OneOf<T, Tensor>,
                "a tensor stands where a place in it is meant: "
                "tensor.tile({...}) counts in tiles, tensor.at({...}) in "
                "elements");
  static_assert(!OneOf<T, Fragment>,
                "a fragment stands where a place in a tensor is meant: "
                "store(tensor.tile({...}), fragment) has the place first");
}

template <class... T> constexpr void refuseAsShape() {
  static_assert(!(AnyIndex<T> || ...),
                "the shape of a tile is known when the kernel is built: write "
                "numbers of C++; sizes are the extents of tensors and tile "
                "loops");
  static_assert(!(Constant<T> && ...), "a shape stands in braces: {64} has one "
                                       "dimension, {64, 64} two");
  static_assert((AnyIndex<T> || ...) || (Constant<T> && ...),
                "a shape is meant here, {64, 64} as it may be: shape() gives "
                "that of a fragment or a shared tile");
}

/// What is assigned to a tile in memory.
template <class T> constexpr void refuseAssignment() {
  static_assert(!OneOf<T, Fragment>,
                "memory is written by store(tile, fragment), where tile is "
                "tensor.tile({...}) or stage[0]");
  static_assert(OneOf<T, Fragment>,
                "memory is written by store(tile, fragment), and moved by "
                "copy(tensor.tile({...}), stage[0])");
}

template <class... T> constexpr void refuseCoordinates() {
  static_assert(sizeof...(T) > 0 && sizeof...(T) == 0,
                "coordinates stand in braces, one for each dimension: "
                "tensor.tile({m, n})");
}

template <class T> constexpr void refuseAsConstant() {
  static_assert(!AnyIndex<T> && !Real<T>,
                "this is known only when the kernel runs: an integer of C++ is "
                "meant here, which is known when the kernel is built");
  static_assert(AnyIndex<T> || Real<T>,
                "an integer of C++ is meant here, which is known when the "
                "kernel is built");
}

/// What C++ asks of `if (value)`.
template <class T> constexpr void refuseAsBool() {
  static_assert(!OneOf<T, Condition> && !AnyIndex<T> && !OneOf<T, Scalar>,
                "a condition of the kernel is known only when the kernel runs, "
                "so C++ cannot branch on it: use when(condition, [&] { ... }) "
                "or select(condition, a, b), and range(count) for a loop");
  static_assert(!OneOf<T, Mask, Fragment>,
                "C++ cannot branch on the elements of a fragment: select(mask, "
                "a, b) chooses for each element, any(mask) and all(mask) are "
                "conditions for when(condition, [&] { ... })");
  static_assert(!OneOf<T, Attempt>,
                "whether a stage is ready is known only when the kernel runs, "
                "so C++ cannot branch on it: use when(ring.try_wait(), "
                "[&](Stage s) { ... })");
}

template <class T> constexpr void refuseToDeclareUnset() {
  static_assert(!std::same_as<T, Fragment>,
                "a fragment has a type, a shape and values from its "
                "declaration on: begin with zeros(type, shape)");
  static_assert(!OneOf<T, Mask, Condition>,
                "a truth value of the kernel begins with a comparison");
  static_assert(!OneOf<T, Index>,
                "an index has a value from its declaration on: Index i = 0");
  static_assert(!OneOf<T, Scalar>,
                "a scalar has a type and a value from its declaration on: "
                "Scalar x = convert(0, f32)");
}

template <class T> constexpr void refuseSubscript() {
  static_assert(!OneOf<T, Fragment>,
                "the elements of a fragment lie in the registers of many "
                "threads: use slice, select with rows(shape) and "
                "columns(shape), or reductions");
  static_assert(!OneOf<T, Tensor>,
                "tensor.tile({i, j}) is a tile of a tensor, tensor.at({i, j}) "
                "begins at an element: give one to load, store, copy or "
                "load_index");
  static_assert(!OneOf<T, Pipeline>,
                "a pipeline gives its stages in turn: acquire() for writing, "
                "wait() for reading; stage[0] is the stage's first tile");
}

template <class T> constexpr void refuseToChoose() {
  static_assert(!OneOf<T, Stage>,
                "a pipeline gives its stages in turn: Stage s = ring.acquire() "
                "or ring.wait(), without a stage");
}

} // namespace detail
} // namespace ashlar
