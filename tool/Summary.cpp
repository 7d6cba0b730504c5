#include "tool/Summary.h"

#include "ashlar/cache.h"
#include "runtime/Files.h"

#include <filesystem>
#include <iomanip>
#include <span>
#include <sstream>

namespace ashlar::tooling {

namespace {

class Lines {
public:
  std::ostream &operator()(const char *label) {
    text << (first ? "" : "\n") << "  " << std::left << std::setw(15) << label
         << std::right;
    first = false;
    return text;
  }
  std::string str() const { return text.str() + "\n"; }

private:
  bool first = true;
  std::ostringstream text;
};

std::string joined(std::span<const int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : "x") + std::to_string(number);
  return text;
}

std::string kibibytes(int64_t bytes) {
  std::ostringstream text;
  text << std::setprecision(4) << static_cast<double>(bytes) / 1024 << " KiB";
  return text.str();
}

void addGrid(Lines &line, const Artifact &artifact) {
  const GridRule &grid = artifact.grid;
  std::ostream &out = line("tile");
  if (grid.spaces.empty())
    out << "one, ";
  for (const TileSpace &space : grid.spaces)
    out << joined(space.tile) << (space.persistent ? ", persistent, " : ", ");
  if (!grid.cluster.empty())
    out << "clusters of " << joined(grid.cluster) << ", ";
  out << artifact.threads << " threads";
}

void addRoles(Lines &line, const Artifact &artifact) {
  for (const RoleInfo &role : artifact.roles) {
    std::ostream &out = line(&role == &artifact.roles.front() ? "roles" : "");
    out << role.name << ": warp";
    if (role.warps > 1)
      out << "s " << role.firstWarp << " to "
          << role.firstWarp + role.warps - 1;
    else
      out << " " << role.firstWarp;
    if (role.registers)
      out << ", " << role.registers << " registers";
  }
}

void addPipelines(Lines &line, const Artifact &artifact) {
  for (const PipelineInfo &pipeline : artifact.pipelines) {
    std::ostream &out =
        line(&pipeline == &artifact.pipelines.front() ? "stages" : "");
    out << pipeline.stages << " of " << kibibytes(pipeline.stageBytes);
    if (std::string place = pipeline.where.str(); !place.empty())
      out << " (" << place << ")";
  }
}

void addResources(Lines &line, const Artifact &artifact) {
  line("shared memory") << kibibytes(artifact.sharedBytes);
  const Resources &used = artifact.resources;
  if (artifact.cubin.empty()) {
    line("registers")
        << "not known without ptxas, whose path ASHLAR_PTXAS is; the driver "
           "assembles the PTX";
    return;
  }
  std::ostream &out = line("registers");
  out << used.registers << " per thread at the start, ";
  if (used.spillStoreBytes || used.spillLoadBytes)
    out << used.spillStoreBytes << " bytes spilled, " << used.spillLoadBytes
        << " bytes loaded back";
  else
    out << "no spills";
}

void addNotes(Lines &line, const std::vector<Note> &notes) {
  for (const Note &note : notes) {
    std::ostream &out = line(&note == &notes.front() ? "notes" : "");
    if (std::string place = note.where.str(); !place.empty())
      out << place << ": ";
    out << note.message;
  }
}

void addTimes(Lines &line, const std::vector<StepTime> &times) {
  std::ostream &out = line("compile time");
  out << std::fixed << std::setprecision(1);
  double toPtx = 0, total = 0;
  for (const StepTime &time : times) {
    out << time.step << " " << time.milliseconds << " ms, ";
    total += time.milliseconds;
    if (time.step != "cubin")
      toPtx += time.milliseconds;
  }
  out << "to PTX " << toPtx << " ms, in all " << total << " ms";
}

} // namespace

std::string summarize(const Compilation &compiled) {
  const Artifact &artifact = compiled.artifact;
  Lines line;
  addGrid(line, artifact);
  addPipelines(line, artifact);
  addRoles(line, artifact);
  addResources(line, artifact);
  addNotes(line, compiled.notes);
  addTimes(line, compiled.times);
  return line.str();
}

std::string writePtx(const Artifact &artifact) {
  std::error_code unread;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unread);
  const auto bytes = std::as_bytes(std::span(artifact.ptx));
  std::string problem = "there is no folder to write to";
  for (const auto &folder :
       {program.parent_path(), Cache::default_directory()}) {
    if (folder.empty())
      continue;
    const auto path = folder / (artifact.name + ".ptx");
    problem = writeFileAtomically(path, bytes);
    if (problem.empty())
      return path.string();
  }
  return "(not written: " + problem + "; --emit=ptx prints it)";
}

} // namespace ashlar::tooling
