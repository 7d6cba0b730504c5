#include "ashlar/attention_auto.h"

#include "ashlar/error.h"
#include "compiler/target/Target.h"
#include "kernels/AttentionResources.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ashlar {

namespace {

/// Of an SM in a clock: CUDA C++ Programming Guide, throughput of native
/// arithmetic instructions, compute capability 9.0.
constexpr double exponentialsPerClock = 16, arithmeticPerClock = 128;
/// By how much attention's copies into an SM and out of DRAM come faster, and
/// its launches take longer, than what GEMM's are fitted to: those with which
/// the constants below were found.
constexpr double loadRate = 86.7 / 69.6, dramRate = 4.89 / 4.45,
                 launchShare = 4.8 / 4.66;
/// Instructions for a score beside its exponential: the maximum, the scale, the
/// sum, half a conversion; and those of a mask, in blocks that have one. With
/// these, what a block has beside and what `unhidden` says the cold time is
/// within 8.0 % (rms) of what `bench-attention --tune` measured of 947
/// configurations, heads of 40 to 256, sequences of 1024 to 16384, bf16 and
/// e4m3, on an H100 and an H200; what is the fastest by it takes 1.1 % longer
/// than the best of them, at worst 7 %.
constexpr double instructionsPerScore = 4, instructionsOfMask = 6;
/// And for a block: two reductions of two rows by two shuffles each, three
/// waits for stages and as many releases, the descriptors of wgmma.
constexpr double instructionsPerBlock = 50;
/// In a block each warpgroup waits so long for stages, and each of several of a
/// role for the others: a stage comes for all of them, and goes when all are
/// done. CTAs that share an SM do not wait for each other.
constexpr double clocksOfStages = 20, clocksOfMeeting = 60;
/// What they wait for each other in a block of 8 bits where tiles come in a
/// fixed order: they seem to be in step then, and to want the tensor cores at
/// the same time. In tiles that come as they are free d 64 took 1 to 2 % less
/// time, d 96 0 to 6 and d 128 4 to 9 (sequences of 1024 to 16384, an H200),
/// which is some 40, 120 and 130 clocks; d 192 and 256, whose even keys do not
/// lie first, took as long, but d 256 with 1024 keys 3 % more.
constexpr double clocksInStep = 60;
/// Of a vote and a branch, where sums seldom shrink: by so much less than the
/// products that it saves was that worth (d 128, 128 keys, an H200).
constexpr double clocksOfBranch = 15;
/// From a shuffle to its result; the two of each reduction are in a row.
constexpr double shuffleClocks = 25, shufflesInARow = 4;
/// From an SM's shared memory to its tensor cores in a clock (32 banks of 4
/// bytes), and between two products at least: a barrier and the latency of a
/// short wgmma.
constexpr double sharedBytesPerClock = 128, stepClocks = 57;
/// From the first request of a launch, and from that of a stage while others
/// are on their way, to its first byte; the latter from DRAM.
constexpr double firstMicroseconds = 0.515, latencyMicroseconds = 1.17;
/// By which a launch whose tiles are handed out ends later: until the first is
/// known, and that none is left (six pairs of short causal sequences that
/// differed in nothing else, 0.6 to 1.6 on an H200).
constexpr double handOutMicroseconds = 1;
/// The part of the shorter of math and loads that the longer does not hide:
/// what more stages are worth where the math is longer. Of d 128 and 256 on an
/// H200 one more, at the price of O's own, was worth -3 to 1 %.
constexpr double unhidden = 0.08;
/// What a ring holds for a while beside what is multiplied: of the warpgroup
/// that is behind (a fifth stage of blocks of 128 was worth 8 % of d 128 on an
/// H100, cold).
constexpr double stagesBehind = 0.25;

class Model {
public:
  Model(const AttentionForm &given, const AttentionSizes &sizes,
        const AttentionChoice &choice, const GpuModel &gpu)
      : given(given), form(formOfTiles(given)), sizes(sizes),
        config(choice.config), gpu(gpu), group(choice.group),
        splits(choice.splits), queries(std::max<int64_t>(config.bm / group, 1)),
        tilesOfSequence(ceilDiv(sizes.queries, queries)),
        tiles(sizes.sequences *
              (group > 1 ? sizes.keyHeads * ceilDiv(group, config.bm)
                         : sizes.heads) *
              tilesOfSequence) {
    for (int64_t m = 0; m < tilesOfSequence; ++m) {
      const auto [all, hidden] = blocksOf(m);
      blocks += double(all) / double(tilesOfSequence);
      masked += double(hidden) / double(tilesOfSequence);
      mostBlocks = std::max(mostBlocks, double(all));
      leastBlocks = std::min(leastBlocks, double(all));
    }
    parts = 1;
    if (splits && tilesOfSequence > 0)
      parts = std::ceil(blocks / std::ceil(blocks / double(splits)));
    const bool isPaired = form.after && !form.before && !splits &&
                          !config.dynamic && tilesOfSequence > 0;
    tilesOfUnit =
        isPaired ? double(tilesOfSequence) / ceilDiv(tilesOfSequence, 2) : 1;
    units = std::ceil(double(tiles) * parts / tilesOfUnit);
    blocksOfUnit = blocks / parts * tilesOfUnit;
  }

