#include "bench/GemmKernels.h"

#include "ashlar/error.h"
#include "bench/Assembled.h"
#include "bench/Parallel.h"

#include <exception>

namespace ashlar::bench {

namespace {

ElementType usualResult(ElementType operand) {
  return operand == tf32            ? f32
         : operand == s8            ? s32
         : size_bytes(operand) == 1 ? bf16
                                    : operand;
}

std::string key(const GemmTypes &types, const GemmConfig &config) {
  return shortName(types) + " " + config.str();
}

} // namespace

std::string shortName(const GemmTypes &types) {
  std::string text(name(types.a));
  if (types.a == e4m3)
    text = types.accumulation == Accumulation::full ? "fp8full" : "fp8";
  if (types.d != usualResult(types.a))
    text += "-" + std::string(name(types.d));
  if (types.layout != GemmLayout())
    text += " " + types.layout.str();
  return text;
}

std::vector<GemmTypes> measuredTypes() {
  return {{},
          {f16, f16, f16},
          {bf16, bf16, f32},
          {f16, f16, f32},
          {tf32, tf32, f32},
          {f32, f32, f32},
          {e4m3, e4m3, bf16, Accumulation::fast},
          {e4m3, e4m3, bf16, Accumulation::full},
          {e4m3, e4m3, f32, Accumulation::fast},
          {s8, s8, s32}};
}

GemmTypes typesNamed(const std::string &text) {
  const size_t space = text.find(' ');
  for (GemmTypes types : measuredTypes())
    if (shortName(types) == text.substr(0, space)) {
      if (space != std::string::npos)
        types.layout =
            GemmLayout::parse(text.substr(space + 1), SourceLocation());
      return types;
    }
  throw Error("'" + text + "' are no types that are measured");
}

void GemmKernels::compile(std::span<const GemmVariant> variants) {
  struct Job {
    GemmVariant variant;
    Entry *entry;
  };
  std::vector<Job> jobs;
  for (const GemmVariant &variant : variants)
    if (auto [at, isNew] =
            entries.try_emplace(key(variant.types, variant.config));
        isNew)
      jobs.push_back({variant, &at->second});
  const CompileOptions options = assembledIfPossible();
  inParallel(static_cast<int64_t>(jobs.size()), 1, [&](int64_t begin, int64_t) {
    auto &[variant, entry] = jobs[begin];
    try {
      entry->artifact =
          ashlar::compile(gemm(variant.types, variant.config), options)
              .artifact;
    } catch (const Error &error) {
      entry->refused = error;
    } catch (const std::exception &error) {
      entry->refused = Error(error.what());
    }
  });
}

Module &GemmKernels::get(const GemmTypes &types, const GemmConfig &config) {
  const GemmVariant variant{types, config};
  compile({&variant, 1});
  Entry &entry = entries.at(key(types, config));
  if (entry.refused)
    throw Error(*entry.refused);
  if (!entry.module)
    try {
      entry.module = std::make_unique<Module>(device, *entry.artifact);
      entry.artifact.reset();
    } catch (const Error &error) {
      entry.refused = error;
      throw;
    }
  return *entry.module;
}

} // namespace ashlar::bench
