#include "runtime/sim/instructions/Modifiers.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

/// Modifiers of one kind mean something by their order. Words that belong to
/// the operation's name stand before all others.
enum class Kind : uint8_t { other, name, type, space, layout };

Kind kindOf(std::string_view name) {
  constexpr std::string_view spaces[] = {"const", "global", "local", "param",
                                         "shared"};
  constexpr std::string_view words[] = {"arrive",
                                        "arrive_drop",
                                        "async",
                                        "bulk",
                                        "commit_group",
                                        "cp_fenceproxy",
                                        "dec",
                                        "expect_tx",
                                        "fence",
                                        "fractional",
                                        "hi",
                                        "inc",
                                        "init",
                                        "inval",
                                        "l",
                                        "lo",
                                        "mbarrier",
                                        "mma_async",
                                        "parity",
                                        "pending_count",
                                        "prefetch",
                                        "proxy",
                                        "r",
                                        "range",
                                        "red",
                                        "reduce",
                                        "replace",
                                        "tensor",
                                        "test_wait",
                                        "to",
                                        "try_wait",
                                        "wait",
                                        "wait_group",
                                        "wide"};
  if (std::ranges::count(words, name))
    return Kind::name;
  if (ptx::typeNamed(name))
    return Kind::type;
  if (name == "row" || name == "col")
    return Kind::layout;
  return std::ranges::count(spaces, name.substr(0, name.find("::")))
             ? Kind::space
             : Kind::other;
}

} // namespace

bool Modifiers::mayStandFirst(size_t index) const {
  const Kind kind = kindOf(rest[index]);
  if (kind == Kind::name)
    return index == 0;
  return kind == Kind::other ||
         std::none_of(rest.begin(),
                      rest.begin() + static_cast<std::ptrdiff_t>(index),
                      [&](auto each) { return kindOf(each) == kind; });
}

bool Modifiers::take(std::string_view name) {
  return !takeIf([&](std::string_view each) { return each == name; }).empty();
}

int Modifiers::takeOneOf(std::initializer_list<std::string_view> names) {
  int index = 0;
  for (std::string_view name : names) {
    if (take(name))
      return index;
    ++index;
  }
  return -1;
}

std::optional<ptx::Type> Modifiers::takeType() {
  const std::string_view name =
      takeIf([](std::string_view each) { return bool(ptx::typeNamed(each)); });
  return name.empty() ? std::nullopt : ptx::typeNamed(name);
}

} // namespace ashlar::sim