  AttentionCost cost() const {
    AttentionCost cost = estimate(1);
    cost.cold = cost.total;
    cost.hot = estimate(gpu.evictedPart(bytesOfLaunch())).total;
    cost.total = std::sqrt(cost.cold * cost.hot);
    return cost;
  }

private:
  /// Of a launch that has so large a part of what it reads and writes in DRAM.
  AttentionCost estimate(double inDram) const {
    AttentionCost cost;
    const double slots = double(gpu.sm_count * config.ctas);
    if (config.dynamic) {
      // All are done at the same time, unless one tile takes longer than a
      // CTA's share, or who takes one more has so many of the shortest.
      add(cost,
          std::max({units / slots, mostBlocks / blocks,
                    std::ceil(units / slots) * leastBlocks / blocks}),
          std::min(units, slots), inDram);
    } else {
      const double waves = std::floor(units / slots);
      add(cost, waves, slots, inDram);
      add(cost, 1, units - waves * slots, inDram);
    }
    const double turns = std::ceil(units / slots);
    // While a tile's Q is multiplied the next one's can't come, nor can keys
    // behind it, unless there is room: they come under the last softmax.
    const double chain = microseconds(chainClocks());
    const double again =
        config.queries > 1 ? chain : std::max(queryMicroseconds(), chain);
    cost.latency = launchShare * gpu.launch_microseconds + firstMicroseconds +
                   queryMicroseconds() + chain +
                   (turns * tilesOfUnit - 1) * again;
    if (config.dynamic)
      cost.latency += handOutMicroseconds;
    // Where O leaves from where Q lay, the next one comes behind it.
    if (replacesQuery(form, config))
      cost.latency +=
          turns * tilesOfUnit * (firstMicroseconds + queryMicroseconds());
    cost.combine = splits ? combine(slots) : 0;
    cost.total += cost.latency + cost.combine;
    return cost;
  }

  static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
  double microseconds(double clocks) const {
    return clocks / (gpu.clock_gigahertz * 1e3);
  }

  struct Blocks {
    int64_t all, masked;
  };
  /// That some query of a tile sees, and those among them of which some query
  /// does not see some key, or which come first: the last ones.
  Blocks blocksOf(int64_t m) const {
    const int64_t behind = sizes.keys - sizes.queries, first = m * queries,
                  last = first + queries - 1;
    int64_t end = sizes.keys, begin = 0, whole = sizes.keys, seen = 0;
    if (form.after) {
      end = std::min(end, behind + last + 1 + *form.after);
      whole = std::min(whole, behind + first + 1 + *form.after);
    }
    if (form.before) {
      begin = std::max<int64_t>(behind + first - *form.before, 0);
      seen = std::max<int64_t>(behind + last - *form.before, 0);
    }
    begin /= config.bn;
    end = std::max(ceilDiv(end, config.bn), begin + 1);
    const int64_t from = std::min(ceilDiv(seen, config.bn), end - 1),
                  to = std::max(std::min(whole / config.bn, end - 1), from);
    return {end - begin, end - begin - (to - from)};
  }

  // Of one warpgroup and one block.
  double rows() const { return double(rowsOfWarpgroup(config)); }
  /// wgmma reads Q and K from shared memory for each 16 of the depth; weights
  /// are in registers.
  double scoreClocks() const {
    const double read = (rows() + double(config.bn)) *
                        double(form.d * size_bytes(form.type)) /
                        sharedBytesPerClock;
    return std::max(tensorClocks(form.d), read);
  }
  double sumClocks() const { return tensorClocks(form.dv); }
  double tensorClocks(int64_t depth) const {
    return rows() * double(config.bn * depth * size_bytes(form.type)) /
           gpu.tensor_flops;
  }
  double exponentialClocks() const {
    return rows() * double(config.bn) / exponentialsPerClock;
  }
  double arithmeticClocks() const {
    const double shrunk =
        rescales(form, config) ? 0 : double(keptColumns(form, config));
    return instructionsPerBlock +
           rows() * (double(config.bn) * instructionsPerScore + shrunk) /
               arithmeticPerClock;
  }
  /// What of an SM a warpgroup keeps busy longest.
  double busyClocks() const {
    return std::max(
        {scoreClocks() + sumClocks(), exponentialClocks(), arithmeticClocks()});
  }
  /// One after the other: the scores, then the softmax, under which the sums of
  /// the block before are multiplied.
  double chainClocks() const {
    const double softmax = exponentialClocks() + arithmeticClocks() +
                           shufflesInARow * shuffleClocks +
                           (rescales(form, config) ? clocksOfBranch : 0);
    const double scores = scoreClocks() + stepClocks;
    if (isOf8Bits(form))
      return chainOf8Bits(softmax, scores);
    const double sums = sumClocks() + stepClocks;
    if (config.eager)
      return scores + softmax + sums;
    // One half of the sums waits for the softmax, the other half runs under it.
    if (config.apart)
      return scores + sums / 2 + std::max(softmax, sums / 2);
    return scores + std::max(softmax, sums);
  }

