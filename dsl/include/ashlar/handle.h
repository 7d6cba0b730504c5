#pragma once

#include "ashlar/location.h"
#include "ashlar/refusal.h"

#include <cstdint>

namespace ashlar::detail {

class Trace;

/// What a handle stands for; messages name it.
enum class HandleKind : uint8_t {
  index,
  scalar,
  condition,
  fragment,
  mask,
  stage,
  tensor,
  pipeline,
  sharedTile,
  barrier,
  schedule,
};

/// A reference into the kernel that is being traced. It is valid in the loop,
/// branch, role or kernel that it was made in; any other use throws `Error`.
class Handle {
public:
  /// Where the author made it.
  SourceLocation declared_at() const { return declared; }

protected:
  Handle(HandleKind kind, SourceLocation where) : declared(where), kind(kind) {}

private:
  friend class Trace;

  SourceLocation declared;
  uint32_t kernel = 0; // number of its kernel; 0: made outside any kernel
  uint32_t cell = 0;
  HandleKind kind;
};

/// A handle that can be assigned. Each C++ object is a variable of its own: a
/// copy starts with the current value, and an assignment in a loop or a branch
/// makes the variable carried by the loop or a result of the branch.
class Variable : public Handle {
protected:
  Variable(HandleKind kind, SourceLocation where) : Handle(kind, where) {}
  explicit Variable(const Handle &handle) : Handle(handle) {}
  Variable(const Variable &other, SourceLocation where);
  /// As a copy: what is moved from remains a variable of its own.
  Variable(Variable &&other) : Variable(other, other.declared_at()) {}
  Variable &operator=(const Variable &other);
  ~Variable() = default;
};

} // namespace ashlar::detail
