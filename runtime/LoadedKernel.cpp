#include "runtime/LoadedKernel.h"

#include "runtime/Grid.h"
#include "runtime/LaunchConfiguration.h"
#include "runtime/Text.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace ashlar {
namespace {

/// A cluster of more blocks than this may not run on every GPU of an
/// architecture, and has to be allowed by the function.
constexpr int64_t portableClusterSize = 8;

template <typename... Parts>
[[noreturn]] void fail(const Artifact &artifact, const Parts &...parts) {
  throw Error(artifact.where,
              concat("kernel '", artifact.name, "' ", parts...));
}

/// 90 for "sm_90a".
int capabilityOf(const Artifact &artifact) {
  const std::string &target = artifact.target;
  int capability = 0;
  if (!target.starts_with("sm_") ||
      std::from_chars(target.data() + 3, target.data() + target.size(),
                      capability)
              .ec != std::errc())
    fail(artifact, "is compiled for '", target,
         "', which names no GPU: compile it for sm_90a");
  return capability;
}

size_t parameterBytes(const Artifact &artifact, const Parameter &parameter) {
  switch (parameter.kind) {
  case Parameter::Kind::size:
    return sizeof(int32_t);
  case Parameter::Kind::scalar:
    return static_cast<size_t>(size_bytes(
        artifact.scalars[static_cast<size_t>(parameter.index)].type));
  case Parameter::Kind::pointer:
  case Parameter::Kind::stride:
    return sizeof(uint64_t);
  case Parameter::Kind::tensorMap:
    return sizeof(driver::TensorMap);
  }
  return 0;
}

void checkSuits(const Context &context, const Artifact &artifact) {
  // sm_90a is architecture-specific: it runs on 9.0 and nothing later.
  if (int needed = capabilityOf(artifact); needed != context.computeCapability)
    fail(artifact, "is compiled for ", artifact.target, "; '", context.name,
         "' has compute capability ", context.computeCapability / 10, ".",
         context.computeCapability % 10, ": run it on ", needed / 10, ".",
         needed % 10);
  if (artifact.sharedBytes > context.maxSharedBytes)
    fail(artifact, "needs ", artifact.sharedBytes,
         " bytes of shared memory in a block; '", context.name, "' has ",
         context.maxSharedBytes, ": use smaller tiles or fewer stages");
}

/// Whether it tells of a launch that has failed, after which a context takes no
/// more calls: an illegal address, a launch that took too long, and what stands
/// between a failed assertion and a failed launch (CUDA driver API, CUresult).
bool isLeftByALaunch(driver::Result result) {
  const int code = static_cast<int>(result);
  return code == 700 || code == 702 || code == 710 ||
         (code >= 714 && code <= 719);
}

} // namespace

LoadedKernel::LoadedKernel(std::shared_ptr<Context> shared,
                           const Artifact &artifact)
    : context(std::move(shared)) {
  checkSuits(*context, artifact);
  context->enter();
  load(artifact);
  try {
    prepare(artifact);
    countResidentClusters(artifact);
  } catch (...) {
    unload();
    throw;
  }
}

LoadedKernel::~LoadedKernel() { unload(); }

void LoadedKernel::load(const Artifact &artifact) {
  const bool useCubin =
      !artifact.cubin.empty() && !context->driver.loadsPtxOnly;
  if (!useCubin && artifact.ptx.empty())
    fail(artifact, "has only a cubin, and '", context->name,
         "' executes PTX: keep its PTX");
  std::string log(8192, '\0');
  driver::JitOption options[] = {driver::JitOption::errorLogBuffer,
                                 driver::JitOption::errorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  const void *image = useCubin
                          ? static_cast<const void *>(artifact.cubin.data())
                          : static_cast<const void *>(artifact.ptx.c_str());
  driver::Result result = context->driver.moduleLoadDataEx(
      &module, image, static_cast<unsigned>(std::size(options)), options,
      values);
  if (result == driver::Result::success)
    return;
  module = nullptr;
  if (isLeftByALaunch(result))
    fail(artifact, "is not loaded: a launch before has failed (",
         describe(context->driver, result), "), after which '", context->name,
         "' does nothing more for this process: start it again");
  log.resize(log.find('\0') == log.npos ? log.size() : log.find('\0'));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' '))
    log.pop_back();
  fail(artifact, "is refused by the driver as ", useCubin ? "a cubin" : "PTX",
       " (", describe(context->driver, result), ")", log.empty() ? "" : ": ",
       log,
       useCubin || context->driver.loadsPtxOnly
           ? ""
           : ": compile it with ptxas, whose path ASHLAR_PTXAS is, so that no "
             "driver has to read its PTX");
}

