// Roles run at the same time and share no variables.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Index count = 0;
    role("load", warps(1), [&] {
      // CHECK: variable-of-two-roles.cpp:[[@LINE+1]]: error: index declared at variable-of-two-roles.cpp:[[@LINE-2]] is assigned in the role at variable-of-two-roles.cpp:[[@LINE-1]]; roles run at the same time and share no variables: declare it in the role
      count += 1;
    });
  });
}
