// What the names of a module stand for, scope by scope.
#pragma once

#include "runtime/sim/ptx/Module.h"

#include <unordered_map>

namespace ashlar::sim::ptx {

/// What a name stands for: the index-th of its kind.
struct Entity {
  enum class Kind : uint8_t {
    registerName, // Function::registers
    symbol,       // `symbol` below has the list
    label,        // Function::labels
    targets,      // Function::targets
  };
  Kind kind = Kind::symbol;
  SymbolUse::Kind symbol = SymbolUse::Kind::moduleVariable;
  uint32_t index = 0;
  Position position; // where it is declared
};

/// A stack of scopes: the module's, a function's, and its nested blocks'. The
/// names are not copied. A family (`%r<5>`) is one entry however many names it
/// stands for.
class Names {
public:
  void enter() { ++depth; }
  void leave();

  /// The entity that the name stands for here, from the innermost scope that
  /// declares it.
  std::optional<Entity> find(std::string_view name) const;

  /// The entity that the innermost scope itself declares by this name.
  std::optional<Entity> findHere(std::string_view name) const;

  void declare(std::string_view name, const Entity &entity);

  /// Declares prefix0 to prefix(count-1); `first` is prefix0.
  void declareFamily(std::string_view prefix, const Entity &first,
                     uint32_t count);

  /// Whether the innermost scope has a family of this prefix.
  std::optional<Entity> findFamilyHere(std::string_view prefix) const;

private:
  struct Binding {
    Entity entity;
    uint32_t count = 1;
    uint32_t depth = 0;
    uint32_t previous = 0; // the binding that this one hides, plus 1
    uint32_t *newest = nullptr;
  };
  // The newest binding of a name, plus 1.
  using Table = std::unordered_map<std::string_view, uint32_t>;

  std::vector<Binding> bindings; // of all open scopes, innermost last
  Table singles, families;
  uint32_t depth = 0;

  void bind(uint32_t &newest, const Entity &entity, uint32_t count);
  const Binding *newest(const Table &table, std::string_view name) const;
  std::optional<Entity> find(std::string_view name, uint32_t lowest) const;
};

} // namespace ashlar::sim::ptx