void LoadedKernel::prepare(const Artifact &artifact) {
  const DriverTable &driver = context->driver;
  if (auto result =
          driver.moduleGetFunction(&entry, module, artifact.name.c_str());
      result != driver::Result::success)
    fail(artifact, "is not in its own code (", describe(driver, result),
         "): compile the kernel again");
  checkParameters(artifact);
  auto set = [&](driver::FunctionAttribute attribute, int64_t value,
                 const char *what) {
    auto result =
        driver.functionSetAttribute(entry, attribute, static_cast<int>(value));
    if (result != driver::Result::success)
      fail(artifact, "can't have ", what, " (", describe(driver, result), ")");
  };
  if (artifact.sharedBytes > 0)
    set(driver::FunctionAttribute::maxDynamicSharedSizeBytes,
        artifact.sharedBytes, "its shared memory");
  if (clusterSize(artifact.grid) > portableClusterSize)
    set(driver::FunctionAttribute::nonPortableClusterSizeAllowed, 1,
        "a cluster of more than 8 blocks");
  if (std::ranges::any_of(artifact.parameters, [](const Parameter &parameter) {
        return parameter.kind == Parameter::Kind::tensorMap;
      }))
    context->provideEmpty();
}

// A launch reads as many values as the code has parameters, each as long as
// declared there.
void LoadedKernel::checkParameters(const Artifact &artifact) const {
  if (!context->driver.functionGetParameter)
    return;
  const size_t count = artifact.parameters.size();
  for (size_t i = 0; i <= count; ++i) {
    size_t offset = 0, declared = 0;
    const bool isThere =
        context->driver.functionGetParameter(entry, i, &offset, &declared) ==
        driver::Result::success;
    const size_t given =
        i < count ? parameterBytes(artifact, artifact.parameters[i]) : 0;
    if (isThere != (i < count) || declared != given)
      fail(artifact, "has other parameters in its code than the ", count,
           " that its artifact describes (number ", i, " has ", declared,
           " bytes and ", given, "): compile the kernel again");
  }
}

// A cluster lies within one GPC. Where a GPC's SMs are no multiple of the
// cluster's blocks some stay empty, so that fewer clusters fit than the
// device's SMs suggest; only the driver knows.
void LoadedKernel::countResidentClusters(const Artifact &artifact) {
  const int64_t blocks = clusterSize(artifact.grid);
  int64_t clusters = context->smCount * artifact.grid.ctasPerSm / blocks;
  const bool isPersistent =
      std::ranges::any_of(artifact.grid.spaces, &TileSpace::persistent);
  if (isPersistent && blocks > 1) {
    const auto cluster = static_cast<uint32_t>(blocks);
    const LaunchConfiguration configuration(artifact, {cluster, cluster},
                                            nullptr);
    int active = 0;
    if (auto result = context->driver.occupancyMaxActiveClusters(
            &active, entry, configuration.get());
        result != driver::Result::success)
      fail(artifact, "can't have clusters of ", blocks, " blocks with ",
           artifact.threads, " threads and ", artifact.sharedBytes,
           " bytes of shared memory each (", describe(context->driver, result),
           "): use smaller clusters");
    clusters = std::min<int64_t>(clusters, active);
  }
  resident = std::max<int64_t>(1, clusters);
}

void LoadedKernel::unload() noexcept {
  if (module && context->tryEnter())
    context->driver.moduleUnload(module);
  module = nullptr;
}

} // namespace ashlar
