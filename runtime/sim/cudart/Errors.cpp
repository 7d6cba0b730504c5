// What errors are called and mean, and the last one of a thread.
#include "runtime/sim/cudart/Errors.h"

#include "runtime/sim/cudart/Export.h"

#include <cctype>
#include <map>
#include <mutex>
#include <set>

namespace ashlar::sim::cudart {
namespace {

const char *nameOf(Error error) {
  switch (static_cast<int>(error)) {
#define ASHLAR_ERROR(number, name)                                             \
  case number:                                                                 \
    return "cuda" #name;
#include "runtime/sim/cudart/ErrorNames.def"
#undef ASHLAR_ERROR
  }
  return nullptr;
}

/// "invalid pitch value" of cudaErrorInvalidPitchValue.
std::string wordsOf(const std::string &name) {
  std::string words;
  for (size_t i = std::string("cudaError").size(); i < name.size(); ++i) {
    const bool begins = std::isupper(static_cast<unsigned char>(name[i]));
    if (begins && !words.empty())
      words += ' ';
    words +=
        static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return words;
}

/// A program may keep the pointer, so texts are never freed; each is kept once.
const char *keep(const std::string &text) {
  static std::mutex &mutex = *new std::mutex;
  static std::set<std::string> &texts = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  return texts.insert(text).first->c_str();
}

// Nothing is freed when the thread ends: a program's last objects may ask after
// that.
thread_local Error last = Error::success;
thread_local std::map<Error, const char *> *reasons = nullptr;

} // namespace

Error record(Error error) {
  if (error != Error::success)
    last = error;
  return error;
}

Error record(Result result) {
  const auto error = static_cast<Error>(result);
  if (reasons)
    reasons->erase(error);
  return record(error);
}

Error refuse(Error error, const std::string &reason) {
  if (!reasons)
    reasons = new std::map<Error, const char *>;
  (*reasons)[error] = keep(reason);
  return error;
}

std::string describe(Error error) {
  if (error == Error::success)
    return "no error";
  if (reasons)
    if (auto found = reasons->find(error); found != reasons->end())
      return found->second;
  const char *text = nullptr;
  if (cuGetErrorString(static_cast<Result>(error), &text) == Result::success)
    return text;
  const char *name = nameOf(error);
  return name ? wordsOf(name) : "unrecognized error code";
}

} // namespace ashlar::sim::cudart

using namespace ashlar::sim::cudart;

ASHLAR_CUDART Error cudaPeekAtLastError() { return last; }

// What a launch found stays: nothing on the device can be trusted any more.
ASHLAR_CUDART Error cudaGetLastError() {
  const Error error = last;
  if (error != Error::launchFailure)
    last = Error::success;
  return error;
}

ASHLAR_CUDART const char *cudaGetErrorName(Error error) {
  const char *name = nameOf(error);
  return name ? name : "unrecognized error code";
}

ASHLAR_CUDART const char *cudaGetErrorString(Error error) {
  return keep(describe(error));
}
