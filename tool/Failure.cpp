#include "tool/Failure.h"

#include "ashlar/module.h"
#include "runtime/Files.h"

#include <cstdio>
#include <cstdlib>

namespace ashlar::harness {

namespace {

void print(const Error &error) {
  std::fflush(stdout);
  // With the author's line the text has this word already.
  std::fprintf(stderr, "%s%s\n", error.where() ? "" : "error: ", error.what());
}

} // namespace

int reportFailure() {
  try {
    throw;
  } catch (const TimeoutError &error) {
    print(error);
    std::_Exit(1);
  } catch (const Error &error) {
    print(error);
  } catch (const std::exception &error) {
    print(Error(error.what()));
  }
  return 1;
}

int finished(int status) {
  const std::string whyNot = finishStandardOutput();
  if (whyNot.empty())
    return status;
  std::fprintf(stderr, "error: the standard output can't be written: %s\n",
               whyNot.c_str());
  return 1;
}

} // namespace ashlar::harness
