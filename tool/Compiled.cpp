#include "tool/Compiled.h"

#include "ashlar/cache.h"
#include "ashlar/compile.h"
#include "compiler/driver/Assemble.h"
#include "tool/CacheKey.h"

#include <cstdio>

namespace ashlar::tooling {

namespace {

void print(const std::vector<Warning> &warnings) {
  for (const Warning &warning : warnings) {
    const std::string place = warning.where.str();
    std::fprintf(stderr, "%s%swarning: %s\n", place.c_str(),
                 place.empty() ? "" : ": ", warning.message.c_str());
  }
}

} // namespace

Compilation compileFor(Need need, const Kernel &kernel,
                       const Request &request) {
  CompileOptions options;
  options.assemble = (need == Need::artifact || need == Need::report) &&
                     !compiler::findPtxas().empty();
  options.keep_levels = need == Need::levels;
  options.verify_each = request.verifyEach;
  options.print_after = request.printAfter;
  // What is printed is what a simulated run names the lines of.
  options.check_expectations =
      request.check || need == Need::simulated ||
      (need == Need::levels && harness::isSimulated(request.device));
  options.check_indices = request.checkIndices;

  // What is printed on the way and the levels are not in the cache.
  std::optional<std::string> key;
  if (options.assemble && !request.noCache && !options.verify_each &&
      options.print_after.empty())
    key = cacheKey(kernel.tile_ir(/*debug_locations=*/true), options);
  std::optional<Cache> cache;
  if (key)
    cache.emplace();
  if (cache && need == Need::artifact)
    if (std::optional<Artifact> found = cache->find(*key))
      return {std::move(*found), {}, {}, {}, {}};

  Compilation result = compile(kernel, options);
  print(result.warnings);
  // The cache does not hold warnings: code that has some is compiled each time.
  if (cache && result.warnings.empty())
    cache->store(*key, result.artifact);
  return result;
}

} // namespace ashlar::tooling
