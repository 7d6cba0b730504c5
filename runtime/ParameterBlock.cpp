#include "runtime/ParameterBlock.h"

#include "runtime/ScalarBits.h"

#include <bit>

namespace ashlar {

// Values are written to the low bytes of a word, from where a narrower
// parameter is read.
static_assert(std::endian::native == std::endian::little);

ParameterBlock::ParameterBlock(const Artifact &artifact)
    : artifact(artifact), words(artifact.parameters.size()) {
  for (const Parameter &parameter : artifact.parameters)
    if (parameter.kind == Parameter::Kind::tensorMap)
      tensorMaps.emplace_back(
          artifact.tensors[static_cast<size_t>(parameter.tensorMap.tensor)],
          parameter.tensorMap);
  auto nextMap = tensorMaps.begin();
  for (size_t i = 0; i < words.size(); ++i)
    if (artifact.parameters[i].kind == Parameter::Kind::tensorMap)
      values.push_back((nextMap++)->map());
    else
      values.push_back(&words[i]);
}

void ParameterBlock::fill(const Context &context,
                          const MatchedArguments &matched,
                          const SizeValues &sizes,
                          const std::vector<BoundTensor> &tensors) {
  for (size_t i = 0; i < words.size(); ++i) {
    const Parameter &parameter = artifact.parameters[i];
    const auto index = static_cast<size_t>(parameter.index);
    switch (parameter.kind) {
    case Parameter::Kind::size:
      words[i] = static_cast<uint64_t>(sizes.values[index]);
      break;
    case Parameter::Kind::scalar:
      words[i] = scalarBits(artifact.name, artifact.scalars[index],
                            *matched.scalars[index]);
      break;
    case Parameter::Kind::pointer:
      words[i] = tensors[index].address;
      break;
    case Parameter::Kind::stride:
      words[i] = static_cast<uint64_t>(
          tensors[index].strides[static_cast<size_t>(parameter.dimension)]);
      break;
    case Parameter::Kind::tensorMap:
      break;
    }
  }
  for (TensorMapSlot &slot : tensorMaps)
    slot.update(context, artifact.name,
                tensors[static_cast<size_t>(slot.tensor())]);
}

} // namespace ashlar
