// What a configuration of attention takes of an SM.
#pragma once

#include "ashlar/attention.h"
#include "compiler/target/Target.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace ashlar {

/// Warpgroups that multiply and have rows of their own, and the rows of Q that
/// each multiplies at once.
int64_t warpgroupsOfRole(const AttentionConfig &config);
int64_t rowsOfWarpgroup(const AttentionConfig &config);

/// Rows of a tile that are of one query, and of how many tiles those of one
/// query are.
int64_t headsOfTile(const AttentionForm &form, const AttentionConfig &config);
int64_t tilesOfGroup(const AttentionForm &form, const AttentionConfig &config);

/// Columns of O that a role keeps.
int64_t keptColumns(const AttentionForm &form, const AttentionConfig &config);

/// Pages of a block of keys, 1 where several blocks lie in one, and the numbers
/// of them that a stage has room for: rows of shared tiles are a multiple of 16
/// bytes.
int64_t pagesOfBlock(const AttentionForm &form, const AttentionConfig &config);
int64_t numbersOfBlock(const AttentionForm &form,
                       const AttentionConfig &config);
inline constexpr int64_t stagesOfNumbers = 4;
/// Of the factors of rows that warpgroups which are apart hand over.
inline constexpr int64_t stagesOfFactors = 2;

/// Whether products are of 8 bits: the tensor cores read V with its keys beside
/// one another then, and add up what loses its last bits.
bool isOf8Bits(const AttentionForm &form);
/// Boxes of TMA that a row of so many bytes comes in, each as wide as the
/// swizzle.
int64_t boxesOfRow(int64_t bytes);
/// The form with heads of as many columns as tiles have, those behind a head's
/// filled with zeros by TMA, and not stored: whole products of Q and K, and
/// rows of boxes that are wide. V in K and V of e4m3 are as they are. Long rows
/// that are an odd multiple of 16 or 32 bytes come in boxes no wider than that,
/// and late: d 144 to 240 took 1.23 to 1.46 times as long so (4096 keys, an
/// H100), d 80 and 112 0.94 to 1.15 times.
AttentionForm formOfTiles(const AttentionForm &form);

/// The depth of a wgmma: of Q · Kᵀ in elements, of P · V in keys.
int64_t leastKeys(const AttentionForm &form);
/// The type of O.
ElementType resultType(const AttentionForm &form);

/// Columns of the sums that are one fragment: of 8 bits as many as a block's
/// products are added to at a time.
int64_t sumColumns(const AttentionForm &form);

/// Of 8 bits, whether a block's even keys lie before the odd ones: then threads
/// hold its weights as the product with V reads them, and exchange nothing. Not
/// where more than two parts of the columns are multiplied one behind another:
/// ptxas then no longer has one of them in the registers of the scores; nor
/// where CTAs of a cluster fetch too few keys each.
bool hasEvenKeysFirst(const AttentionForm &form, const AttentionConfig &config);

/// Columns of O that leave by TMA at a time, and in how many stages.
int64_t resultColumns(const AttentionForm &form);
int64_t resultStages(const AttentionForm &form);
/// Whether shared memory has no room for these beside those of K and V, so that
/// O leaves from where Q of the tile lay.
bool replacesQuery(const AttentionForm &form, const AttentionConfig &config);

/// Whether the two warpgroups of a tile begin it one after the other. In step
/// they want the tensor cores, and have none, at the same time until they have
/// found an order: by barriers in the PTX this was 8 % of a tile of 1024 keys,
/// 1 of 4096 (d 128, an H200). With the next Q at hand they have one from the
/// tile before.
bool beginsInOrder(const AttentionForm &form, const AttentionConfig &config);

/// Of one that says a stage is full, and one that says it is empty.
inline constexpr int64_t barrierBytesOfStage = 2 * target::mbarrierBytes;

/// The next multiple of a unit.
constexpr int64_t alignedTo(int64_t unit, int64_t bytes) {
  return (bytes + unit - 1) / unit * unit;
}

/// What an author's functions of scores may have of shared memory.
inline constexpr int64_t bytesOfAuthor = 1024;

/// Bytes of a stage of K or V, or where a block's are one stage of both; and of
/// all shared memory of a CTA, as the compiler plans it.
int64_t keyStageBytes(const AttentionForm &form, const AttentionConfig &config);
int64_t sharedBytes(const AttentionForm &form, const AttentionConfig &config);

/// A thread's registers before budgets are set, and its part of the sums.
int64_t entryRegisters(const AttentionConfig &config);
int64_t sumRegisters(const AttentionForm &form, const AttentionConfig &config);

/// Budgets of the roles that copy and of the one that multiplies.
int64_t copyRegisters(const AttentionForm &form, const AttentionConfig &config);
int64_t mathRegisters(const AttentionForm &form, const AttentionConfig &config);
/// Where warpgroups are apart: more for the scores, and as much less for who
/// has none.
int64_t scoreRegisters(const AttentionForm &form,
                       const AttentionConfig &config);
int64_t valueRegisters(const AttentionForm &form,
                       const AttentionConfig &config);

/// Why sizes are none of attention's, in a sentence; empty if they are.
std::string notSizes(const AttentionSizes &sizes);

/// Which of some numbers is no positive one, or so large that bytes could not
/// be counted, in a sentence; empty if all will do.
std::string
notCountable(std::initializer_list<std::pair<int64_t, const char *>> numbers,
             int64_t most = 1 << 20);

/// Why there are no gradients of a form, in a sentence that says what would do;
/// empty if there are.
std::string notDifferentiable(const AttentionForm &form);

/// Why no kernel of a configuration can be built, in a sentence that says what
/// would fit; empty if one can.
std::string notBuildable(const AttentionForm &form,
                         const AttentionConfig &config);

/// So many rows of so many parts of the keys, a power of two, are taken
/// together when parts are added up.
struct LoadsOfParts {
  int64_t rows, parts;
  /// Not much to ask for before it is there; else that is done by the
  /// logarithms alone.
  bool isLittle;
};
/// Ways to add up, from few rows of many parts to many of few. A launch takes
/// the first by which no CTA of a tile adds up twice, or else the last.
std::vector<LoadsOfParts> loadsOfParts(const AttentionForm &form,
                                       const AttentionConfig &config);

/// Whether a thread holds its fragments without a spill, as far as a formula
/// knows.
bool fitsRegisters(const AttentionForm &form, const AttentionConfig &config);
/// Whether the form lets a row's maximum lag behind, and it is worth it: that
/// saves a product for each of a thread's sums, and costs a vote and a branch.
/// Of 32 sums that was worth -3 to 1 %, of 64 and 128 1 to 5 %, but with two
/// tiles of Q, which are for short sequences, -3 to 0 % (d 64, 128, 256,
/// H200s).
bool rescales(const AttentionForm &form, const AttentionConfig &config);

/// How many stages a role needs to go on while others are filled, and how many
/// shared memory has room for.
int64_t leastStages(const AttentionForm &form, const AttentionConfig &config);
int64_t mostStages(const AttentionForm &form, AttentionConfig config);

} // namespace ashlar
