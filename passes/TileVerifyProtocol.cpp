// tile-verify-protocol: every stage is acquired, committed, waited for and
// released in order.

#include "compiler/tile/Tile.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEVERIFYPROTOCOL
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct TileVerifyProtocol : impl::TileVerifyProtocolBase<TileVerifyProtocol> {
  void runOnOperation() override {}
};

} // namespace
} // namespace ashlar
