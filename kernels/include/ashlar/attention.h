// Attention: a kernel in the language, its forms and the configurations it
// comes in.
#pragma once

#include "ashlar/element_type.h"
#include "ashlar/fragment.h"
#include "ashlar/index.h"
#include "ashlar/kernel.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace ashlar {

/// Where the scores of a tile stand, for what an author does to them.
struct ScorePlace {
  Index batch;
  /// s32, bm×1 and 1×bn: the head of Q of each row, the place of its query
  /// among the keys, that of the last one being that of the last key, and the
  /// numbers of the keys.
  Fragment head, query, key;
  /// bm×1: the number of the query in its sequence.
  Fragment row;
};

/// What O = softmax(Q · Kᵀ · scale) · V computes, whatever the sizes: Q is
/// B×H×Sq×d, K is B×Hk×Sk×d, V is B×Hk×Sk×dv (or part of K), O is B×H×Sq×dv, of
/// any strides; H/Hk heads of Q, a whole number, share one of K and V. A
/// query that sees no key has zeros. Each launch checks the sizes that it is
/// given beside these.
struct AttentionForm {
  /// Of Q, K, V and O: bf16, f16 or e4m3. Of e4m3 O is bf16, and V has its keys
  /// beside one another, as the tensor cores read 8 bits: B×Hk×dv×Sk, in pages
  /// P×Hk×dv×page, packed Hk×dv×Tv, where those of sequence b begin at
  /// VStarts[b] (s32, B of them), a multiple of 16. O is multiplied by the
  /// scalar "value_scale", what an element of V stands for; "scale" has those
  /// of Q and K in it.
  ElementType type = bf16;
  /// Multiples of 8, of e4m3 of 16; d of 16 where V is part of K.
  int64_t d = 128, dv = 128;
  /// V is the first dv columns of K, which are read once for both, as where one
  /// row of a cache is all that a token has (multi-head latent attention: d is
  /// 576 and dv 512). There is no tensor V; of bf16 and f16.
  bool latent = false;
  /// Heads of Q that share keys are rows of one tile: each query has so many
  /// rows, beside one another, so that keys are read once for all of them. Q is
  /// B×Hk×Sq×G×d, O is B×Hk×Sq×G×dv, packed Hk×Tq×G×d and Hk×Tq×G×dv, where G
  /// is H/Hk, at most `group`; L is B×Hk×G×Sq, packed Hk×G×Tq, slopes and sinks
  /// are Hk×G. For few queries: a tile's rows are those of bm / group of them,
  /// or bm of the rows of one.
  int64_t group = 1;
  /// How many keys a query sees beside the one at its own place: so many
  /// earlier ones and so many later ones, at most 2³⁰; all where it is not
  /// said. Causal attention is `after = 0`, a window of the last 50 keys
  /// `before = 49`, too. A negative one leaves out the nearest.
  std::optional<int64_t> before = {}, after = {};
  /// The sequences of a batch are of different lengths and lie one behind
  /// another: Q is H×Tq×d, and so is O; sequence b has the rows from QStarts[b]
  /// to QStarts[b + 1] (s32, Starts = B + 1 of them), at most Sq, and L is
  /// H×Tq. K and V are Hk×Tk×d, with KStarts.
  bool packed = false;
  /// K and V lie in pages of so many keys, P×Hk×page×d: keys i · page and up of
  /// sequence b in page Table[b, i] (s32, B×Pages), Lengths[b] of them (s32). A
  /// multiple of a block's keys, or a part of them that is a multiple of 8.
  std::optional<int64_t> page = {};
  /// Scores are cap · tanh(score / cap), where cap is a scalar, and positive.
  bool soft_cap = false;
  /// Plus -Slope[h] · |query - key|: f32, H of them.
  bool alibi = false;
  /// Sink[h] is one more score of each row, scaled as the others are by then,
  /// without a value: f32, H of them.
  bool sinks = false;
  /// L[b, h, i], f32: the natural logarithm of the sum of a row's exponentials,
  /// sinks among them, minus infinity where there is none.
  bool logarithms = false;
  /// The sums of a row need not be rescaled before its maximum has grown by
  /// more than so many powers of two since they last were, 0 to 8, of bf16 and
  /// f16. With 0 a row's largest weight is 1, which has no rounding error; with
  /// 8, as FlashAttention-4 has it on Blackwell, it is a number of 8 bits (of
  /// f16 11), and d 128 and 256 are 1 to 5 % faster. The same as 0 where a
  /// thread has fewer than 64 sums (dv below 128, with 64 rows to a warpgroup)
  /// or `queries` is 2; gradients do not read it.
  int64_t rescale_threshold = 0;
  /// Declares what the two below need of a launch: sizes, scalars and tensors.
  std::function<void()> declare = {};
  /// What becomes of the scores, bm×bn of f32, behind all of the above: minus
  /// infinity hides a key, as does what is far below a row's other scores; and
  /// which of them count.
  std::function<Fragment(const Fragment &score, const ScorePlace &place)>
      modify = {};
  std::function<Mask(const ScorePlace &place)> mask = {};
};

