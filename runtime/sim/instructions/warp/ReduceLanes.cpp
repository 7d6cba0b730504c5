// redux.sync (PTX ISA, "redux.sync").
#include "runtime/sim/instructions/warp/MemberLanes.h"
#include "runtime/sim/instructions/warp/WarpInstructions.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

using ptx::Type;

enum class Operation : uint8_t {
  add,
  minimum,
  maximum,
  conjunction,
  disjunction,
  exclusive
};

template <class Value> Value combine(Operation operation, Value a, Value b) {
  switch (operation) {
  case Operation::add: // wraps, as the type's truncation of the sum
    return static_cast<Value>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
  case Operation::minimum:
    return std::min(a, b);
  case Operation::maximum:
    return std::max(a, b);
  case Operation::conjunction:
    return a & b;
  case Operation::disjunction:
    return a | b;
  case Operation::exclusive:
    return a ^ b;
  }
  return a;
}

template <class Value> struct ReduceLanes final : Instruction {
  Operation operation = Operation::add;
  Slot target, value, members;

  Step execute(Warp &warp, LaneMask active) const override {
    const Value *values = warp.lanes<Value>(value);
    Value *targets = warp.lanes<Value>(target);
    auto reduce = [&](LaneMask group) {
      const auto first = static_cast<unsigned>(std::countr_zero(group));
      Value result = values[first];
      forEachLane(group & (group - 1), [&](unsigned lane) {
        result = combine(operation, result, values[lane]);
      });
      forEachLane(group, [&](unsigned lane) { targets[lane] = result; });
    };
    return forEachGroup(warp, active, members, "reduces values", reduce)
               ? Step::next
               : Step::blocked;
  }
};

template <class Value>
Decoded make(Decoder &decoder, Operation operation, Type type) {
  auto made = std::make_unique<ReduceLanes<Value>>();
  made->operation = operation;
  made->value = decoder.source(decoder.operand(1), type);
  made->members = decoder.source(decoder.operand(2), Type::b32);
  made->target = decoder.target(decoder.operand(0), type);
  return made;
}

} // namespace

Decoded decodeReduceLanes(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  if (!modifiers.take("sync"))
    decoder.refuse(".sync is missing");
  const int index =
      modifiers.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  if (index < 0)
    decoder.refuse(
        "the operation is missing: .add, .min, .max, .and, .or or .xor");
  const auto operation = static_cast<Operation>(index);
  const bool logic = operation >= Operation::conjunction;
  decoder.expectOperands(3);
  if (logic) {
    if (!modifiers.take("b32"))
      decoder.refuse(".and, .or and .xor have the type .b32");
    return make<uint32_t>(decoder, operation, Type::b32);
  }
  if (modifiers.take("u32"))
    return make<uint32_t>(decoder, operation, Type::u32);
  if (modifiers.take("s32"))
    return make<int32_t>(decoder, operation, Type::s32);
  if (modifiers.next() == "abs" || modifiers.next() == "NaN" ||
      modifiers.next() == "f32")
    decoder.refuse("redux.sync of .f32 needs sm_100a; reduce with shfl.sync");
  decoder.refuse(".add, .min and .max have the type .u32 or .s32");
}

} // namespace ashlar::sim
