#include "runtime/sim/machine/Trace.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Warp.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace ashlar::sim {
namespace {

// Tracks of a CTA: its warps, then the engines. An engine has several, since
// slices on one track must not overlap.
constexpr uint32_t copiesTrack = 1'000;
constexpr uint32_t tensorCoreTrack = 10'000;
constexpr uint32_t tracksOfAnEngine = 500;
constexpr uint32_t warpsOfAWarpgroup = 4;

/// A JSON string. Bytes of malformed UTF-8 in names are the reader's problem.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", c);
      result += escape;
    } else {
      result += c;
    }
  return result + '"';
}

std::string number(uint64_t value) { return std::to_string(value); }

} // namespace

static std::string unwritable(const std::string &path, const std::string &why) {
  return "the trace '" + path + "' can't be written (" + why +
         "): choose another file";
}

/// Of the last call of the system that failed.
static std::string systemError() {
  return errno ? std::error_code(errno, std::generic_category()).message()
               : "the system does not say why";
}

Trace::Trace(const std::string &path) : path(path) {
  // To open a FIFO waits for a reader; a link may lead anywhere.
  std::error_code absent;
  if (const auto there = std::filesystem::symlink_status(path, absent);
      std::filesystem::exists(there) &&
      !std::filesystem::is_regular_file(there)) {
    failure = unwritable(path, "it is there, and no file");
    return;
  }
  errno = 0;
  file.open(path, std::ios::out | std::ios::trunc);
  file << "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  trailer = file.tellp();
  file << "]}\n" << std::flush;
  if (!file)
    failure = unwritable(path, systemError());
}

Trace::~Trace() = default;

void Trace::beginLaunch(const std::string &name) {
  std::lock_guard lock(mutex);
  launch = name;
  events.clear();
  waits.clear();
  ctas.clear();
  tracks.clear();
  dropped = 0;
}

Trace::Event Trace::eventOf(const Warp &warp, const std::string &name,
                            const Arguments &arguments) {
  const Launch &of = warp.cluster.launch;
  Event event{.cta = warp.cta.linear,
              .track = warp.index,
              .begin = warp.cluster.clock,
              .end = warp.cluster.clock,
              .name = name,
              .arguments = arguments};
  if (warp.current) {
    if (std::string source = of.sourceOf(warp.current); !source.empty())
      event.arguments.emplace_back("source", source);
    event.arguments.emplace_back("instruction", of.textOf(warp.current));
  }
  std::lock_guard lock(mutex);
  if (!ctas.count(event.cta))
    ctas[event.cta] = warp.cta.name();
  std::string &track = tracks[{event.cta, event.track}];
  if (track.empty()) {
    track = "warp " + number(warp.index);
    if (std::string role = of.roleOf(warp.index); !role.empty())
      track += " (" + role + ")";
  }
  return event;
}

uint64_t Trace::add(Event event) {
  if (events.size() >= maxEvents) {
    ++dropped;
    return none;
  }
  events.push_back(std::move(event));
  return events.size() - 1;
}

void Trace::instant(const Warp &warp, const std::string &name,
                    const Arguments &arguments) {
  Event event = eventOf(warp, name, arguments);
  event.isInstant = true;
  std::lock_guard lock(mutex);
  add(std::move(event));
}

void Trace::beginWait(const Warp &warp, const std::string &name) {
  std::lock_guard lock(mutex);
  waits.try_emplace({&warp, warp.current}, Waiting{warp.cta.linear, warp.index,
                                                   warp.cluster.clock, name});
}

void Trace::endWait(const Warp &warp) {
  Waiting waiting;
  {
    std::lock_guard lock(mutex);
    auto found = waits.find({&warp, warp.current});
    if (found == waits.end())
      return;
    waiting = std::move(found->second);
    waits.erase(found);
  }
  Event event = eventOf(warp, waiting.name, {});
  event.begin = waiting.begin;
  std::lock_guard lock(mutex);
  add(std::move(event));
}

uint64_t Trace::beginOperation(const Warp &issuer, Engine engine,
                               const std::string &name,
                               const Arguments &arguments) {
  Event event = eventOf(issuer, name, arguments);
  event.arguments.emplace_back("issued by", "warp " + number(issuer.index));
  event.track = engine == Engine::copies
                    ? copiesTrack
                    : tensorCoreTrack +
                          issuer.index / warpsOfAWarpgroup * tracksOfAnEngine;
  event.isOpen = true;
  std::lock_guard lock(mutex);
  return add(std::move(event));
}

