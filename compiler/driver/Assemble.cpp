#include "compiler/driver/Assemble.h"

#include "compiler/driver/MemoryFile.h"
#include "runtime/Cubin.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <array>
#include <cstdlib>
#include <span>

namespace ashlar::compiler {

namespace {

/// Leads from a line of the PTX text to the author's: the `.loc` before it.
class PtxLines {
public:
  explicit PtxLines(llvm::StringRef ptx) { ptx.split(lines, '\n'); }

  /// The author's line of a 1-based line of PTX.
  SourceLine of(size_t line) const {
    SourceLine found;
    llvm::StringRef file;
    line = std::min(line, lines.size());
    for (llvm::StringRef text : llvm::ArrayRef(lines).take_front(line))
      if (auto [word, number, row, column] = wordsOf(text); word == ".loc") {
        file = number;
        row.getAsInteger(10, found.line);
        column.getAsInteger(10, found.column);
      }
    for (llvm::StringRef text : lines)
      if (auto [word, number, name, rest] = wordsOf(text);
          word == ".file" && number == file)
        found.file = text.split('"').second.rsplit('"').first.str();
    return found;
  }

private:
  /// The first words of a directive.
  static std::array<llvm::StringRef, 4> wordsOf(llvm::StringRef text) {
    std::array<llvm::StringRef, 4> words;
    if (text.ltrim().starts_with("."))
      for (llvm::StringRef &word : words)
        std::tie(word, text) = llvm::getToken(text, " \t,");
    return words;
  }

  llvm::SmallVector<llvm::StringRef> lines;
};

/// What ptxas printed, line by line.
class Report {
public:
  Report(llvm::StringRef text, const PtxLines &lines, const SourceLine &kernel)
      : text(text), lines(lines), kernel(kernel) {}

  SourceLine place(llvm::StringRef line) const {
    llvm::SmallVector<llvm::StringRef> match;
    size_t number = 0;
    if (llvm::Regex("line ([0-9]+)").match(line, &match))
      match[1].getAsInteger(10, number);
    SourceLine found = lines.of(number);
    return found.line ? found : kernel;
  }

  [[noreturn]] void fail(const std::string &ptxas) const {
    if (text.contains("Unsupported .version"))
      throw Error(kernel,
                  ptxas + " is too old for this PTX: " + howToHavePtxas);
    llvm::SmallVector<llvm::StringRef> all;
    text.split(all, '\n', -1, false);
    for (llvm::StringRef line : all)
      // That there are errors says nothing of which.
      if (line.contains("error") && !line.contains("aborted due to errors"))
        throw Error(place(line),
                    "the assembler refused the program: " + line.trim().str());
    throw Error(kernel, "the assembler failed: " + text.trim().str());
  }

  Resources resources() const {
    Resources result;
    auto number = [&](llvm::StringRef pattern) {
      llvm::SmallVector<llvm::StringRef> match;
      int value = 0;
      if (llvm::Regex(pattern).match(text, &match))
        match[1].getAsInteger(10, value);
      return value;
    };
    result.registers = number("Used ([0-9]+) registers");
    result.spillStoreBytes = number("([0-9]+) bytes spill stores");
    result.spillLoadBytes = number("([0-9]+) bytes spill loads");
    result.stackBytes = number("([0-9]+) bytes stack frame");
    return result;
  }

  void addWarnings(std::vector<Warning> &warnings) const {
    llvm::SmallVector<llvm::StringRef> all;
    text.split(all, '\n', -1, false);
    for (llvm::StringRef line : all)
      if (line.contains("(C75") || line.contains("warning"))
        warnings.push_back(
            {place(line), "the assembler remarks: " + line.trim().str()});
    Resources used = resources();
    if (used.spillStoreBytes || used.spillLoadBytes)
      warnings.push_back(
          {kernel, "registers spill to memory: " +
                       std::to_string(used.spillStoreBytes) +
                       " bytes of stores, " +
                       std::to_string(used.spillLoadBytes) +
                       " of loads per thread; use a smaller tile, more "
                       "warpgroups, or a larger register budget"});
  }

private:
  llvm::StringRef text;
  const PtxLines &lines;
  SourceLine kernel;
};

/// The text with a file's name for its path.
std::string withName(std::string text, const std::string &path,
                     const std::string &name) {
  for (size_t at = 0; (at = text.find(path, at)) != text.npos;
       at += name.size())
    text.replace(at, path.size(), name);
  return text;
}

} // namespace

std::string findPtxas() {
  if (const char *path = std::getenv("ASHLAR_PTXAS"))
    return path;
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  for (const char *path : {"/usr/local/cuda/bin/ptxas", ASHLAR_OWN_PTXAS})
    if (llvm::sys::fs::can_execute(path))
      return path;
  return "";
}

void assemble(Artifact &artifact, std::vector<Warning> &warnings) {
  std::string ptxas = findPtxas();
  if (ptxas.empty())
    throw Error(std::string("no ptxas found: ") + howToHavePtxas);
  MemoryFile ptx, cubin, log;
  ptx.write(artifact.ptx);
  const std::string ptxPath = ptx.path(), cubinPath = cubin.path(),
                    logPath = log.path();
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), logPath,
                                                logPath};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, "-arch=sm_90a", "-v", ptxPath, "-o", cubinPath},
      std::nullopt, redirects, /*SecondsToWait=*/120, /*MemoryLimit=*/0,
      &error);
  std::string text = withName(log.read(), ptxPath, artifact.name + ".ptx");
  PtxLines lines(artifact.ptx);
  Report report(text, lines, artifact.where);
  if (status < 0)
    throw Error("cannot run " + ptxas + ": " + error + ": " + howToHavePtxas);
  if (status > 0)
    report.fail(ptxas);
  std::string code = cubin.read();
  auto bytes = std::as_bytes(std::span(code));
  if (std::string whyNot = whyNoCubin(bytes, artifact.name); !whyNot.empty())
    throw Error(artifact.where, "what " + ptxas + " made of the program " +
                                    whyNot + ": " + howToHavePtxas);
  artifact.cubin.assign(bytes.begin(), bytes.end());
  artifact.resources = report.resources();
  report.addWarnings(warnings);
}

} // namespace ashlar::compiler
