// A parameter is passed by its name.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: missing-name.cpp:[[@LINE+1]]: error: tensor '' has no name; give it one
    Tensor A = input("", bf16, {64, 64});
  });
}
