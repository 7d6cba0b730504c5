// What LLVM's back end and the assembler refuse or remark comes back at the
// author's line, and the process lives on.
#include "compiler/driver/Assemble.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/EmitPtx.h"
#include "mlir/Parser/Parser.h"
#include "test/Cubin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace ashlar;
using testing::HasSubstr;

namespace {

/// The message of the error that `body` throws.
template <class Body> std::string mistake(Body body) {
  try {
    body();
  } catch (const Error &error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

compiler::PtxText emit(const char *text) {
  mlir::DialectRegistry registry;
  compiler::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  mlir::PassManager passes(&context);
  compiler::buildThreadToLlvm(passes, /*sourceLines=*/true);
  EXPECT_TRUE(mlir::succeeded(passes.run(*module)));
  return compiler::emitPtx(*module, /*keepLlvm=*/false);
}

/// A ptxas that prints this, exits with that and writes machine code.
class Ptxas : public testing::Test {
protected:
  void behave(const std::string &print, int status,
              const std::vector<std::byte> &code = test::cubinOf("k")) {
    std::ofstream(output, std::ios::binary)
        .write(reinterpret_cast<const char *>(code.data()),
               static_cast<std::streamsize>(code.size()));
    std::ofstream(script) << "#!/bin/sh\n"
                             "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && "
                             "cat '"
                          << output.string()
                          << "' >\"$2\"; shift; done\n"
                             "cat <<'END'\n"
                          << print << "\nEND\nexit " << status << "\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    setenv("ASHLAR_PTXAS", script.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("ASHLAR_PTXAS");
    std::filesystem::remove(script);
    std::filesystem::remove(output);
  }

  Artifact artifact = [] {
    Artifact result;
    result.name = "k";
    result.where = {"gemm.cpp", 10, 3};
    result.ptx = ".file 1 \"/src/gemm.cpp\"\n"
                 ".entry k() {\n"
                 ".loc 1 33 7\n"
                 "wgmma.mma_async;\n" // line 4
                 "ret;\n}\n";
    return result;
  }();
  std::vector<Warning> warnings;
  std::filesystem::path script = std::filesystem::path(testing::TempDir()) /
                                 ("ptxas." + std::to_string(::getpid()));
  std::filesystem::path output = script.string() + ".cubin";
};

const char *unselectable = R"(
  module {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %x = llvm.load %p : !llvm.ptr<1> -> f64
      %y = llvm.call_intrinsic "llvm.log2.f64"(%x) : (f64) -> f64
          loc("gemm.cpp":33:7)
      llvm.store %y, %p : f64, !llvm.ptr<1>
      llvm.return
    } loc("gemm.cpp":10:3)
  })";

// A cast that no pass removed.
const char *untranslatable = R"(
  module {
    llvm.func @k(%p: !llvm.ptr<1>, %x: i8) attributes {nvvm.kernel} {
      %y = builtin.unrealized_conversion_cast %x : i8 to !llvm.struct<(i8)>
          loc("gemm.cpp":33:7)
      llvm.store %y, %p : !llvm.struct<(i8)>, !llvm.ptr<1>
      llvm.return
    } loc("gemm.cpp":10:3)
  })";

const char *selectable = R"(
  module {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %x = llvm.load %p : !llvm.ptr<1> -> f32
      llvm.store %x, %p : f32, !llvm.ptr<1>
      llvm.return
    } loc("gemm.cpp":10:3)
  })";

} // namespace

TEST(BackEnd, AnOperationThatCanNotBeSelected) {
  std::string message = mistake([] { emit(unselectable); });
  EXPECT_THAT(message, HasSubstr("gemm.cpp:33: error: "));
  EXPECT_THAT(message, HasSubstr("log2"));
}

TEST(BackEnd, AnOperationThatHasNoTranslation) {
  EXPECT_THAT(mistake([] { emit(untranslatable); }),
              HasSubstr("gemm.cpp:33: error: the program cannot be translated "
                        "to LLVM IR"));
}

TEST(BackEnd, CompilesAgainAfterAFailure) {
  mistake([] { emit(unselectable); });
  EXPECT_THAT(emit(selectable).ptx, HasSubstr(".entry k"));
}

TEST_F(Ptxas, RefusesALine) {
  behave("ptxas /tmp/k.ptx, line 4; error   : Illegal modifier '.x'\n"
         "ptxas fatal   : Ptx assembly aborted due to errors",
         255);
  EXPECT_EQ(mistake([&] { compiler::assemble(artifact, warnings); }),
            "/src/gemm.cpp:33: error: the assembler refused the program: "
            "ptxas /tmp/k.ptx, line 4; error   : Illegal modifier '.x'");
}

