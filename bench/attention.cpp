// Times the library's attention, or its gradients, for bench/attention.py, a
// problem to a line of standard input: random normal data, results checked.

#include "ashlar/attention.h"
#include "ashlar/compile.h"
#include "ashlar/module.h"
#include "bench/AttentionDecoding.h"
#include "bench/AttentionGradients.h"
#include "bench/AttentionTuner.h"
#include "bench/NormalData.h"
#include "bench/Timer.h"
#include "runtime/Files.h"
#include "tool/Elements.h"
#include "tool/Failure.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>

using namespace ashlar;
using namespace ashlar::bench;

namespace {

constexpr double milliseconds = 30;
constexpr int rowsChecked = 12;

/// "causal d dv B H Hk Sq Sk bm bn stages warpgroups eager queries ctas
/// dynamic", before which may be "e4m3", or "files" and a folder that has Q, K
/// and V, and is to have O, as they lie in memory; of gradients the same,
/// "backward" and "bm bn stages warpgroups apart deterministic dynamic
/// cluster".
struct Line : AttentionProblem {
  AttentionConfig config;
  std::optional<AttentionBackwardConfig> backward;
  std::filesystem::path folder; ///< empty: normal data

  explicit Line(const std::string &text) {
    std::istringstream in(text);
    AttentionProblem &sizes = *this;
    std::string word;
    if (text.starts_with("e4m3 ")) {
      in >> word;
      type = e4m3;
    } else if (text.starts_with("files ")) {
      in >> word >> folder;
    }
    in >> sizes >> config.bm >> config.bn >> config.stages >>
        config.warpgroups >> config.eager >> config.queries >> config.ctas >>
        config.dynamic;
    if (!in)
      throw Error("a line is sixteen numbers, not '" + text + "'");
    if (!(in >> word))
      return;
    backward.emplace();
    in >> backward->bm >> backward->bn >> backward->stages >>
        backward->warpgroups >> backward->apart >> backward->deterministic >>
        backward->dynamic >> backward->cluster;
    if (!in || word != "backward")
      throw Error("behind the sixteen numbers are 'backward' and eight, not '" +
                  text + "'");
  }
};

/// Its tensors, on the host and on the device.
class Problem {
public:
  Problem(Device &device, const Line &line)
      : line(line), q(elements("Q", line.b * line.h * line.sq * line.d, 1)),
        k(elements("K", line.b * line.hk * line.sk * line.d, 2)),
        v(elements("V", line.b * line.hk * line.sk * line.dv, 3)),
        onDevice{Buffer(device, q.size()), Buffer(device, k.size()),
                 Buffer(device, v.size()),
                 Buffer(device, 2 * line.b * line.h * line.sq * line.dv),
                 Buffer(device, size_bytes(s32))} {
    onDevice[0].copy_from_host(q);
    onDevice[1].copy_from_host(k);
    onDevice[2].copy_from_host(v);
    onDevice[3].fill(std::byte(0xff));
    onDevice[4].fill(std::byte(0));
  }

  void launch(Module &module, Stream &stream) {
    auto tensor = [&](int i, ElementType type, int64_t heads, int64_t rows,
                      int64_t columns) {
      return TensorArgument{
          onDevice[i].data(), type, {line.b, heads, rows, columns}};
    };
    std::vector<NamedArgument> arguments = {
        {"Q", tensor(0, line.type, line.h, line.sq, line.d)},
        {"K", tensor(1, line.type, line.hk, line.sk, line.d)},
        {"V", isOf8Bits() ? tensor(2, e4m3, line.hk, line.dv, line.sk)
                          : tensor(2, line.type, line.hk, line.sk, line.dv)},
        {"O", tensor(3, bf16, line.h, line.sq, line.dv)},
        {"scale", line.scale()}};
    if (isOf8Bits())
      arguments.push_back({"value_scale", valueScale});
    if (line.config.dynamic)
      arguments.push_back(
          {"Next", TensorArgument{onDevice[4].data(), s32, {1}}});
    module.launch(arguments, stream);
  }

  std::vector<std::byte> result() const {
    std::vector<std::byte> o(2 * line.b * line.h * line.sq * line.dv);
    onDevice[3].copy_to_host(o);
    return o;
  }

  /// ‖result - truth‖ / ‖truth‖ over some rows.
  double error() const {
    const std::vector<std::byte> o = result();
    std::mt19937_64 random(7);
    double difference = 0, norm = 0;
    for (int i = 0; i < rowsChecked; ++i) {
      const int64_t row = i ? random() % (line.b * line.h * line.sq)
                            : line.b * line.h * line.sq - 1;
      const std::vector<double> truth = rowOf(row);
      for (int64_t e = 0; e < line.dv; ++e) {
        difference += std::pow(at(bf16, o, row * line.dv + e) - truth[e], 2);
        norm += truth[e] * truth[e];
      }
    }
    return std::sqrt(difference / norm);
  }

private:
  static constexpr float valueScale = 0.75;

  std::vector<std::byte> elements(const char *name, int64_t count,
                                  uint64_t seed) const {
    if (line.folder.empty())
      return normalData(line.type, count, seed);
    std::vector<std::byte> bytes;
    const size_t size = count * size_bytes(line.type);
    std::string why = readFile(line.folder / name, bytes, size);
    if (why.empty() && bytes.size() != size)
      why = "it has " + std::to_string(bytes.size()) + " bytes, not " +
            std::to_string(size);
    if (!why.empty())
      throw Error((line.folder / name).string() + ": " + why);
    return bytes;
  }