void Trace::endOperation(uint64_t operation, const Cluster &cluster) {
  std::lock_guard lock(mutex);
  if (operation >= events.size() || !events[operation].isOpen)
    return;
  events[operation].end = cluster.clock;
  events[operation].isOpen = false;
}

// Gives each operation the first track of its engine that is free, and names
// the tracks.
void Trace::spread() {
  std::vector<Event *> operations;
  for (Event &event : events)
    if (event.track >= copiesTrack)
      operations.push_back(&event);
  std::ranges::stable_sort(operations, {}, &Event::begin);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> busyUntil;
  for (Event *event : operations) {
    std::vector<uint64_t> &busy = busyUntil[{event->cta, event->track}];
    size_t free = 0;
    while (free < busy.size() && busy[free] > event->begin)
      ++free;
    if (free == busy.size())
      busy.push_back(0);
    busy[free] = std::max(event->end, event->begin + 1);
    const std::string name =
        event->track == copiesTrack
            ? "copies"
            : "tensor core, warpgroup " +
                  number((event->track - tensorCoreTrack) / tracksOfAnEngine);
    event->track +=
        static_cast<uint32_t>(std::min<size_t>(free, tracksOfAnEngine - 1));
    tracks[{event->cta, event->track}] = name;
  }
}

void Trace::endLaunch(bool keep) {
  std::lock_guard lock(mutex);
  if (!keep) {
    events.clear();
    return;
  }
  uint64_t last = 0;
  for (const Event &event : events)
    last = std::max(last, event.end);
  for (const auto &[key, waiting] : waits)
    last = std::max(last, waiting.begin);
  // Those that still wait or run show where the launch stopped.
  for (auto &[key, waiting] : waits)
    add({.cta = waiting.cta,
         .track = waiting.track,
         .begin = waiting.begin,
         .end = last + 1,
         .name = waiting.name + " (never ended)",
         .arguments = {}});
  for (Event &event : events)
    if (event.isOpen)
      event.end = last + 1;
  spread();
  write();
  if (!file.flush())
    failure = unwritable(path, systemError());
  origin += last + 2;
  firstProcess += ctas.empty() ? 0 : ctas.rbegin()->first + 1;
  events.clear();
  waits.clear();
}

void Trace::write() {
  file.seekp(trailer);
  auto entry = [&](const std::string &text) {
    file << (isFirst ? "" : ",\n") << text;
    isFirst = false;
  };
  auto place = [&](uint32_t cta, uint32_t track) {
    return "\"pid\": " + number(firstProcess + cta) +
           ", \"tid\": " + number(track);
  };
  auto metadata = [&](const char *what, uint32_t cta, uint32_t track,
                      const std::string &name) {
    entry("{\"ph\": \"M\", \"name\": \"" + std::string(what) + "\", " +
          place(cta, track) + ", \"args\": {\"name\": " + quoted(name) + "}}");
  };
  for (const auto &[cta, name] : ctas)
    metadata("process_name", cta, 0, name + " of " + launch);
  for (const auto &[at, name] : tracks)
    metadata("thread_name", at.first, at.second, name);
  for (const Event &event : events) {
    std::string text = "{\"name\": " + quoted(event.name) + ", " +
                       place(event.cta, event.track) +
                       ", \"ts\": " + number(origin + event.begin);
    text += event.isInstant
                ? ", \"ph\": \"i\", \"s\": \"t\""
                : ", \"ph\": \"X\", \"dur\": " +
                      number(std::max<uint64_t>(1, event.end - event.begin));
    text += ", \"args\": {";
    for (size_t i = 0; i < event.arguments.size(); ++i)
      text += (i ? ", " : "") + quoted(event.arguments[i].first) + ": " +
              quoted(event.arguments[i].second);
    entry(text + "}}");
  }
  if (dropped && !ctas.empty())
    entry("{\"name\": \"" + number(dropped) +
          " later events were left out: trace a smaller problem\", \"ph\": "
          "\"i\", \"s\": \"g\", \"ts\": " +
          number(origin) + ", " + place(ctas.begin()->first, 0) + "}");
  trailer = file.tellp();
  file << "\n]}\n" << std::flush;
}

} // namespace ashlar::sim
