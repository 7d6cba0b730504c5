// The descriptor through which TMA walks a tensor. Encoding one costs about a
// microsecond on the host, so the last is kept.
#pragma once

#include "runtime/BindTensor.h"
#include "runtime/Context.h"

namespace ashlar {

class TensorMapSlot {
public:
  TensorMapSlot(const TensorContract &contract, const TensorMapRecipe &recipe)
      : contract(contract), recipe(recipe) {}

  /// Encodes the tensor, unless it is where and what it was the last time.
  void update(const Context &context, const std::string &kernel,
              const BoundTensor &tensor);

  driver::TensorMap *map() { return &encoded; }
  int tensor() const { return recipe.tensor; }

private:
  void encode(const Context &context, const std::string &kernel,
              const BoundTensor &tensor);

  const TensorContract &contract;
  const TensorMapRecipe &recipe;
  driver::TensorMap encoded = {};
  bool valid = false;
  uint64_t address = 0;
  std::vector<int64_t> shape, strides;
};

} // namespace ashlar
