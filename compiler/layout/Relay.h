// How the lanes of a warp pass a fragment's values to one another, so that it
// lies otherwise.

#pragma once

#include "compiler/layout/Fragment.h"

namespace ashlar::layout {

/// A relay by shuffles of words, each of several values of one lane.
///
/// A lane's words are in groups, one for each value of what keeps its place in
/// a thread. In every group there is a word for each `choice`: what depends on
/// the lane that it goes to. A group takes `rounds` shuffles: in each a lane
/// sends one of the words, and gets one from another lane.
struct WarpRelay {
  /// The values of each word that is sent, those of the first group first.
  std::vector<std::vector<int64_t>> sent;
  /// The same of the words that are received.
  std::vector<std::vector<int64_t>> received;
  int64_t choices; ///< words of a group that a lane may send
  int64_t rounds;  ///< words of a group that a lane gets

  /// A bit of what a lane does in a round, as bits are that are xored: one of
  /// the lane's number, and one of the round's. 0 is none.
  struct Bit {
    int64_t lane = 0, round = 0;
    bool operator==(const Bit &) const = default;
  };
  /// The bits, lowest first, of the number of the word that it sends,
  std::vector<Bit> sends;
  /// of the lane from which it gets one, of which `lane` is the receiver's,
  std::vector<Bit> from;
  /// and of the number that the word has that it gets.
  std::vector<Bit> gets;

  /// Whether every lane gets only what it has: no shuffle is needed.
  bool isInLane() const;
  /// Whether every lane keeps the same values, whatever its number is: they are
  /// numbered otherwise.
  bool isRenumbering() const { return isInLane() && choices == 1; }
};

/// The number that bits make in a lane and a round.
int64_t numberOf(const std::vector<WarpRelay::Bit> &bits, int64_t lane,
                 int64_t round);

/// Refuses where a warp holds what another one needs, or the layouts cut the
/// fragment otherwise than into powers of two. `wordValues` is how many values
/// fit into a word, a power of two.
Result<WarpRelay> warpRelay(const FragmentLayout &from,
                            const FragmentLayout &to, int64_t wordValues);

} // namespace ashlar::layout
