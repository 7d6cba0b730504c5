#include "runtime/sim/machine/Launch.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Traffic.h"
#include "runtime/sim/machine/copies/TensorMap.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <thread>

namespace ashlar::sim {

namespace {

uint32_t count(const ptx::Dimensions &d) { return d.x * d.y * d.z; }

} // namespace

Launch::Launch(const Program &program, uint32_t kernel,
               const LaunchShape &shape, std::vector<uint8_t> bytes,
               GlobalMemory &memory, const LaunchOptions &options)
    : program(program), kernel(*program.functions[kernel]), shape(shape),
      options(options), memory(memory),
      parameters(MemoryBlock::Kind::parameter, "the kernel's parameters", 0,
                 std::max<size_t>(bytes.size(), 1), false),
      reporter(options.seed, options.maxReports, options.ignored),
      notes(*program.module, *program.functions[kernel]->text) {
  std::copy(bytes.begin(), bytes.end(), parameters.data());
}

Launch::~Launch() = default;

uint32_t Launch::clusterCount() const {
  return count(shape.grid) / count(shape.cluster);
}

std::string Launch::roleOf(uint32_t warp) const { return notes.roleOf(warp); }

/// The first bytes of a parameter of the kernel, by its number; zeros if there
/// is none.
template <typename T>
static T parameterValue(const Launch &launch, uint64_t number) {
  const std::vector<uint32_t> &offsets = launch.kernel.parameterBlockOffsets;
  T value{};
  if (number >= offsets.size())
    return value;
  const uint64_t size = std::min<uint64_t>(
      launch.kernel.text->parameters[number].sizeBytes(), sizeof value);
  if (launch.parameters.contains(offsets[number], size))
    std::memcpy(&value, launch.parameters.data() + offsets[number], size);
  return value;
}

namespace {

/// Where a tensor begins, and its strides in elements, outermost first; 0 for
/// one that nothing tells.
struct Placed {
  uint64_t begin = 0;
  std::vector<uint64_t> strides;
};

Placed placed(const Launch &launch, const Notes::Tensor &tensor) {
  if (tensor.isMap) {
    const auto bytes =
        parameterValue<std::array<uint64_t, 16>>(launch, tensor.parameter);
    TensorMap map;
    if (unpackTensorMap(bytes.data(), map))
      return {};
    Placed result{map.address, {}};
    for (uint32_t i = map.rank; --i > 0;)
      result.strides.push_back(map.strideBytes[i - 1] / tensor.elementBytes);
    result.strides.push_back(1);
    return result;
  }
  using Kind = Notes::Tensor::Stride::Kind;
  Placed result{parameterValue<uint64_t>(launch, tensor.parameter), {}};
  for (const Notes::Tensor::Stride &each : tensor.strides)
    result.strides.push_back(each.kind == Kind::constant ? each.value
                             : each.kind == Kind::parameter
                                 ? parameterValue<uint64_t>(launch, each.value)
                                 : 0);
  return result;
}

} // namespace

std::string Launch::tensorElementAt(uint64_t address) const {
  const Notes::Tensor *tensor = nullptr;
  Placed nearest;
  for (const Notes::Tensor &each : notes.tensors)
    if (Placed place = placed(*this, each);
        place.begin && place.begin <= address && place.begin >= nearest.begin) {
      tensor = &each;
      nearest = std::move(place);
    }
  if (!tensor || memory.nearest(address) != memory.nearest(nearest.begin))
    return "";
  const uint64_t element = (address - nearest.begin) / tensor->elementBytes;
  uint64_t rest = element;
  std::string index;
  for (const uint64_t stride : nearest.strides) {
    if (stride == 0)
      return tensor->name + ", element " + std::to_string(element);
    index += (index.empty() ? "" : ", ") + std::to_string(rest / stride);
    rest %= stride;
  }
  return tensor->name + "[" + index + "]";
}

std::string Launch::sourceOf(const Instruction *instruction) const {
  if (!instruction || !instruction->text || instruction->text->source.line == 0)
    return "";
  const ptx::SourceLine &source = instruction->text->source;
  const auto &files = program.module->files;
  std::string file =
      source.file < files.size() ? files[source.file] : std::string();
  if (auto slash = file.rfind('/'); slash != std::string::npos)
    file = file.substr(slash + 1);
  return file + ":" + std::to_string(source.line);
}

std::string Launch::textOf(const Instruction *instruction) const {
  if (!instruction || !instruction->text)
    return "";
  return program.module->name + ":" +
         std::to_string(instruction->text->position.line) + ": " +
         ptx::mnemonic(*instruction->text);
}

/// Gives the clusters to the host's threads. A cluster runs until it is
/// finished, or until it waits for others; then the next one starts, as long
/// as the machine that is simulated would hold it as well.
struct Launch::Scheduler {
  explicit Scheduler(Launch &launch) : launch(launch) {
    for (uint32_t i = 0; i < launch.clusterCount(); ++i)
      waiting.push_back(i);
    // Random schedules start the clusters in any order.
    if (launch.options.seed >= 3) {
      std::mt19937_64 random(launch.options.seed);
      std::shuffle(waiting.begin(), waiting.end(), random);
    }
    std::reverse(waiting.begin(), waiting.end()); // taken from the back
    const uint32_t threads = count(launch.shape.block);
    const uint32_t shared =
        launch.kernel.shared.dynamicBegin + launch.shape.dynamicSharedBytes;
    const uint32_t perSm =
        std::max(1u, std::min(2048 / std::max(threads, 32u),
                              (maxSharedBytes + 1024) / std::max(shared, 1u)));
    maxResident = std::max(1u, smCount * std::min(perSm, 32u) /
                                   count(launch.shape.cluster));
  }

