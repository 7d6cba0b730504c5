// The conformance suite: small PTX kernels with their inputs, run on a GPU and
// in the simulator; the outputs must agree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::conformance {

/// How outputs are compared.
enum class Compare : uint8_t {
  bits,    // every bit
  nanBits, // as bits, but any NaN equals any NaN of the type `element`
  close,   // |a - b| <= absolute + relative * |b|, elements of type `element`
};

struct Buffer {
  std::vector<uint8_t> bytes; // as it is before the launch
  bool isOutput = false;      // compared afterwards
  Compare compare = Compare::bits;
  std::string element = "u32"; // "f16", "bf16", "f32", "f64", "e4m3", "u8", ...
  double absolute = 0, relative = 0;
};

/// A tensor map, as cuTensorMapEncodeTiled takes it, over one of the buffers.
/// Dimensions from the innermost.
struct TensorMap {
  unsigned buffer = 0;
  std::string element; // "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32",
                       // "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz"
  std::vector<uint64_t> extents;
  std::vector<uint64_t> strideBytes; // of dimension 1 on
  std::vector<uint32_t> box;
  std::vector<uint32_t> elementStrides; // empty: all 1
  unsigned swizzleBytes = 0;            // 0, 32, 64, 128
  bool fillNan = false;
};

/// A kernel named "kernel", with one .param .u64 pointer for each buffer in
/// their order, then one .param .align 64 .b8 [128] for each tensor map.
struct Case {
  std::string family; // "integer"
  std::string name;   // "mad.lo.s32": unique in the suite
  std::string ptx;    // all of the module
  unsigned grid = 1, block = 32, cluster = 1;
  unsigned sharedBytes = 0; // dynamic
  std::vector<Buffer> buffers;
  std::vector<TensorMap> tensorMaps;
};

std::vector<Case> integerCases();
std::vector<Case> logicCases();
std::vector<Case> floatCases();
std::vector<Case> comparisonCases();
std::vector<Case> conversionCases();
std::vector<Case> moveCases();
std::vector<Case> memoryCases();
std::vector<Case> atomicCases();
std::vector<Case> controlCases();
std::vector<Case> warpCases();
std::vector<Case> barrierCases();
std::vector<Case> mbarrierCases();
std::vector<Case> copyCases();
std::vector<Case> matrixCases();
std::vector<Case> wgmmaCases();
std::vector<Case> miscellaneousCases();
std::vector<Case> compiledCases();

} // namespace ashlar::conformance
