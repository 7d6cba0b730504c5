// The table of opcodes: who decodes an instruction, and what the machine needs
// to know of it.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

#include <functional>
#include <map>

namespace ashlar::sim {

struct Opcode {
  DecodeFunction decode = nullptr;
  Traits traits;
};

class OpcodeTable {
public:
  /// "add", "mbarrier": what stands before the first point.
  void add(std::string name, DecodeFunction decode, Traits traits = {}) {
    opcodes.emplace(std::move(name), Opcode{decode, traits});
  }
  /// Null when there is none.
  const Opcode *find(std::string_view name) const;

private:
  std::map<std::string, Opcode, std::less<>> opcodes;
};

/// All that are known.
const OpcodeTable &opcodes();

// Each folder adds its own, beside their decoders.
void addIntegerInstructions(OpcodeTable &);    // add .. min/max, mad, popc, ...
void addLogicInstructions(OpcodeTable &);      // and, shf, lop3, prmt, ...
void addFloatInstructions(OpcodeTable &);      // fma, rcp, ex2, testp, ...
void addComparisonInstructions(OpcodeTable &); // set, setp, selp, slct
void addConversionInstructions(OpcodeTable &); // cvt, cvt.pack
void addMoveInstructions(OpcodeTable &);       // mov, cvta, isspacep, mapa, ...
void addMemoryInstructions(OpcodeTable &);     // ld, ldu, st, prefetch, ...
void addAtomicInstructions(OpcodeTable &);     // atom, red
void addControlInstructions(OpcodeTable &);    // bra, brx, call, ret, exit
void addWarpInstructions(OpcodeTable &);       // shfl, vote, match, redux, ...
void addBarrierInstructions(OpcodeTable &);    // bar, barrier, fence, membar
void addMbarrierInstructions(OpcodeTable &);   // mbarrier.*
void addCopyInstructions(OpcodeTable &);   // cp.async*, cp.reduce.async*, ...
void addMatrixInstructions(OpcodeTable &); // ldmatrix, stmatrix, mma, wmma, ...
void addWgmmaInstructions(OpcodeTable &);  // wgmma.*
void addMiscellaneousInstructions(OpcodeTable &); // setmaxnreg, nanosleep, ...

} // namespace ashlar::sim
