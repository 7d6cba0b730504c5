#include "tool/Disassemble.h"

#include "ashlar/error.h"
#include "compiler/driver/Assemble.h"
#include "compiler/driver/MemoryFile.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <optional>
#include <vector>

namespace ashlar::tooling {

namespace {

std::string findTool(llvm::StringRef name) {
  const std::string ptxas = compiler::findPtxas();
  if (auto found = llvm::sys::findProgramByName(
          name, {llvm::sys::path::parent_path(ptxas)}))
    return *found;
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  return "";
}

std::vector<std::string> findDisassembler() {
  if (std::string tool = findTool("nvdisasm"); !tool.empty())
    return {tool, "--print-code"};
  if (std::string tool = findTool("cuobjdump"); !tool.empty())
    return {tool, "--dump-sass"};
  throw Error("no disassembler found: --emit=sass needs nvdisasm or cuobjdump "
              "of the CUDA toolkit beside ptxas (ASHLAR_PTXAS) or in the PATH");
}

} // namespace

std::string disassemble(std::span<const std::byte> cubin) {
  std::vector<std::string> command = findDisassembler();
  compiler::MemoryFile code, text;
  code.write({reinterpret_cast<const char *>(cubin.data()), cubin.size()});
  command.push_back(code.path());
  std::vector<llvm::StringRef> arguments(command.begin(), command.end());
  const std::string textPath = text.path();
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), textPath,
                                                textPath};
  const int status =
      llvm::sys::ExecuteAndWait(command[0], arguments, std::nullopt, redirects);
  const std::string printed = text.read();
  if (status != 0)
    throw Error(command[0] + " failed: " + printed);
  return printed;
}

} // namespace ashlar::tooling
