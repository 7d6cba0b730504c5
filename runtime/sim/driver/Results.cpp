// What results are called and mean.
#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/State.h"
#include "runtime/sim/machine/ShortNames.h"

#include <array>
#include <map>
#include <set>

namespace ashlar::sim {
namespace {

struct Description {
  const char *name;
  const char *text;
};

const std::map<int, Description> descriptions = {
    {0, {"CUDA_SUCCESS", "no error"}},
    {1, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
    {2, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
    {3, {"CUDA_ERROR_NOT_INITIALIZED", "initialization error"}},
    {100, {"CUDA_ERROR_NO_DEVICE", "there is no device"}},
    {101, {"CUDA_ERROR_INVALID_DEVICE", "the simulator has device 0 only"}},
    {200, {"CUDA_ERROR_INVALID_IMAGE", "the image is not PTX text"}},
    {201, {"CUDA_ERROR_INVALID_CONTEXT", "invalid context"}},
    {209, {"CUDA_ERROR_NO_BINARY_FOR_GPU", "no PTX in the image"}},
    {218, {"CUDA_ERROR_INVALID_PTX", "the PTX was not understood"}},
    {301, {"CUDA_ERROR_FILE_NOT_FOUND", "file not found"}},
    {400, {"CUDA_ERROR_INVALID_HANDLE", "invalid handle"}},
    {401, {"CUDA_ERROR_ILLEGAL_STATE", "not possible in this state"}},
    {500, {"CUDA_ERROR_NOT_FOUND", "no symbol of this name"}},
    {600, {"CUDA_ERROR_NOT_READY", "not ready"}},
    {700, {"CUDA_ERROR_ILLEGAL_ADDRESS", "illegal memory access"}},
    {719, {"CUDA_ERROR_LAUNCH_FAILED", "a launch has failed"}},
    {720,
     {"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
      "more blocks in a cooperative launch than fit the device"}},
    {801, {"CUDA_ERROR_NOT_SUPPORTED", "the simulator does not have this"}},
    {900,
     {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
      "not possible while a stream is captured"}},
    {903,
     {"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
      "the stream is not being captured"}},
    {907, {"CUDA_ERROR_CAPTURED_EVENT", "the event was recorded in a capture"}},
    {912, {"CUDA_ERROR_INVALID_CLUSTER_SIZE", "invalid cluster size"}},
    {999, {"CUDA_ERROR_UNKNOWN", "unknown error"}},
};

/// A program may keep the pointer, so texts are never freed; each is kept once.
const char *keep(const std::string &text) {
  static std::mutex &mutex = *new std::mutex;
  static std::set<std::string> &texts = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  return texts.insert(text).first->c_str();
}

/// The last reason for each code in this thread. Nothing is freed when the
/// thread ends: a program's last objects may call the driver after that.
thread_local std::array<const char *, 1000> reasons = {};

} // namespace

Result refuse(Result code, const std::string &reason) {
  reasons.at(static_cast<size_t>(code)) = keep(withShortNames(reason));
  return code;
}

namespace calls {

Result getErrorName(Result error, const char **name) {
  if (!name)
    return Result::invalidValue;
  auto found = descriptions.find(static_cast<int>(error));
  *name = found == descriptions.end() ? nullptr : found->second.name;
  return *name ? Result::success : Result::invalidValue;
}

Result getErrorString(Result error, const char **text) {
  if (!text)
    return Result::invalidValue;
  *text = nullptr;
  if (error == Result::launchFailed) {
    State &all = state();
    std::lock_guard lock(all.lock);
    if (!all.failure.empty())
      *text = keep(all.failure);
  }
  if (const auto index = static_cast<size_t>(error);
      !*text && index < reasons.size())
    *text = reasons[index];
  if (auto found = descriptions.find(static_cast<int>(error));
      !*text && found != descriptions.end())
    *text = found->second.text;
  return *text ? Result::success : Result::invalidValue;
}

} // namespace calls
} // namespace ashlar::sim
