#include "runtime/sim/machine/Polls.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/memory/AccessReport.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace ashlar::sim {

namespace {

using ptx::Operand;

/// The place that a poll's first lane looks at.
Location placeOf(Warp &warp, const Poll &poll) {
  const auto lane = static_cast<unsigned>(std::countr_zero(poll.lanes));
  return warp.cluster.locate(warp.cta, warp.index * warpLanes + lane,
                             poll.space, poll.addresses[lane]);
}

/// Local memory and parameters are changed by nobody else.
bool canBeChanged(const Location &place) {
  return place.block && (place.block->kind == MemoryBlock::Kind::global ||
                         place.block->kind == MemoryBlock::Kind::shared);
}

/// The first that another thread could change; null when there is none.
const Poll *firstOf(Warp &warp, const std::vector<Poll> &polls) {
  for (const Poll &poll : polls)
    if (canBeChanged(placeOf(warp, poll)))
      return &poll;
  return nullptr;
}

struct Condition {
  const char *text, *opposite;
  const char *words;
};
constexpr std::array<Condition, 10> conditions{{
    {"eq", "ne", "equal to"},
    {"ne", "eq", "other than"},
    {"lt", "ge", "less than"},
    {"le", "gt", "at most"},
    {"gt", "le", "greater than"},
    {"ge", "lt", "at least"},
    {"lo", "hs", "less than"},
    {"ls", "hi", "at most"},
    {"hi", "ls", "greater than"},
    {"hs", "lo", "at least"},
}};

const Condition *conditionNamed(const std::string &text) {
  auto found = std::ranges::find_if(
      conditions, [&](const Condition &each) { return text == each.text; });
  return found == conditions.end() ? nullptr : &*found;
}

bool holds(const std::string &condition, int64_t a, int64_t b,
           bool isUnsigned) {
  const bool less =
      isUnsigned ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
  const bool equal = a == b;
  if (condition == "eq")
    return equal;
  if (condition == "ne")
    return !equal;
  if (condition == "lt" || condition == "lo")
    return less;
  if (condition == "le" || condition == "ls")
    return less || equal;
  if (condition == "gt" || condition == "hi")
    return !less && !equal;
  return !less;
}

int64_t extended(uint64_t bits, unsigned sizeBytes, bool isSigned) {
  const unsigned unused = 64 - 8 * std::min(sizeBytes, 8u);
  return isSigned ? static_cast<int64_t>(bits << unused) >> unused
                  : static_cast<int64_t>(bits << unused >> unused);
}

bool isSameRegister(const Operand &a, const Operand &b) {
  return a.kind == Operand::Kind::registerUse &&
         b.kind == Operand::Kind::registerUse &&
         a.registerUse.index == b.registerUse.index;
}

/// What a value was compared with, as the loop goes on if it holds.
struct Comparison {
  const Condition *until = nullptr; // for which the loop ends
  std::string with;
  bool isSigned = true;
};

/// The comparison of what the poll loads: a setp shortly behind it.
std::optional<Comparison> comparisonOf(Warp &warp, const Poll &poll,
                                       uint64_t bits) {
  constexpr size_t reach = 16;
  const ptx::Function *text = poll.instruction->function;
  if (!text || !poll.instruction->text ||
      poll.instruction->text->operands.empty())
    return std::nullopt;
  const Function *function = nullptr;
  for (const auto &each : warp.cluster.launch.program.functions)
    if (each->text == text)
      function = each.get();
  if (!function)
    return std::nullopt;
  const Operand &loaded = poll.instruction->text->operands[0];
  const auto lane = static_cast<unsigned>(std::countr_zero(poll.lanes));
  auto begin = std::ranges::find(function->body, poll.instruction,
                                 [](const auto &each) { return each.get(); });
  for (size_t i = 1; i < reach && function->body.end() - begin > ptrdiff_t(i);
       ++i) {
    const Instruction &each = *begin[static_cast<ptrdiff_t>(i)];
    if (!each.text || each.text->opcode != "setp" ||
        each.text->operands.size() < 3 || each.text->modifiers.empty())
      continue;
    const std::vector<Operand> &operands = each.text->operands;
    const bool isLeft = isSameRegister(operands[1], loaded);
    if (!isLeft && !isSameRegister(operands[2], loaded))
      continue;
    const Condition *condition = conditionNamed(each.text->modifiers[0]);
    const std::string &type = each.text->modifiers.back();
    if (!condition || type[0] == 'f' || !isLeft)
      return std::nullopt;
    Comparison result;
    result.isSigned = type[0] == 's';
    const Operand &other = operands[2];
    int64_t value = other.integer;
    if (other.kind == Operand::Kind::registerUse) {
      if (each.registers.size() < 2)
        return std::nullopt;
      value = extended(warp.bits(each.registers[1], lane),
                       each.registers[1].laneBytes, result.isSigned);
    } else if (other.kind != Operand::Kind::integer) {
      return std::nullopt;
    }
    const int64_t now = extended(bits, poll.sizeBytes, result.isSigned);
    result.until = holds(condition->text, now, value, !result.isSigned)
                       ? conditionNamed(condition->opposite)
                       : condition;
    result.with = std::to_string(value);
    return result;
  }
  return std::nullopt;
}

/// Of the lanes that look, those that don't look at the same.
std::string others(const Poll &poll) {
  const auto first = static_cast<unsigned>(std::countr_zero(poll.lanes));
  unsigned count = 0;
  forEachLane(poll.lanes, [&](unsigned lane) {
    count += poll.addresses[lane] != poll.addresses[first];
  });
  return count ? " (lane " + std::to_string(first) + "; " +
                     std::to_string(count) + " more look elsewhere)"
               : "";
}

struct Polled {
  std::string place, value, until;
};

Polled look(Warp &warp, const Poll &poll) {
  const Location place = placeOf(warp, poll);
  Polled polled;
  polled.place =
      sim::placeOf(warp.cluster, *place.block, place.offset) + others(poll);
  uint64_t bits = 0;
  if (poll.sizeBytes > sizeof bits ||
      !place.block->contains(place.offset, poll.sizeBytes))
    return polled;
  std::memcpy(&bits, place.block->data() + place.offset, poll.sizeBytes);
  const auto comparison = comparisonOf(warp, poll, bits);
  polled.value = std::to_string(
      extended(bits, poll.sizeBytes, comparison ? comparison->isSigned : true));
  if (comparison)
    polled.until =
        std::string(comparison->until->words) + " " + comparison->with;
  return polled;
}

/// What may be executed next: branches lead to their labels, everything else
/// leads on.
void addSuccessors(const Function &function, size_t at,
                   std::vector<size_t> &open) {
  const Instruction &instruction = *function.body[at];
  if (instruction.text)
    for (const Operand &operand : instruction.text->operands) {
      if (operand.kind == Operand::Kind::label)
        open.push_back(
            function.text->labels[static_cast<size_t>(operand.integer)]
                .instruction);
      if (operand.kind == Operand::Kind::name)
        for (const ptx::TargetList &list : function.text->targets)
          if (list.name == operand.text)
            for (uint32_t label : list.labels)
              open.push_back(function.text->labels[label].instruction);
    }
  if (!instruction.leaves || instruction.hasGuard)
    open.push_back(at + 1);
}

} // namespace

