#include "tool/MakeProblem.h"

#include "tool/Elements.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <unistd.h>

namespace ashlar::harness {

namespace {

constexpr int64_t defaultSize = 1024;
constexpr double defaultScalar = 1;
/// An odd number of random values that a large tensor repeats: drawing a value
/// costs more than rounding it.
constexpr size_t distinctValues = (1 << 20) + 7;

/// "; its sizes are M, N".
std::string listed(const char *what, const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text +=
        (text.empty() ? std::string("; its ") + what + "s are " : ", ") + name;
  return text;
}

template <typename Entry>
void checkNames(const Artifact &artifact, const char *what,
                std::span<const Entry> given,
                const std::vector<std::string> &known) {
  for (const Entry &entry : given)
    if (std::ranges::find(known, entry.name) == known.end())
      throw Error("kernel '" + artifact.name + "' has no " + what + " '" +
                  entry.name + "'" + listed(what, known));
}

template <typename Entry, typename Value>
Value lookUp(std::span<const Entry> given, const std::string &name,
             Value fallback) {
  for (const Entry &entry : given)
    if (entry.name == name)
      fallback = entry.value;
  return fallback;
}

std::vector<int64_t> alignedStrides(const TensorContract &contract,
                                    const std::vector<int64_t> &shape) {
  const int64_t unit =
      pack_length(contract.type) *
      std::max<int64_t>(1, contract.alignmentBytes / size_bytes(contract.type));
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size() - 1; d-- > 0;) {
    int64_t dense = 0;
    if (__builtin_mul_overflow(strides[d + 1],
                               std::max<int64_t>(1, shape[d + 1]), &dense) ||
        __builtin_add_overflow(dense, unit - 1, &dense))
      throw Error("tensor '" + contract.name +
                  "' has more elements than can be counted: give smaller "
                  "sizes");
    strides[d] = dense / unit * unit;
  }
  return strides;
}

void fillZeros(HostTensor &tensor) {
  forEachCoordinate(tensor.shape(), [&](std::span<const int64_t> at) {
    tensor.write(tensor.offset(at), 0);
  });
}

void fill(const Problem &problem, HostTensor &tensor,
          const decltype(Input::element) &element) {
  forEachCoordinate(tensor.shape(), [&](std::span<const int64_t> at) {
    tensor.write(tensor.offset(at), element(problem, at));
  });
}

void fillPoison(HostTensor &tensor) {
  int64_t element = 0;
  forEachCoordinate(tensor.shape(), [&](std::span<const int64_t> at) {
    storeBits(tensor.type(), tensor.bytes().data(), tensor.offset(at),
              poisonBits(tensor.type(), element++));
  });
}

void fillRandom(HostTensor &tensor, std::mt19937_64 &random) {
  const ElementType type = tensor.type();
  const size_t count =
      std::min<size_t>(distinctValues, static_cast<size_t>(tensor.elements()));
  std::vector<uint32_t> values(count);
  if (isInteger(type)) {
    // What s8 holds without its least value, or of that what the type holds.
    const int low = static_cast<int>(decode(type, encode(type, -127)));
    const int high = static_cast<int>(std::min<double>(largest(type), 127));
    std::uniform_int_distribution<int> uniform(low, high);
    std::ranges::generate(values,
                          [&] { return encode(type, uniform(random)); });
  } else {
    std::normal_distribution<double> normal;
    // A scale is positive.
    const bool isScale = type == ElementType::e8m0;
    std::ranges::generate(values, [&] {
      const double value = normal(random);
      return encode(type, isScale ? std::exp2(value) : value);
    });
  }
  size_t next = 0;
  forEachCoordinate(tensor.shape(), [&](std::span<const int64_t> at) {
    storeBits(type, tensor.bytes().data(), tensor.offset(at), values[next]);
    next = next + 1 == count ? 0 : next + 1;
  });
}

} // namespace

