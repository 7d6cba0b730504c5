#include "bench/AttentionOperands.h"

#include "ashlar/error.h"
#include "bench/Assembled.h"
#include "bench/NormalData.h"
#include "runtime/Context.h"
#include "runtime/Files.h"
#include "tool/Elements.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace ashlar::bench {

namespace {

constexpr int rowsChecked = 6;
constexpr float valueScale = 0.75;
/// Of keys and values, which repeat: no multiple of anything.
constexpr int64_t blockElements = (1 << 22) + 8 * 1009;

Buffer filled(Device &device, const void *data, int64_t bytes) {
  Buffer buffer(device, std::max<int64_t>(bytes, 16));
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

std::vector<std::byte> blockOf(ElementType type, int64_t elements,
                               uint64_t seed) {
  return normalData(type, std::min(blockElements, elements), seed);
}

/// Pages lie anywhere.
std::vector<int32_t> shuffledPages(int64_t count) {
  std::vector<int32_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  std::ranges::shuffle(all, std::mt19937_64(11));
  return all;
}

double elementOf(ElementType type, const std::vector<std::byte> &tensor,
                 int64_t i) {
  const int64_t elements = int64_t(tensor.size()) / size_bytes(type);
  return harness::decode(type,
                         harness::loadBits(type, tensor.data(), i % elements));
}

} // namespace

AttentionOperands::AttentionOperands(Device &device,
                                     const AttentionProblem &problem)
    : problem(problem),
      q(normalData(problem.type, problem.b * problem.sq * problem.h * problem.d,
                   1)),
      k(blockOf(problem.type, keyElements(), 2)),
      v(blockOf(problem.type, valueElements(), 3)),
      table(shuffledPages(problem.b * pagesOfSequence())),
      onQ(filled(device, q.data(), q.size())),
      onK(repeated(device, k, keyElements() * size_bytes(problem.type))),
      onV(repeated(device, v, valueElements() * size_bytes(problem.type))),
      onO(device, problem.b * problem.sq * problem.h * problem.dv *
                      size_bytes(resultType())),
      onTable(filled(device, table.data(), 4 * table.size())),
      onLengths(filled(device,
                       std::vector<int32_t>(problem.b, problem.sk).data(),
                       4 * problem.b)) {}

void AttentionOperands::readFrom(const std::filesystem::path &folder) {
  auto read = [&](const char *name, std::vector<std::byte> &tensor,
                  Buffer &onDevice) {
    const size_t size = onDevice.size_bytes();
    std::string why = readFile(folder / name, tensor, size);
    if (why.empty() && tensor.size() != size)
      why = "it has " + std::to_string(tensor.size()) + " bytes, not " +
            std::to_string(size);
    if (!why.empty())
      throw Error((folder / name).string() + ": " + why);
    onDevice.copy_from_host(tensor);
  };
  read("Q", q, onQ);
  read("K", k, onK);
  read("V", v, onV);
}

void AttentionOperands::writeResult(const std::filesystem::path &folder) const {
  if (const std::string why = writeFileAtomically(folder / "O", result());
      !why.empty())
    throw Error((folder / "O").string() + ": " + why);
}

std::vector<std::byte> AttentionOperands::result() const {
  std::vector<std::byte> o(onO.size_bytes());
  onO.copy_to_host(o);
  return o;
}

int64_t AttentionOperands::pagesOfSequence() const {
  return problem.page ? (problem.sk + problem.page - 1) / problem.page : 0;
}
int64_t AttentionOperands::keysOfPiece() const {
  return problem.page ? problem.page : problem.sk;
}
int64_t AttentionOperands::pieces() const {
  return problem.b * (problem.page ? pagesOfSequence() : 1);
}
int64_t AttentionOperands::rowOfValues() const {
  return (keysOfPiece() + 15) / 16 * 16;
}
int64_t AttentionOperands::keyElements() const {
  return pieces() * keysOfPiece() * problem.hk * problem.d;
}
int64_t AttentionOperands::valueElements() const {
  if (problem.latent)
    return 8;
  const int64_t keys = isOf8Bits() ? rowOfValues() : keysOfPiece();
  return pieces() * keys * problem.hk * problem.dv;
}

TensorArgument AttentionOperands::rowsOf(const Buffer &buffer, ElementType type,
                                         int64_t width, int64_t group) const {
  const int64_t token = problem.h * width, sequence = problem.sq * token,
                together = problem.h / problem.hk;
  if (group > 1)
    return {buffer.data(),
            type,
            {problem.b, problem.hk, problem.sq, together, width},
            {sequence, together * width, token, width, 1}};
  return {buffer.data(),
          type,
          {problem.b, problem.h, problem.sq, width},
          {sequence, width, token, 1}};
}

TensorArgument AttentionOperands::keysOf(const Buffer &buffer,
                                         int64_t width) const {
  const int64_t token = problem.hk * width;
  return {buffer.data(),
          problem.type,
          {pieces(), problem.hk, keysOfPiece(), width},
          {keysOfPiece() * token, width, token, 1}};
}

TensorArgument AttentionOperands::transposedValues() const {
  const int64_t row = rowOfValues(), head = problem.dv * row;
  return {onV.data(),
          problem.type,
          {pieces(), problem.hk, problem.dv, keysOfPiece()},
          {problem.hk * head, head, row, 1}};
}

std::vector<NamedArgument> AttentionOperands::arguments(int64_t group) const {
  std::vector<NamedArgument> all{
      {"Q", rowsOf(onQ, problem.type, problem.d, group)},
      {"O", rowsOf(onO, resultType(), problem.dv, group)},
      {"K", keysOf(onK, problem.d)},
      {"scale", problem.scale()}};
  if (!problem.latent)
    all.push_back(
        {"V", isOf8Bits() ? transposedValues() : keysOf(onV, problem.dv)});
  if (isOf8Bits())
    all.push_back({"value_scale", valueScale});
  if (problem.page) {
    all.push_back(
        {"Table",
         TensorArgument{onTable.data(), s32, {problem.b, pagesOfSequence()}}});
    all.push_back(
        {"Lengths", TensorArgument{onLengths.data(), s32, {problem.b}}});
  }
  return all;
}

void AttentionOperands::forgetResult() { onO.fill(std::byte(0xff)); }

double AttentionOperands::error() const {
  const std::vector<std::byte> o = result();
  std::mt19937_64 random(7);
  const int64_t rows = problem.b * problem.sq * problem.h;
  double difference = 0, norm = 0;
  for (int i = 0; i < rowsChecked; ++i) {
    const int64_t row = i ? random() % rows : rows - 1;
    const std::vector<double> truth = rowOf(row);
    for (int64_t e = 0; e < problem.dv; ++e) {
      difference += std::pow(
          elementOf(resultType(), o, row * problem.dv + e) - truth[e], 2);
      norm += truth[e] * truth[e];
    }
  }
  return std::sqrt(difference / norm);
}

double AttentionOperands::tolerance() const {
  return isOf8Bits() ? 4e-2 : 6e-3;
}

double AttentionOperands::key(int64_t b, int64_t hk, int64_t key,
                              int64_t e) const {
  const int64_t piece =
      problem.page ? table[b * pagesOfSequence() + key / problem.page] : b;
  const int64_t token = piece * keysOfPiece() + key % keysOfPiece();
  return elementOf(problem.type, k, (token * problem.hk + hk) * problem.d + e);
}

double AttentionOperands::value(int64_t b, int64_t hk, int64_t key,
                                int64_t e) const {
  if (problem.latent)
    return this->key(b, hk, key, e);
  const int64_t piece =
      problem.page ? table[b * pagesOfSequence() + key / problem.page] : b;
  const int64_t inPiece = key % keysOfPiece();
  if (isOf8Bits())
    return valueScale * elementOf(e4m3, v,
                                  ((piece * problem.hk + hk) * problem.dv + e) *
                                          rowOfValues() +
                                      inPiece);
  const int64_t token = piece * keysOfPiece() + inPiece;
  return elementOf(problem.type, v, (token * problem.hk + hk) * problem.dv + e);
}

std::vector<double> AttentionOperands::rowOf(int64_t row) const {
  const int64_t h = row % problem.h, i = row / problem.h % problem.sq,
                b = row / problem.h / problem.sq,
                hk = h / (problem.h / problem.hk);
  const int64_t keys = problem.keysOf(i);
  std::vector<double> result(problem.dv), scores(keys);
  double top = -HUGE_VAL, sum = 0;
  for (int64_t j = 0; j < keys; ++j) {
    for (int64_t e = 0; e < problem.d; ++e)
      scores[j] +=
          elementOf(problem.type, q, row * problem.d + e) * key(b, hk, j, e);
    scores[j] *= problem.scale();
    top = std::max(top, scores[j]);
  }
  for (double &score : scores)
    sum += score = std::exp(score - top);
  for (int64_t j = 0; j < keys; ++j)
    for (int64_t e = 0; e < problem.dv; ++e)
      result[e] += scores[j] / sum * value(b, hk, j, e);
  return result;
}

AttentionLaunch::AttentionLaunch(Device &device,
                                 const AttentionOperands &operands,
                                 const AttentionChoice &choice,
                                 const Artifact &artifact)
    : module(device, artifact), parts([&] {
        AttentionForm form = operands.problem.form();
        form.group = choice.group;
        return choice.config.splits
                   ? part_sizes(form, choice.config, operands.problem.sizes())
                   : PartSizes{};
      }()),
      onParts(device,
              4 * choice.splits * parts.tiles * parts.rows * parts.columns),
      onPartL(device, 4 * choice.splits * parts.tiles * parts.rows),
      onDone(device, 4 * parts.tiles), onNext(device, 4),
      arguments(operands.arguments(choice.group)) {
  auto add = [&](const char *name, const Buffer &buffer, ElementType type,
                 std::vector<int64_t> shape) {
    arguments.push_back(
        {name, TensorArgument{buffer.data(), type, std::move(shape)}});
  };
  onNext.fill(std::byte(0));
  if (choice.config.dynamic)
    add("Next", onNext, s32, {1});
  if (!choice.config.splits)
    return;
  for (Buffer *zeros : {&onParts, &onPartL, &onDone})
    zeros->fill(std::byte(0));
  const auto [tiles, rows, columns] = parts;
  add("Parts", onParts, f32, {choice.splits, tiles, rows, columns});
  add("PartL", onPartL, f32, {choice.splits, tiles, rows});
  add("Done", onDone, s32, {tiles});
}

void AttentionLaunch::operator()(Stream &stream) {
  module.launch(arguments, stream);
}

GpuModel modelOf(int64_t smCount) {
  GpuModel gpu = h200();
  gpu.sm_count = smCount;
  return gpu;
}

Artifact compileChoice(const AttentionProblem &problem,
                       const AttentionChoice &choice) {
  AttentionForm form = problem.form();
  form.group = choice.group;
  return compile(attention(form, choice.config), assembledIfPossible())
      .artifact;
}

std::string str(const AttentionChoice &choice) {
  const AttentionConfig &c = choice.config;
  std::string text = std::to_string(c.bm) + "x" + std::to_string(c.bn) + " s" +
                     std::to_string(c.stages) + " w" +
                     std::to_string(c.warpgroups);
  auto add = [&](const char *name, int64_t number) {
    if (number > 1)
      text += std::string(" ") + name + std::to_string(number);
  };
  add("g", choice.group);
  if (c.splits)
    text += " p" + std::to_string(choice.splits);
  add("q", c.queries);
  add("c", c.ctas);
  add("a", 1 + int64_t(c.apart));
  add("m", c.cluster);
  return text + (c.eager ? " eager" : "") + (c.dynamic ? " dynamic" : "") +
         (c.early_launch ? " early" : "");
}

} // namespace ashlar::bench
