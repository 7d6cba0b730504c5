// __device__ and __constant__ variables.
#include "runtime/sim/cudart/Copies.h"
#include "runtime/sim/cudart/Export.h"
#include "runtime/sim/cudart/Registration.h"

using namespace ashlar::sim::cudart;

namespace {

/// Where `size` bytes from `offset` on are in the variable.
Error place(const void *symbol, size_t size, size_t offset, void *&pointer) {
  return call([&] {
    DeviceVariable variable;
    if (Error error = findVariable(symbol, variable); error != Error::success)
      return error;
    if (offset > variable.sizeBytes || size > variable.sizeBytes - offset)
      return refuse(Error::invalidValue,
                    "bytes " + std::to_string(offset) + " to " +
                        std::to_string(offset + size) + " of a variable of " +
                        std::to_string(variable.sizeBytes) + " bytes");
    pointer = hostPointer(variable.address + offset);
    return Error::success;
  });
}

} // namespace

ASHLAR_CUDART Error cudaMemcpyToSymbolAsync(const void *symbol,
                                            const void *from, size_t size,
                                            size_t offset, CopyKind kind,
                                            StreamHandle stream) {
  void *to = nullptr;
  if (Error error = place(symbol, size, offset, to); error != Error::success)
    return error;
  return copy(to, from, size, kind, stream);
}
ASHLAR_CUDART_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);
ASHLAR_CUDART Error cudaMemcpyToSymbol(const void *symbol, const void *from,
                                       size_t size, size_t offset,
                                       CopyKind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind, nullptr);
}
ASHLAR_CUDART_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

ASHLAR_CUDART Error cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                              size_t size, size_t offset,
                                              CopyKind kind,
                                              StreamHandle stream) {
  void *from = nullptr;
  if (Error error = place(symbol, size, offset, from); error != Error::success)
    return error;
  return copy(to, from, size, kind, stream);
}
ASHLAR_CUDART_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);
ASHLAR_CUDART Error cudaMemcpyFromSymbol(void *to, const void *symbol,
                                         size_t size, size_t offset,
                                         CopyKind kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind, nullptr);
}
ASHLAR_CUDART_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

ASHLAR_CUDART Error cudaGetSymbolAddress(void **pointer, const void *symbol) {
  return pointer ? place(symbol, 0, 0, *pointer) : record(Error::invalidValue);
}
ASHLAR_CUDART Error cudaGetSymbolSize(size_t *size, const void *symbol) {
  return call([=] {
    DeviceVariable variable;
    const Error error = findVariable(symbol, variable);
    if (size && error == Error::success)
      *size = variable.sizeBytes;
    return size ? error : Error::invalidValue;
  });
}
