// The cache when its writers are killed, when many use it at once, and on disks
// that are full or can't be written: what it gives is what was asked for.
//
//   ashlar-stress-cache [--kills=N] [--processes=N]
//                       [--program-kills=N] [--program-processes=N] PROGRAM...
//
// The programs are kernels such as examples/gemm, which run in the simulator
// and compare with their references. They are killed, and run at once, as well.

#include "ashlar/cache.h"
#include "runtime/Files.h"
#include "test/Cubin.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <random>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ashlar;
namespace fs = std::filesystem;

namespace {

struct Options {
  int kills = 2000, processes = 50, programKills = 100, programProcesses = 50;
  std::vector<std::string> programs;
};

struct Count {
  int64_t found = 0, absent = 0, wrong = 0;
};

const char *const keys[] = {"0a", "1b", "2c", "3d", "4e", "5f", "60", "71"};

/// A kernel that only this key has, long enough to be killed in its middle.
Artifact artifactOf(const std::string &key) {
  Artifact artifact;
  artifact.name = "kernel_" + key;
  artifact.target = "sm_90a";
  for (int i = 0; i < 50000; ++i)
    artifact.ptx += key;
  artifact.cubin = test::cubinOf(artifact.name, 100000,
                                 std::byte(std::stoi(key, nullptr, 16)));
  artifact.threads = 128;
  return artifact;
}

void look(const fs::path &directory, const std::string &key, Count &count) {
  const std::optional<Artifact> found = Cache(directory).find(key);
  ++(!found                      ? count.absent
     : *found == artifactOf(key) ? count.found
                                 : count.wrong);
}

void lookAtAll(const fs::path &directory, Count &count) {
  for (const char *key : keys)
    look(directory, key, count);
}

pid_t inChild(const std::function<int()> &body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int status = body();
    std::fflush(stdout);
    _exit(status);
  }
  return child;
}

int statusOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void killAfter(pid_t child, std::mt19937 &random, int mostMicroseconds) {
  std::this_thread::sleep_for(
      std::chrono::microseconds(random() % mostMicroseconds));
  kill(child, SIGKILL);
  statusOf(child);
}

bool report(const char *what, int times, const Count &count) {
  std::printf("%-20s %5d: found %lld, absent %lld, wrong %lld\n", what, times,
              static_cast<long long>(count.found),
              static_cast<long long>(count.absent),
              static_cast<long long>(count.wrong));
  return count.wrong == 0;
}

bool killWriters(const fs::path &directory, int kills) {
  std::mt19937 random(1);
  Count count;
  for (int i = 0; i < kills; ++i) {
    const unsigned first = random();
    killAfter(inChild([&] {
                for (unsigned n = first;; ++n) {
                  const char *key = keys[n % std::size(keys)];
                  Cache(directory).store(key, artifactOf(key));
                }
                return 0;
              }),
              random, 10000);
    lookAtAll(directory, count);
  }
  Cache(directory).store(keys[0], artifactOf(keys[0]));
  for (const auto &entry : fs::directory_iterator(directory))
    count.wrong += entry.path().native().ends_with(unfinishedSuffix);
  return report("killed writers", kills, count);
}

/// Each looks for a kernel, and stores it where there is none.
bool crowd(const fs::path &directory, int processes) {
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i)
    children.push_back(inChild([&, i] {
      std::mt19937 random(i);
      Count count;
      for (int round = 0; round < 40; ++round) {
        const char *key = keys[random() % std::size(keys)];
        look(directory, key, count);
        if (random() % 4 == 0)
          Cache(directory).store(key, artifactOf(key));
      }
      return count.wrong ? 1 : 0;
    }));
  Count count;
  for (pid_t child : children)
    ++(statusOf(child) == 0 ? count.found : count.wrong);
  return report("processes", processes, count);
}

