// What a warp reports of itself.
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Warp.h"

#include <algorithm>
#include <iterator>

namespace ashlar::sim {

std::string Warp::who(int lane) const {
  return cluster.who(cta.linear, index, lane);
}

Site Warp::site(std::string did, int lane) const {
  return {who(lane), std::move(did), cluster.launch.sourceOf(current),
          cluster.launch.textOf(current)};
}

/// What a warp finds of itself at its current instruction.
static Report reportOf(const Warp &warp, Finding finding, std::string sentence,
                       std::string did, int lane) {
  Report report;
  report.finding = finding;
  report.sentence = std::move(sentence);
  report.sites.push_back(warp.site(std::move(did), lane));
  return report;
}

void Warp::report(Finding finding, std::string sentence, std::string did,
                  int lane) {
  cluster.launch.reporter.add(
      reportOf(*this, finding, std::move(sentence), std::move(did), lane));
}

void Warp::reportHarmless(Finding finding, std::string sentence,
                          std::string did, int lane, std::vector<Site> others) {
  Report report =
      reportOf(*this, finding, std::move(sentence), std::move(did), lane);
  std::ranges::move(others, std::back_inserter(report.sites));
  report.isHarmless = true;
  cluster.launch.reporter.add(std::move(report));
}

void Warp::stop(Finding finding, std::string sentence, std::string did,
                int lane) {
  cluster.launch.reporter.stop(
      reportOf(*this, finding, std::move(sentence), std::move(did), lane));
}

} // namespace ashlar::sim
