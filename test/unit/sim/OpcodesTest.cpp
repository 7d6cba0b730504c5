// What the machine is told of an instruction: its row in the table of opcodes,
// completed by its decoder, against what the PTX ISA says of each form.
#include "runtime/sim/instructions/Opcodes.h"
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace ashlar::sim {

static void PrintTo(const Traits &traits, std::ostream *out) {
  *out << "engine " << static_cast<int>(traits.engine)
       << (traits.aligned ? ", aligned" : "")
       << (traits.synchronises ? ", synchronises" : "")
       << (traits.arrives ? ", arrives" : "")
       << (traits.holdsRegisters ? ", holds registers" : "")
       << (traits.fencesRegisters ? ", fences registers" : "")
       << (traits.copiesRegister ? ", copies a register" : "")
       << (traits.signals ? ", signals" : "");
}

namespace {

struct Form {
  std::string text;
  Traits traits;
};

constexpr Traits nothing;
constexpr Traits aligned = {.aligned = true};
constexpr Traits synchronises = {.synchronises = true};
constexpr Traits signals = {.synchronises = true, .signals = true};
constexpr Traits meets = {.aligned = true, .synchronises = true};
constexpr Traits arrives = {.synchronises = true, .arrives = true};
constexpr Traits copiedByThreads = {.engine = Engine::threadCopy,
                                    .synchronises = true};
constexpr Traits copiedInBulk = {.engine = Engine::bulkCopy,
                                 .synchronises = true};
constexpr Traits copiedByTma = {.engine = Engine::tensorCopy,
                                .synchronises = true};
constexpr Traits multiplied = {.engine = Engine::tensorCore,
                               .aligned = true,
                               .synchronises = true,
                               .holdsRegisters = true};

const std::vector<Form> forms = {
    {"bar.sync 0;", meets},
    {"bar.red.popc.u32 %r0, 0, %p;", meets},
    {"bar.arrive 1, 64;",
     {.aligned = true, .synchronises = true, .arrives = true}},
    {"bar.warp.sync -1;", synchronises},
    {"barrier.sync 0;", synchronises},
    {"barrier.sync.aligned 0;", meets},
    {"barrier.arrive 1, 64;", arrives},
    {"barrier.cluster.arrive.release;", arrives},
    {"barrier.cluster.arrive.relaxed.aligned;",
     {.aligned = true, .synchronises = true, .arrives = true}},
    {"barrier.cluster.wait;", synchronises},
    {"barrier.cluster.wait.acquire.aligned;", meets},
    {"fence.proxy.async;", synchronises},
    {"membar.cta;", nothing},

    {"mbarrier.init.shared.b64 [s], 1;", synchronises},
    {"mbarrier.arrive.shared.b64 %x0, [s];", arrives},
    {"mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;", arrives},
    {"mbarrier.expect_tx.relaxed.cta.shared.b64 [s], 16;", arrives},
    {"mbarrier.complete_tx.relaxed.cta.shared.b64 [s], 16;", synchronises},
    {"mbarrier.try_wait.parity.shared.b64 %p, [s], 0;", synchronises},

    {"atom.global.add.u32 %r0, [%x0], 1;", signals},
    {"red.global.add.u32 [%x0], 1;", signals},
    {"red.global.add.f32 [%x0], 0f3f800000;", synchronises},
    {"ld.global.u32 %r0, [%x0];", nothing},
    {"st.global.u32 [%x0], %r0;", nothing},
    {"st.release.gpu.global.u32 [%x0], %r0;", {.signals = true}},

    {"cp.async.ca.shared.global [s], [%x0], 16;", copiedByThreads},
    {"cp.async.commit_group;", copiedByThreads},
    {"cp.async.mbarrier.arrive.shared.b64 [s];",
     {.engine = Engine::threadCopy, .synchronises = true, .arrives = true}},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
     "[s], [%x0], 16, [s];",
     copiedInBulk},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
     "[%x0], [s], 16;",
     copiedInBulk},
    {"cp.async.bulk.wait_group 0;", copiedInBulk},
    {"cp.async.bulk.tensor.1d.shared::cluster.global.tile"
     ".mbarrier::complete_tx::bytes [s], [%x0, {%r0}], [s];",
     copiedByTma},
    {"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group "
     "[%x0, {%r0}], [s];",
     copiedByTma},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%x0, {%r0}];",
     copiedByTma},

    {"wgmma.fence.sync.aligned;",
     {.engine = Engine::tensorCore,
      .aligned = true,
      .synchronises = true,
      .holdsRegisters = true,
      .fencesRegisters = true}},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
     "{%f0, %f1, %f2, %f3}, %x0, %x1, %p, 1, 1, 0, 0;",
     multiplied},
    {"wgmma.commit_group.sync.aligned;", multiplied},
    {"wgmma.wait_group.sync.aligned 0;", multiplied},

    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
     "{%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r2}, {%f0, %f1, %f2, %f3};",
     aligned},
    {"wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 "
     "[s], {%r0, %r1, %r2, %r3};",
     aligned},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [s];", aligned},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [s], {%r0};", aligned},
    {"movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;", aligned},
    {"setmaxnreg.inc.sync.aligned.u32 64;", aligned},
    {"shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;", nothing},

    {"mov.u32 %r0, %r1;", {.copiesRegister = true}},
    {"mov.u32 %r0, 1;", nothing},
    {"mov.u32 %r0, %laneid;", nothing},
    {"add.u32 %r0, %r1, %r2;", nothing},
};

Traits traitsOf(const std::string &instruction) {
  GlobalMemory memory;
  const auto program =
      load(kernelText("", ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %x<2>;\n"
                          ".reg .f32 %f<4>; .shared .align 128 .b8 s[1024];\n" +
                              instruction),
           "test.ptx", memory);
  return program->functions[0]->body[0]->traits;
}

TEST(Opcodes, TellTheMachineWhatItMustKnowOfEachForm) {
  for (const Form &form : forms)
    EXPECT_EQ(traitsOf(form.text), form.traits) << form.text;
}

TEST(Opcodes, ThatTellTheMachineSomethingAreAmongTheForms) {
  for (const auto &[name, opcode] : opcodes())
    EXPECT_TRUE(opcode.traits == nothing ||
                std::ranges::any_of(forms,
                                    [&](const Form &form) {
                                      return form.text.starts_with(name + ".");
                                    }))
        << name << " has traits; write down its forms above";
}

TEST(Opcodes, StandInTheTableOnce) {
  OpcodeTable table;
  addWgmmaInstructions(table);
  EXPECT_THROW(addWgmmaInstructions(table), std::logic_error);
}

} // namespace
} // namespace ashlar::sim