Problem nameProblem(const Artifact &artifact, std::span<const NamedSize> sizes,
                    std::span<const NamedScalar> scalars) {
  Problem problem;
  checkNames(artifact, "size", sizes, artifact.sizes);
  std::vector<std::string> scalarNames;
  for (const ScalarContract &scalar : artifact.scalars)
    scalarNames.push_back(scalar.name);
  checkNames(artifact, "scalar", scalars, scalarNames);

  for (const std::string &name : artifact.sizes) {
    const int64_t value = lookUp(sizes, name, defaultSize);
    if (value < 0)
      throw Error("size '" + name + "' is " + std::to_string(value) +
                  "; it is at least 0");
    problem.sizes.push_back({name, value});
  }
  for (const ScalarContract &scalar : artifact.scalars) {
    const double value = lookUp(scalars, scalar.name, defaultScalar);
    if (scalar.type == s32 &&
        value != std::clamp(std::trunc(value), -0x1p31, 0x1p31 - 1)) {
      std::ostringstream given;
      given << value;
      throw Error("scalar '" + scalar.name + "' is given " + given.str() +
                  ", and it is s32: give a whole number from -2^31 to "
                  "2^31 - 1");
    }
    problem.scalars.push_back({scalar.name, value});
  }
  return problem;
}

static std::vector<int64_t> shapeOf(const TensorContract &contract,
                                    const Problem &problem) {
  std::vector<int64_t> shape;
  for (const Extent &extent : contract.extents)
    shape.push_back(extent.size < 0 ? extent.constant
                                    : problem.sizes[extent.size].value);
  return shape;
}

void demandMemory(const Artifact &artifact, const Problem &problem,
                  bool simulated) {
  // What is computed and what is expected, and what a device has; simulated,
  // with what is known of each byte: who has read and written it.
  const double copies = simulated ? 7 : 3;
  const double memory =
      double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE));
  double bytes = 0;
  for (const TensorContract &contract : artifact.tensors) {
    double elements = 1;
    for (int64_t extent : shapeOf(contract, problem))
      elements *= double(extent);
    bytes += elements * double(size_bytes(contract.type)) /
             double(pack_length(contract.type));
  }
  if (bytes * copies <= memory)
    return;
  auto gibibytes = [](double bytes) {
    return std::to_string(int64_t(std::ceil(bytes / (1 << 30)))) + " GiB";
  };
  throw Error("the tensors of '" + artifact.name + "' take " +
              gibibytes(bytes) + " of memory, " + gibibytes(bytes * copies) +
              " with what a " + (simulated ? "simulated " : "") +
              "run keeps of them, and this machine has " + gibibytes(memory) +
              ": give smaller sizes");
}

void addTensors(const Artifact &artifact, Problem &problem,
                std::span<const std::string> zeros,
                std::span<const Input> inputs, uint64_t seed) {
  auto check = [&](const std::string &name) {
    if (std::ranges::find(artifact.tensors, name, &TensorContract::name) ==
        artifact.tensors.end())
      throw Error("kernel '" + artifact.name + "' has no tensor '" + name +
                  "'");
  };
  for (const std::string &name : zeros)
    check(name);
  for (const Input &input : inputs)
    check(input.tensor);
  std::mt19937_64 random(seed);
  for (const TensorContract &contract : artifact.tensors) {
    const std::vector<int64_t> shape = shapeOf(contract, problem);
    problem.tensors.emplace_back(contract.name, contract.type, shape,
                                 alignedStrides(contract, shape));
    auto input = std::ranges::find(inputs, contract.name, &Input::tensor);
    if (input != inputs.end())
      fill(problem, problem.tensors.back(), input->element);
    else if (std::ranges::find(zeros, contract.name) != zeros.end())
      fillZeros(problem.tensors.back());
    else if (contract.read)
      fillRandom(problem.tensors.back(), random);
    else if (allOnesIsValue(contract.type))
      fillPoison(problem.tensors.back()); // else it holds that already
  }
}

} // namespace ashlar::harness