TEST_F(Ptxas, RefusesWithoutALine) {
  behave("ptxas fatal   : Unresolved extern function 'f'", 255);
  EXPECT_THAT(mistake([&] { compiler::assemble(artifact, warnings); }),
              HasSubstr("gemm.cpp:10: error: "));
}

TEST_F(Ptxas, DiesBySignal) {
  behave("", 0);
  std::ofstream(script) << "#!/bin/sh\nkill -9 $$\n";
  EXPECT_THAT(mistake([&] { compiler::assemble(artifact, warnings); }),
              AllOf(HasSubstr(script.string()), HasSubstr("ASHLAR_PTXAS")));
}

TEST_F(Ptxas, LeavesSomethingElse) {
  std::vector<std::byte> cut = test::cubinOf("k");
  cut.resize(100);
  const std::pair<std::vector<std::byte>, const char *> results[] = {
      {{}, "is no ELF file"},
      {cut, "is cut"},
      {test::cubinOf("other"), "has no code of kernel 'k'"},
  };
  for (const auto &[code, message] : results) {
    behave("", 0, code);
    EXPECT_THAT(mistake([&] { compiler::assemble(artifact, warnings); }),
                AllOf(HasSubstr("gemm.cpp:10: error: what " + script.string()),
                      HasSubstr(message), HasSubstr("ASHLAR_PTXAS")));
  }
  EXPECT_TRUE(artifact.cubin.empty());
}

TEST_F(Ptxas, NamesTheProgramByItsKernel) {
  std::ofstream(script) << "#!/bin/sh\necho \"ptxas $3, line 4; error: no\"\n"
                           "exit 1\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  setenv("ASHLAR_PTXAS", script.c_str(), 1);
  EXPECT_THAT(mistake([&] { compiler::assemble(artifact, warnings); }),
              HasSubstr("ptxas k.ptx, line 4"));
}

TEST_F(Ptxas, NeedsNoDisk) {
  behave("", 0);
  setenv("TMPDIR", "/nowhere", 1);
  compiler::assemble(artifact, warnings);
  unsetenv("TMPDIR");
  EXPECT_EQ(artifact.cubin, test::cubinOf("k"));
}

TEST_F(Ptxas, IsNotThere) {
  setenv("ASHLAR_PTXAS", "/nowhere/ptxas", 1);
  EXPECT_THAT(mistake([&] { compiler::assemble(artifact, warnings); }),
              AllOf(HasSubstr("cannot run /nowhere/ptxas"),
                    HasSubstr("set ASHLAR_PTXAS to the path of ptxas")));
}

TEST_F(Ptxas, IsTooOld) {
  behave("ptxas k.ptx, line 6; fatal   : Unsupported .version 9.0; current "
         "version is '8.4'\nptxas fatal   : Ptx assembly aborted due to errors",
         255);
  EXPECT_THAT(mistake([&] { compiler::assemble(artifact, warnings); }),
              AllOf(HasSubstr("gemm.cpp:10: error: " + script.string() +
                              " is too old for this PTX"),
                    HasSubstr("set ASHLAR_PTXAS to the path of ptxas")));
}

TEST_F(Ptxas, RemarksThatWgmmaIsSerialisedAtALine) {
  behave("ptxas info    : (C7519) Potential Performance Loss: "
         "warpgroup.arrive is injected in around line 4 by compiler to allow "
         "use of registers in GMMA in function 'k'",
         0);
  compiler::assemble(artifact, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].where, (SourceLine{"/src/gemm.cpp", 33, 7}));
  EXPECT_THAT(warnings[0].message, HasSubstr("(C7519)"));
}

TEST_F(Ptxas, RemarksThatWgmmaIsSerialisedInTheKernel) {
  behave("ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
         "instructions are serialized due to insufficient register resources "
         "for the wgmma pipeline in the function 'k'",
         0);
  compiler::assemble(artifact, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].where, (SourceLine{"gemm.cpp", 10, 3}));
}

TEST_F(Ptxas, ReportsSpills) {
  behave(
      "ptxas info    : Function properties for k\n"
      "    64 bytes stack frame, 32 bytes spill stores, 48 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers",
      0);
  compiler::assemble(artifact, warnings);
  EXPECT_EQ(artifact.resources.registers, 168);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0].message, HasSubstr("registers spill to memory: 32 "
                                             "bytes of stores, 48 of loads"));
}
