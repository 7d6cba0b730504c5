// A module that is loaded is a list of decoded instructions; those of wgmma are
// put into others that count and then do the same.

#include "test/corpus/Observe.h"

#include "runtime/sim/driver/State.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Warp.h"

#include <mutex>

namespace ashlar::corpus {
namespace {

std::mutex mutex;
WgmmaRecords records;

struct Observed : sim::Instruction {
  explicit Observed(std::unique_ptr<sim::Instruction> instruction)
      : sim::Instruction(*instruction), inner(std::move(instruction)) {}

  sim::Step execute(sim::Warp &warp, sim::LaneMask active) const override {
    {
      std::lock_guard lock(mutex);
      count(records[{warp.cta.linear, warp.index}]);
    }
    return inner->execute(warp, active);
  }

  virtual void count(WgmmaRecord &record) const = 0;

  std::unique_ptr<sim::Instruction> inner;
};

struct ObservedMultiply final : Observed {
  using Observed::Observed;
  void count(WgmmaRecord &record) const override { ++record.issued; }
};

struct ObservedCommit final : Observed {
  using Observed::Observed;
  void count(WgmmaRecord &record) const override {
    record.groupEnds.push_back(record.issued);
  }
};

struct ObservedWait final : Observed {
  using Observed::Observed;
  void count(WgmmaRecord &record) const override {
    const auto pending = static_cast<size_t>(text->operands.at(0).integer);
    const size_t groups = record.groupEnds.size();
    const int64_t completed =
        groups > pending ? record.groupEnds[groups - pending - 1] : 0;
    if (completed <= record.completed)
      return;
    record.completed = completed;
    record.waits.push_back({record.issued, completed});
  }
};

void observe(std::unique_ptr<sim::Instruction> &instruction) {
  if (!instruction->text || instruction->text->opcode != "wgmma")
    return;
  const std::string &what = instruction->text->modifiers.at(0);
  if (what == "mma_async")
    instruction = std::make_unique<ObservedMultiply>(std::move(instruction));
  else if (what == "commit_group")
    instruction = std::make_unique<ObservedCommit>(std::move(instruction));
  else if (what == "wait_group")
    instruction = std::make_unique<ObservedWait>(std::move(instruction));
}

} // namespace

void observeWgmma() {
  sim::state().modules.forEach([](sim::LoadedModule &module) {
    for (const std::unique_ptr<sim::Function> &function :
         module.program->functions)
      for (std::unique_ptr<sim::Instruction> &instruction : function->body)
        observe(instruction);
  });
}

WgmmaRecords takeWgmmaRecords() {
  std::lock_guard lock(mutex);
  return std::exchange(records, {});
}

} // namespace ashlar::corpus
