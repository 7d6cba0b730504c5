#include "passes/SharedBuffer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace ashlar {

using namespace mlir;

std::optional<int64_t> bufferOf(Value address) {
  Operation *op = address.getDefiningOp();
  if (auto view = dyn_cast_if_present<hopper::ViewOp>(op))
    return bufferOf(view.getAddress());
  if (auto peer = dyn_cast_if_present<hopper::PeerAddressOp>(op))
    return bufferOf(peer.getAddress());
  if (auto shared = dyn_cast_if_present<hopper::SharedAddressOp>(op))
    return shared.getOffset();
  if (auto add = dyn_cast_if_present<arith::AddIOp>(op))
    for (Value operand : add->getOperands())
      if (auto found = bufferOf(operand))
        return found;
  return std::nullopt;
}

} // namespace ashlar
