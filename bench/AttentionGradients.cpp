#include "bench/AttentionGradients.h"

#include "ashlar/attention_auto.h"
#include "ashlar/compile.h"
#include "ashlar/error.h"
#include "ashlar/module.h"
#include "bench/NormalData.h"
#include "tool/Elements.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <sstream>

namespace ashlar::bench {
namespace {

constexpr double milliseconds = 30;
constexpr int rowsChecked = 6;

/// A tensor on the device, and what of it the host has.
struct OnDevice {
  OnDevice(Device &device, ElementType type, std::vector<int64_t> shape)
      : type(type), shape(std::move(shape)),
        host(size_t(elements() * size_bytes(type))),
        buffer(device, int64_t(host.size())) {}

  int64_t elements() const {
    int64_t all = 1;
    for (int64_t extent : shape)
      all *= extent;
    return all;
  }
  double operator()(int64_t i) const {
    return harness::decode(type, harness::loadBits(type, host.data(), i));
  }

  ElementType type;
  std::vector<int64_t> shape;
  std::vector<std::byte> host;
  Buffer buffer;
};

/// The fastest, by the model, that takes heads and keys as they come.
AttentionConfig forwardOf(const AttentionForm &form,
                          const AttentionProblem &problem) {
  for (const AttentionChoice &choice :
       attention_candidates(form, problem.sizes()))
    if (choice.group == 1 && !choice.config.splits)
      return choice.config;
  throw Error("no configuration makes O of " + str(problem));
}

class Gradients {
public:
  Gradients(Device &device, const AttentionProblem &sizes,
            const AttentionBackwardConfig &config)
      : device(device), sizes(sizes) {
    AttentionForm form = sizes.form();
    form.logarithms = true;
    const AttentionConfig forward = forwardOf(form, sizes);
    const int64_t b = sizes.b, h = sizes.h, hk = sizes.hk, sq = sizes.sq,
                  sk = sizes.sk, d = sizes.d, dv = sizes.dv;
    for (const char *name : {"Q", "DQ"})
      add(name, bf16, {b, h, sq, d});
    for (const char *name : {"O", "DO"})
      add(name, bf16, {b, h, sq, dv});
    for (const char *name : {"K", "DK"})
      add(name, bf16, {b, hk, sk, d});
    for (const char *name : {"V", "DV"})
      add(name, bf16, {b, hk, sk, dv});
    for (const char *name : {"L", "Delta"})
      add(name, f32, {b, h, sq});
    add("Sums", f32, {b, h, sq, d});
    if (config.deterministic) {
      add("Order", s32,
          {b, h, (sq + config.bm - 1) / config.bm * config.cluster});
      tensors.at("Order").buffer.fill(std::byte(0));
    }
    if (config.dynamic || forward.dynamic) {
      add("Next", s32, {1});
      tensors.at("Next").buffer.fill(std::byte(0));
    }
    uint64_t seed = 0;
    for (const char *name : {"Q", "K", "V", "DO"}) {
      OnDevice &tensor = tensors.at(name);
      tensor.host = normalData(bf16, tensor.elements(), ++seed);
      tensor.buffer.copy_from_host(tensor.host);
    }
    auto compiled = [&](const Kernel &kernel) {
      return Module(device, compile(kernel).artifact);
    };
    modules.push_back(compiled(attention_delta(form)));
    modules.push_back(compiled(attention_backward(form, config)));
    modules.push_back(compiled(attention_query_gradient(form)));
    Module made = compiled(attention(form, forward));
    made.launch_and_wait(argumentsOf(made), std::chrono::seconds(10));
  }

  void launch(Stream &stream) {
    for (Module &module : modules)
      module.launch(argumentsOf(module), stream);
  }

  /// The largest of ‖result - truth‖ / ‖truth‖ over some rows of each.
  double error() {
    for (const char *name : {"O", "L", "DQ", "DK", "DV"})
      tensors.at(name).buffer.copy_to_host(tensors.at(name).host);
    std::mt19937_64 random(7);
    Difference dq, dk, dv;
    for (int i = 0; i < rowsChecked; ++i) {
      auto drawn = [&](int64_t heads, int64_t rows) {
        return i ? int64_t(random() % uint64_t(sizes.b * heads * rows))
                 : sizes.b * heads * rows - 1;
      };
      addRow(dq, drawn(sizes.h, sizes.sq));
      addKey(dk, dv, drawn(sizes.hk, sizes.sk));
    }
    return std::max({dq.relative(), dk.relative(), dv.relative()});
  }

private:
  struct Difference {
    double difference = 0, norm = 0;

