// Roles stand side by side.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("load", warps(1), [] {
      // CHECK: role-in-role.cpp:[[@LINE+1]]: error: role 'math' stands inside a role, loop or branch; it belongs directly in the kernel
      role("math", warps(1), [] {});
    });
  });
}