/// How the work of an attention kernel is cut up.
struct AttentionConfig {
  /// Rows of Q in a tile, of all warpgroups, and keys in a block.
  int64_t bm = 128, bn = 128;
  /// Blocks of K and of V, which take turns, in shared memory. Where they leave
  /// no room for O it leaves from where Q lay, and the next Q comes behind it.
  int64_t stages = 5;
  int64_t warpgroups = 2;
  /// One half of the warpgroups has the scores and the softmax, and keeps the
  /// first half of O's columns; it hands the weights to the other half, which
  /// keeps the other columns: for dv above 256, where a thread has no registers
  /// for all. A stage is then one of K and of V, and O leaves without TMA.
  bool apart = false;
  /// The keys of a tile are shared out to several CTAs, for few rows and many
  /// keys: in Splits parts of as many blocks, of which those without a key are
  /// left out. The last CTAs to begin add up, in the order of the parts: what
  /// a row's result is does not depend on what else is in the batch. See
  /// `part_sizes` for the workspaces.
  bool splits = false;
  /// Tiles of Q in shared memory: with two the next one arrives while this one
  /// is worked on.
  int64_t queries = 1;
  /// CTAs of a cluster, which have the rows of one query and get its keys by
  /// multicast: where the heads that share keys are of so many tiles.
  int64_t cluster = 1;
  /// CTAs that share an SM.
  int64_t ctas = 1;
  /// The sums of a block are finished before the next one's scores are begun:
  /// that takes fewer registers, and keeps less in flight, V's stage among it.
  /// Of e4m3: the next scores are begun behind its first columns, and the
  /// others follow one by one; without it each is multiplied while the one
  /// before is added, and the scores behind the last. Where warpgroups are
  /// apart: the second half of the columns is multiplied beside the first, not
  /// under the next softmax.
  bool eager = false;
  /// A CTA takes its next tile when it is free, in place of a share that is
  /// fixed: of causal attention the tiles with the most keys first. For tiles
  /// that are not as much work as one another: causal ones, and sequences of
  /// different lengths; and of e4m3, which fixed shares make 1 to 9 % slower (d
  /// 64 to 128, an H200). The kernel has Next then,
  /// s32, 1 of them: zero before the first launch, and again behind each;
  /// launches that may run at the same time have one each. Not with `splits`,
  /// nor with groups of more heads than a tile has rows.
  bool dynamic = false;
  /// The next launch may start while this one runs, where SMs have room: its
  /// CTAs are there when this one ends.
  bool early_launch = false;
};

