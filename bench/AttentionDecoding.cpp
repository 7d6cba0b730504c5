#include "bench/AttentionDecoding.h"

#include "ashlar/attention_auto.h"
#include "ashlar/compile.h"
#include "ashlar/module.h"
#include "bench/NormalData.h"
#include "runtime/Context.h"
#include "tool/Elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <sstream>

namespace ashlar::bench {

namespace {

constexpr double milliseconds = 30;
constexpr int rowsChecked = 3;
/// Of keys and values, which repeat: no multiple of anything.
constexpr int64_t blockElements = (1 << 22) + 8 * 1009;

struct Line {
  int64_t d, dv, b, hk, g, sq, sk, page;
  AttentionForm form;
  AttentionConfig config;
  int64_t splits = 1;

  Line(const std::string &text, int64_t smCount) {
    std::istringstream in(text);
    std::string word;
    in >> word;
    form.latent = word == "decode-latent";
    in >> d;
    dv = d;
    if (form.latent)
      in >> dv;
    in >> b >> hk >> g >> sq >> sk >> page;
    if (!in)
      throw Error(
          "a line is 'decode' and seven numbers, or 'decode-latent' and "
          "eight, not '" +
          text + "'");
    form.d = d;
    form.dv = dv;
    if (sq > 1)
      form.after = 0;
    if (page)
      form.page = page;
    in >> form.group >> splits >> config.bm >> config.bn >> config.stages >>
        config.warpgroups >> config.queries >> config.ctas >> config.apart >>
        config.eager >> config.cluster;
    config.splits = splits > 0;
    if (in)
      return;
    GpuModel gpu = h200();
    gpu.sm_count = smCount;
    const AttentionChoice choice = attention_auto(form, sizes(), gpu);
    form.group = choice.group;
    config = choice.config;
    splits = choice.splits;
  }

  AttentionSizes sizes() const { return {b, hk * g, hk, sq, sk}; }
  int64_t pagesOfSequence() const { return page ? (sk + page - 1) / page : 0; }
  /// All keys that there is room for.
  int64_t rows() const { return b * (page ? pagesOfSequence() * page : sk); }
};

Buffer filled(Device &device, const void *data, int64_t bytes) {
  Buffer buffer(device, bytes);
  buffer.copy_from_host({static_cast<const std::byte *>(data), size_t(bytes)});
  return buffer;
}

/// The block, again and again.
Buffer repeated(Device &device, const std::vector<std::byte> &block,
                int64_t bytes) {
  Buffer buffer(device, bytes);
  int64_t done = std::min<int64_t>(block.size(), bytes);
  buffer.copy_from_host({block.data(), size_t(done)});
  Stream stream(device);
  const auto first = reinterpret_cast<driver::DevicePointer>(buffer.data());
  for (; done < bytes; done *= 2)
    device.shared_context()->check(
        device.driver().copyDeviceToDeviceAsync(
            first + done, first, std::min(done, bytes - done),
            static_cast<driver::StreamHandle>(stream.handle())),
        "repeating a block");
  stream.synchronize();
  return buffer;
}

/// The tensors lie as a model has them: tokens first, then heads.
class Problem {
public:
  Problem(Device &device, const Line &line)
      : line(line), heads(line.hk * line.g),
        q(normalData(bf16, line.b * line.sq * heads * line.d, 1)),
        k(normalData(bf16, blockOf(line), 2)),
        v(line.form.latent ? k : normalData(bf16, blockOf(line), 3)),
        table(pages(line)),
        parts(part_sizes(line.form, line.config, line.sizes())),
        onQ(filled(device, q.data(), q.size())),
        onO(device, 2 * line.b * line.sq * heads * line.dv),
        onK(repeated(device, k, keyBytes())),
        onV(line.form.latent ? Buffer(device, 1)
                             : repeated(device, v, keyBytes())),
        onTable(filled(device, table.data(), 4 * table.size())),
        onLengths(filled(device, lengths().data(), 4 * line.b)),
        onParts(device,
                4 * line.splits * parts.tiles * parts.rows * parts.columns),
        onPartL(device, 4 * line.splits * parts.tiles * parts.rows),
        onDone(device, 4 * 2 * parts.tiles) {
    onO.fill(std::byte(0xff));
    onDone.fill(std::byte(0));
  }

  void launch(Module &module, Stream &stream) {
    std::vector<NamedArgument> arguments{{"Q", rowsOf(onQ, line.d)},
                                         {"O", rowsOf(onO, line.dv)},
                                         {"K", keysOf(onK)},
                                         {"scale", scale()}};
    if (!line.form.latent)
      arguments.push_back({"V", keysOf(onV)});
    auto add = [&](const char *name, const Buffer &buffer, ElementType type,
                   std::vector<int64_t> shape) {
      arguments.push_back(
          {name, TensorArgument{buffer.data(), type, std::move(shape)}});
    };
    if (line.page) {
      add("Table", onTable, s32, {line.b, line.pagesOfSequence()});
      add("Lengths", onLengths, s32, {line.b});
    }
    if (line.config.splits) {
      const auto [tiles, rows, columns] = parts;
      add("Parts", onParts, f32, {line.splits, tiles, rows, columns});
      add("PartL", onPartL, f32, {line.splits, tiles, rows});
      add("Done", onDone, s32, {tiles, 2});
    }
    module.launch(arguments, stream);
  }