  static double at(ElementType type, const std::vector<std::byte> &tensor,
                   int64_t i) {
    return harness::decode(type, harness::loadBits(type, tensor.data(), i));
  }
  double input(const std::vector<std::byte> &tensor, int64_t i) const {
    return at(line.type, tensor, i);
  }
  /// V has the keys beside one another then.
  bool isOf8Bits() const { return line.type == e4m3; }
  double value(int64_t head, int64_t key, int64_t e) const {
    return isOf8Bits()
               ? valueScale * input(v, (head * line.dv + e) * line.sk + key)
               : input(v, (head * line.sk + key) * line.dv + e);
  }

  std::vector<double> rowOf(int64_t row) const {
    const int64_t i = row % line.sq, h = row / line.sq % line.h,
                  b = row / line.sq / line.h;
    const int64_t of = b * line.hk + h / (line.h / line.hk);
    const int64_t keys = line.keysOf(i);
    std::vector<double> result(line.dv), scores(keys);
    double top = -HUGE_VAL, sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      for (int64_t e = 0; e < line.d; ++e)
        scores[j] += input(q, row * line.d + e) *
                     input(k, (of * line.sk + j) * line.d + e);
      scores[j] *= line.scale();
      top = std::max(top, scores[j]);
    }
    for (double &score : scores)
      sum += score = std::exp(score - top);
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t e = 0; e < line.dv; ++e)
        result[e] += scores[j] / sum * value(of, j, e);
    return result;
  }

  const Line &line;
  std::vector<std::byte> q, k, v;
  Buffer onDevice[5]; ///< Q, K, V, O and what counts tiles
};

std::string measured(Device &device, Timer &timer, const std::string &text) {
  const Line line(text);
  if (line.backward)
    return measureGradients(device, timer, line, line.config, *line.backward);
  Compilation compilation = compile(attention(line.form(), line.config));
  Module module(device, compilation.artifact);
  Problem problem(device, line);
  const Contender ours{"ashlar",
                       [&](Stream &stream) { problem.launch(module, stream); }};
  timer.once(ours);
  if (!line.folder.empty())
    if (const std::string why =
            writeFileAtomically(line.folder / "O", problem.result());
        !why.empty())
      throw Error((line.folder / "O").string() + ": " + why);
  std::ostringstream out;
  out << problem.error() << ' ' << timer.cold(ours, milliseconds) << ' '
      << timer.hot(ours, milliseconds);
  return out.str();
}

void readLines(Device &device, Timer &timer) {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << (line.starts_with("decode") ? decoding(device, timer, line)
                                               : measured(device, timer, line))
                << std::endl;
    } catch (const TimeoutError &) {
      throw;
    } catch (const Error &error) {
      std::cout << "error: " << error.what() << std::endl;
    }
  }
}

struct Options {
  bool tune = false;
  std::vector<std::string> problems, avoided;
  size_t candidates = 12;
};

void addOptions(CLI::App &app, Options &options) {
  CLI::Option *tune = app.add_flag(
      "--tune", options.tune,
      "For each problem measure the model's most promising configurations, and "
      "print how much longer its choice takes than the best of them");
  app.add_option("problems", options.problems,
                 "What --tune measures, such as 'd128 causal b4 h32 hk8 q4096 "
                 "k4096'; also dv, page, f16 and e4m3. Without any those that "
                 "docs/attention.md has figures of")
      ->needs(tune);
  app.add_option("--candidates", options.candidates,
                 "How many configurations --tune measures for a problem")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->needs(tune);
  app.add_option("--avoid", options.avoided,
                 "Words such as c2: no configuration with one in its text is "
                 "measured by --tune")
      ->delimiter(',')
      ->needs(tune);
}

std::vector<AttentionProblem> problemsOf(const Options &options) {
  std::vector<AttentionProblem> problems;
  for (const std::string &text : options.problems)
    problems.push_back(parseAttention(text));
  return problems.empty() ? namedAttention() : problems;
}

void tune(Device &device, Timer &timer, const Options &options,
          const std::vector<AttentionProblem> &problems) {
  AttentionTuner tuner(device, timer, options.candidates, options.avoided);
  std::vector<AttentionTuning> all;
  std::cout << device.name() << std::endl;
  for (const AttentionProblem &problem : problems) {
    try {
      all.push_back(tuner.tune(problem));
      std::cout << table(all.back()) << std::endl;
    } catch (const TimeoutError &) {
      throw;
    } catch (const Error &error) {
      std::cout << str(problem) << ": error: " << error.what() << std::endl;
    }
  }
  std::cout << summary(all);
}

} // namespace

/// Prints for each line of standard input the relative error, and microseconds
/// cold and hot; or, with --tune, tables of configurations.
int main(int argc, char **argv) {
  CLI::App app("Times the library's attention: the problems and configurations "
               "of standard input, or with --tune what the model chooses.");
  Options options;
  addOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    const std::vector<AttentionProblem> problems = problemsOf(options);
    Device device = Device::open();
    Timer timer(device);
    if (options.tune)
      tune(device, timer, options, problems);
    else
      readLines(device, timer);
    return harness::finished(0);
  } catch (...) {
    return harness::reportFailure();
  }
}
