#pragma once

#include "ashlar/handle.h"

#include <string_view>

namespace ashlar {

/// A named barrier between roles: every warp of each role that uses it takes
/// part.
class Barrier : public detail::Handle {
public:
  explicit Barrier(const Handle &handle) : Handle(handle) {}
  Barrier(const Barrier &) = default;
  Barrier &operator=(const Barrier &) = delete;

  /// Arrives, and waits until every role has arrived.
  void sync(SourceLocation where = SourceLocation::current()) const;
  /// Arrives without waiting.
  void arrive(SourceLocation where = SourceLocation::current()) const;
};

/// Declares a named barrier. Throws when the name is taken.
Barrier barrier(std::string_view name,
                SourceLocation where = SourceLocation::current());

} // namespace ashlar
