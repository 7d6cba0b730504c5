#include "runtime/Cubin.h"

#include "runtime/Text.h"

#include <cstring>
#include <elf.h>
#include <string_view>
#include <vector>

namespace ashlar {
namespace {

constexpr uint16_t machineCuda = 190;
constexpr unsigned capability = 90;

/// Since CUDA 13 (version 8 of the ABI) bits 8 to 15 of the flags have the
/// compute capability, before it bits 0 to 7.
unsigned capabilityOf(const Elf64_Ehdr &header) {
  constexpr unsigned char versionOfCuda13 = 8;
  const bool isLate = header.e_ident[EI_ABIVERSION] >= versionOfCuda13;
  return header.e_flags >> (isLate ? 8 : 0) & 0xff;
}

class Cubin {
public:
  explicit Cubin(std::span<const std::byte> bytes) : bytes(bytes) {}

  std::string whyNot(const std::string &kernel) {
    Elf64_Ehdr header;
    if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB)
      return "is no ELF file";
    if (header.e_machine != machineCuda)
      return concat("is an ELF file for machine ", header.e_machine,
                    "; a GPU is ", machineCuda);
    if (unsigned its = capabilityOf(header); its != capability)
      return concat("is for compute capability ", its / 10, ".", its % 10,
                    "; the kernel is for ", capability / 10, ".",
                    capability % 10);
    if (!readTable(header.e_phoff, header.e_phnum, header.e_phentsize,
                   segments) ||
        !readTable(header.e_shoff, header.e_shnum, header.e_shentsize,
                   sections) ||
        !isWhole())
      return "is cut: its parts lie outside of it";
    return hasCode(header.e_shstrndx, ".text." + kernel)
               ? ""
               : concat("has no code of kernel '", kernel, "'");
  }

private:
  bool holds(uint64_t offset, uint64_t size) const {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  }

  template <typename T> bool read(uint64_t offset, T &value) const {
    if (!holds(offset, sizeof(T)))
      return false;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return true;
  }

  template <typename Entry>
  bool readTable(uint64_t offset, size_t count, size_t entryBytes,
                 std::vector<Entry> &entries) {
    if (count == 0)
      return true;
    if (entryBytes != sizeof(Entry) || !holds(offset, count * sizeof(Entry)))
      return false;
    entries.resize(count);
    std::memcpy(entries.data(), bytes.data() + offset, count * sizeof(Entry));
    return true;
  }

  bool isWhole() const {
    for (const Elf64_Phdr &segment : segments)
      if (!holds(segment.p_offset, segment.p_filesz))
        return false;
    for (const Elf64_Shdr &section : sections)
      if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
          !holds(section.sh_offset, section.sh_size))
        return false;
    return true;
  }

  /// Whether a section of that name is there and not empty.
  bool hasCode(size_t namesIndex, std::string_view name) const {
    if (namesIndex >= sections.size() ||
        sections[namesIndex].sh_type != SHT_STRTAB)
      return false;
    const Elf64_Shdr &names = sections[namesIndex];
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()) +
                                    names.sh_offset,
                                names.sh_size);
    for (const Elf64_Shdr &section : sections)
      if (section.sh_type == SHT_PROGBITS && section.sh_size > 0 &&
          section.sh_name < text.size() &&
          text.substr(section.sh_name, text.find('\0', section.sh_name) -
                                           section.sh_name) == name)
        return true;
    return false;
  }

  std::span<const std::byte> bytes;
  std::vector<Elf64_Phdr> segments;
  std::vector<Elf64_Shdr> sections;
};

} // namespace

std::string whyNoCubin(std::span<const std::byte> bytes,
                       const std::string &kernel) {
  return Cubin(bytes).whyNot(kernel);
}

} // namespace ashlar
