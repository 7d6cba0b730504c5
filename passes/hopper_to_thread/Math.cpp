#include "passes/hopper_to_thread/Math.h"
#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ashlar {

using namespace mlir;

namespace {

/// PTX that makes $0 of f32 operands, $1 and on.
struct Function {
  StringRef operation;
  StringRef exact, fast;
  /// What takes f16, f16x2, bf16 or bf16x2 in the fast form: a suffix follows.
  StringRef fastF16 = "", fastBf16 = "";
};

// exp(x) is 2^n · 2^r, where n + r = x · log2(e): n is rounded down from
// 252 · saturate(x · log2(e) / 252 + 1/2) − 126, in the low bits of a float, r
// is computed with log2(e) in two parts. r alone carries infinities and NaNs.
constexpr StringRef exactExp = R"({
	.reg .f32 n, r;
	.reg .b32 scale;
	fma.rn.sat.f32 n, $1, 0f3BBB989D, 0f3F000000;
	fma.rm.f32 n, n, 0f437C0000, 0f4B400001;
	shl.b32 scale, n, 23;
	sub.rn.f32 n, n, 0f4B40007F;
	neg.f32 n, n;
	fma.rn.f32 r, $1, 0f3FB8AA3B, n;
	fma.rn.f32 r, $1, 0f32A57060, r;
	ex2.approx.ftz.f32 r, r;
	mul.rn.f32 $0, r, scale;
	})";

// x + x³ · p(x²) up to 0.6 (p fitted at Chebyshev's points), and beyond
// 1 − 2 / (exp(2|x|) + 1), with the sign of x.
constexpr StringRef exactTanh = R"({
	.reg .f32 far, near, square, size;
	.reg .pred isFar;
	abs.f32 size, $1;
	mul.rn.f32 far, size, 0f4038AA3B;
	ex2.approx.ftz.f32 far, far;
	add.rn.f32 far, far, 0f3F800000;
	rcp.approx.ftz.f32 far, far;
	fma.rn.f32 far, far, 0fC0000000, 0f3F800000;
	copysign.f32 far, $1, far;
	mul.rn.f32 square, $1, $1;
	fma.rn.f32 near, square, 0fBBCD6D30, 0f3CACF0E4;
	fma.rn.f32 near, near, square, 0fBD5CAAEE;
	fma.rn.f32 near, near, square, 0f3E088770;
	fma.rn.f32 near, near, square, 0fBEAAAAAA;
	mul.rn.f32 near, near, square;
	fma.rn.f32 near, near, $1, $1;
	setp.gt.f32 isFar, size, 0f3F19999A;
	selp.f32 $0, far, near, isFar;
	})";

// x = 2^n · (1 + f), with f from −1/3 to 1/3: the logarithm of the latter is
// f + f² · q(f) (q fitted at Chebyshev's points), and `last` makes the result
// of n and of that. Infinities, NaNs and what is below 0 come out of
// x · ∞ + ∞, and 0 is tested for.
std::string logarithm(StringRef last) {
  constexpr StringRef reduced = R"({
	.reg .b32 x, n, f, q, power, scaled;
	.reg .pred isSubnormal, isSpecial, isZero;
	setp.lt.f32 isSubnormal, $1, 0f00800000;
	mul.rn.f32 scaled, $1, 0f4B000000;
	selp.f32 x, scaled, $1, isSubnormal;
	selp.f32 n, 0fC1B80000, 0f00000000, isSubnormal;
	sub.s32 power, x, 0x3F2AAAAB;
	and.b32 power, power, 0xFF800000;
	sub.s32 f, x, power;
	cvt.rn.f32.s32 power, power;
	fma.rn.f32 n, power, 0f34000000, n;
	add.rn.f32 f, f, 0fBF800000;
	fma.rn.f32 q, f, 0f3E097ACC, 0fBE1A0476;
	fma.rn.f32 q, q, f, 0f3E10924D;
	fma.rn.f32 q, q, f, 0fBE28C93E;
	fma.rn.f32 q, q, f, 0f3E4CD6B6;
	fma.rn.f32 q, q, f, 0fBE80056F;
	fma.rn.f32 q, q, f, 0f3EAAAAA6;
	fma.rn.f32 q, q, f, 0fBEFFFFFB;
	mul.rn.f32 scaled, f, f;
	fma.rn.f32 q, q, scaled, f;
	)";
  constexpr StringRef checked = R"(
	setp.ge.u32 isSpecial, x, 0x7F800000;
	@isSpecial fma.rn.f32 q, x, 0f7F800000, 0f7F800000;
	setp.eq.f32 isZero, x, 0f00000000;
	selp.f32 $0, 0fFF800000, q, isZero;
	})";
  return (reduced + last + checked).str();
}

