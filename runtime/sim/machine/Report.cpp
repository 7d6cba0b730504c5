#include "runtime/sim/machine/Report.h"
#include "runtime/sim/machine/Ignored.h"
#include "runtime/sim/machine/ShortNames.h"

#include <algorithm>
#include <utility>

namespace ashlar::sim {

const char *name(Finding finding) {
  switch (finding) {
  case Finding::deadlock:
    return "deadlock";
  case Finding::race:
    return "race";
  case Finding::missingProxyFence:
    return "missing proxy fence";
  case Finding::accumulatorTouched:
    return "register in use by wgmma";
  case Finding::outOfBounds:
    return "out of bounds";
  case Finding::misaligned:
    return "misaligned";
  case Finding::uninitialised:
    return "uninitialised";
  case Finding::invalidDescriptor:
    return "invalid descriptor";
  case Finding::invalidTensorMap:
    return "invalid tensor map";
  case Finding::mbarrierMisuse:
    return "mbarrier misuse";
  case Finding::divergent:
    return "divergent";
  case Finding::barrierMisuse:
    return "barrier misuse";
  case Finding::registerLimit:
    return "register limit";
  case Finding::unfinished:
    return "unfinished at exit";
  case Finding::exitedPeer:
    return "peer has exited";
  case Finding::trap:
    return "trap";
  case Finding::assertion:
    return "assertion";
  case Finding::dividesByZero:
    return "division by zero";
  case Finding::missingWait:
    return "missing wait";
  case Finding::wrongPhase:
    return "wrong phase";
  case Finding::stale:
    return "stale data";
  case Finding::timeLimit:
    return "time limit";
  case Finding::other:
    break;
  }
  return "finding";
}

std::string Report::text() const {
  std::string text = std::string(name(finding)) + ": " + sentence + "\n";
  for (const Site &site : sites) {
    text += "  " + site.who;
    if (!site.did.empty())
      text += ' ' + site.did;
    if (!site.source.empty())
      text += ", " + site.source;
    text += '\n';
    if (!site.instruction.empty())
      text += "      " + site.instruction + '\n';
  }
  if (isEnd)
    text += "  the launch ends here\n";
  text += "  ";
  if (!kernel.empty())
    text += "in kernel '" + kernel + "'; ";
  text += "seed " + std::to_string(seed) + " replays it";
  if (count > 1)
    text += "; found " + std::to_string(count) + " times";
  return withShortNames(text + "\n");
}

bool Report::isSameAs(const Report &other) const {
  if (finding != other.finding || sites.size() != other.sites.size())
    return false;
  // A finding without a place is told by its sentence.
  if (sites.empty())
    return sentence == other.sentence;
  return std::equal(sites.begin(), sites.end(), other.sites.begin(),
                    [](const Site &x, const Site &y) {
                      return x.source == y.source &&
                             (!x.source.empty() ||
                              x.instruction == y.instruction);
                    });
}

void merge(std::vector<Report> &reports, Report report) {
  auto known =
      std::find_if(reports.begin(), reports.end(),
                   [&](const Report &old) { return old.isSameAs(report); });
  if (known == reports.end()) {
    reports.push_back(std::move(report));
    return;
  }
  known->count += report.count;
  known->isEnd |= report.isEnd;
  known->isHarmless &= report.isHarmless;
}

void Reporter::keep(Report report) {
  report.seed = seed;
  merge(reports, std::move(report));
}

void Reporter::stopAtLimit() {
  if (reports.size() < limit)
    return;
  reports.back().isEnd = true;
  throw LaunchStopped();
}

void Reporter::add(Report report) {
  std::lock_guard guard(mutex);
  if (ignored && ignored->covers(report))
    return;
  keep(std::move(report));
  stopAtLimit();
}

static bool isCause(const Report &report) {
  return report.finding == Finding::missingWait ||
         report.finding == Finding::wrongPhase;
}

void Reporter::addCause(Report report) {
  std::lock_guard guard(mutex);
  if (ignored && ignored->covers(report))
    return;
  std::erase_if(reports, [&](const Report &old) {
    return (old.finding == Finding::uninitialised ||
            old.finding == Finding::race) &&
           std::ranges::any_of(old.sites, [&](const Site &site) {
             return site.instruction == report.sites[0].instruction;
           });
  });
  const size_t count = reports.size();
  keep(std::move(report));
  if (reports.size() > count)
    std::rotate(std::find_if_not(reports.begin(), reports.end() - 1, isCause),
                reports.end() - 1, reports.end());
  stopAtLimit();
}

void Reporter::stop(Report report) {
  std::lock_guard guard(mutex);
  report.isEnd = true;
  if (ignored && ignored->covers(report))
    report.sentence += " (this ends the launch, and so is not ignored)";
  keep(std::move(report));
  throw LaunchStopped();
}

bool Reporter::isNew(Finding finding, const Instruction *first,
                     const Instruction *second) {
  std::lock_guard guard(mutex);
  return told.emplace(finding, first, second).second;
}

std::vector<Report> Reporter::take() {
  std::lock_guard guard(mutex);
  told.clear();
  return std::exchange(reports, {});
}

bool Reporter::any() const {
  std::lock_guard guard(mutex);
  return !reports.empty();
}

} // namespace ashlar::sim
