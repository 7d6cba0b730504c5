#pragma once

#include "ashlar/body.h"
#include "ashlar/index.h"

namespace ashlar {

namespace detail {

/// A loop that is open: its body is being traced. Its destructor notices a
/// body that was left by break or return.
class OpenLoop {
public:
  OpenLoop(const Index &low, const Index &high, const Index &step,
           bool isInTurns, SourceLocation where);
  /// The loop over the tiles of a schedule; `after`, if it is not null, so many
  /// turns of others.
  OpenLoop(const Handle &schedule, const Index *after, SourceLocation where);
  OpenLoop(const OpenLoop &) = delete;
  OpenLoop &operator=(const OpenLoop &) = delete;
  ~OpenLoop();

  /// The induction variable.
  Index counter() const;
  /// One coordinate of the tile, in tiles.
  Index coordinate(int64_t dimension) const;
  bool traced() const { return closed; }
  void close();

private:
  uint32_t kernel; // the number of its kernel
  int exceptions;  // in flight when it was opened
  SourceLocation where;
  bool closed = false;
};

struct LoopEnd {};

} // namespace detail

/// The integers from `low`, below `high`, by `step`. A for statement over it
/// traces its body once and becomes one loop of the kernel.
class Range {
public:
  Range(Index low, Index high, Index step, SourceLocation where)
      : low(std::move(low)), high(std::move(high)), step(std::move(step)),
        where(where) {}

  friend Range in_turns(Range range);

  class Iterator {
  public:
    explicit Iterator(const Range &range)
        : loop(range.low, range.high, range.step, range.isInTurns,
               range.where) {}
    Index operator*() const { return loop.counter(); }
    Iterator &operator++() {
      loop.close();
      return *this;
    }
    bool operator!=(detail::LoopEnd) const { return !loop.traced(); }

  private:
    detail::OpenLoop loop;
  };

  Iterator begin() const { return Iterator(*this); }
  detail::LoopEnd end() const { return {}; }

private:
  Index low, high, step;
  bool isInTurns = false;
  SourceLocation where;
};

/// The iterations go in turns to the groups of warps of a role
/// (`in_turns(groups, each)`), and each passes by the stages of the others'.
/// The first group has the first one; the role's next such loop goes on with
/// the group behind that which had the last. Its loops in turns take the same
/// stages in each iteration, or none, directly, and of a pipeline of a multiple
/// of as many for each group. No variable is carried from one iteration to the
/// next, and none of them meets the other groups by sync(). The groups find
/// bounds and conditions for themselves, and have to find the same: an
/// atomic_add gives each its own. In a role of one group it is the range as it
/// is.
Range in_turns(Range range);

/// `for (Index k : range(n))`: 0, 1, ..., n - 1. Don't leave the body by break
/// or return: that throws `Error`.
Range range(const Index &count,
            SourceLocation where = SourceLocation::current());
/// low, low + 1, ..., high - 1.
Range range(const Index &low, const Index &high,
            SourceLocation where = SourceLocation::current());
/// low, low + step, ... below high. A step that is known must be positive.
/// A step that is found to be 0 or less when the kernel runs gives none.
Range range(const Index &low, const Index &high, const Index &step,
            SourceLocation where = SourceLocation::current());

/// Where the condition holds this iteration of the range around it is the last
/// one; the rest of the iteration is still run. It stands directly in the body
/// of the range, not in a `when`; a tile loop ends with its tiles.
void last_if(detail::ConditionOperand condition,
             SourceLocation where = SourceLocation::current());

/// Runs `then` where the condition holds. Variables assigned in the body keep
/// their old value elsewhere.
void when(const Condition &condition, detail::Body<> then,
          SourceLocation where = SourceLocation::current());
/// Runs `then` where the condition holds, `otherwise` elsewhere.
void when(const Condition &condition, detail::Body<> then,
          detail::Body<> otherwise,
          SourceLocation where = SourceLocation::current());

} // namespace ashlar
