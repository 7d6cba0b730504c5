// Cases in child processes: a hang, a crash or an error that sticks to a device
// costs one case, not the rest.
#include "test/conformance/Suite.h"

#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ashlar::conformance {

namespace {

using Milliseconds = std::chrono::milliseconds;

void writeAll(int descriptor, const void *bytes, size_t size) {
  const char *at = static_cast<const char *>(bytes);
  while (size) {
    ssize_t written = write(descriptor, at, size);
    if (written <= 0)
      _exit(1);
    at += written;
    size -= static_cast<size_t>(written);
  }
}

/// Reads `size` bytes; false at the end of the stream or after the time.
bool readAll(int descriptor, void *bytes, size_t size, Milliseconds limit) {
  char *at = static_cast<char *>(bytes);
  while (size) {
    pollfd waiting{descriptor, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(limit.count())) <= 0)
      return false;
    ssize_t got = read(descriptor, at, size);
    if (got <= 0)
      return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

struct Header {
  uint64_t index = 0;
  uint64_t ran = 0;
  uint64_t parts = 0; // each: its size, then its bytes
};

void send(int descriptor, size_t index, const Outcome &outcome) {
  Header header{index, outcome.ran,
                outcome.ran ? outcome.outputs.size() : uint64_t(1)};
  writeAll(descriptor, &header, sizeof header);
  auto sendPart = [&](const void *bytes, uint64_t size) {
    writeAll(descriptor, &size, sizeof size);
    writeAll(descriptor, bytes, size);
  };
  if (!outcome.ran)
    sendPart(outcome.whyNot.data(), outcome.whyNot.size());
  else
    for (const auto &output : outcome.outputs)
      sendPart(output.data(), output.size());
}

bool receive(int descriptor, Outcome &outcome, Milliseconds limit) {
  Header header;
  if (!readAll(descriptor, &header, sizeof header, limit))
    return false;
  outcome.ran = header.ran;
  for (uint64_t part = 0; part < header.parts; ++part) {
    uint64_t size = 0;
    if (!readAll(descriptor, &size, sizeof size, limit))
      return false;
    std::vector<uint8_t> bytes(size);
    if (!readAll(descriptor, bytes.data(), size, limit))
      return false;
    if (outcome.ran)
      outcome.outputs.push_back(std::move(bytes));
    else
      outcome.whyNot.assign(bytes.begin(), bytes.end());
  }
  return true;
}

std::string failedStep(const DriverTable &driver, const char *step,
                       driver::Result result) {
  return std::string(step) + ": " + describe(driver, result);
}

/// The device of this process, made current; an error as text.
std::string openDevice(const DriverTable &driver) {
  using driver::Result;
  if (Result result = driver.init(0); result != Result::success)
    return failedStep(driver, "init", result);
  driver::DeviceOrdinal device = 0;
  if (Result result = driver.deviceGet(&device, 0); result != Result::success)
    return failedStep(driver, "device", result);
  driver::ContextHandle context = nullptr;
  if (Result result = driver.primaryContextRetain(&context, device);
      result != Result::success)
    return failedStep(driver, "context", result);
  if (Result result = driver.contextSetCurrent(context);
      result != Result::success)
    return failedStep(driver, "context", result);
  return "";
}

[[noreturn]] void
work(const std::vector<Case> &cases, size_t begin,
     const std::function<const DriverTable *(std::string &)> &openDriver,
     Milliseconds limit, int descriptor) {
  std::string whyNot;
  const DriverTable *driver = openDriver(whyNot);
  if (driver)
    whyNot = openDevice(*driver);
  for (size_t index = begin; index < cases.size(); ++index) {
    Outcome outcome;
    outcome.whyNot = whyNot;
    bool broken = false;
    if (whyNot.empty())
      outcome = runCase(*driver, cases[index], limit, broken);
    send(descriptor, index, outcome);
    if (broken)
      break;
  }
  _exit(0);
}

} // namespace

void runCases(
    const std::vector<Case> &cases,
    const std::function<const DriverTable *(std::string &)> &openDriver,
    Milliseconds limit, const std::function<void(size_t, Outcome)> &onOutcome) {
  // Opening a device and translating a kernel take their time as well.
  const Milliseconds patience = limit + std::chrono::seconds(30);
  for (size_t next = 0; next < cases.size();) {
    int ends[2];
    if (pipe(ends) != 0)
      throw std::runtime_error("no pipe to a child process");
    std::fflush(nullptr);
    pid_t child = fork();
    if (child < 0)
      throw std::runtime_error("no child process");
    if (child == 0) {
      close(ends[0]);
      work(cases, next, openDriver, limit, ends[1]);
    }
    close(ends[1]);
    size_t before = next;
    while (next < cases.size()) {
      Outcome outcome;
      if (!receive(ends[0], outcome, patience))
        break;
      onOutcome(next++, std::move(outcome));
    }
    close(ends[0]);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    // The child ended without an outcome of the case that it was at.
    bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (next < cases.size() && (!ended || next == before)) {
      Outcome lost;
      lost.whyNot = WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL
                        ? "the process crashed: " +
                              std::string(strsignal(WTERMSIG(status)))
                        : "the process did not answer in time";
      onOutcome(next++, std::move(lost));
    }
  }
}

} // namespace ashlar::conformance
