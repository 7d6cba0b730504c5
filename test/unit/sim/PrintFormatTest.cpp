#include "runtime/sim/instructions/control/PrintFormat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

namespace ashlar::sim {
namespace {

/// Arguments as a kernel lays them out.
struct Arguments {
  std::vector<uint8_t> bytes;
  template <class Value> Arguments &add(Value value) {
    while (bytes.size() % sizeof value)
      bytes.push_back(0);
    const size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return *this;
  }
  std::string print(const std::string &format, int *count = nullptr) {
    PrintMemory memory;
    memory.argument = [&](uint64_t offset, unsigned sizeBytes) {
      uint64_t value = 0;
      EXPECT_LE(offset + sizeBytes, bytes.size());
      std::memcpy(&value, bytes.data() + offset, sizeBytes);
      return value;
    };
    memory.text = [](uint64_t address) {
      return "text " + std::to_string(address);
    };
    int counted = 0;
    std::string text = formatPrint(format, memory, counted);
    if (count)
      *count = counted;
    return text;
  }
};

TEST(PrintFormat, ReadsArgumentsAtTheirAlignment) {
  int count = 0;
  EXPECT_EQ(Arguments().add(-7).add(1.5).add(9u).print("%d %5.2f|%u", &count),
            "-7  1.50|9");
  EXPECT_EQ(count, 3);
}

TEST(PrintFormat, TakesLengthsFromTheFormat) {
  EXPECT_EQ(Arguments().add(int64_t(-1)).add(-1).add(-1).print("%lld %hhu %hd"),
            "-1 255 -1");
  EXPECT_EQ(Arguments().add(~uint64_t(0)).print("%lx"), "ffffffffffffffff");
}

TEST(PrintFormat, TakesWidthAndPrecisionFromArguments) {
  EXPECT_EQ(Arguments().add(6).add(2).add(3.14159).print("%*.*f"), "  3.14");
}

TEST(PrintFormat, TakesTextsCharactersAndPointers) {
  EXPECT_EQ(Arguments().add(int64_t(5)).add(int('x')).print("%s%c%%"),
            "text 5x%");
  EXPECT_EQ(Arguments().add(uint64_t(0x7f00)).print("%p"), "0x7f00");
}

TEST(PrintFormat, KeepsWhatIsNoConversion) {
  EXPECT_EQ(Arguments().print("100 %y %"), "100 %y %");
}

} // namespace
} // namespace ashlar::sim
