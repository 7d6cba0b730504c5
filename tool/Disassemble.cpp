#include "tool/Disassemble.h"

#include "ashlar/error.h"
#include "compiler/driver/Assemble.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

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
              "of the CUDA toolkit beside ptxas or in the PATH");
}

} // namespace

std::string disassemble(std::span<const std::byte> cubin) {
  std::vector<std::string> command = findDisassembler();
  llvm::SmallString<128> code, text;
  if (llvm::sys::fs::createTemporaryFile("ashlar", "cubin", code) ||
      llvm::sys::fs::createTemporaryFile("ashlar", "sass", text))
    throw Error("cannot create a temporary file");
  llvm::FileRemover removeCode(code), removeText(text);
  std::error_code error;
  llvm::raw_fd_ostream out(code, error);
  out.write(reinterpret_cast<const char *>(cubin.data()), cubin.size());
  out.close();
  if (error || out.has_error())
    throw Error("cannot write " + code.str().str());

  command.push_back(code.str().str());
  std::vector<llvm::StringRef> arguments(command.begin(), command.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), text.str(),
                                                text.str()};
  const int status =
      llvm::sys::ExecuteAndWait(command[0], arguments, std::nullopt, redirects);
  auto buffer = llvm::MemoryBuffer::getFile(text);
  const std::string printed = buffer ? (*buffer)->getBuffer().str() : "";
  if (status != 0)
    throw Error(command[0] + " failed: " + printed);
  return printed;
}

} // namespace ashlar::tooling
