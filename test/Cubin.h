// The smallest thing that passes for machine code.
#pragma once

#include <cstddef>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace ashlar::test {

/// An ELF file for compute capability 9.0 with that much code of a kernel.
inline std::vector<std::byte> cubinOf(const std::string &kernel,
                                      size_t codeBytes = 16,
                                      std::byte code = std::byte(0)) {
  const std::string names = std::string(1, '\0') + ".text." + kernel + '\0';
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_ABIVERSION] = 8;
  header.e_type = ET_EXEC;
  header.e_machine = 190;
  header.e_flags = 90 << 8;
  header.e_shoff = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sizeof(header) + sizeof(sections);
  sections[1].sh_size = names.size();
  sections[2].sh_name = 1;
  sections[2].sh_type = SHT_PROGBITS;
  sections[2].sh_offset = sections[1].sh_offset + names.size();
  sections[2].sh_size = codeBytes;

  std::vector<std::byte> bytes(sections[2].sh_offset + codeBytes, code);
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), sections, sizeof(sections));
  std::memcpy(bytes.data() + sections[1].sh_offset, names.data(), names.size());
  return bytes;
}

} // namespace ashlar::test
