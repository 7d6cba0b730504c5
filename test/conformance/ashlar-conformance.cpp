// ashlar-conformance: runs the conformance cases on a GPU, in the simulator, or
// on both, and tells where they differ.
#include "runtime/Files.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "test/conformance/Suite.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <map>
#include <span>
#include <sstream>

using namespace ashlar;
using namespace ashlar::conformance;

namespace {

constexpr const char *usage = R"(usage: ashlar-conformance [option...]
  --device=cuda|sim|both  where to run (both)
  --family=NAME           only the cases of this family
  --filter=TEXT           only the cases whose name has this in it
  --record FILE           write a hash of each case's exact outputs
  --against FILE          compare with such hashes instead of a second device
  --save FILE             write all that the GPU gave
  --load FILE             take what the GPU gave from such a file
  --table                 print a table of the instructions
  --dump FOLDER           write the PTX of each case to the folder; run nothing
  --list                  print the names; run nothing
  --limit-ms=N            time of a kernel (20000)
)";

struct Options {
  bool cuda = true, simulator = true, table = false, list = false;
  std::string family, filter, record, against, dump, save, load;
  unsigned limitMilliseconds = 20000;
};

[[noreturn]] void fail(const std::string &sentence) {
  std::fprintf(stderr, "error: %s\n", sentence.c_str());
  std::exit(2);
}

Options parse(int argc, char **argv) {
  Options options;
  for (int index = 1; index < argc; ++index) {
    std::string argument = argv[index];
    auto value = [&](const char *name) -> const char * {
      size_t length = std::strlen(name);
      if (argument.compare(0, length, name) != 0)
        return nullptr;
      if (argument[length] == '=')
        return argv[index] + length + 1;
      if (argument.size() == length && index + 1 < argc)
        return argv[++index];
      return nullptr;
    };
    if (argument == "--table")
      options.table = true;
    else if (argument == "--list")
      options.list = true;
    else if (const char *device = value("--device")) {
      std::string name = device;
      if (name != "cuda" && name != "sim" && name != "both")
        fail("--device is cuda, sim or both, not '" + name + "'");
      options.cuda = name != "sim";
      options.simulator = name != "cuda";
    } else if (const char *family = value("--family"))
      options.family = family;
    else if (const char *filter = value("--filter"))
      options.filter = filter;
    else if (const char *record = value("--record"))
      options.record = record;
    else if (const char *against = value("--against"))
      options.against = against;
    else if (const char *save = value("--save"))
      options.save = save;
    else if (const char *load = value("--load"))
      options.load = load;
    else if (const char *dump = value("--dump"))
      options.dump = dump;
    else if (const char *limit = value("--limit-ms")) {
      const char *end = limit + std::strlen(limit);
      unsigned &into = options.limitMilliseconds;
      if (auto [at, wrong] = std::from_chars(limit, end, into);
          wrong != std::errc() || at != end || into == 0)
        fail(std::string("--limit-ms is a number from 1 on, not '") + limit +
             "'");
    } else {
      std::fputs(usage, stderr);
      std::exit(argument == "--help" ? 0 : 2);
    }
  }
  return options;
}

std::vector<Case> chosenCases(const Options &options) {
  std::vector<Case> chosen;
  std::map<std::string, unsigned> names;
  for (Case &instance : allCases()) {
    if (names[instance.name]++)
      fail("two cases are named '" + instance.name + "'");
    if ((options.family.empty() || instance.family == options.family) &&
        instance.name.find(options.filter) != std::string::npos)
      chosen.push_back(std::move(instance));
  }
  return chosen;
}

void dump(const std::vector<Case> &cases, const std::string &folder) {
  for (size_t index = 0; index < cases.size(); ++index) {
    std::string path = folder + "/" + std::to_string(index) + ".ptx";
    std::ofstream file(path);
    file << "// " << cases[index].name << "\n" << cases[index].ptx;
    if (!file.flush())
      fail("can't write " + path);
  }
}

std::vector<Outcome> runOn(const std::vector<Case> &cases, bool cuda,
                           const Options &options) {
  std::vector<Outcome> outcomes(cases.size());
  auto open = [cuda](std::string &whyNot) -> const DriverTable * {
    if (cuda)
      return loadCudaDriver(whyNot);
    sim::settings().quiet = false;
    sim::settings().ignored.add("division-by-zero"); // operands are drawn
    return &sim::simulatorDriver();
  };
  runCases(cases, open, std::chrono::milliseconds(options.limitMilliseconds),
           [&](size_t index, Outcome outcome) {
             outcomes[index] = std::move(outcome);
           });
  return outcomes;
}

using Hashes = std::map<std::string, uint64_t>;

/// A line for each case: the hash, then the name.
Hashes readHashes(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    fail("can't read " + path);
  Hashes hashes;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    size_t space = line.find(' ');
    if (space == std::string::npos)
      fail(path + ": a line is not a hash and a name: " + line);
    hashes[line.substr(space + 1)] = std::strtoull(line.c_str(), nullptr, 16);
  }
  return hashes;
}

void write(const std::string &path, const std::string &text) {
  if (std::string whyNot =
          writeFileAtomically(path, std::as_bytes(std::span(text)));
      !whyNot.empty())
    fail("can't write " + path + ": " + whyNot);
}

