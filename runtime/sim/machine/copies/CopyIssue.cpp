#include "runtime/sim/machine/copies/CopyIssue.h"

#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Trace.h"

namespace ashlar::sim {

CopyIssue::CopyIssue(Warp &warp, unsigned lane, std::string what)
    : cta(warp.cta), what(std::move(what)), issuer(warp.accessor(lane)),
      known(std::make_shared<const Causality>(warp.causality(lane))) {
  issuer.causality = known.get();
  issuer.asynchronous = true;
  issuer.inProgramOrder = false;
  if (Trace *trace = cta.cluster.launch.options.trace.get())
    traced = trace->beginOperation(warp, Trace::Engine::copies, this->what);
}

Accessor CopyIssue::as(AgentId agent, Epoch epoch) const {
  Accessor accessor = issuer;
  accessor.agent = agent;
  accessor.epoch = epoch;
  return accessor;
}

Location CopyIssue::locate(ptx::StateSpace space, uint64_t address) const {
  return cta.cluster.locate(cta, issuer.warp * warpLanes + issuer.lane, space,
                            address);
}

std::string CopyIssue::describe() const {
  return what + ", issued by " +
         cta.cluster.who(issuer.cta, issuer.warp, issuer.lane);
}

Site CopyIssue::site() const {
  return cta.cluster.site(issuer, "issues the copy");
}

bool CopyIssue::isGone(const Cta &accessed) const {
  if (!accessed.exited())
    return false;
  const bool isOwn = &accessed == &cta;
  Report report;
  report.finding = isOwn ? Finding::unfinished : Finding::exitedPeer;
  report.sentence =
      "the " + what + " is still under way when " + accessed.name() +
      ", whose shared memory it accesses, has exited" +
      (isOwn ? ": wait for it before the last thread returns; a role that "
               "takes the stages of a pipeline takes as many as are filled"
             : ": keep that CTA alive until it has landed, with a cluster "
               "barrier or by waiting on its mbarrier there");
  report.sites = {site()};
  cta.cluster.launch.reporter.add(std::move(report));
  return true;
}

void CopyIssue::landed() const {
  if (Trace *trace = cta.cluster.launch.options.trace.get())
    trace->endOperation(traced, cta.cluster);
}

} // namespace ashlar::sim
