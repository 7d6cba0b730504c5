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

/// What the two words of a group hold, put together as the result has its words
/// of 32 bits: the bytes of each from both, in an order that a bit of the lane
/// turns round. False where a result's word has values of other groups, too.
bool regroup(ThreadBuilder &b, ArrayRef<Value> received, const WarpRelay &relay,
             ArrayRef<std::vector<int64_t>> held, int64_t bits,
             Registers &results) {
  if (relay.gets.size() != 1 || bits > 16)
    return false;
  const int64_t perWord = 32 / bits, bytes = bits / 8;
  std::map<int64_t, unsigned> places; ///< of values, in bytes
  for (auto [word, values] : llvm::enumerate(held))
    for (auto [i, value] : llvm::enumerate(values))
      places[value] = unsigned(4 * word + bytes * i);
  for (auto [value, place] : places)
    for (int64_t i = 0; i < perWord; ++i)
      if (!places.count(value / perWord * perWord + i))
        return false;
  Value turned = b.i32(0);
  if (const int64_t lane = relay.gets[0].lane)
    turned = arith::SelectOp::create(
        b, b.loc,
        arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ne,
                              b.bitAnd(b.laneOfWarp(), b.i32(lane)), b.i32(0)),
        b.i32(0x4444), b.i32(0));
  for (auto at = places.begin(); at != places.end();) {
    const int64_t first = at->first;
    unsigned selector = 0;
    for (int64_t i = 0; i < perWord; ++i, ++at)
      for (int64_t byte = 0; byte < bytes; ++byte)
        selector |= (at->second + unsigned(byte)) << 4 * (i * bytes + byte);
    Value word = permuteBytes(b, received[0], received[1],
                              b.bitXor(turned, b.i32(selector)));
    for (auto [i, number] : llvm::enumerate(splitWord(b, word, perWord, bits)))
      results[first + i] = number;
  }
  return true;
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
  Registers results(to.values);
  if (relay.isRenumbering()) {
    for (auto [sent, received] : llvm::zip(relay.sent, relay.received))
      for (auto [value, result] : llvm::zip(sent, received))
        results[result] = values[value];
    return fromNumbers(b, to, results);
  }
  const Value first = firstSource(b, relay);
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
        Value source =
            b.bitXor(first, b.i32(layout::numberOf(relay.from, 0, round)));
        word = b.ptx("shfl.sync.idx.b32 $0, $1, $2, 31, -1;", b.getI32Type(),
                     {word, source})[0];
      }
      received[layout::numberOf(relay.gets, 0, round)] = word;
    }
    auto held =
        ArrayRef(relay.received).slice(group * relay.rounds, relay.rounds);
    if (regroup(b, received, relay, held, bits, results))
      continue;
    received = ordered(b, received, relay.gets);
    for (auto [i, word] : llvm::enumerate(received)) {
      for (auto [value, number] : llvm::zip(
               held[i], splitWord(b, word, int64_t(held[i].size()), bits)))
        results[value] = number;
    }
  }
  return fromNumbers(b, to, results);
}

void addRelays(ThreadPatterns &patterns) {
  patterns.add<hopper::WarpRelayOp>();
}

} // namespace ashlar