  struct Resident {
    std::unique_ptr<Cluster> cluster;
    uint64_t changesSeen = 0;
    bool stalled = false;
  };

  Launch &launch;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<uint32_t> waiting; // not started
  std::vector<Resident> parked;  // started, not running
  uint32_t running = 0;
  uint32_t maxResident = 1;
  bool stopped = false;
  std::exception_ptr failure;

  /// A cluster that can go on; false when there is none now.
  bool take(Resident &next) {
    if (launch.over)
      return false;
    const uint64_t changes = launch.changes.load();
    auto able = std::find_if(parked.begin(), parked.end(), [&](Resident &r) {
      return !r.stalled || r.changesSeen != changes;
    });
    const bool mayStart =
        !waiting.empty() && running + parked.size() < maxResident;
    // One that was only paused goes on after the others had their turn.
    if (able != parked.end() && (able->stalled || !mayStart)) {
      next = std::move(*able);
      parked.erase(able);
      return true;
    }
    if (!mayStart)
      return false;
    next = Resident();
    const uint32_t index = waiting.back();
    waiting.pop_back();
    next.cluster = std::make_unique<Cluster>(launch, index);
    return true;
  }

  void runOne(Resident &resident) {
    constexpr uint64_t budget = 50'000'000;
    resident.changesSeen = launch.changes.load();
    resident.stalled = false;
    switch (resident.cluster->run(budget)) {
    case Cluster::Outcome::finished:
      resident.cluster.reset();
      if (Progress *progress = launch.options.progress)
        ++progress->finishedClusters;
      break;
    case Cluster::Outcome::stalled:
      resident.stalled = true;
      break;
    case Cluster::Outcome::paused:
      break;
    }
  }

  void work() {
    std::unique_lock lock(mutex);
    while (!stopped) {
      Resident resident;
      try {
        if (!take(resident)) {
          if (running == 0) {
            stopped = true;
            if (!parked.empty())
              reportParked();
            break;
          }
          changed.wait(lock);
          continue;
        }
        ++running;
        lock.unlock();
        runOne(resident);
        lock.lock();
        --running;
        if (resident.cluster)
          parked.push_back(std::move(resident));
      } catch (const LaunchStopped &) {
        reacquire(lock);
        stopped = launch.over = true;
      } catch (...) {
        reacquire(lock);
        stopped = launch.over = true;
        failure = std::current_exception();
      }
      changed.notify_all();
    }
    changed.notify_all();
  }

  [[noreturn]] void reportParked() {
    std::ranges::sort(parked, {}, [](const Resident &resident) {
      return resident.cluster->index;
    });
    std::vector<Cluster *> clusters;
    for (const Resident &resident : parked)
      clusters.push_back(resident.cluster.get());
    if (launch.over)
      reportTimeLimit(launch, clusters, waiting.size());
    reportDeadlock(launch, clusters);
  }

  void reacquire(std::unique_lock<std::mutex> &lock) {
    if (!lock.owns_lock()) {
      lock.lock();
      --running;
    }
  }
};

void Launch::addTraffic(const Traffic &traffic) {
  const std::lock_guard guard(adding);
  options.traffic->add(traffic);
}

void Launch::addCopy(const Instruction *instruction, bool isOutside) {
  if (!options.copies)
    return;
  const std::lock_guard guard(adding);
  CopiedBoxes &boxes = (*options.copies)[sourceOf(instruction)];
  ++boxes.all;
  boxes.outside += isOutside;
}

bool Launch::isOver() {
  if (options.timeLimit.count() > 0 &&
      std::chrono::steady_clock::now() > deadline)
    over = true;
  return over;
}

std::vector<Report> Launch::run() {
  deadline = std::chrono::steady_clock::now() + options.timeLimit;
  memory.forgetAccesses();
  memory.setTensors(options.tensors);
  if (options.progress)
    options.progress->clusters = clusterCount();
  Scheduler scheduler(*this);
  unsigned threads = options.hostThreads ? options.hostThreads
                                         : std::thread::hardware_concurrency();
  threads = std::max(1u, std::min(threads, clusterCount()));
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i)
    helpers.emplace_back([&] { scheduler.work(); });
  scheduler.work();
  for (std::thread &helper : helpers)
    helper.join();
  scheduler.parked.clear();
  if (scheduler.failure)
    std::rethrow_exception(scheduler.failure);
  std::vector<Report> found = reporter.take();
  for (Report &report : found)
    report.kernel = kernel.text->name;
  return found;
}

} // namespace ashlar::sim
