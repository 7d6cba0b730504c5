#include "runtime/InferSizes.h"

#include "compiler/target/Target.h"
#include "runtime/Text.h"

#include <limits>

namespace ashlar {
namespace {

constexpr int64_t unknown = -1;
constexpr int64_t maxExtent = target::largestExtent;

class SizeInference {
public:
  SizeInference(const Artifact &artifact, const MatchedArguments &matched,
                SizeValues &sizes)
      : artifact(artifact), matched(matched), sizes(sizes) {
    sizes.values.assign(artifact.sizes.size(), unknown);
    sizes.tensors.assign(artifact.sizes.size(), -1);
  }

  void run() {
    for (size_t i = 0; i < artifact.sizes.size(); ++i)
      if (matched.sizes[i])
        takePassed(i);
    for (size_t i = 0; i < artifact.tensors.size(); ++i)
      takeTensor(i);
    for (size_t i = 0; i < artifact.sizes.size(); ++i)
      if (sizes.values[i] == unknown)
        throw Error(artifact.where,
                    concat("kernel '", artifact.name, "': size '",
                           artifact.sizes[i],
                           "' is no tensor's extent and is missing: pass it as "
                           "an integer under "
                           "that name"));
  }

private:
  void takePassed(size_t size) {
    const Argument &argument = *matched.sizes[size];
    auto *narrow = std::get_if<int32_t>(&argument);
    const int64_t value = narrow ? *narrow : std::get<int64_t>(argument);
    if (value < 0 || value > maxExtent)
      throw Error(
          artifact.where,
          concat("kernel '", artifact.name, "': size '", artifact.sizes[size],
                 "' is ", value, "; the limits are 0 and ", maxExtent,
                 value < 0 ? ": pass 0 or more" : ": split the problem"));
    sizes.values[size] = value;
  }

  void takeTensor(size_t tensor) {
    const TensorContract &contract = artifact.tensors[tensor];
    const std::vector<int64_t> &shape = matched.tensors[tensor]->shape;
    if (shape.size() != contract.extents.size())
      throw Error(contract.where,
                  concat("kernel '", artifact.name, "': tensor '",
                         contract.name, "' has rank ", shape.size(),
                         "; it is declared with rank ", contract.extents.size(),
                         ": pass a shape of ", contract.extents.size(),
                         " extents"));
    for (size_t d = 0; d < shape.size(); ++d)
      takeExtent(tensor, d, shape[d]);
  }

  void takeExtent(size_t tensor, size_t dimension, int64_t value) {
    const TensorContract &contract = artifact.tensors[tensor];
    const Extent &extent = contract.extents[dimension];
    if (value < 0 || value > maxExtent)
      throw Error(contract.where, concat(describe(tensor, dimension, value),
                                         "; the limits are 0 and ", maxExtent,
                                         value < 0 ? ": pass 0 or more"
                                                   : ": split the problem"));
    if (extent.size < 0) {
      if (value != extent.constant)
        throw Error(contract.where,
                    concat(describe(tensor, dimension, value),
                           "; it is declared with ", extent.constant,
                           " there: pass that or compile the kernel for ",
                           value));
      return;
    }
    const size_t size = static_cast<size_t>(extent.size);
    if (sizes.values[size] == unknown) {
      sizes.values[size] = value;
      sizes.tensors[size] = static_cast<int>(tensor);
    } else if (sizes.values[size] != value) {
      throw Error(contract.where,
                  concat(describe(tensor, dimension, value), ", which is '",
                         artifact.sizes[size], "', but ", originOf(size),
                         " makes it ", sizes.values[size],
                         ": make the two agree"));
    }
  }

  std::string describe(size_t tensor, size_t dimension, int64_t value) const {
    return concat("kernel '", artifact.name, "': tensor '",
                  artifact.tensors[tensor].name, "' has extent ", value,
                  " in dimension ", dimension);
  }

  std::string originOf(size_t size) const {
    if (sizes.tensors[size] < 0)
      return concat("the argument '", artifact.sizes[size], "'");
    const TensorContract &tensor =
        artifact.tensors[static_cast<size_t>(sizes.tensors[size])];
    std::string line = tensor.where.str();
    return concat("tensor '", tensor.name, "'",
                  line.empty() ? "" : " (" + line + ")");
  }

  const Artifact &artifact;
  const MatchedArguments &matched;
  SizeValues &sizes;
};

} // namespace

void inferSizes(const Artifact &artifact, const MatchedArguments &matched,
                SizeValues &sizes) {
  SizeInference(artifact, matched, sizes).run();
}

} // namespace ashlar