// What $1 is beyond the nearest multiple n of π/2, r, in f64, where n is the
// low bits of a sum of which they are the last; then sin and cos of r (fitted
// at Chebyshev's points), of which the last two bits of n choose. Beyond 2⁵¹ n
// has no last bit.
std::string ofAngle(StringRef turn) {
  constexpr StringRef reduced = R"({
	.reg .f64 x, sum, n;
	.reg .f32 r, square, sine, cosine;
	.reg .b32 quarter, unused;
	.reg .pred isSine, isFar;
	cvt.f64.f32 x, $1;
	fma.rn.f64 sum, x, 0d3FE45F306DC9C883, 0d4338000000000000;
	mov.b64 {quarter, unused}, sum;
	add.rn.f64 n, sum, 0dC338000000000000;
	fma.rn.f64 x, n, 0dBFF921FB54442D18, x;
	fma.rn.f64 x, n, 0dBC91A62633145C07, x;
	cvt.rn.f32.f64 r, x;
	mul.rn.f32 square, r, r;
	fma.rn.f32 sine, square, 0f3636DF04, 0fB95009D4;
	fma.rn.f32 sine, sine, square, 0f3C088887;
	fma.rn.f32 sine, sine, square, 0fBE2AAAAB;
	mul.rn.f32 sine, sine, square;
	fma.rn.f32 sine, sine, r, r;
	fma.rn.f32 cosine, square, 0fB4929227, 0f37D00AE2;
	fma.rn.f32 cosine, cosine, square, 0fBAB60B60;
	fma.rn.f32 cosine, cosine, square, 0f3D2AAAAB;
	fma.rn.f32 cosine, cosine, square, 0fBF000000;
	fma.rn.f32 cosine, cosine, square, 0f3F800000;
	)";
  constexpr StringRef chosen = R"(
	and.b32 unused, quarter, 1;
	setp.eq.b32 isSine, unused, 0;
	selp.f32 r, sine, cosine, isSine;
	shl.b32 quarter, quarter, 30;
	and.b32 quarter, quarter, 0x80000000;
	xor.b32 r, r, quarter;
	abs.f32 square, $1;
	setp.ge.f32 isFar, square, 0f59000000;
	selp.f32 $0, 0f7FFFFFFF, r, isFar;
	})";
  return (reduced + turn + chosen).str();
}

// x + x · p(x²) up to 1, and beyond 1 − 2^q(|x|) with the sign of x: beyond 4
// it is 1 (p and q fitted at Chebyshev's points).
constexpr StringRef exactErf = R"({
	.reg .f32 size, square, near, far;
	.reg .pred isFar;
	abs.f32 size, $1;
	mul.rn.f32 square, $1, $1;
	fma.rn.f32 near, square, 0f38A52B48, 0fBA522844;
	fma.rn.f32 near, near, square, 0f3BAA0938;
	fma.rn.f32 near, near, square, 0fBCDBFD5D;
	fma.rn.f32 near, near, square, 0f3DE71688;
	fma.rn.f32 near, near, square, 0fBEC0939F;
	fma.rn.f32 near, near, square, 0f3E0375D4;
	fma.rn.f32 near, near, $1, $1;
	setp.gt.f32 isFar, size, 0f3F800000;
	min.f32 size, size, 0f40800000;
	fma.rn.f32 far, size, 0f361EA623, 0fB88B709E;
	fma.rn.f32 far, far, size, 0f3A61CD40;
	fma.rn.f32 far, far, size, 0fBBE10F89;
	fma.rn.f32 far, far, size, 0f3D1C2623;
	fma.rn.f32 far, far, size, 0fBE22A1BA;
	fma.rn.f32 far, far, size, 0fBF6959A2;
	fma.rn.f32 far, far, size, 0fBFD0B712;
	fma.rn.f32 far, far, size, 0f39F2BC56;
	ex2.approx.ftz.f32 far, far;
	sub.rn.f32 far, 0f3F800000, far;
	copysign.f32 far, $1, far;
	selp.f32 $0, far, near, isFar;
	})";

