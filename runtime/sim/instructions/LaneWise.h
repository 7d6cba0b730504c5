// Instructions that do the same to each lane: a function of the lane's
// operands, written to the lane's destination.
#pragma once

#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/machine/Warp.h"

#include <array>
#include <bit>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ashlar::sim {

/// Calls `body(lane)` for the active lanes. With all of them active it is a
/// loop that vectorises: a lane only ever touches its own values, also where
/// two operands are the same register.
template <class Body> inline void eachLane(LaneMask active, Body body) {
  if (active == allLanes) {
#pragma omp simd
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      body(lane);
    return;
  }
  forEachLane(active, body);
}

namespace detail {
template <size_t bytes> struct Unsigned;
template <> struct Unsigned<2> {
  using type = uint16_t;
};
template <> struct Unsigned<4> {
  using type = uint32_t;
};
template <> struct Unsigned<8> {
  using type = uint64_t;
};
} // namespace detail

/// A register is only ever accessed as an unsigned integer of its width.
template <class T> using RegisterBits = detail::Unsigned<sizeof(T)>::type;

/// out = operation(sources...), the types being those of the values.
template <class Result, class Operation, class... Sources>
class LaneWise final : public Instruction {
public:
  LaneWise(Slot target, std::array<Slot, sizeof...(Sources)> sources,
           Operation operation)
      : target(target), sources(sources), operation(operation) {
    computes = true;
  }

  Step execute(Warp &warp, LaneMask active) const override {
    run(warp, active, std::index_sequence_for<Sources...>());
    return Step::next;
  }

private:
  template <size_t... index>
  void run(Warp &warp, LaneMask active, std::index_sequence<index...>) const {
    auto *out = warp.lanes<RegisterBits<Result>>(target);
    auto in = std::tuple{warp.lanes<RegisterBits<Sources>>(sources[index])...};
    Operation apply = operation;
    eachLane(active, [=](unsigned lane) {
      out[lane] = std::bit_cast<RegisterBits<Result>>(static_cast<Result>(
          apply(std::bit_cast<Sources>(std::get<index>(in)[lane])...)));
    });
  }

  Slot target;
  std::array<Slot, sizeof...(Sources)> sources;
  [[no_unique_address]] Operation operation;
};

/// predicate = operation(sources...).
template <class Operation, class... Sources>
class LanePredicate final : public Instruction {
public:
  LanePredicate(Slot target, std::array<Slot, sizeof...(Sources)> sources,
                Operation operation)
      : target(target), sources(sources), operation(operation) {}

  Step execute(Warp &warp, LaneMask active) const override {
    warp.setPredicate(target, active,
                      run(warp, std::index_sequence_for<Sources...>()));
    return Step::next;
  }

private:
  template <size_t... index>
  LaneMask run(Warp &warp, std::index_sequence<index...>) const {
    auto in = std::tuple{warp.lanes<RegisterBits<Sources>>(sources[index])...};
    LaneMask mask = 0;
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      mask |= LaneMask(static_cast<bool>(operation(
                  std::bit_cast<Sources>(std::get<index>(in)[lane])...)))
              << lane;
    return mask;
  }

  Slot target;
  std::array<Slot, sizeof...(Sources)> sources;
  [[no_unique_address]] Operation operation;
};

template <class Result, class... Sources, class Operation>
Decoded laneWise(Slot target, std::array<Slot, sizeof...(Sources)> sources,
                 Operation operation) {
  return std::make_unique<LaneWise<Result, Operation, Sources...>>(
      target, sources, operation);
}

template <class... Sources, class Operation>
Decoded lanePredicate(Slot target, std::array<Slot, sizeof...(Sources)> sources,
                      Operation operation) {
  return std::make_unique<LanePredicate<Operation, Sources...>>(target, sources,
                                                                operation);
}

/// Operands of the types given: destination, then sources.
template <size_t count> struct Operands {
  Slot target;
  std::array<Slot, count> sources;
};

/// Takes the operands, after the last modifier.
template <class... Types>
Operands<sizeof...(Types)> takeOperands(Decoder &decoder, ptx::Type result,
                                        Types... sources) {
  decoder.expectNoMoreModifiers();
  decoder.expectOperands(1 + sizeof...(Types));
  Operands<sizeof...(Types)> operands;
  operands.target = decoder.target(decoder.operand(0), result);
  const ptx::Type types[] = {sources...};
  for (size_t index = 0; index < sizeof...(Types); ++index)
    operands.sources[index] =
        decoder.source(decoder.operand(index + 1), types[index]);
  return operands;
}

/// d = operation(a), all of one type, and with two or three sources.
template <class T, class Operation>
Decoded unary(Decoder &decoder, ptx::Type type, Operation operation) {
  auto operands = takeOperands(decoder, type, type);
  return laneWise<T, T>(operands.target, operands.sources, operation);
}
template <class T, class Operation>
Decoded binary(Decoder &decoder, ptx::Type type, Operation operation) {
  auto operands = takeOperands(decoder, type, type, type);
  return laneWise<T, T, T>(operands.target, operands.sources, operation);
}
template <class T, class Operation>
Decoded ternary(Decoder &decoder, ptx::Type type, Operation operation) {
  auto operands = takeOperands(decoder, type, type, type, type);
  return laneWise<T, T, T, T>(operands.target, operands.sources, operation);
}

/// The next modifier, which must be one of the types.
ptx::Type expectType(Decoder &decoder,
                     std::initializer_list<ptx::Type> allowed);

/// Takes modifiers of the list in any order, each once at most, as assemblers
/// accept them: bit i tells of the i-th.
unsigned takeFlags(Decoder &decoder,
                   std::initializer_list<std::string_view> names);

/// Calls `body.template operator()<T>()` with the C++ type of an integer type.
template <class Body> Decoded withInteger(ptx::Type type, Body body) {
  using ptx::Type;
  switch (type) {
  case Type::s16:
    return body.template operator()<int16_t>();
  case Type::u16:
  case Type::b16:
    return body.template operator()<uint16_t>();
  case Type::s32:
    return body.template operator()<int32_t>();
  case Type::u32:
  case Type::b32:
    return body.template operator()<uint32_t>();
  case Type::s64:
    return body.template operator()<int64_t>();
  default:
    return body.template operator()<uint64_t>();
  }
}

} // namespace ashlar::sim
