// The report of a deadlock: what every thread waits for.
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Polls.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace ashlar::sim {

namespace {

/// Lanes that can't go on.
struct Waiting {
  Warp *warp = nullptr;
  const Instruction *instruction = nullptr;
  std::string did;
  Wait::Cause cause;
  const Strand *strand = nullptr;
  bool isDivergent = false;
  bool fills = false; // it would copy into a stage next
};

/// Warps that wait for the same thing at the same instruction.
struct Group {
  const Instruction *instruction = nullptr;
  std::string did;
  std::vector<const Warp *> warps;
  std::string line; // of those that could go on
  bool holdsRoot = false;
  bool isBlocked = false;
  // Whose same warps do the same with numbers of their own.
  size_t ctasLikewise = 0, warpsLikewise = 0;
};

/// "warps 0 to 7", "warp 8", "warps 0, 2 and 3".
std::string numbers(const std::vector<uint32_t> &warps) {
  if (warps.size() == 1)
    return "warp " + std::to_string(warps[0]);
  if (warps.back() - warps.front() + 1 == warps.size())
    return "warps " + std::to_string(warps.front()) + " to " +
           std::to_string(warps.back());
  std::string text = "warps " + std::to_string(warps[0]);
  for (size_t i = 1; i < warps.size(); ++i)
    text += (i + 1 == warps.size() ? " and " : ", ") + std::to_string(warps[i]);
  return text;
}

/// The warps of each role in each CTA.
using Members = std::map<std::string, std::vector<uint32_t>>;

std::map<uint32_t, Members> membersOf(const Group &group,
                                      const Launch &launch) {
  std::map<uint32_t, Members> byCta;
  for (const Warp *warp : group.warps) {
    auto &list = byCta[warp->cta.linear][launch.roleOf(warp->index)];
    if (list.empty() || list.back() != warp->index)
      list.push_back(warp->index);
  }
  return byCta;
}

/// "CTA (0,0,0)", "CTA (0,0,0) and 3 others".
std::string inCtas(const std::string &first, size_t count) {
  if (count == 1)
    return first;
  return first + " and " + std::to_string(count - 1) +
         (count == 2 ? " other" : " others");
}

/// "role 'math', warps 0 to 7 of CTA (0,0,0) and 3 others; ...".
std::string whoOf(const Group &group, const Launch &launch) {
  std::map<uint32_t, std::string> names;
  for (const Warp *warp : group.warps)
    names[warp->cta.linear] = warp->cta.name();
  // CTAs of which the same warps are in the group, by the first of them.
  std::vector<std::pair<Members, std::pair<uint32_t, size_t>>> alike;
  for (const auto &[cta, members] : membersOf(group, launch)) {
    auto known = std::ranges::find_if(
        alike, [&](const auto &each) { return each.first == members; });
    if (known == alike.end())
      alike.push_back({members, {cta, 1}});
    else
      ++known->second.second;
  }
  constexpr size_t most = 4;
  std::string text;
  size_t others = 0;
  for (size_t i = 0; i < alike.size(); ++i) {
    const auto &[members, ctas] = alike[i];
    if (i >= most) {
      others += ctas.second;
      continue;
    }
    for (const auto &[role, warps] : members)
      text += (text.empty() ? "" : "; ") +
              (role.empty() ? "" : "role '" + role + "', ") + numbers(warps) +
              " of " + inCtas(names[ctas.first], ctas.second);
  }
  if (others)
    text += "; some of " + std::to_string(others) +
            (others == 1 ? " other CTA" : " other CTAs");
  return text;
}

/// As said of several: "waits for ..." becomes "wait for ...".
std::string plural(const std::string &did) {
  const size_t end = did.find(' ');
  const size_t length = end == std::string::npos ? did.size() : end;
  return length && did[length - 1] == 's'
             ? did.substr(0, length - 1) + did.substr(length)
             : did;
}

const Instruction *instructionOf(const Strand &strand) {
  const auto &body = strand.function->body;
  return strand.at < body.size() ? body[strand.at].get() : nullptr;
}

/// Whether lanes of a warp wait where all must come together for others that
/// no change of memory would bring.
bool isDivergent(const Warp &warp, const Strand &strand) {
  const Instruction *instruction = instructionOf(strand);
  if (!strand.blocked || !instruction || !instruction->traits.aligned ||
      strand.lanes == warp.live)
    return false;
  return std::none_of(
      warp.strands.begin(), warp.strands.end(), [](const auto &other) {
        return other->lanes &&
               (other->spinning || (other->blocked && other->wait.mayTimeOut));
      });
}

/// Whether the lanes, could they go on, would issue copies before they multiply
/// what others have copied. Looks at what stands behind in the text.
bool copiesNext(const Strand &strand) {
  constexpr size_t reach = 100;
  const auto &body = strand.function->body;
  const size_t end = std::min(body.size(), size_t(strand.at) + reach);
  for (size_t at = strand.at; at < end; ++at)
    if (const Engine engine = body[at]->traits.engine; engine != Engine::thread)
      return engine != Engine::tensorCore;
  return false;
}

Waiting describe(Warp &warp, const Strand &strand) {
  Waiting waiting;
  waiting.warp = &warp;
  waiting.strand = &strand;
  waiting.instruction = instructionOf(strand);
  waiting.isDivergent = isDivergent(warp, strand);
  waiting.fills = copiesNext(strand);
  waiting.did = strand.blocked ? "waits" : "executes instructions";
  if (strand.spinning && !strand.wait.describe) {
    waiting.did = describePolls(warp, strand.polls);
    waiting.cause = causeOfPolls(warp, strand.polls);
  }
  if (!strand.blocked && !strand.spinning)
    return waiting;
  if (strand.wait.describe)
    waiting.did = strand.wait.describe();
  if (strand.wait.cause)
    waiting.cause = strand.wait.cause();
  return waiting;
}

/// Of a great many the first: what is wrong shows in a few CTAs.
std::vector<Waiting> describeAll(std::span<Cluster *const> clusters) {
  constexpr size_t most = 4096;
  std::vector<Waiting> all;
  for (const Cluster *cluster : clusters)
    for (const auto &cta : cluster->ctas)
      for (const auto &warp : cta->warps)
        for (const auto &strand : warp->strands)
          if (strand->lanes && all.size() < most)
            all.push_back(describe(*warp, *strand));
  return all;
}

/// Who waits on whom.
class WaitGraph {
public:
  explicit WaitGraph(const std::vector<Waiting> &all) : all(all) {
    for (size_t i = 0; i < all.size(); ++i)
      ofWarp[all[i].warp].push_back(i);
    for (size_t i = 0; i < all.size(); ++i)
      reached.push_back(reachableFrom(i));
  }

  /// The wait from which the others follow: it waits on none, or only on those
  /// that wait on it in turn; among these the likeliest cause. Null: no wait
  /// tells its cause.
  const Waiting *root() const {
    const Waiting *best = nullptr;
    bool bestIsLast = false;
    for (size_t i = 0; i < all.size(); ++i) {
      const Waiting &each = all[i];
      if (each.cause.sentence.empty())
        continue;
      const bool last = isLast(i);
      if (!best ||
          std::tuple(last, each.cause.likelihood, each.fills) >
              std::tuple(bestIsLast, best->cause.likelihood, best->fills)) {
        best = &each;
        bestIsLast = last;
      }
    }
    return best;
  }

private:
  /// All that a wait hangs on, itself only where it is in a circle.
  std::vector<bool> reachableFrom(size_t start) const {
    std::vector<bool> seen(all.size());
    std::vector<size_t> open{start};
    while (!open.empty()) {
      const Waiting &each = all[open.back()];
      open.pop_back();
      for (const Warp *warp : each.cause.from)
        if (auto entry = ofWarp.find(warp); entry != ofWarp.end())
          for (size_t next : entry->second)
            if (!seen[next]) {
              seen[next] = true;
              open.push_back(next);
            }
    }
    return seen;
  }

  bool isLast(size_t index) const {
    for (size_t i = 0; i < all.size(); ++i)
      if (reached[index][i] && i != index && !reached[i][index])
        return false;
    return true;
  }

  const std::vector<Waiting> &all;
  std::map<const Warp *, std::vector<size_t>> ofWarp;
  std::vector<std::vector<bool>> reached;
};

/// The root's group first. Of those that could go on it matters at which line
/// they are, not at which instruction.
std::vector<Group> grouped(const std::vector<Waiting> &all, const Waiting *root,
                           const Launch &launch) {
  std::vector<Group> groups;
  for (const Waiting &each : all) {
    const bool isBlocked = each.strand->blocked || each.strand->spinning;
    const std::string line =
        isBlocked ? std::string() : launch.sourceOf(each.instruction);
    auto same = std::ranges::find_if(groups, [&](const Group &group) {
      return group.did == each.did && group.isBlocked == isBlocked &&
             (group.instruction == each.instruction ||
              (!line.empty() && group.line == line));
    });
    if (same == groups.end())
      same =
          groups.insert(groups.end(), {each.instruction, each.did, {}, line});
    same->warps.push_back(each.warp);
    same->holdsRoot |= &each == root;
    same->isBlocked = isBlocked;
  }
  std::ranges::stable_partition(groups, &Group::holdsRoot);
  return groups;
}

/// "waits for phase # of ...": what differs from CTA to CTA.
std::string withoutNumbers(const std::string &did) {
  std::string text;
  for (char c : did)
    if (c < '0' || c > '9')
      text += c;
    else if (text.empty() || text.back() != '#')
      text += '#';
  return text;
}

/// Leaves of groups of different CTAs that are alike but for numbers the first.
std::vector<Group> folded(const std::vector<Group> &groups,
                          const Launch &launch) {
  struct Kind {
    const Instruction *instruction;
    std::string did;
    Members members;
    size_t at; // in the result
  };
  std::vector<Group> result;
  std::vector<Kind> kinds;
  for (const Group &group : groups) {
    const auto members = membersOf(group, launch);
    const bool areAlike = std::ranges::all_of(members, [&](const auto &each) {
      return each.second == members.begin()->second;
    });
    if (!areAlike) {
      result.push_back(group);
      continue;
    }
    Kind kind{group.instruction, withoutNumbers(group.did),
              members.begin()->second, result.size()};
    auto known = std::ranges::find_if(kinds, [&](const Kind &each) {
      return each.instruction == kind.instruction && each.did == kind.did &&
             each.members == kind.members;
    });
    if (known != kinds.end()) {
      result[known->at].ctasLikewise += members.size();
      result[known->at].warpsLikewise += group.warps.size();
      continue;
    }
    kinds.push_back(std::move(kind));
    result.push_back(group);
  }
  return result;
}

/// A site for each group, and one for those that would be too many.
std::vector<Site> sitesOf(const std::vector<Group> &groups,
                          const Launch &launch) {
  constexpr size_t mostGroups = 16;
  std::vector<Site> sites;
  size_t others = 0;
  for (const Group &group : folded(groups, launch)) {
    if (sites.size() == mostGroups) {
      others += group.warps.size() + group.warpsLikewise;
      continue;
    }
    std::string did = group.warps.size() > 1 ? plural(group.did) : group.did;
    if (group.ctasLikewise)
      did += "; so it is in " + std::to_string(group.ctasLikewise) +
             (group.ctasLikewise == 1 ? " other CTA" : " other CTAs");
    sites.push_back({whoOf(group, launch), did,
                     launch.sourceOf(group.instruction),
                     launch.textOf(group.instruction)});
  }
  if (others)
    sites.push_back(
        {"... and " + std::to_string(others) + " warps more", "", "", ""});
  return sites;
}

/// Of the others, whether one could still change what the root looks at.
std::string whoCouldSignal(const Waiting &root,
                           const std::vector<Waiting> &all) {
  const Waiting *first = nullptr;
  size_t count = 0;
  for (const Waiting &each : all)
    if (each.warp != root.warp && canSignal(*each.strand)) {
      first = first ? first : &each;
      ++count;
    }
  if (!first)
    return "; no thread that is left can come to a signal";
  return "; " + first->warp->who(-1) +
         (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") +
         " could still come to a signal, and " +
         (count > 1 ? "wait themselves" : "waits itself");
}

} // namespace

void reportTimeLimit(Launch &launch, std::span<Cluster *const> clusters,
                     size_t unstarted) {
  const std::vector<Waiting> all = describeAll(clusters);
  Report report;
  report.finding = Finding::timeLimit;
  report.sentence =
      "the launch has not ended within its time limit of " +
      std::to_string(launch.options.timeLimit.count()) +
      " ms: a loop does not end, or the limit is too low for this problem";
  if (unstarted)
    report.sentence += "; of " + std::to_string(launch.clusterCount()) +
                       " clusters " + std::to_string(unstarted) +
                       " have not started";
  // Those that could go on first: the others may wait for them.
  std::vector<Group> groups = grouped(all, nullptr, launch);
  std::ranges::stable_partition(
      groups, [](const Group &group) { return !group.isBlocked; });
  report.sites = sitesOf(groups, launch);
  launch.reporter.stop(std::move(report));
}

void reportDeadlock(Launch &launch, std::span<Cluster *const> clusters) {
  const std::vector<Waiting> all = describeAll(clusters);
  const bool divergent = std::ranges::any_of(all, &Waiting::isDivergent);
  const Waiting *root = divergent ? nullptr : WaitGraph(all).root();
  Report report;
  report.finding = divergent ? Finding::divergent : Finding::deadlock;
  report.sentence =
      divergent
          ? "an instruction with .aligned (or bar.sync) is reached by some "
            "lanes of a warp only, and the others wait elsewhere: all lanes "
            "of the warp must execute it together"
          : "no thread can go on, and no asynchronous operation is under way";
  if (root) {
    const std::string source = launch.sourceOf(root->instruction);
    report.sentence += ". Nearest cause" +
                       (source.empty() ? "" : ", for the wait at " + source) +
                       ": " + root->cause.sentence;
  }
  report.sites = sitesOf(grouped(all, root, launch), launch);
  if (root && root->strand->spinning && !root->strand->wait.describe) {
    report.sentence += whoCouldSignal(*root, all);
    const std::vector<Site> signallers =
        signallersOf(*root->warp, root->strand->polls);
    report.sites.insert(report.sites.begin() + 1, signallers.begin(),
                        signallers.end());
  }
  launch.reporter.stop(std::move(report));
}

} // namespace ashlar::sim