// |x|^y is 2^e, with e = y · log2(|x|) in f64. |x| = 2^n · (1 + f), with 1 + f
// from √½ to √2: its logarithm is 2 atanh(s), s = f / (2 + f), as
// s · (c + d s² + s⁴ · q(s²)) (q fitted at Chebyshev's points). 2^e is
// 2^whole · 2^rest: `whole` has at most what a float has, `rest` carries
// infinities and NaNs. Then what C has of 1, of y = 0 and of x below 0.
constexpr StringRef exactPow = R"({
	.reg .b32 x, size, n, f, q, whole, scaled, rest, half;
	.reg .f64 s, square, inverse, exponent, log;
	.reg .pred isSubnormal, isSpecial, isOne, isWhole, isOdd, isNone;
	abs.f32 x, $1;
	setp.lt.f32 isSubnormal, x, 0f00800000;
	mul.rn.f32 scaled, x, 0f4B000000;
	selp.f32 size, scaled, x, isSubnormal;
	selp.f32 n, 0fC1B80000, 0f00000000, isSubnormal;
	sub.s32 whole, size, 0x3F3504F3;
	and.b32 whole, whole, 0xFF800000;
	sub.s32 f, size, whole;
	cvt.rn.f32.s32 whole, whole;
	fma.rn.f32 n, whole, 0f34000000, n;
	add.rn.f32 f, f, 0fBF800000;
	cvt.f64.f32 s, f;
	add.rn.f32 rest, f, 0f40000000;
	rcp.approx.ftz.f32 rest, rest;
	cvt.f64.f32 inverse, rest;
	sub.rn.f64 square, 0dC000000000000000, s;
	fma.rn.f64 square, square, inverse, 0d3FF0000000000000;
	fma.rn.f64 inverse, inverse, square, inverse;
	mul.rn.f64 s, s, inverse;
	mul.rn.f64 square, s, s;
	cvt.rn.f32.f64 f, square;
	fma.rn.f32 q, f, 0f3E8D3C31, 0f3EA40486;
	fma.rn.f32 q, q, f, 0f3ED30BE3;
	fma.rn.f32 q, q, f, 0f3F13BB63;
	cvt.f64.f32 log, q;
	fma.rn.f64 log, log, square, 0d3FEEC709DC3A03FD;
	fma.rn.f64 log, log, square, 0d40071547652B82FE;
	cvt.f64.f32 exponent, n;
	fma.rn.f64 log, log, s, exponent;
	setp.ge.u32 isSpecial, size, 0x7F800000;
	fma.rn.f32 q, x, 0f7F800000, 0f7F800000;
	setp.eq.f32 isOne, x, 0f00000000;
	selp.f32 q, 0fFF800000, q, isOne;
	or.pred isSpecial, isSpecial, isOne;
	@isSpecial cvt.f64.f32 log, q;
	cvt.f64.f32 exponent, $2;
	mul.rn.f64 exponent, exponent, log;
	cvt.rni.s32.f64 whole, exponent;
	min.s32 whole, whole, 126;
	max.s32 whole, whole, -126;
	cvt.rn.f64.s32 log, whole;
	sub.rn.f64 exponent, exponent, log;
	cvt.rn.f32.f64 rest, exponent;
	ex2.approx.ftz.f32 rest, rest;
	shl.b32 whole, whole, 23;
	add.s32 whole, whole, 0x3F800000;
	mul.rn.f32 rest, rest, whole;
	setp.eq.f32 isOne, x, 0f3F800000;
	setp.eq.or.f32 isOne, $2, 0f00000000, isOne;
	selp.f32 rest, 0f3F800000, rest, isOne;
	cvt.rzi.f32.f32 whole, $2;
	setp.eq.f32 isWhole, whole, $2;
	mul.rn.f32 half, $2, 0f3F000000;
	cvt.rzi.f32.f32 whole, half;
	setp.ne.and.f32 isOdd, whole, half, isWhole;
	mov.b32 x, $1;
	setp.lt.and.s32 isOdd, x, 0, isOdd;
	@isOdd neg.f32 rest, rest;
	setp.lt.and.f32 isNone, x, 0f00000000, !isWhole;
	setp.gt.and.f32 isNone, x, 0fFF800000, isNone;
	selp.f32 $0, 0f7FFFFFFF, rest, isNone;
	})";

constexpr StringRef fastPow = R"({
	.reg .f32 power;
	lg2.approx.ftz.f32 power, $1;
	mul.rn.ftz.f32 power, power, $2;
	ex2.approx.ftz.f32 $0, power;
	})";