/// Whether this process has a disk of its own at the directory.
bool mountDisk(const fs::path &directory) {
  return (unshare(CLONE_NEWNS) == 0 ||
          unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=1m,mode=0700") ==
             0;
}

constexpr int noDisk = 77;

int onFullDisk(const fs::path &directory) {
  if (!mountDisk(directory))
    return noDisk;
  Count count;
  for (int round = 0; round < 20; ++round)
    for (const char *key : keys) {
      Cache(directory).store(key, artifactOf(key));
      lookAtAll(directory, count);
    }
  // Some fit, and not all of them.
  return report("stored, full disk", 160, count) && count.found > 0 &&
                 count.absent > 0
             ? 0
             : 1;
}

int onReadOnlyDisk(const fs::path &directory) {
  if (!mountDisk(directory))
    return noDisk;
  Cache(directory).store(keys[0], artifactOf(keys[0]));
  if (mount(nullptr, directory.c_str(), nullptr, MS_REMOUNT | MS_RDONLY,
            nullptr) != 0)
    return noDisk;
  Count count;
  for (const char *key : keys) {
    Cache(directory).store(key, artifactOf(key));
    look(directory, key, count);
  }
  return report("stored, read-only", 8, count) && count.found == 1 ? 0 : 1;
}

bool onDisk(const char *what, int (*body)(const fs::path &),
            const fs::path &directory) {
  fs::create_directory(directory);
  const int status = statusOf(inChild([&] { return body(directory); }));
  if (WIFEXITED(status) && WEXITSTATUS(status) == noDisk)
    std::printf("%s: not tried, no disk can be mounted here\n", what);
  return status == 0 || WEXITSTATUS(status) == noDisk;
}

pid_t start(const std::string &program) {
  return inChild([&] {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execl(program.c_str(), program.c_str(), "--run", "--device=sim", nullptr);
    return 127;
  });
}

bool runPrograms(const fs::path &directory, const Options &options) {
  setenv("ASHLAR_CACHE_DIR", directory.c_str(), 1);
  std::mt19937 random(1);
  const std::vector<std::string> &programs = options.programs;
  Count killed, crowded;
  for (int i = 0; i < options.programKills; ++i) {
    const std::string &program = programs[random() % programs.size()];
    killAfter(start(program), random, 400000);
    ++(statusOf(start(program)) == 0 ? killed.found : killed.wrong);
    if (i % 10 == 0)
      fs::remove_all(directory);
  }
  fs::remove_all(directory);
  std::vector<pid_t> children;
  for (int i = 0; i < options.programProcesses; ++i)
    children.push_back(start(programs[i % programs.size()]));
  for (pid_t child : children)
    ++(statusOf(child) == 0 ? crowded.found : crowded.wrong);
  const bool isRight = report("killed programs", options.programKills, killed);
  return report("programs at once", options.programProcesses, crowded) &&
         isRight;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    auto number = [&] {
      return std::stoi(argument.substr(argument.find('=') + 1));
    };
    if (argument.starts_with("--kills="))
      options.kills = number();
    else if (argument.starts_with("--processes="))
      options.processes = number();
    else if (argument.starts_with("--program-kills="))
      options.programKills = number();
    else if (argument.starts_with("--program-processes="))
      options.programProcesses = number();
    else
      options.programs.push_back(argument);
  }
  return options;
}

} // namespace

int main(int argc, char **argv) {
  const Options options = parse(argc, argv);
  std::string pattern = (fs::temp_directory_path() / "cache-XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  bool isRight = killWriters(folder / "killed", options.kills);
  isRight &= crowd(folder / "crowd", options.processes);
  isRight &= onDisk("full disk", onFullDisk, folder / "full");
  isRight &= onDisk("read-only disk", onReadOnlyDisk, folder / "read-only");
  if (!options.programs.empty())
    isRight &= runPrograms(folder / "programs", options);
  fs::remove_all(folder);
  return isRight ? 0 : 1;
}
