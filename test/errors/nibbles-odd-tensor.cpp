// Rows of a tensor are whole bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: nibbles-odd-tensor.cpp:[[@LINE+1]]: error: tensor 'W' has rows of 33 elements, and two of s4 share a byte: make them even
    input("W", s4, {64, 33});
  });
}
