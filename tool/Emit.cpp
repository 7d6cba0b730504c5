#include "tool/Emit.h"

#include "compiler/driver/Assemble.h"
#include "runtime/Files.h"
#include "tool/Compiled.h"
#include "tool/Disassemble.h"

#include <cstdio>
#include <span>

namespace ashlar::tooling {

namespace {

const std::vector<std::byte> &machineCode(const Artifact &artifact) {
  if (artifact.cubin.empty())
    throw Error(std::string("there is no machine code without ptxas: ") +
                compiler::howToHavePtxas);
  return artifact.cubin;
}

std::string asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string text(const Kernel &kernel, const Request &request) {
  if (request.emit == "tile" && request.printAfter.empty())
    return kernel.tile_ir();
  if (request.emit == "cubin" || request.emit == "sass") {
    const Compilation compiled = compileFor(Need::artifact, kernel, request);
    const auto &code = machineCode(compiled.artifact);
    return request.emit == "cubin" ? asText(code) : disassemble(code);
  }
  const Compilation compiled = compileFor(Need::levels, kernel, request);
  for (const LevelText &level : compiled.levels)
    if (level.level == request.emit)
      return level.text;
  throw Error("the compiler did not keep the level '" + request.emit + "'");
}

} // namespace

void emit(const Kernel &kernel, const Request &request) {
  const std::string content = text(kernel, request);
  if (request.output.empty()) {
    std::fwrite(content.data(), 1, content.size(), stdout);
    return;
  }
  if (std::string whyNot = writeFileAtomically(
          request.output, std::as_bytes(std::span(content)));
      !whyNot.empty())
    throw Error("'" + request.output + "' can't be written: " + whyNot);
}

} // namespace ashlar::tooling
