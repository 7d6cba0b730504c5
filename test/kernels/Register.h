// Tests made at run time: which there are depends on the machine.
#ifndef ASHLAR_TEST_KERNELS_REGISTER_H
#define ASHLAR_TEST_KERNELS_REGISTER_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::test {

/// A name without what filters take for 'but not'.
inline std::string filterable(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline void registerTest(const char *suite, const std::string &name,
                         std::function<void()> body) {
  // ctest would split the name or read a pattern in it, run no test, and pass.
  if (name.find_first_of(";:*?-\"") != std::string::npos) {
    std::fprintf(stderr, "%s: a test's name may not have any of ;:*?-\"\n",
                 name.c_str());
    std::exit(1);
  }
  struct Test : testing::Test {
    explicit Test(std::function<void()> body) : body(std::move(body)) {}
    void TestBody() override { body(); }
    std::function<void()> body;
  };
  testing::RegisterTest(suite, name.c_str(), nullptr, nullptr, __FILE__,
                        __LINE__, [body] { return new Test(body); });
}

/// Runs a part of a test: what fails or is thrown in it is reported with its
/// name, and the parts behind it still run.
inline void runPart(const std::string &name,
                    const std::function<void()> &body) {
  SCOPED_TRACE(name);
  try {
    body();
  } catch (const std::exception &error) {
    ADD_FAILURE() << error.what();
  }
}

inline std::vector<std::function<void()>> &registrars() {
  static std::vector<std::function<void()>> all;
  return all;
}

/// Registers tests by a function that asks for the device, when the program
/// begins: other programs may have these tests linked in, and open devices in
/// processes of their own.
inline bool registerAtStart(std::function<void()> tests) {
  registrars().push_back(std::move(tests));
  return true;
}

} // namespace ashlar::test

#endif
