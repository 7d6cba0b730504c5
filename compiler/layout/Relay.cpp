#include "compiler/layout/Relay.h"

#include "compiler/layout/Mode.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <map>
#include <optional>

namespace ashlar::layout {

namespace {

/// A part of a number, of a thread or a value: it counts `extent` neighbours
/// that are `position` apart, and moves by the stride.
struct Digit {
  int64_t position, extent, stride;
};

/// The digits of a number that a layout takes: bits, and what is left of an
/// extent that is no power of two.
std::vector<Digit> digitsOf(const Layout &half) {
  std::vector<Digit> digits;
  int64_t position = 1;
  for (Mode mode : leafModes(half)) {
    while (mode.extent % 2 == 0) {
      digits.push_back({position, 2, mode.stride});
      position *= 2;
      mode = {mode.extent / 2, mode.stride * 2};
    }
    if (mode.extent > 1)
      digits.push_back({position, mode.extent, mode.stride});
    position *= mode.extent;
  }
  return digits;
}

/// A digit that both layouts move along: where each has it.
struct Shared {
  Digit from, to;
};

/// The positions of values for all numbers of some digits, the first the
/// fastest.
std::vector<int64_t> positions(const std::vector<Digit> &digits) {
  std::vector<int64_t> result = {0};
  for (const Digit &digit : digits) {
    const std::vector<int64_t> inner = result;
    for (int64_t i = 1; i < digit.extent; ++i)
      for (int64_t position : inner)
        result.push_back(position + i * digit.position);
  }
  return result;
}

/// The words of all groups: for each number of the outer digits, and of those
/// that count the words of a group.
std::vector<std::vector<int64_t>> wordsOf(const std::vector<Digit> &inWord,
                                          const std::vector<Digit> &inGroup,
                                          const std::vector<Digit> &outer) {
  std::vector<std::vector<int64_t>> words;
  for (int64_t group : positions(outer))
    for (int64_t number : positions(inGroup)) {
      std::vector<int64_t> &word = words.emplace_back();
      for (int64_t value : positions(inWord))
        word.push_back(group + number + value);
    }
  return words;
}

/// What a fragment's digits are to a relay.
struct Digits {
  std::vector<Shared> stay;    ///< digits of values in both
  std::vector<Shared> scatter; ///< of values, that become lanes
  std::vector<Shared> gather;  ///< of lanes, that become values
  std::vector<Shared> rename;  ///< of lanes in both
  std::vector<int64_t> copies; ///< of lanes that hold the same
};

Result<Digits> match(const FragmentLayout &from, const FragmentLayout &to) {
  constexpr int64_t lanes = target::warpThreads;
  const auto refusal =
      refuse("the warps that hold ", from.str(), " do not hold ", to.str());
  if (from.shape != to.shape || from.thread.size() != to.thread.size())
    return refusal;
  // By the stride: where in the fragment a digit moves.
  std::map<int64_t, Digit> ofLanes, ofValues;
  Digits digits;
  bool isUnique = true;
  for (const Digit &digit : digitsOf(from.thread))
    if (digit.position >= lanes)
      continue;
    else if (digit.extent != 2)
      return refusal;
    else if (digit.stride == 0)
      digits.copies.push_back(digit.position);
    else
      isUnique &= ofLanes.try_emplace(digit.stride, digit).second;
  for (const Digit &digit : digitsOf(from.value))
    isUnique &= ofValues.try_emplace(digit.stride, digit).second;
  if (!isUnique)
    return refusal;
  for (int64_t thread = 0; thread < from.thread.size(); thread += lanes)
    if (from.thread(thread) != to.thread(thread))
      return refusal;

  auto take = [](std::map<int64_t, Digit> &known,
                 const Digit &digit) -> std::optional<Shared> {
    auto at = known.find(digit.stride);
    if (at == known.end() || at->second.extent != digit.extent)
      return std::nullopt;
    Shared shared{at->second, digit};
    known.erase(at);
    return shared;
  };
  for (const Digit &digit : digitsOf(to.thread)) {
    if (digit.position >= lanes || digit.stride == 0)
      continue;
    if (auto rename = take(ofLanes, digit))
      digits.rename.push_back(*rename);
    else if (auto scatter = take(ofValues, digit))
      digits.scatter.push_back(*scatter);
    else
      return refusal;
  }
  for (const Digit &digit : digitsOf(to.value))
    if (auto stay = take(ofValues, digit))
      digits.stay.push_back(*stay);
    else if (auto gather = take(ofLanes, digit))
      digits.gather.push_back(*gather);
    else
      return refusal;
  if (!ofLanes.empty() || !ofValues.empty())
    return refusal;
  auto isBit = [](const Shared &digit) { return digit.from.extent == 2; };
  for (const auto *ofLane : {&digits.scatter, &digits.gather, &digits.rename})
    if (!std::ranges::all_of(*ofLane, isBit))
      return refusal;
  return digits;
}

/// The lane bit of a position as a number of `from`.
size_t bitNumber(int64_t position) {
  size_t number = 0;
  for (; position > 1; position /= 2)
    ++number;
  return number;
}

} // namespace

bool WarpRelay::isInLane() const {
  for (size_t i = 0; i < from.size(); ++i)
    if (!(from[i] == Bit{int64_t(1) << i, 0}))
      return false;
  return true;
}

int64_t numberOf(const std::vector<WarpRelay::Bit> &bits, int64_t lane,
                 int64_t round) {
  int64_t number = 0;
  for (size_t i = 0; i < bits.size(); ++i)
    if (((lane & bits[i].lane) != 0) != ((round & bits[i].round) != 0))
      number |= int64_t(1) << i;
  return number;
}

Result<WarpRelay> warpRelay(const FragmentLayout &from,
                            const FragmentLayout &to, int64_t wordValues) {
  auto matched = match(from, to);
  if (!matched)
    return matched.refusal();
  Digits digits = *matched;
  WarpRelay relay;

  // A word has what lies next to one another before, as far as it stays.
  std::ranges::sort(digits.stay, {},
                    [](const Shared &digit) { return digit.from.position; });
  std::vector<Digit> inWordFrom, inWordTo, outerFrom, outerTo;
  for (const Shared &digit : digits.stay) {
    const bool fits = digit.from.extent == 2 && wordValues > 1;
    if (fits)
      wordValues /= 2;
    (fits ? inWordFrom : outerFrom).push_back(digit.from);
    (fits ? inWordTo : outerTo).push_back(digit.to);
  }

  // Every lane sends in all rounds: which word depends on a bit of its number
  // that its receivers do not have, and they get it in another round than those
  // that differ from them there. Where such bits are missing, lanes that hold
  // the same send different words.
  relay.from.assign(bitNumber(target::warpThreads), {});
  for (const Shared &digit : digits.rename)
    relay.from[bitNumber(digit.from.position)] = {digit.to.position, 0};
  std::vector<Digit> choiceDigits, roundDigits;
  relay.choices = relay.rounds = 1;
  size_t copies = 0;
  for (size_t i = 0; i < digits.scatter.size(); ++i) {
    const Shared &scatter = digits.scatter[i];
    const int64_t toLane = scatter.to.position;
    choiceDigits.push_back(scatter.from);
    relay.choices *= 2;
    if (i < digits.gather.size()) {
      const int64_t lane = digits.gather[i].from.position;
      relay.sends.push_back({lane, relay.rounds});
      relay.from[bitNumber(lane)] = {toLane, relay.rounds};
      relay.gets.push_back({toLane, relay.rounds});
      roundDigits.push_back(digits.gather[i].to);
      relay.rounds *= 2;
    } else {
      const int64_t lane = digits.copies[copies++];
      relay.sends.push_back({lane, 0});
      relay.from[bitNumber(lane)] = {toLane, 0};
    }
  }
  for (size_t i = digits.scatter.size(); i < digits.gather.size(); ++i) {
    relay.from[bitNumber(digits.gather[i].from.position)] = {0, relay.rounds};
    relay.gets.push_back({0, relay.rounds});
    roundDigits.push_back(digits.gather[i].to);
    relay.rounds *= 2;
  }
  // Of lanes that hold the same the nearest one.
  for (; copies < digits.copies.size(); ++copies)
    relay.from[bitNumber(digits.copies[copies])] = {digits.copies[copies], 0};
  relay.sent = wordsOf(inWordFrom, choiceDigits, outerFrom);
  relay.received = wordsOf(inWordTo, roundDigits, outerTo);
  return relay;
}

} // namespace ashlar::layout
