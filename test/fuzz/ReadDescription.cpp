// Fuzzes the launch descriptions of ashlar-sim: any text is read or refused.
#include "test/fuzz/ReadDescription.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ashlar::sim::readsDescription({reinterpret_cast<const char *>(data), size});
  return 0;
}
