#include "ashlar/gemm_table.h"

#include "ashlar/error.h"
#include "runtime/Files.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <span>
#include <sstream>

namespace ashlar {

namespace {

constexpr const char *heading =
    "# The fastest configurations of gemm that were measured.\n"
    "# A    B     D     sums lay       M       N       K     hot us    cold us "
    " "
    "configuration\n";

/// Only fp8 has sums that are not full.
Accumulation accumulationOf(const GemmTypes &types) {
  return size_bytes(types.a) == 1 ? types.accumulation : Accumulation::full;
}

bool isDense(const GemmSizes &sizes) {
  return sizes.lda == 0 && sizes.ldb == 0 && sizes.ldd == 0;
}

bool isSame(const TunedGemm &entry, const GemmSizes &sizes,
            const GemmTypes &types) {
  return entry.sizes.m == sizes.m && entry.sizes.n == sizes.n &&
         entry.sizes.k == sizes.k && entry.sizes.batch == sizes.batch &&
         entry.types.a == types.a && entry.types.b == types.b &&
         entry.types.d == types.d && entry.types.layout == types.layout &&
         accumulationOf(entry.types) == accumulationOf(types);
}

ElementType typeNamed(const std::string &word) {
  for (int i = 0; i < elementTypeCount; ++i)
    if (name(static_cast<ElementType>(i)) == word)
      return static_cast<ElementType>(i);
  throw Error("'" + word + "' is no type of elements");
}

Accumulation accumulationNamed(const std::string &word) {
  if (word != "fast" && word != "full")
    throw Error("sums are 'fast' or 'full', not '" + word + "'");
  return word == "fast" ? Accumulation::fast : Accumulation::full;
}

TunedGemm read(const std::string &line) {
  std::istringstream words(line);
  std::string a, b, d, sums, layout, config;
  TunedGemm entry;
  words >> a >> b >> d >> sums >> layout >> entry.sizes.m >> entry.sizes.n >>
      entry.sizes.k >> entry.hot_microseconds >> entry.cold_microseconds >>
      std::ws;
  if (!std::getline(words, config))
    throw Error("expected three types, fast or full, a layout, M, N, K, two "
                "times and a configuration");
  entry.types = {typeNamed(a), typeNamed(b), typeNamed(d),
                 accumulationNamed(sums),
                 GemmLayout::parse(layout, SourceLocation())};
  entry.config = GemmConfig::parse(config, SourceLocation());
  return entry;
}

void write(std::ostream &out, const TunedGemm &entry) {
  char text[160];
  const auto &[types, sizes, config, hot, cold] = entry;
  const bool fast = accumulationOf(types) == Accumulation::fast;
  std::snprintf(text, sizeof text,
                "%-6s %-5s %-5s %-4s %-3s %8ld%8ld%8ld %10.2f %10.2f  ",
                name(types.a).data(), name(types.b).data(),
                name(types.d).data(), fast ? "fast" : "full",
                types.layout.str().c_str(), sizes.m, sizes.n, sizes.k, hot,
                cold);
  out << text << config.str() << '\n';
}

} // namespace

GemmTable GemmTable::load(const std::filesystem::path &path) {
  std::ifstream file(path);
  auto refuse = [&] {
    throw Error("cannot read " + path.string() +
                ": give the path of a table that bench-gemm --tune wrote");
  };
  if (!file)
    refuse();
  GemmTable table;
  std::string line;
  for (uint32_t number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#')
      continue;
    try {
      table.set(read(line));
    } catch (const Error &error) {
      throw Error(SourceLine{path.string(), number, 0}, error.what());
    }
  }
  if (file.bad()) // of a folder for one
    refuse();
  return table;
}

void GemmTable::save(const std::filesystem::path &path) const {
  std::ostringstream text;
  text << heading;
  for (const TunedGemm &entry : tuned)
    write(text, entry);
  const std::string whole = text.str();
  if (std::string whyNot =
          writeFileAtomically(path, std::as_bytes(std::span(whole)));
      !whyNot.empty())
    throw Error("cannot write " + path.string() + ": " + whyNot);
}

std::optional<TunedGemm> GemmTable::find(const GemmSizes &sizes,
                                         const GemmTypes &types) const {
  const auto at = std::ranges::find_if(tuned, [&](const TunedGemm &entry) {
    return isDense(sizes) && isSame(entry, sizes, types);
  });
  return at == tuned.end() ? std::nullopt : std::optional(*at);
}

void GemmTable::set(const TunedGemm &entry) {
  if (entry.sizes.batch != 1)
    throw Error("a table of tuned GEMMs has no batches: leave batch at 1");
  if (!isDense(entry.sizes))
    throw Error(
        "a table of tuned GEMMs has no strides: leave lda, ldb and ldd at 0");
  for (int64_t extent : {entry.sizes.m, entry.sizes.n, entry.sizes.k})
    if (extent < 0)
      throw Error("a tuned GEMM has extents of 0 or more, not " +
                  std::to_string(extent));
  for (double time : {entry.hot_microseconds, entry.cold_microseconds})
    if (!(time >= 0 && std::isfinite(time)))
      throw Error("a tuned GEMM has times of 0 or more microseconds, not " +
                  std::to_string(time));
  const auto at = std::ranges::find_if(tuned, [&](const TunedGemm &other) {
    return isSame(other, entry.sizes, entry.types);
  });
  if (at == tuned.end())
    tuned.push_back(entry);
  else
    *at = entry;
}

} // namespace ashlar
