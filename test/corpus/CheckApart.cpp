#include "test/corpus/Check.h"

#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ashlar::corpus {
namespace {

constexpr int limitSeconds = 60;
/// Between the parts of a failure, and behind it: no message has them.
constexpr char partEnd = '\x1f', failureEnd = '\x1e';

/// Stands for `Outcome::lost`.
const std::string lostKind = "lost";

void writeTo(int file, const Outcome &outcome) {
  std::string text;
  for (const Failure &failure : outcome.failures)
    text += failure.kind + partEnd + failure.detail + failureEnd;
  if (outcome.lost)
    text += lostKind + partEnd + std::to_string(outcome.lost->products) + " " +
            outcome.lost->first + failureEnd;
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(file, text.data() + at, text.size() - at);
    if (written <= 0)
      return;
    at += static_cast<size_t>(written);
  }
}

Outcome parse(const std::string &text) {
  Outcome outcome;
  for (size_t at = 0; at < text.size();) {
    const size_t part = text.find(partEnd, at), end = text.find(failureEnd, at);
    if (end == std::string::npos)
      break;
    const std::string kind = text.substr(at, part - at),
                      detail = text.substr(part + 1, end - part - 1);
    if (kind == lostKind)
      outcome.lost = {std::stoll(detail), detail.substr(detail.find(' ') + 1)};
    else
      outcome.failures.push_back({kind, detail});
    at = end + 1;
  }
  return outcome;
}

/// All that comes through the pipe; false where it takes too long.
bool readAll(int file, std::string &text) {
  char part[4096];
  while (true) {
    pollfd waiting{file, POLLIN, 0};
    if (poll(&waiting, 1, limitSeconds * 1000) <= 0)
      return false;
    const ssize_t count = read(file, part, sizeof(part));
    if (count <= 0)
      return true;
    text.append(part, static_cast<size_t>(count));
  }
}

} // namespace

Outcome checkApart(const Program &program, const Effort &effort) {
  int ends[2];
  std::fflush(nullptr);
  if (pipe(ends) != 0)
    return {{{"error", "there is no pipe"}}};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    writeTo(ends[1], check(program, effort));
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  const bool ended = readAll(ends[0], text);
  close(ends[0]);
  if (!ended)
    kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome = parse(text);
  if (!ended)
    outcome.failures.push_back({"timeout", "no result in time"});
  else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    outcome.failures.push_back({"crash", "status " + std::to_string(status)});
  return outcome;
}

} // namespace ashlar::corpus
