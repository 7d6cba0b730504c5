// Branches, loops, calls: what each lane computes on its own way.
#include "test/conformance/Case.h"

#include <cstring>
#include <random>

namespace ashlar::conformance {

namespace {

constexpr unsigned threads = 96;

/// A kernel of 96 threads: %r0 is the thread's input, %r1 its result, %r2 its
/// number.
Case controlCase(const std::string &name, const std::string &body,
                 const std::string &declarations = "") {
  Case result;
  result.family = "control";
  result.name = name;
  result.block = threads;
  result.ptx = R"(.version 8.8
.target sm_90a
.address_size 64
)" + declarations +
               R"(
.visible .entry kernel(.param .u64 input, .param .u64 output)
{
  .reg .b32 %r<32>;
  .reg .b64 %rd<8>;
  .reg .pred %p<8>;
  ld.param.u64 %rd0, [input];
  ld.param.u64 %rd1, [output];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd0, %rd0, %rd2;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r0, [%rd0];
  mov.u32 %r1, 0;
)" + body + R"(
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
  std::mt19937 random(7);
  Buffer input, output;
  input.bytes.resize(threads * 4);
  for (unsigned i = 0; i < threads; ++i) {
    const uint32_t value = random();
    std::memcpy(input.bytes.data() + 4 * i, &value, 4);
  }
  output.bytes.resize(threads * 4);
  output.isOutput = true;
  result.buffers = {input, output};
  return result;
}

const char *const collatz = R"(
  and.b32 %r3, %r0, 1023;
  add.u32 %r3, %r3, 1;
LOOP:
  setp.eq.u32 %p0, %r3, 1;
  @%p0 bra DONE;
  and.b32 %r4, %r3, 1;
  setp.eq.u32 %p1, %r4, 0;
  @%p1 bra EVEN;
  mad.lo.u32 %r3, %r3, 3, 1;
  bra NEXT;
EVEN:
  shr.u32 %r3, %r3, 1;
NEXT:
  add.u32 %r1, %r1, 1;
  bra LOOP;
DONE:
)";

const char *const indexed = R"(
  and.b32 %r3, %r0, 3;
  targets: .branchtargets ZERO, ONE, TWO, THREE;
  brx.idx %r3, targets;
ZERO:
  add.u32 %r1, %r0, 100;
  bra END;
ONE:
  xor.b32 %r1, %r0, 255;
  bra END;
TWO:
  shr.u32 %r1, %r0, 7;
THREE:
  add.u32 %r1, %r1, 5;
END:
)";

const char *const fibonacci = R"(
.func (.reg .u32 result) fibonacci(.reg .u32 n)
{
  .reg .pred %p;
  .reg .u32 %a, %b, %m;
  setp.lt.u32 %p, n, 2;
  mov.u32 result, n;
  @%p bra END;
  sub.u32 %m, n, 1;
  call (%a), fibonacci, (%m);
  sub.u32 %m, n, 2;
  call (%b), fibonacci, (%m);
  add.u32 result, %a, %b;
END:
  ret;
}
)";

const char *const byParameter = R"(
.func (.param .b32 result) mix(.param .align 8 .b8 pair[8], .param .b32 third)
{
  .reg .b32 %x, %y, %z;
  ld.param.b32 %x, [pair];
  ld.param.b32 %y, [pair+4];
  ld.param.b32 %z, [third];
  mad.lo.u32 %x, %x, %y, %z;
  st.param.b32 [result], %x;
  ret;
}
.func (.param .b32 result) first(.param .align 8 .b8 pair[8], .param .b32 third)
{
  .reg .b32 %x;
  ld.param.b32 %x, [pair];
  st.param.b32 [result], %x;
  ret;
}
)";

std::string callOf(const std::string &call) {
  return R"(
  {
    .param .align 8 .b8 pair[8];
    .param .b32 third;
    .param .b32 back;
    st.param.b32 [pair], %r0;
    st.param.b32 [pair+4], %r2;
    st.param.b32 [third], 17;
)" + call +
         R"(
    ld.param.b32 %r1, [back];
  }
)";
}

} // namespace

std::vector<Case> controlCases() {
  std::vector<Case> cases;
  cases.push_back(controlCase("bra.loop.divergent", collatz));
  cases.push_back(controlCase("brx.idx", indexed));
  cases.push_back(controlCase("bra.guarded", R"(
  setp.lt.s32 %p0, %r0, 0;
  @%p0 add.u32 %r1, %r1, 1;
  @!%p0 bra SKIP;
  setp.gt.u32 %p1, %r2, 40;
  @%p1 bra SKIP;
  add.u32 %r1, %r1, 10;
SKIP:
  add.u32 %r1, %r1, 100;
)"));
  cases.push_back(controlCase("exit.early", R"(
  and.b32 %r3, %r0, 1;
  setp.eq.u32 %p0, %r3, 0;
  st.global.u32 [%rd1], %r2;
  @%p0 exit;
  add.u32 %r1, %r0, 3;
)"));
  cases.push_back(controlCase("call.recursive", R"(
  and.b32 %r3, %r0, 7;
  call (%r1), fibonacci, (%r3);
)",
                              fibonacci));
  cases.push_back(controlCase("call.param",
                              callOf("call.uni (back), mix, (pair, third);"),
                              byParameter));
  cases.push_back(controlCase("call.indirect", R"(
  and.b32 %r3, %r0, 1;
  setp.eq.u32 %p0, %r3, 0;
  mov.u64 %rd3, mix;
  mov.u64 %rd4, first;
  selp.b64 %rd5, %rd3, %rd4, %p0;
)" + callOf(R"(
    prototype: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[8], .param .b32 _);
    call (back), %rd5, (pair, third), prototype;
)"),
                              byParameter));
  cases.push_back(controlCase("call.divergent", R"(
  and.b32 %r3, %r0, 15;
  setp.lt.u32 %p0, %r3, 8;
  @!%p0 bra OTHER;
  call (%r1), fibonacci, (%r3);
  bra JOIN;
OTHER:
  sub.u32 %r3, %r3, 4;
  call (%r1), fibonacci, (%r3);
  add.u32 %r1, %r1, 1000;
JOIN:
)",
                              fibonacci));
  cases.push_back(controlCase("spin.betweenLanes", R"(
  // The lanes of a warp take a lock in turn: each must make progress.
  mov.u32 %r5, 0;
  mov.u64 %rd6, lock;
  mov.u64 %rd7, counter;
AGAIN:
  atom.acquire.gpu.global.cas.b32 %r6, [%rd6], 0, 1;
  setp.ne.u32 %p0, %r6, 0;
  @%p0 bra NEXT;
  ld.relaxed.gpu.global.u32 %r7, [%rd7];
  add.u32 %r7, %r7, 1;
  st.relaxed.gpu.global.u32 [%rd7], %r7;
  st.release.gpu.global.u32 [%rd6], 0;
  mov.u32 %r5, 1;
NEXT:
  setp.eq.u32 %p1, %r5, 0;
  @%p1 bra AGAIN;
  barrier.sync 0;
  ld.relaxed.gpu.global.u32 %r1, [%rd7];
)",
                              ".global .u32 lock;\n.global .u32 counter;\n"));
  return cases;
}

} // namespace ashlar::conformance
