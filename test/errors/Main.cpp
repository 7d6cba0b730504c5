// ashlar-errors NAME: compiles the program and prints why it is refused.
#include "ashlar/compile.h"
#include "test/errors/Programs.h"

#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
  for (const ashlar::test::Program &program : ashlar::test::programs()) {
    if (argc != 2 || std::strcmp(argv[1], program.name) != 0)
      continue;
    ashlar::CompileOptions options;
    options.assemble = false;
    try {
      ashlar::compile(program.define(), options);
      return 0;
    } catch (const ashlar::Error &error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
  }
  std::fprintf(stderr, "usage: %s NAME, the name of a program in test/errors\n",
               argv[0]);
  return 2;
}