  /// Some columns of the sums after the others, each under the additions to the
  /// ones before, and the last additions under the scores. Eager, the first
  /// additions are under the scores, and the others before the next product.
  double chainOf8Bits(double softmax, double scores) const {
    const double columns = sumColumns(form), others = form.dv / columns - 1;
    const double part = tensorClocks(sumColumns(form));
    const double add = rows() * columns / arithmeticPerClock;
    const double common =
        softmax - (others + 1) * add + stepClocks + std::max(scores, add);
    return common + (config.eager ? part + (part + stepClocks + add) * others
                                  : stepClocks + (add + stepClocks) * others);
  }

  /// An SM's math for a block of each warpgroup of each of its CTAs: of several
  /// that go through the same stations in turn, each waits for all others where
  /// they take longest (J. Zahorjan et al., "Balanced job bound analysis of
  /// queueing networks", 1982: the upper bound of the time).
  double mathClocks(double ctas) const {
    const double ofRole = double(warpgroupsOfRole(config)),
                 warpgroups = ofRole * ctas,
                 waiting = clocksOfStages + (ofRole > 1 ? clocksOfMeeting : 0);
    return chainClocks() + (warpgroups - 1) * busyClocks() +
           waiting * warpgroups +
           (hasEvenKeysFirst(form, config) && !config.dynamic ? clocksInStep
                                                              : 0);
  }
  /// What masks add to that, in the mean.
  double maskClocks(double ctas) const {
    if (blocks == 0)
      return 0;
    return std::min(std::max(masked, parts), blocks) / blocks *
           instructionsOfMask * rows() * double(config.bn) /
           arithmeticPerClock * double(warpgroupsOfRole(config)) * ctas;
  }

  /// Columns of K and V: what tiles have more is not read.
  int64_t keyColumns() const {
    return given.latent ? given.d : given.d + given.dv;
  }
  double bytesOfBlock() const {
    return double(config.bn * keyColumns() * size_bytes(form.type));
  }
  /// Stages of the ring that wgmma reads, and whose bytes are not on their way:
  /// of K and of V, or one of both, and half of the next where half of V is
  /// multiplied under its softmax. Eager, V is released before the scores
  /// begin.
  double heldStages() const {
    if (config.apart)
      return config.eager ? 1 : 1.5;
    const bool isOne = form.latent || (config.eager && !isOf8Bits(form));
    return (isOne ? 1 : 2) + stagesBehind;
  }
  /// The keys of each sequence once, Q and O.
  double bytesOfTensors() const {
    const double keys = std::min(blocks * double(config.bn * tilesOfSequence),
                                 double(sizes.keys));
    return double(sizes.sequences * size_bytes(form.type)) *
           (double(sizes.keyHeads * keyColumns()) * keys +
            double(sizes.heads * sizes.queries * (given.d + given.dv)));
  }
  double bytesOfPart() const {
    return splits ? double(rowsThere() * form.dv * size_bytes(f32)) : 0;
  }
  double bytesOfLaunch() const {
    return bytesOfTensors() + units * bytesOfPart();
  }
  /// Parts go there and come back.
  double dramBytesOfUnit() const {
    return bytesOfTensors() / units + 2 * bytesOfPart();
  }

  /// Rows of the narrow boxes that a block comes in.
  double narrowRows() const {
    auto narrow = [&](int64_t rows, int64_t columns) {
      const int64_t row = columns * size_bytes(form.type),
                    boxes = boxesOfRow(row);
      return row <= boxes * gpu.narrow_box_bytes ? double(rows * boxes) : 0;
    };
    const double ofKeys = narrow(config.bn, form.d);
    if (form.latent)
      return ofKeys;
    return ofKeys + (isOf8Bits(form) ? narrow(form.dv, config.bn)
                                     : narrow(config.bn, form.dv));
  }

