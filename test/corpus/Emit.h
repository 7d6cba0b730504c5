// A program as a kernel of the language.
#ifndef ASHLAR_TEST_CORPUS_EMIT_H
#define ASHLAR_TEST_CORPUS_EMIT_H

#include "test/corpus/Program.h"

#include "ashlar/kernel.h"

namespace ashlar::corpus {

/// What the file of a program's lines is called: those of `list`.
constexpr char listingName[] = "corpus";

/// Traces the program; a mistake is kept by the kernel.
Kernel emit(const Program &program);

} // namespace ashlar::corpus

#endif
