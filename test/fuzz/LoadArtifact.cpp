#include "test/fuzz/LoadArtifact.h"

#include "tool/RunSaved.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ashlar::fuzz {
namespace {

constexpr rlim_t limitSeconds = 10;
constexpr rlim_t limitBytes = rlim_t(4) << 30;

enum Status { ran, refused, foreign };

/// Whether the words are a library's.
bool isForeign(const std::string &text) {
  for (const char *word :
       {"json.exception", "std::", "basic_string", "vector::", "stoi", "stol",
        "bad_alloc", "length_error", "out_of_range", "map::at"})
    if (text.find(word) != text.npos)
      return true;
  return false;
}

Status load(const std::string &path, std::string &said) {
  harness::RunOptions options;
  options.device.name = "sim";
  try {
    harness::runSaved(ashlar::load(path), options, /*zeros=*/{},
                      /*bench=*/false);
    return ran;
  } catch (const Error &error) {
    said = error.what();
    return isForeign(said) ? foreign : refused;
  } catch (const std::exception &error) {
    said = error.what();
    return foreign;
  }
}

/// RLIMIT_CPU kills.
bool isLate(int signal) {
  return signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL;
}

bool usesSanitizer() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return true;
#endif
#endif
  return false;
}

} // namespace

LoadOutcome loadAndRun(const std::string &path) {
  int ends[2];
  LoadOutcome outcome;
  if (pipe(ends) != 0) {
    outcome.fault = "there is no pipe";
    return outcome;
  }
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    const rlimit none = {0, 0}, memory = {limitBytes, limitBytes};
    setrlimit(RLIMIT_CORE, &none);
    if (!usesSanitizer())
      setrlimit(RLIMIT_AS, &memory);
    // Of all its threads; the machine may have other things to do.
    const rlimit time = {limitSeconds, limitSeconds};
    setrlimit(RLIMIT_CPU, &time);
    alarm(20 * limitSeconds);
    setenv("ASHLAR_SIM_THREADS", "1", 1);
    std::string said;
    const Status status = load(path, said);
    if (status == foreign && write(ends[1], said.data(), said.size()) < 0)
      abort();
    _exit(status);
  }
  close(ends[1]);
  char text[4096];
  std::string said;
  while (const ssize_t got = read(ends[0], text, sizeof(text))) {
    if (got < 0)
      break;
    said.append(text, static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    outcome.fault = isLate(WTERMSIG(status)) ? "takes more than 10 s"
                                             : strsignal(WTERMSIG(status));
  else if (WEXITSTATUS(status) > refused)
    outcome.fault = said.empty() ? "exit" : said;
  outcome.isRun = WIFEXITED(status) && WEXITSTATUS(status) == ran;
  return outcome;
}

} // namespace ashlar::fuzz