/// The kernel of a configuration: inputs Q, K, V if it is a tensor, and what
/// the form names, the scalar "scale", which is positive, of e4m3
/// "value_scale", output O. Refused, as every kernel is, where registers,
/// shared memory or wgmma's shapes do not allow it.
Kernel attention(const AttentionForm &form, const AttentionConfig &config,
                 SourceLocation where = SourceLocation::current());

/// What a launch is given; of sequences of different lengths the most.
struct AttentionSizes {
  int64_t sequences = 1, heads = 1, keyHeads = 1;
  int64_t queries = 1, keys = 1;
};

/// Sizes of the workspaces of a launch whose keys are shared out: Parts, f32,
/// Splits×Tiles×Rows×columns, PartL, f32, Splits×Tiles×Rows, and Done, s32,
/// Tiles, all of them zeros before the first launch and again behind each;
/// where they are not, after a launch that was broken off for example, O is
/// wrong. What warpgroups that are apart keep is a tile for each half. Throws
/// `Error` for sizes that `attention_auto` refuses, and for numbers of rows,
/// heads or columns of a tile below 1.
struct PartSizes {
  int64_t tiles, rows, columns;
};
PartSizes part_sizes(const AttentionForm &form, const AttentionConfig &config,
                     const AttentionSizes &sizes,
                     SourceLocation where = SourceLocation::current());

/// How the work of `attention_backward` is cut up.
struct AttentionBackwardConfig {
  /// Rows of Q and dO in a block, and keys of a tile, of all warpgroups.
  int64_t bm = 64, bn = 128;
  /// Blocks of rows in shared memory, 2 at least.
  int64_t stages = 2;
  int64_t warpgroups = 2;
  /// One half of the warpgroups keeps dV, and the other one dK: for d above
  /// 128, where a thread has no registers for both. Of three warpgroups one
  /// keeps dV, one dK, and one multiplies dQ.
  bool apart = false;
  /// CTAs of a cluster, 1 or 2. Two have neighbouring keys, hand each other the
  /// gradients of their scores, and each multiplies its half of dQ's columns
  /// with the keys of both: half as much of dQ is added in memory. With three
  /// warpgroups that are apart and d a multiple of 128, and not `dynamic`.
  int64_t cluster = 1;
  /// The parts of dQ are added in a fixed order: each launch gives the same
  /// bits on a device with as many SMs. The kernel has Order then, s32,
  /// B×H×Turns of any number of turns that is not less than cluster · ⌈Sq/bm⌉:
  /// zeros, which it leaves as it found them.
  bool deterministic = false;
  /// As in `AttentionConfig`: of causal gradients the keys that most rows see
  /// come first. Not with `deterministic`.
  bool dynamic = false;
};

/// What the gradients need of each row before `attention_backward`, and where
/// that adds up dQ: of O and dO (DO), in the form's layout, Delta = Σ O · dO,
/// f32, laid out as L is, and zeros in Sums, f32, laid out as Q is.
Kernel attention_delta(const AttentionForm &form,
                       SourceLocation where = SourceLocation::current());

/// The gradients of `attention`: inputs Q, K, V and what the form names, dO
/// (DO), L as the forward has written it, Delta, and the scalar "scale", which
/// is positive;
/// outputs dK (DK) and dV (DV), laid out as K and V are, and Sums, to which
/// dQ / scale is added. Of packed sequences Sk is the most keys of one. L has
/// the sinks in it, which the kernel therefore does not take; the gradient of
/// one is the sum of -exp(Sink - L) · Delta over the rows of its head. Pages, V
/// in K, groups of heads in a tile, capped scores, slopes and an author's
/// scores and masks are refused, by the other two, too.
Kernel attention_backward(const AttentionForm &form,
                          const AttentionBackwardConfig &config,
                          SourceLocation where = SourceLocation::current());

/// dQ (DQ), in the form's type, of Sums and the scalar "scale".
Kernel
attention_query_gradient(const AttentionForm &form,
                         SourceLocation where = SourceLocation::current());

} // namespace ashlar
