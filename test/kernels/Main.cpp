#include "test/kernels/Register.h"

int main(int argc, char **argv) {
  for (const std::function<void()> &tests : ashlar::test::registrars())
    tests();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