bool canSignal(const Strand &strand) {
  const Function &function = *strand.function;
  if (!strand.calls.empty())
    return true;
  std::vector<bool> seen(function.body.size());
  std::vector<size_t> open{strand.at};
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    if (at >= seen.size() || seen[at])
      continue;
    seen[at] = true;
    if (function.body[at]->traits.signals)
      return true;
    addSuccessors(function, at, open);
  }
  return false;
}

std::string describePolls(Warp &warp, const std::vector<Poll> &polls) {
  const Poll *poll = firstOf(warp, polls);
  if (!poll)
    return "repeats a loop in which nothing changes, and which looks at no "
           "memory that others could change: it never ends";
  const Polled polled = look(warp, *poll);
  std::string text = "repeats a loop until " + polled.place;
  if (!polled.value.empty())
    text += ", which is " + polled.value + ",";
  return text + (polled.until.empty() ? " changes" : " is " + polled.until);
}

Wait::Cause causeOfPolls(Warp &warp, const std::vector<Poll> &polls) {
  Wait::Cause cause;
  const Poll *poll = firstOf(warp, polls);
  if (!poll) {
    cause.likelihood = Wait::Cause::wentPast;
    cause.sentence = "a loop in which nothing changes, and which looks at no "
                     "memory that others could change, never ends";
    return cause;
  }
  const Location place = placeOf(warp, *poll);
  const Launch &launch = warp.cluster.launch;
  const Polled polled = look(warp, *poll);
  uint64_t count = 0;
  for (const Signals::Change &change :
       launch.signals.at(Signals::keyOf(*place.block, place.offset)))
    count += change.count;
  cause.likelihood = count ? Wait::Cause::someArrivals : Wait::Cause::noArrival;
  cause.sentence = polled.place;
  if (!polled.value.empty())
    cause.sentence += " is " + polled.value;
  if (!polled.until.empty())
    cause.sentence += (polled.value.empty() ? "" : " and") +
                      std::string(" has to be ") + polled.until;
  cause.sentence += count ? "; it was signalled " + std::to_string(count) +
                                (count == 1 ? " time" : " times") +
                                ", which is too few"
                          : "; nobody has signalled it";
  if (polled.value.starts_with("-"))
    cause.sentence += "; if it did not begin as zero, let it "
                      "(ToolOptions::zeros)";
  for (const auto &cta : warp.cluster.ctas)
    for (const auto &other : cta->warps)
      if (std::ranges::any_of(other->strands, [&](const auto &strand) {
            return strand->lanes &&
                   !(other.get() == &warp && strand->spinning) &&
                   canSignal(*strand);
          }))
        cause.from.push_back(other.get());
  return cause;
}

std::vector<Site> signallersOf(Warp &warp, const std::vector<Poll> &polls) {
  constexpr size_t most = 6;
  std::vector<Site> sites;
  const Poll *poll = firstOf(warp, polls);
  if (!poll)
    return sites;
  const Location place = placeOf(warp, *poll);
  const Cluster &cluster = warp.cluster;
  const Launch &launch = cluster.launch;
  const auto changes =
      launch.signals.at(Signals::keyOf(*place.block, place.offset));
  auto add = [&](const Instruction *instruction, std::string who,
                 std::string did) {
    if (sites.size() < most)
      sites.push_back({std::move(who), std::move(did),
                       launch.sourceOf(instruction),
                       launch.textOf(instruction)});
  };
  auto times = [](uint64_t count) {
    return std::to_string(count) + (count == 1 ? " time" : " times");
  };
  for (const Signals::Change &change : changes)
    add(change.instruction, cluster.who(change.cta, change.warp, change.lane),
        "was the last to signal it here, where that happened " +
            times(change.count));
  for (const auto &function : launch.program.functions)
    for (const auto &instruction : function->body) {
      if (!instruction->traits.signals ||
          std::ranges::find(changes, instruction.get(),
                            &Signals::Change::instruction) != changes.end())
        continue;
      const uint64_t count = launch.signals.executions(instruction.get());
      add(instruction.get(), count ? "others" : "nobody",
          count ? "were signalled here " + times(count) + ", but not this"
                : "has come to this, which could signal it");
    }
  return sites;
}

} // namespace ashlar::sim