    void add(const OnDevice &result, int64_t row,
             const std::vector<double> &truth) {
      for (size_t e = 0; e < truth.size(); ++e) {
        const double value = result(row * int64_t(truth.size()) + int64_t(e));
        difference += std::pow(value - truth[e], 2);
        norm += truth[e] * truth[e];
      }
    }
    double relative() const { return std::sqrt(difference / norm); }
  };

  void add(const char *name, ElementType type, std::vector<int64_t> shape) {
    tensors.try_emplace(name, device, type, std::move(shape));
  }

  std::vector<NamedArgument> argumentsOf(const Module &module) {
    std::vector<NamedArgument> arguments;
    for (const TensorContract &contract : module.artifact().tensors) {
      OnDevice &tensor = tensors.at(contract.name);
      arguments.push_back(
          {contract.name,
           TensorArgument{tensor.buffer.data(), tensor.type, tensor.shape}});
    }
    if (!module.artifact().scalars.empty())
      arguments.push_back({"scale", sizes.scale()});
    return arguments;
  }

  double dot(const char *a, int64_t rowOfA, const char *b, int64_t rowOfB,
             int64_t width) const {
    const OnDevice &left = tensors.at(a), &right = tensors.at(b);
    double sum = 0;
    for (int64_t e = 0; e < width; ++e)
      sum += left(rowOfA * width + e) * right(rowOfB * width + e);
    return sum;
  }

  /// Of rows of the tensors: a weight, and the gradient of its score.
  std::pair<double, double> weightAndSlope(int64_t row, int64_t key) const {
    const double weight =
        std::exp(sizes.scale() * dot("Q", row, "K", key, sizes.d) -
                 tensors.at("L")(row));
    return {weight, weight * sizes.scale() *
                        (dot("DO", row, "V", key, sizes.dv) -
                         dot("O", row, "DO", row, sizes.dv))};
  }

  void addRow(Difference &dq, int64_t row) const {
    const int64_t group = sizes.h / sizes.hk, head = row / sizes.sq / group;
    std::vector<double> truth(size_t(sizes.d), 0);
    for (int64_t j = 0; j < sizes.keysOf(row % sizes.sq); ++j) {
      const int64_t key = head * sizes.sk + j;
      const double slope = weightAndSlope(row, key).second;
      for (int64_t e = 0; e < sizes.d; ++e)
        truth[size_t(e)] += slope * tensors.at("K")(key * sizes.d + e);
    }
    dq.add(tensors.at("DQ"), row, truth);
  }

  void addKey(Difference &dk, Difference &dv, int64_t key) const {
    const int64_t group = sizes.h / sizes.hk, head = key / sizes.sk * group;
    std::vector<double> truthK(size_t(sizes.d), 0), truthV(size_t(sizes.dv), 0);
    for (int64_t i = 0; i < group * sizes.sq; ++i) {
      if (key % sizes.sk >= sizes.keysOf(i % sizes.sq))
        continue;
      const int64_t row = head * sizes.sq + i;
      auto [weight, slope] = weightAndSlope(row, key);
      for (int64_t e = 0; e < sizes.d; ++e)
        truthK[size_t(e)] += slope * tensors.at("Q")(row * sizes.d + e);
      for (int64_t e = 0; e < sizes.dv; ++e)
        truthV[size_t(e)] += weight * tensors.at("DO")(row * sizes.dv + e);
    }
    dk.add(tensors.at("DK"), key, truthK);
    dv.add(tensors.at("DV"), key, truthV);
  }

  Device &device;
  const AttentionProblem &sizes;
  std::map<std::string, OnDevice, std::less<>> tensors;
  std::vector<Module> modules; ///< in their order
};

} // namespace

std::string measureGradients(Device &device, Timer &timer,
                             const AttentionProblem &sizes,
                             const AttentionBackwardConfig &config) {
  Gradients gradients(device, sizes, config);
  const Contender ours{"ashlar",
                       [&](Stream &stream) { gradients.launch(stream); }};
  timer.once(ours);
  std::ostringstream out;
  out << gradients.error() << ' ' << timer.cold(ours, milliseconds) << ' '
      << timer.hot(ours, milliseconds);
  return out.str();
}

} // namespace ashlar::bench
