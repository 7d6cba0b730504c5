#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace ashlar::detail {

/// A lambda that a call of the language runs before it returns.
template <class... Arguments> class Body {
public:
  template <std::invocable<Arguments...> F>
    requires(!std::same_as<std::remove_cvref_t<F>, Body>)
  Body(F &&function)
      : object(const_cast<void *>(
            static_cast<const void *>(std::addressof(function)))),
        call([](void *object, Arguments... arguments) {
          (*static_cast<std::remove_reference_t<F> *>(object))(
              std::move(arguments)...);
        }) {}

  void operator()(Arguments... arguments) const {
    call(object, std::move(arguments)...);
  }

private:
  void *object;
  void (*call)(void *, Arguments...);
};

} // namespace ashlar::detail