  /// ‖result - truth‖ / ‖truth‖ over some rows.
  double error() const {
    std::vector<std::byte> o(2 * line.b * line.sq * heads * line.dv);
    onO.copy_to_host(o);
    std::mt19937_64 random(7);
    const int64_t rows = line.b * line.sq * heads;
    double difference = 0, norm = 0;
    for (int i = 0; i < rowsChecked; ++i) {
      const int64_t row = i ? random() % rows : rows - 1;
      const std::vector<double> truth = rowOf(row);
      for (int64_t e = 0; e < line.dv; ++e) {
        difference += std::pow(at(o, row * line.dv + e) - truth[e], 2);
        norm += truth[e] * truth[e];
      }
    }
    return std::sqrt(difference / norm);
  }

private:
  static int64_t blockOf(const Line &line) {
    return std::min(blockElements, line.rows() * line.hk * line.d);
  }
  /// Pages lie anywhere.
  static std::vector<int32_t> pages(const Line &line) {
    std::vector<int32_t> all(line.b * line.pagesOfSequence());
    std::iota(all.begin(), all.end(), 0);
    std::ranges::shuffle(all, std::mt19937_64(11));
    return all;
  }
  std::vector<int32_t> lengths() const {
    return std::vector<int32_t>(line.b, line.sk);
  }
  int64_t keyBytes() const { return 2 * line.rows() * line.hk * line.d; }
  float scale() const { return 1 / std::sqrt(float(line.d)); }

  TensorArgument rowsOf(const Buffer &buffer, int64_t d) const {
    const int64_t token = heads * d;
    if (line.form.group > 1)
      return {buffer.data(),
              bf16,
              {line.b, line.hk, line.sq, line.g, d},
              {line.sq * token, line.g * d, token, d, 1}};
    return {buffer.data(),
            bf16,
            {line.b, heads, line.sq, d},
            {line.sq * token, d, token, 1}};
  }
  TensorArgument keysOf(const Buffer &buffer) const {
    const int64_t d = line.d, token = line.hk * d,
                  high = line.page ? line.page : line.sk;
    return {buffer.data(),
            bf16,
            {line.rows() / high, line.hk, high, d},
            {high * token, d, token, 1}};
  }

  static double at(const std::vector<std::byte> &tensor, int64_t i) {
    return harness::decode(bf16, harness::loadBits(bf16, tensor.data(), i));
  }
  /// Of K or V, where a key of a sequence begins.
  int64_t placeOf(int64_t b, int64_t hk, int64_t key) const {
    const int64_t token =
        line.page
            ? table[b * line.pagesOfSequence() + key / line.page] * line.page +
                  key % line.page
            : b * line.sk + key;
    return (token * line.hk + hk) * line.d;
  }
  static double repeatedAt(const std::vector<std::byte> &block, int64_t i) {
    return at(block, i % int64_t(block.size() / 2));
  }

  std::vector<double> rowOf(int64_t row) const {
    const int64_t h = row % heads, i = row / heads % line.sq,
                  b = row / heads / line.sq, hk = h / line.g;
    const int64_t keys = i + 1 + line.sk - line.sq;
    std::vector<double> result(line.dv), scores(std::max<int64_t>(keys, 0));
    double top = -HUGE_VAL, sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      for (int64_t e = 0; e < line.d; ++e)
        scores[j] +=
            at(q, row * line.d + e) * repeatedAt(k, placeOf(b, hk, j) + e);
      scores[j] *= scale();
      top = std::max(top, scores[j]);
    }
    for (double &score : scores)
      sum += score = std::exp(score - top);
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t e = 0; e < line.dv; ++e)
        result[e] += scores[j] / sum * repeatedAt(v, placeOf(b, hk, j) + e);
    return result;
  }

  const Line &line;
  const int64_t heads;
  std::vector<std::byte> q, k, v;
  std::vector<int32_t> table;
  PartSizes parts;
  Buffer onQ, onO, onK, onV, onTable, onLengths, onParts, onPartL, onDone;
};

} // namespace

std::string decoding(Device &device, Timer &timer, const std::string &text) {
  const Line line(text, device.sm_count());
  Module module(device, compile(attention(line.form, line.config)).artifact);
  Problem problem(device, line);
  const Contender ours{"ashlar",
                       [&](Stream &stream) { problem.launch(module, stream); }};
  timer.once(ours);
  const AttentionConfig &c = line.config;
  std::ostringstream out;
  out << problem.error() << ' ' << timer.cold(ours, milliseconds) << ' '
      << timer.hot(ours, milliseconds) << ' ' << line.form.group << ' '
      << line.splits << ' ' << c.bm << ' ' << c.bn << ' ' << c.stages << ' '
      << c.warpgroups << ' ' << c.queries << ' ' << c.ctas << ' ' << c.apart
      << ' ' << c.eager << ' ' << c.cluster;
  return out.str();
}

} // namespace ashlar::bench
