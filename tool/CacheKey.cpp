#include "tool/CacheKey.h"

#include "compiler/driver/Assemble.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA256.h"

#include <elf.h>
#include <filesystem>
#include <link.h>

namespace ashlar::tooling {

namespace {

/// The description of the note NT_GNU_BUILD_ID in a segment of notes.
std::string findBuildId(const char *notes, size_t size) {
  auto padded = [](size_t bytes) { return (bytes + 3) & ~size_t(3); };
  while (size >= sizeof(ElfW(Nhdr))) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes);
    const char *name = notes + sizeof(*note);
    const char *description = name + padded(note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID)
      return std::string(description, note->n_descsz);
    const size_t step = description + padded(note->n_descsz) - notes;
    if (step > size)
      break;
    notes += step;
    size -= step;
  }
  return "";
}

/// The build id of the program, which contains the compiler.
std::string programBuildId() {
  std::string id;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *result) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto &segment = object->dlpi_phdr[i];
          auto &id = *static_cast<std::string *>(result);
          if (segment.p_type == PT_NOTE && id.empty())
            id = findBuildId(reinterpret_cast<const char *>(object->dlpi_addr +
                                                            segment.p_vaddr),
                             segment.p_memsz);
        }
        return 1; // the first object is the program
      },
      &id);
  return id;
}

/// Path, size and time of change: a new toolkit in the old place differs.
std::string describeAssembler() {
  const std::string path = compiler::findPtxas();
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const auto changed = std::filesystem::last_write_time(path, error);
  return path + " " + std::to_string(size) + " " +
         std::to_string(changed.time_since_epoch().count());
}

} // namespace

std::optional<std::string> cacheKey(const std::string &tileIr,
                                    const CompileOptions &options) {
  const std::string program = programBuildId();
  if (program.empty())
    return std::nullopt;
  const std::string parts[] = {
      "Ashlar " ASHLAR_VERSION,
      "LLVM " LLVM_VERSION_STRING,
      program,
      options.assemble ? describeAssembler() : "",
      options.source_lines ? "source lines" : "",
      options.check_expectations ? "expectations" : "",
      options.check_indices ? "indices" : "",
      tileIr,
  };
  llvm::SHA256 digest;
  for (const std::string &part : parts) {
    digest.update(std::to_string(part.size()) + ":");
    digest.update(part);
  }
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

} // namespace ashlar::tooling
