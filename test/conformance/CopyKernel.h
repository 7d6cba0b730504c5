// PTX kernels that test copies, put together from steps. One warp per CTA; the
// first thread issues what one thread issues.
#pragma once

#include "test/conformance/Case.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::conformance {

class CopyKernel {
public:
  /// With so many buffers (%b0 on: global addresses) and tensor maps (%m0 on:
  /// generic addresses), and a shared variable `tile` of so many bytes, aligned
  /// to 1024, and two mbarriers, `bar` and `bar2`.
  CopyKernel(unsigned buffers, unsigned tensorMaps, unsigned tileBytes)
      : buffers(buffers), tensorMaps(tensorMaps), tileBytes(tileBytes) {}

  void add(const std::string &line) { body += "  " + line + "\n"; }
  /// A line for the first thread only.
  void byFirst(const std::string &line) { add("@%first " + line); }
  void sync() { add("bar.sync 0;"); }
  void syncCluster();

  /// Each word of the tile gets a value of its own.
  void fillTile(uint32_t seed);
  /// The tile and a buffer, from an offset of both; all threads take part.
  void tileToBuffer(unsigned buffer, unsigned bytes, uint64_t offset,
                    unsigned tileOffset = 0);
  void bufferToTile(unsigned buffer, unsigned bytes, uint64_t offset,
                    unsigned tileOffset = 0);
  /// Generic writes become visible to asynchronous copies of all threads.
  void publishTile();

  void initialise(const std::string &mbarrier, unsigned count);
  void expect(const std::string &mbarrier, unsigned bytes);
  void wait(const std::string &mbarrier, unsigned parity);
  /// Commits and waits for what the first thread has issued.
  void waitForStores();

  std::string ptx() const;

private:
  void forWords(unsigned bytes, const std::string &step);

  unsigned buffers, tensorMaps, tileBytes;
  unsigned labels = 0;
  std::string body;
};

/// Bytes by a fixed generator.
std::vector<uint8_t> randomBytes(size_t count, uint32_t seed);
/// Values of an element type ("f16", "u32", "tf32.ftz") with the edge cases
/// among them: zeros, infinities, NaNs, subnormals, the greatest and least.
std::vector<uint8_t> elementValues(const std::string &element, size_t count,
                                   uint32_t seed);
unsigned elementBytes(const std::string &element);

void addThreadCopyCases(std::vector<Case> &cases);
void addBulkCopyCases(std::vector<Case> &cases);
void addTensorLoadCases(std::vector<Case> &cases);
void addTensorStoreCases(std::vector<Case> &cases);
void addMulticastCases(std::vector<Case> &cases);
void addTensorMapCases(std::vector<Case> &cases);

} // namespace ashlar::conformance