  double loadBytesPerClock() const {
    return loadRate * gpu.load_bytes_per_clock;
  }

  /// Until a tile's Q is there.
  double queryMicroseconds() const {
    const auto bytes = double(config.bm * form.d * size_bytes(form.type));
    return latencyMicroseconds + microseconds(bytes / loadBytesPerClock());
  }

  double loadMicroseconds(double ctas) const {
    const double ofBlock =
        microseconds(std::max(bytesOfBlock() / loadBytesPerClock(),
                              narrowRows() * gpu.narrow_row_clocks));
    const double stages = bytesOfBlock() / double(keyStageBytes(form, config)),
                 onTheirWay =
                     std::max(double(config.stages) - heldStages(), 0.5);
    return std::max(ctas * ofBlock,
                    (latencyMicroseconds * stages + ofBlock) / onTheirWay);
  }

  /// `count` waves of so many units.
  void add(AttentionCost &cost, double count, double wave,
           double inDram) const {
    if (count == 0 || wave == 0)
      return;
    const double ctas = std::ceil(wave / double(gpu.sm_count));
    const double math =
        blocksOfUnit * microseconds(mathClocks(ctas) + maskClocks(ctas));
    const double load = blocksOfUnit * loadMicroseconds(ctas);
    auto rate = [&](double bytesOfUnit, double terabytesPerSecond) {
      return wave * bytesOfUnit / terabytesPerSecond / 1e6;
    };
    const double dram = rate(inDram * dramBytesOfUnit(),
                             dramRate * gpu.dram_terabytes_per_second),
                 l2 = rate(blocksOfUnit * bytesOfBlock(),
                           gpu.l2_terabytes_per_second);
    cost.math += count * math;
    cost.exposed +=
        count * blocksOfUnit * microseconds(chainClocks() - busyClocks());
    cost.load += count * load;
    cost.memory += count * std::max(dram, l2);
    // Math waits for what is late, of which L2's share is small: to fetch half
    // as much of it, by multicast, was worth 2 % of d 128 on an H100.
    const double arrival = std::max(load, dram);
    cost.total += count * (std::max({math, arrival, l2}) +
                           unhidden * std::min(math, arrival));
  }

  int64_t rowsThere() const {
    return std::min(config.bm, sizes.queries * group);
  }
  /// The last CTAs of a tile wait for the others and take the parts of the rows
  /// that there are, some at once: several CTAs where all parts run together.
  double combine(double slots) const {
    const double most = double(tiles * splits) <= slots ? parts : 1;
    const std::vector<LoadsOfParts> ways = loadsOfParts(form, config);
    const auto way = std::ranges::find_if(ways, [&](const LoadsOfParts &each) {
      return double(rowsThere()) <= most * double(each.rows);
    });
    const LoadsOfParts loads = way == ways.end() ? ways.back() : *way;
    const double pieces = double(ceilDiv(rowsThere(), loads.rows)),
                 steps = std::ceil(pieces / std::clamp(pieces, 1., most)) *
                         double(ceilDiv(int64_t(parts), loads.parts)),
                 trips = loads.isLittle ? 1 : 2;
    // Posted, taken and cleared.
    const double bytes = 3 * double(tiles) * parts * double(rowsThere()) *
                         double(form.dv * size_bytes(f32));
    return firstMicroseconds * std::ceil(double(tiles) / slots) *
               (1 + steps * trips) +
           bytes / gpu.l2_terabytes_per_second / 1e6;
  }

  const AttentionForm &given;
  const AttentionForm form; ///< of tiles
  const AttentionSizes &sizes;
  const AttentionConfig &config;
  const GpuModel &gpu;
  const int64_t group, splits, queries, tilesOfSequence, tiles;
  /// Of a tile, in the mean, those with a mask, the most and the fewest.
  double blocks = 0, masked = 0, mostBlocks = 0,
         leastBlocks = std::numeric_limits<double>::infinity();
  double parts, tilesOfUnit, units, blocksOfUnit;
};

} // namespace

AttentionCost attention_cost(const AttentionForm &form,
                             const AttentionSizes &sizes,
                             const AttentionChoice &choice, const GpuModel &gpu,
                             SourceLocation where) {
  if (const std::string why = notBuildable(form, choice.config); !why.empty())
    throw Error({where.file_name(), where.line(), where.column()},
                "attention_cost: " + why);
  if (choice.config.splits ? choice.splits < 1 : choice.splits != 0)
    throw Error({where.file_name(), where.line(), where.column()},
                "attention_cost: splits is " + std::to_string(choice.splits) +
                    ": use the launch's Splits where the configuration has "
                    "them, and 0 where it has none");
  return Model(form, sizes, choice, gpu).cost();
}

} // namespace ashlar
