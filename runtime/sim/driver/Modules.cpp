// Modules and the kernels in them.
#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/Image.h"
#include "runtime/sim/driver/Occupancy.h"
#include "runtime/sim/driver/State.h"
#include "runtime/sim/instructions/Decoder.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>

namespace ashlar::sim::calls {
namespace {

// JIT options by number; what steers the assembler has no meaning here.
constexpr int errorLogBuffer = 5, errorLogBufferSizeBytes = 6;
constexpr int infoLogBufferSizeBytes = 4;

/// Where the caller wants to read what is wrong.
struct ErrorLog {
  char *buffer = nullptr;
  size_t sizeBytes = 0;
  void **usedBytes = nullptr; // the driver says how much it wrote

  void write(const std::string &text) const {
    const size_t count =
        sizeBytes ? std::min(text.size(), sizeBytes - 1) : size_t(0);
    if (buffer && sizeBytes) {
      std::memcpy(buffer, text.data(), count);
      buffer[count] = '\0';
    }
    if (usedBytes)
      *usedBytes = reinterpret_cast<void *>(count);
  }
};

ErrorLog errorLog(unsigned count, const JitOption *options, void **values) {
  ErrorLog log;
  for (unsigned i = 0; options && values && i < count; ++i)
    switch (static_cast<int>(options[i])) {
    case errorLogBuffer:
      log.buffer = static_cast<char *>(values[i]);
      break;
    case errorLogBufferSizeBytes:
      log.sizeBytes =
          static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
      log.usedBytes = &values[i];
      break;
    case infoLogBufferSizeBytes:
      values[i] = nullptr; // nothing was written
      break;
    }
  return log;
}

/// What stands for a text without a name in messages: "gemm.ptx" where the
/// first kernel is `gemm`.
std::string nameOf(std::string_view text) {
  constexpr std::string_view entry = ".entry";
  size_t at = text.find(entry);
  at = at == text.npos ? at
                       : text.find_first_not_of(" \t\r\n", at + entry.size());
  if (at == text.npos)
    return "module.ptx";
  const size_t end = text.find_first_of(" \t\r\n({", at);
  return std::string(text.substr(at, end - at)) + ".ptx";
}

Result load(ModuleHandle *handle, const void *image, const std::string &name,
            const ErrorLog &log) {
  State &all = state();
  std::lock_guard lock(all.lock);
  auto fail = [&](Result code, const std::string &reason) {
    log.write(reason);
    return refuse(code, reason);
  };
  if (!handle || !image)
    return Result::invalidValue;
  if (Result result = all.health(); result != Result::success)
    return result;
  std::string problem;
  const std::string text = findPtx(image, problem);
  if (!problem.empty())
    return fail(Result::invalidImage, problem);
  auto module = std::make_unique<LoadedModule>();
  try {
    module->program =
        sim::load(text, name.empty() ? nameOf(text) : name, *all.memory);
  } catch (const ptx::ParseError &error) {
    return fail(Result::invalidPtx, error.what());
  } catch (const DecodeError &error) {
    return fail(Result::invalidPtx, error.what());
  } catch (const std::bad_alloc &) {
    return fail(Result::outOfMemory, "the module's variables do not fit");
  }
  const Program &program = *module->program;
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    const ptx::Function &function = *program.functions[i]->text;
    if (!function.isEntry)
      continue;
    KernelEntry &kernel = module->kernels[function.name];
    kernel.module = module.get();
    kernel.index = i;
    const auto staticBytes = static_cast<int>(staticSharedBytes(kernel));
    constexpr int withoutOptIn = 49152;
    kernel.maxDynamicSharedBytes = std::max(0, withoutOptIn - staticBytes);
    all.kernels[&kernel] = &kernel;
  }
  *handle = all.modules.add<ModuleHandle>(std::move(module));
  return Result::success;
}

} // namespace

Result moduleLoadDataEx(ModuleHandle *module, const void *image,
                        unsigned optionCount, JitOption *options,
                        void **optionValues) {
  return load(module, image, "", errorLog(optionCount, options, optionValues));
}

Result moduleLoadFile(ModuleHandle *module, const char *path) {
  if (!path)
    return Result::invalidValue;
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  if (!file || !(content << file.rdbuf()))
    return refuse(fileNotFound, std::string("'") + path + "' can't be read");
  return load(module, content.str().c_str(), path, {});
}

Result moduleLoadText(ModuleHandle *module, const std::string &text,
                      const std::string &name) {
  return load(module, text.c_str(), name, {});
}

Result moduleUnload(ModuleHandle handle) {
  State &all = state();
  std::lock_guard lock(all.lock);
  LoadedModule *module = all.modules.find(handle);
  if (!module)
    return refuse(Result::invalidHandle, "there is no such module");
  for (auto &[name, kernel] : module->kernels)
    all.kernels.erase(&kernel);
  for (const auto &block : module->program->variableBlocks)
    if (block)
      all.memory->free(block->address);
  all.modules.remove(handle);
  return Result::success;
}

Result moduleGetFunction(FunctionHandle *function, ModuleHandle handle,
                         const char *name) {
  State &all = state();
  std::lock_guard lock(all.lock);
  LoadedModule *module = all.modules.find(handle);
  if (!module)
    return refuse(Result::invalidHandle, "there is no such module");
  if (!function || !name)
    return Result::invalidValue;
  auto found = module->kernels.find(name);
  if (found == module->kernels.end())
    return refuse(Result::notFound,
                  std::string("the module has no kernel '") + name + "'");
  *function = reinterpret_cast<FunctionHandle>(&found->second);
  return Result::success;
}

Result moduleGetGlobal(DevicePointer *address, size_t *sizeBytes,
                       ModuleHandle handle, const char *name) {
  State &all = state();
  std::lock_guard lock(all.lock);
  LoadedModule *module = all.modules.find(handle);
  if (!module)
    return refuse(Result::invalidHandle, "there is no such module");
  if (!name)
    return Result::invalidValue;
  const Program &program = *module->program;
  const std::vector<ptx::Variable> &variables = program.module->variables;
  for (size_t i = 0; i < variables.size(); ++i) {
    const ptx::Variable &variable = variables[i];
    if (variable.name != name || (variable.space != ptx::StateSpace::global &&
                                  variable.space != ptx::StateSpace::constant))
      continue;
    if (address) {
      *address = program.variableAddresses[i];
      // A kernel may be given it, and write there.
      if (MemoryBlock *block = all.memory->find(*address))
        block->setReadOnly(false);
    }
    if (sizeBytes)
      *sizeBytes = variable.sizeBytes();
    return Result::success;
  }
  return refuse(Result::notFound, std::string("the module has no variable '") +
                                      name + "' in .global or .const");
}

} // namespace ashlar::sim::calls
