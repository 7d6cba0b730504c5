// The roles of a pipeline program, each with the stages that it takes at once.
#ifndef ASHLAR_TEST_CORPUS_DRAW_ROLE_H
#define ASHLAR_TEST_CORPUS_DRAW_ROLE_H

#include "test/corpus/Drawing.h"

#include <functional>

namespace ashlar::corpus {

enum TensorNumber { tensorA, tensorB, tensorL, tensorV };

/// What the tiles of a ring are for.
enum class Use : uint8_t {
  both, ///< tile 0 is A of a product, tile 1 its B
  a,
  b,
  addend, ///< as large as the sums
};

/// A role while its body is drawn.
struct Part {
  std::vector<int> fills, drains; ///< rings
  int64_t window = 1; ///< stages of each ring that it takes in an iteration
};

class RoleDraw : protected Drawing {
protected:
  explicit RoleDraw(uint64_t seed) : Drawing(seed) { nextLabel = 2; }

  /// What stands in an iteration, where stage `at` of its ring is the first.
  using Body = std::function<std::vector<Statement>(const Number &at)>;

  /// The loops around `window` stages of each ring.
  std::vector<Statement> repeated(int64_t window, const Body &body);
  static void append(std::vector<Statement> &body, std::vector<Statement> more);
  void addLoader(const Part &part, int64_t warps, int onlyTile = -1);
  /// Acquire, copies, commit.
  std::vector<Statement> fillOf(int label, int ring, Number at, int onlyTile);
  void addUser(const Part &part);
  /// Waits for some stages of each ring, uses and releases them.
  std::vector<Statement> draining(const std::vector<int> &rings,
                                  int64_t window);
  int waitFor(std::vector<Statement> &body, int ring);
  /// The product of these stages, or their sum.
  void use(std::vector<Statement> &body, const std::vector<int> &stages);
  /// Waits for tiles of one ring, writes them, changed, to another.
  std::vector<Statement> converting(int from, int to, int64_t window);
  void arithmetic(std::vector<Statement> &body);
  std::vector<Statement> declareSums();
  void storeSums(std::vector<Statement> &body);
  int fillLabel(int ring);

  Number trips;
  int64_t mostSums = 2;
  int64_t perTrip = 1;   ///< stages of each ring
  std::vector<Use> uses; ///< by ring
  int kept = -1; ///< a ring of which a tile has one stage, used all along

private:
  std::vector<int> tensorsOf(int ring) const;
  /// One list of several: one after another, or all first steps first, or in
  /// any order that keeps each.
  std::vector<Statement> interleaved(std::vector<std::vector<Statement>> tasks);

  static constexpr int loopLabel = 1;
  std::vector<int> fillLabels, sums;
  int keptStage = -1; ///< in the role that is drawn
  size_t stagingRole = 0;
};

} // namespace ashlar::corpus

#endif
