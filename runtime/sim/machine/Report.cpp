#include "runtime/sim/machine/Report.h"

#include <algorithm>
#include <utility>

namespace ashlar::sim {
namespace {

/// Same kind, same instructions, in the same order: the same mistake.
bool isSame(const Report &a, const Report &b) {
  if (a.finding != b.finding || a.sites.size() != b.sites.size())
    return false;
  // A finding without a place is told by its sentence.
  if (a.sites.empty())
    return a.sentence == b.sentence;
  return std::equal(a.sites.begin(), a.sites.end(), b.sites.begin(),
                    [](const Site &x, const Site &y) {
                      return x.instruction == y.instruction &&
                             x.source == y.source;
                    });
}

} // namespace

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
  return text + "  seed " + std::to_string(seed) + " replays it\n";
}

void Reporter::add(Report report) {
  std::lock_guard guard(mutex);
  for (const Report &old : reports)
    if (isSame(old, report))
      return;
  report.seed = seed;
  reports.push_back(std::move(report));
  if (reports.size() >= limit)
    throw LaunchStopped();
}

void Reporter::stop(Report report) {
  {
    std::lock_guard guard(mutex);
    report.seed = seed;
    if (std::none_of(reports.begin(), reports.end(),
                     [&](const Report &old) { return isSame(old, report); }))
      reports.push_back(std::move(report));
  }
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