void writeHashes(const std::string &path, const std::vector<Case> &cases,
                 const std::vector<Outcome> &outcomes) {
  std::ostringstream text;
  text << std::hex << std::setfill('0');
  for (size_t index = 0; index < cases.size(); ++index)
    if (uint64_t hash = hashExactOutputs(cases[index], outcomes[index]);
        outcomes[index].ran && hash)
      text << std::setw(16) << hash << ' ' << cases[index].name << '\n';
  write(path, text.str());
}

/// Outcomes of the GPU as text lines with their names, each followed by the
/// bytes of its outputs.
void saveOutcomes(const std::string &path, const std::vector<Case> &cases,
                  const std::vector<Outcome> &outcomes) {
  std::ostringstream file;
  for (size_t index = 0; index < cases.size(); ++index) {
    const Outcome &outcome = outcomes[index];
    file << cases[index].name << '\n'
         << outcome.ran << ' ' << outcome.outputs.size() << ' '
         << outcome.whyNot.substr(0, outcome.whyNot.find('\n')) << '\n';
    for (const auto &output : outcome.outputs) {
      file << output.size() << '\n';
      file.write(reinterpret_cast<const char *>(output.data()),
                 static_cast<std::streamsize>(output.size()));
    }
  }
  write(path, file.str());
}

std::vector<Outcome> loadOutcomes(const std::string &path,
                                  const std::vector<Case> &cases) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail("can't read " + path);
  std::map<std::string, Outcome> found;
  for (std::string name; std::getline(file, name);) {
    Outcome &outcome = found[name];
    std::string line;
    std::getline(file, line);
    std::istringstream words(line);
    size_t outputs = 0;
    words >> outcome.ran >> outputs;
    std::getline(words, outcome.whyNot);
    for (size_t index = 0; index < outputs; ++index) {
      std::getline(file, line);
      std::vector<uint8_t> bytes(std::strtoull(line.c_str(), nullptr, 10));
      file.read(reinterpret_cast<char *>(bytes.data()),
                static_cast<std::streamsize>(bytes.size()));
      outcome.outputs.push_back(std::move(bytes));
    }
  }
  std::vector<Outcome> outcomes;
  for (const Case &instance : cases) {
    outcomes.push_back(std::move(found[instance.name]));
    if (!outcomes.back().ran && outcomes.back().whyNot.empty())
      outcomes.back().whyNot = "it is not in " + path;
  }
  return outcomes;
}

struct Count {
  unsigned cases = 0, agreed = 0, differ = 0, notRun = 0;
};

void printRow(const std::string &name, const Count &count) {
  std::printf("| %-24s | %5u | %6u | %6u | %7u |\n", name.c_str(), count.cases,
              count.agreed, count.differ, count.notRun);
}

void printTable(const std::map<std::string, Count> &rows) {
  std::printf("| %-24s | cases | agreed | differ | not run |\n", "");
  std::printf(
      "|--------------------------|-------|--------|--------|---------|\n");
  for (const auto &[name, count] : rows)
    printRow(name, count);
}

/// "mad" of "mad.lo.s32".
std::string instructionOf(const Case &instance) {
  return instance.name.substr(0, instance.name.find_first_of(". "));
}

} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  std::vector<Case> cases = chosenCases(options);
  if (options.list || !options.dump.empty()) {
    if (options.list)
      for (const Case &instance : cases)
        std::printf("%s %s\n", instance.family.c_str(), instance.name.c_str());
    if (!options.dump.empty())
      dump(cases, options.dump);
    return 0;
  }
  std::vector<Outcome> gpu, simulated;
  if (!options.load.empty())
    gpu = loadOutcomes(options.load, cases);
  else if (options.cuda)
    gpu = runOn(cases, true, options);
  if (options.simulator)
    simulated = runOn(cases, false, options);
  const std::vector<Outcome> &main = options.simulator ? simulated : gpu;
  if (!options.save.empty())
    saveOutcomes(options.save, cases, gpu);
  if (!options.record.empty())
    writeHashes(options.record, cases, gpu.empty() ? simulated : gpu);
  Hashes hashes;
  if (!options.against.empty())
    hashes = readHashes(options.against);

  Count all;
  std::map<std::string, Count> families, instructions;
  for (size_t index = 0; index < cases.size(); ++index) {
    const Case &instance = cases[index];
    std::string why;
    bool ran = main[index].ran;
    if (!ran)
      why = "not run: " + main[index].whyNot;
    if (ran && !gpu.empty() && options.simulator) {
      ran = gpu[index].ran;
      why = ran ? compare(instance, gpu[index], simulated[index])
                : "not run on the GPU: " + gpu[index].whyNot;
    } else if (auto found = hashes.find(instance.name);
               ran && found != hashes.end()) {
      if (hashExactOutputs(instance, main[index]) != found->second)
        why = "differs from what " + options.against + " records";
    }
    auto count = [&](Count &into) {
      ++into.cases;
      ++(!ran ? into.notRun : why.empty() ? into.agreed : into.differ);
    };
    count(all);
    count(families[instance.family]);
    count(instructions[instance.family + " " + instructionOf(instance)]);
    if (!why.empty())
      std::printf("%s %s: %s\n", instance.family.c_str(), instance.name.c_str(),
                  why.c_str());
  }
  if (options.table) {
    printTable(families);
    printTable(instructions);
  }
  std::printf("%u cases: %u agreed, %u differ, %u not run\n", all.cases,
              all.agreed, all.differ, all.notRun);
  return all.differ || all.notRun ? 1 : 0;
}
