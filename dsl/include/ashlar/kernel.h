#pragma once

#include "ashlar/body.h"
#include "ashlar/error.h"
#include "ashlar/location.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ashlar {

/// A kernel as its author wrote it: the program at the tile level, or the
/// mistake that was found while it was built. Copies share the program.
class Kernel {
public:
  struct Impl;

  explicit Kernel(std::shared_ptr<Impl> impl) : impl(std::move(impl)) {}

  const std::string &name() const;

  /// The mistake, if there was one. `compile` and `tool` report it.
  const std::optional<Error> &error() const;

  /// The tile IR as text. Throws the mistake, if there was one.
  std::string tile_ir(bool debug_locations = false) const;

  const std::shared_ptr<Impl> &implementation() const { return impl; }

private:
  std::shared_ptr<Impl> impl;
};

/// Defines a kernel by running `body` once. Never throws an `Error`: the kernel
/// keeps it.
Kernel kernel(std::string_view name, detail::Body<> body,
              SourceLocation where = SourceLocation::current());

} // namespace ashlar