/// Errors: docs/arithmetic.md.
ArrayRef<Function> allFunctions() {
  static const std::string exactLog =
      logarithm("fma.rn.f32 q, n, 0f3F317218, q;");
  static const std::string exactLog2 =
      logarithm("fma.rn.f32 q, q, 0f3FB8AA3B, n;");
  static const std::string exactSin = ofAngle("");
  static const std::string exactCos = ofAngle("add.u32 quarter, quarter, 1;");
  static const Function functions[] = {
      {"arith.divf", "", "div.full.f32 $0, $1, $2;"},
      {"math.exp", exactExp, R"({
	.reg .f32 scaled;
	mul.rn.ftz.f32 scaled, $1, 0f3FB8AA3B;
	ex2.approx.ftz.f32 $0, scaled;
	})"},
      {"math.exp2", "ex2.approx.f32 $0, $1;", "ex2.approx.ftz.f32 $0, $1;",
       "ex2.approx.", "ex2.approx.ftz."},
      {"math.log", exactLog, R"({
	.reg .f32 binary;
	lg2.approx.ftz.f32 binary, $1;
	mul.rn.ftz.f32 $0, binary, 0f3F317218;
	})"},
      {"math.log2", exactLog2, "lg2.approx.ftz.f32 $0, $1;"},
      {"math.powf", exactPow, fastPow},
      {"math.sin", exactSin, "sin.approx.ftz.f32 $0, $1;"},
      {"math.cos", exactCos, "cos.approx.ftz.f32 $0, $1;"},
      {"math.erf", exactErf, ""},
      {"math.floor", "cvt.rmi.f32.f32 $0, $1;", ""},
      {"math.ceil", "cvt.rpi.f32.f32 $0, $1;", ""},
      {"math.trunc", "cvt.rzi.f32.f32 $0, $1;", ""},
      {"math.rsqrt", "rsqrt.approx.f32 $0, $1;",
       "rsqrt.approx.ftz.f32 $0, $1;"},
      {"math.sqrt", "sqrt.rn.f32 $0, $1;", "sqrt.approx.ftz.f32 $0, $1;"},
      {"math.tanh", exactTanh, "tanh.approx.f32 $0, $1;", "tanh.approx.",
       "tanh.approx."},
  };
  return functions;
}

const Function *functionOf(Operation &op) {
  ArrayRef<Function> all = allFunctions();
  auto *found = llvm::find_if(all, [&](const Function &function) {
    return function.operation == op.getName().getStringRef();
  });
  return found == all.end() ? nullptr : found;
}

bool isFast(Operation &op) {
  auto flagged = dyn_cast<arith::ArithFastMathInterface>(op);
  return flagged &&
         arith::bitEnumContainsAll(flagged.getFastMathFlagsAttr().getValue(),
                                   arith::FastMathFlags::afn);
}

/// What LLVM has for every type.
bool isLlvms(Operation &op) {
  return isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::RoundEvenOp>(op);
}

Value onAnyType(PtxBuilder &b, Operation &op, ArrayRef<Value> x) {
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case<math::AbsFOp>(
          [&](auto) { return LLVM::FAbsOp::create(b, b.loc, x[0]); })
      .Case<math::AbsIOp>([&](auto) {
        return LLVM::AbsOp::create(b, b.loc, x[0].getType(), x[0],
                                   /*is_int_min_poison=*/false);
      })
      .Case<math::FmaOp>(
          [&](auto) { return LLVM::FMAOp::create(b, b.loc, x[0], x[1], x[2]); })
      .Case<math::RoundEvenOp>(
          [&](auto) { return LLVM::RoundEvenOp::create(b, b.loc, x[0]); });
}

bool isReciprocal(Operation &op) {
  if (!isa<arith::DivFOp>(op))
    return false;
  Value dividend = op.getOperand(0);
  if (auto splat = dividend.getDefiningOp<hopper::SplatOp>())
    dividend = splat.getValue();
  return matchPattern(dividend, m_OneFloat());
}

Value onF32(PtxBuilder &b, Operation &op, StringRef text,
            ArrayRef<Value> operands) {
  Type type = operands[0].getType(), f32 = b.getF32Type();
  SmallVector<Value> wide(operands);
  for (Value &operand : wide)
    if (operand.getType() != f32)
      operand = arith::ExtFOp::create(b, b.loc, f32, operand);
  // 1 / x has an instruction of its own.
  if (isReciprocal(op)) {
    text = "rcp.approx.ftz.f32 $0, $1;";
    wide.erase(wide.begin());
  }
  Value value = b.value(text, f32, wide);
  return type == f32 ? value : arith::TruncFOp::create(b, b.loc, type, value);
}

} // namespace

bool takesPairs(Operation &op) {
  if (const Function *function = functionOf(op); function && isFast(op))
    return !function->fastF16.empty();
  return isa<arith::ArithDialect>(op.getDialect()) || isLlvms(op);
}

Value lowerMath(PtxBuilder &b, Operation &op, ArrayRef<Value> operands) {
  if (isLlvms(op))
    return onAnyType(b, op, operands);
  const Function *function = functionOf(op);
  if (!function)
    return {};
  StringRef text = isFast(op) ? function->fast : function->exact;
  if (text.empty())
    return {};
  Type type = operands[0].getType(), element = getElementTypeOrSelf(type);
  if (element.isF32() || !takesPairs(op))
    return onF32(b, op, text, operands);
  StringRef prefix = element.isBF16() ? function->fastBf16 : function->fastF16;
  StringRef suffix = element.isBF16() ? "bf16" : "f16";
  StringRef pair = type == element ? "" : "x2";
  return b.value((prefix + suffix + pair + " $0, $1;").str(), type, operands);
}

} // namespace ashlar
