// Fragments that lie otherwise in the lanes of each warp: shuffles.

#include "compiler/layout/Relay.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;
using layout::WarpRelay;

namespace {

/// Words in the order that has number i, of what the lane's bits make of it,
/// where the word of number i was.
Registers ordered(ThreadBuilder &b, ArrayRef<Value> words,
                  const std::vector<WarpRelay::Bit> &bits) {
  Registers now(words);
  for (auto [i, bit] : llvm::enumerate(bits)) {
    if (!bit.lane)
      continue;
    Value isSet = arith::CmpIOp::create(
        b, b.loc, arith::CmpIPredicate::ne,
        b.bitAnd(b.laneOfWarp(), b.i32(bit.lane)), b.i32(0));
    const Registers before = now;
    for (size_t number = 0; number < now.size(); ++number)
      now[number] = arith::SelectOp::create(
          b, b.loc, isSet, before[number ^ size_t(1) << i], before[number]);
  }
  return now;
}

/// The lane from which this one gets a word in the first round.
Value firstSource(ThreadBuilder &b, const WarpRelay &relay) {
  // The bits of its number that are moved by as many places, together.
  std::map<int64_t, int64_t> moved;
  for (auto [i, bit] : llvm::enumerate(relay.from))
    if (bit.lane)
      moved[int64_t(i) - int64_t(llvm::Log2_64(bit.lane))] |= bit.lane;
  Value source = b.i32(0);
  for (auto [places, mask] : moved) {
    Value part = b.bitAnd(b.laneOfWarp(), b.i32(mask));
    if (places > 0)
      part = arith::ShLIOp::create(b, b.loc, part, b.i32(places));
    else if (places < 0)
      part = arith::ShRUIOp::create(b, b.loc, part, b.i32(-places));
    source = b.bitOr(source, part);
  }
  return source;
}

} // namespace

static FailureOr<Registers> lower(hopper::WarpRelayOp op,
                                  Operands<hopper::WarpRelayOp> in,
                                  ThreadBuilder &b) {
  const FragmentType from(cast<RankedTensorType>(op.getValue().getType())),
      to(cast<RankedTensorType>(op.getResult().getType()));
  const int64_t bits = 8 * tile::elementBytes(from.element);
  const WarpRelay relay = *layout::warpRelay(from.layout, to.layout,
                                             std::max<int64_t>(32 / bits, 1));
  const Registers values = toNumbers(b, from, in.getValue());
  const Value first = firstSource(b, relay);

  Registers results(to.values);
  for (size_t group = 0; group * relay.choices < relay.sent.size(); ++group) {
    Registers words;
    for (int64_t i = 0; i < relay.choices; ++i)
      words.push_back(joinNumbers(
          b,
          llvm::map_to_vector(relay.sent[group * relay.choices + i],
                              [&](int64_t value) { return values[value]; })));
    words = ordered(b, words, relay.sends);
    Registers received(relay.rounds);
    for (int64_t round = 0; round < relay.rounds; ++round) {
      Value word = words[layout::numberOf(relay.sends, 0, round)];
      if (!relay.isInLane()) {
        Value source = b.createOrFold<arith::XOrIOp>(
            b.loc, first, b.i32(layout::numberOf(relay.from, 0, round)));
        word = b.ptx("shfl.sync.idx.b32 $0, $1, $2, 31, -1;", b.getI32Type(),
                     {word, source})[0];
      }
      received[layout::numberOf(relay.gets, 0, round)] = word;
    }
    received = ordered(b, received, relay.gets);
    for (auto [i, word] : llvm::enumerate(received)) {
      ArrayRef<int64_t> held = relay.received[group * relay.rounds + i];
      for (auto [value, number] :
           llvm::zip(held, splitWord(b, word, int64_t(held.size()), bits)))
        results[value] = number;
    }
  }
  return fromNumbers(b, to, results);
}

void addRelays(ThreadPatterns &patterns) {
  patterns.add<hopper::WarpRelayOp>();
}

} // namespace ashlar
