#include "runtime/MatchArguments.h"

#include "runtime/Text.h"

namespace ashlar {
namespace {

bool isFloat(const Argument &argument) {
  return std::holds_alternative<float>(argument) ||
         std::holds_alternative<double>(argument);
}

const char *kindOf(const Argument &argument) {
  if (std::holds_alternative<TensorArgument>(argument))
    return "a tensor";
  return isFloat(argument) ? "a float" : "an integer";
}

const char *kindOf(const ScalarContract &scalar) {
  return scalar.type == s32 ? "an integer" : "a float";
}

std::string namesOf(const Artifact &artifact) {
  std::string names;
  auto append = [&](const std::string &name) {
    names += (names.empty() ? "" : ", ") + name;
  };
  for (const TensorContract &tensor : artifact.tensors)
    append(tensor.name);
  for (const ScalarContract &scalar : artifact.scalars)
    append(scalar.name);
  for (const std::string &size : artifact.sizes)
    append(size);
  return names;
}

template <typename Contract>
const std::string &nameOf(const Contract &contract) {
  if constexpr (std::is_same_v<Contract, std::string>)
    return contract;
  else
    return contract.name;
}

/// The place of `name` among the contracts, or their number.
template <typename Contract>
size_t indexOf(const std::vector<Contract> &contracts, std::string_view name) {
  size_t index = 0;
  while (index < contracts.size() && nameOf(contracts[index]) != name)
    ++index;
  return index;
}

class Matcher {
public:
  Matcher(const Artifact &artifact, MatchedArguments &matched)
      : artifact(artifact), matched(matched) {
    matched.tensors.assign(artifact.tensors.size(), nullptr);
    matched.scalars.assign(artifact.scalars.size(), nullptr);
    matched.sizes.assign(artifact.sizes.size(), nullptr);
  }

  void match(const NamedArgument &argument) {
    if (size_t i = indexOf(artifact.tensors, argument.name);
        i < artifact.tensors.size())
      return matchTensor(i, argument);
    if (size_t i = indexOf(artifact.scalars, argument.name);
        i < artifact.scalars.size())
      return matchScalar(i, argument);
    if (size_t i = indexOf(artifact.sizes, argument.name);
        i < artifact.sizes.size())
      return matchSize(i, argument);
    throw Error(artifact.where,
                concat("kernel '", artifact.name, "' has no argument '",
                       argument.name, "'; it has ", namesOf(artifact),
                       ": pass one of these or leave it out"));
  }

  void demandComplete() const {
    for (size_t i = 0; i < artifact.tensors.size(); ++i)
      if (!matched.tensors[i])
        missing(artifact.tensors[i].where, "tensor", artifact.tensors[i].name,
                "a TensorArgument");
    for (size_t i = 0; i < artifact.scalars.size(); ++i)
      if (!matched.scalars[i])
        missing(artifact.scalars[i].where, "scalar", artifact.scalars[i].name,
                kindOf(artifact.scalars[i]));
  }

private:
  void matchTensor(size_t i, const NamedArgument &argument) {
    const TensorContract &contract = artifact.tensors[i];
    auto *tensor = std::get_if<TensorArgument>(&argument.value);
    if (!tensor)
      wrongKind(contract.where, argument, "a tensor", "a TensorArgument");
    demandOnce(contract.where, matched.tensors[i], argument);
    matched.tensors[i] = tensor;
  }

  void matchScalar(size_t i, const NamedArgument &argument) {
    const ScalarContract &contract = artifact.scalars[i];
    if (std::holds_alternative<TensorArgument>(argument.value) ||
        isFloat(argument.value) != (contract.type != s32))
      wrongKind(contract.where, argument,
                concat("a scalar of type ", ashlar::name(contract.type)),
                kindOf(contract));
    demandOnce(contract.where, matched.scalars[i], argument);
    matched.scalars[i] = &argument.value;
  }

  void matchSize(size_t i, const NamedArgument &argument) {
    if (!std::holds_alternative<int32_t>(argument.value) &&
        !std::holds_alternative<int64_t>(argument.value))
      wrongKind(artifact.where, argument, "a size", "an integer");
    demandOnce(artifact.where, matched.sizes[i], argument);
    matched.sizes[i] = &argument.value;
  }

  template <typename Entry>
  void demandOnce(const SourceLine &where, const Entry *earlier,
                  const NamedArgument &argument) const {
    if (earlier)
      throw Error(where,
                  concat("kernel '", artifact.name, "': argument '",
                         argument.name, "' is passed twice: pass it once"));
  }

  [[noreturn]] void wrongKind(const SourceLine &where,
                              const NamedArgument &argument,
                              const std::string &declared,
                              const char *pass) const {
    throw Error(where,
                concat("kernel '", artifact.name, "': argument '",
                       argument.name, "' is ", kindOf(argument.value),
                       "; it is declared as ", declared, ": pass ", pass));
  }

  [[noreturn]] void missing(const SourceLine &where, const char *what,
                            const std::string &name, const char *pass) const {
    throw Error(where,
                concat("kernel '", artifact.name, "': ", what, " '", name,
                       "' is missing: pass ", pass, " under that name"));
  }

  const Artifact &artifact;
  MatchedArguments &matched;
};

} // namespace

void matchArguments(const Artifact &artifact,
                    std::span<const NamedArgument> arguments,
                    MatchedArguments &matched) {
  Matcher matcher(artifact, matched);
  for (const NamedArgument &argument : arguments)
    matcher.match(argument);
  matcher.demandComplete();
}

} // namespace ashlar
