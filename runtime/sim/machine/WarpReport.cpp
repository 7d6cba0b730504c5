// What a warp reports of itself.
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Warp.h"

namespace ashlar::sim {

std::string Warp::who(int lane) const {
  return cluster.who(cta.linear, index, lane);
}

Site Warp::site(std::string did, int lane) const {
  return {who(lane), std::move(did), cluster.launch.sourceOf(current),
          cluster.launch.textOf(current)};
}

void Warp::report(Finding finding, std::string sentence, std::string did,
                  int lane) {
  Report report;
  report.finding = finding;
  report.sentence = std::move(sentence);
  report.sites.push_back(site(std::move(did), lane));
  // Nothing of the thread reads any more what it has left pending.
  report.isHarmless = finding == Finding::unfinished;
  cluster.launch.reporter.add(std::move(report));
}

void Warp::stop(Finding finding, std::string sentence, std::string did,
                int lane) {
  Report report;
  report.finding = finding;
  report.sentence = std::move(sentence);
  report.sites.push_back(site(std::move(did), lane));
  cluster.launch.reporter.stop(std::move(report));
}

} // namespace ashlar::sim
