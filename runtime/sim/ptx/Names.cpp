#include "runtime/sim/ptx/Names.h"

#include "runtime/sim/ptx/Characters.h"

namespace ashlar::sim::ptx {

void Names::leave() {
  while (!bindings.empty() && bindings.back().depth == depth) {
    *bindings.back().newest = bindings.back().previous;
    bindings.pop_back();
  }
  --depth;
}

std::optional<Entity> Names::find(std::string_view name) const {
  return find(name, 0);
}

std::optional<Entity> Names::findHere(std::string_view name) const {
  return find(name, depth);
}

void Names::declare(std::string_view name, const Entity &entity) {
  bind(singles[name], entity, 1);
}

void Names::declareFamily(std::string_view prefix, const Entity &first,
                          uint32_t count) {
  bind(families[prefix], first, count);
}

std::optional<Entity> Names::findFamilyHere(std::string_view prefix) const {
  const Binding *binding = newest(families, prefix);
  if (binding && binding->depth == depth)
    return binding->entity;
  return std::nullopt;
}

void Names::bind(uint32_t &newest, const Entity &entity, uint32_t count) {
  // An unordered_map never moves its values, so the pointer stays good.
  bindings.push_back({entity, count, depth, newest, &newest});
  newest = static_cast<uint32_t>(bindings.size());
}

const Names::Binding *Names::newest(const Table &table,
                                    std::string_view name) const {
  const auto found = table.find(name);
  if (found == table.end() || found->second == 0)
    return nullptr;
  return &bindings[found->second - 1];
}

// "%r12" may be a name of its own, the 12th of `%r<20>` or the second of
// `%r1<5>`: the innermost that there is counts.
std::optional<Entity> Names::find(std::string_view name,
                                  uint32_t lowest) const {
  std::optional<Entity> best;
  uint32_t bestDepth = lowest;
  if (const Binding *single = newest(singles, name);
      single && single->depth >= lowest) {
    best = single->entity;
    bestDepth = single->depth + 1;
  }
  constexpr size_t maximumDigits = 7; // families have fewer members
  uint32_t number = 0, power = 1;
  for (size_t digits = 1; digits <= maximumDigits && digits < name.size();
       ++digits, power *= 10) {
    const char digit = name[name.size() - digits];
    if (!isDigit(digit))
      break;
    number += static_cast<uint32_t>(digit - '0') * power;
    if (digit == '0' && digits > 1)
      continue; // no member is written with a leading zero
    const Binding *family =
        newest(families, name.substr(0, name.size() - digits));
    while (family && family->count <= number)
      family =
          family->previous != 0 ? &bindings[family->previous - 1] : nullptr;
    if (!family || family->depth < bestDepth)
      continue;
    best = family->entity;
    best->index += number;
    bestDepth = family->depth + 1;
  }
  return best;
}

} // namespace ashlar::sim::ptx
