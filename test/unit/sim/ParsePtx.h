// Texts for the parser's tests: the header and a kernel around what a test is
// about.
#pragma once

#include "runtime/sim/ptx/Module.h"

#include <gtest/gtest.h>

#include <string>

namespace ashlar::sim {

/// A module of these statements; they begin in line 2.
inline std::string moduleText(const std::string &statements) {
  return ".version 9.0 .target sm_90a .address_size 64\n" + statements;
}

/// A kernel `k` with a few registers and this body, which begins in line 3.
inline std::string kernelText(const std::string &body) {
  return moduleText(".entry k(.param .u64 a) { .reg .pred %p<4>; "
                    ".reg .b32 %r<20>; .reg .b64 %rd<9>;\n" +
                    body + "\n}\n");
}

inline ptx::Module parseModule(const std::string &statements) {
  return ptx::parse(moduleText(statements), "test.ptx");
}

/// The instructions of a kernel with this body.
inline ptx::Function parseKernel(const std::string &body) {
  ptx::Module module = ptx::parse(kernelText(body), "test.ptx");
  return std::move(module.functions.at(0));
}

/// What the parser says of the text; "" if it takes it.
inline std::string faultOf(const std::string &text) {
  try {
    ptx::parse(text, "test.ptx");
  } catch (const ptx::ParseError &error) {
    return error.what();
  }
  return "";
}

inline std::string faultOfModule(const std::string &statements) {
  return faultOf(moduleText(statements));
}

inline std::string faultOfKernel(const std::string &body) {
  return faultOf(kernelText(body));
}

} // namespace ashlar::sim
