// setmaxnreg, nanosleep, pmevent, griddepcontrol, and the functions of CUDA's
// system.
#include "test/conformance/ThreadKernel.h"

namespace ashlar::conformance {

namespace {

constexpr const char *family = "miscellaneous";

/// A kernel that does something between its input and its output.
Case around(const std::string &name, const std::vector<std::string> &lines,
            unsigned block = 32, const std::string &directives = "") {
  ThreadKernel kernel(block);
  if (!directives.empty())
    kernel.direct(directives);
  const std::string value = kernel.input(anyWords(1));
  for (const std::string &line : lines)
    kernel.line(line);
  kernel.output(value);
  return kernel.finish(family, name);
}

void addRegisters(std::vector<Case> &cases) {
  for (unsigned count = 24; count <= 128; count += 8)
    cases.push_back(around(
        "setmaxnreg.dec." + std::to_string(count),
        {"setmaxnreg.dec.sync.aligned.u32 " + std::to_string(count) + ";"}, 128,
        ".maxntid 128, 1, 1\n.maxnreg 128"));
  // One warpgroup gives up, the other takes.
  for (unsigned given : {24, 40, 56, 64}) {
    ThreadKernel kernel(256);
    kernel.direct(".maxntid 256, 1, 1\n.maxnreg 64");
    const std::string value = kernel.input(anyWords(2)),
                      takes = kernel.predicate();
    kernel.line("setp.ge.u32 " + takes + ", %t, 128;");
    kernel.line("@" + takes + " bra take;");
    kernel.line("setmaxnreg.dec.sync.aligned.u32 " + std::to_string(given) +
                ";");
    kernel.line("add.u32 " + value + ", " + value + ", 1;");
    kernel.line("bra done;");
    kernel.line("take:");
    kernel.line("setmaxnreg.inc.sync.aligned.u32 " +
                std::to_string(128 - given) + ";");
    kernel.line("add.u32 " + value + ", " + value + ", 2;");
    kernel.line("done:");
    kernel.output(value);
    cases.push_back(
        kernel.finish(family, "setmaxnreg.inc." + std::to_string(128 - given)));
  }
}

/// printf's result is the number of arguments that it printed.
void addPrint(std::vector<Case> &cases) {
  ThreadKernel kernel(1);
  kernel.declare(".extern .func (.param .b32 result) vprintf (.param .b64 "
                 "format, .param .b64 arguments);");
  std::string bytes;
  for (char character : std::string("conformance: printf %d %llx %g\n"))
    bytes += std::to_string(static_cast<int>(character)) + ", ";
  kernel.declare(".global .align 1 .b8 format[] = {" + bytes + "0};");
  kernel.line(".local .align 8 .b8 frame[24];");
  const std::string value = kernel.input(anyWords(3)), result = kernel.word(),
                    address = kernel.wide(), wide = kernel.wide(),
                    format = kernel.wide();
  kernel.line("st.local.u32 [frame], " + value + ";");
  kernel.line("cvt.u64.u32 " + wide + ", " + value + ";");
  kernel.line("st.local.u64 [frame+8], " + wide + ";");
  kernel.line("mov.b64 " + wide + ", 0d3FF8000000000000;");
  kernel.line("st.local.b64 [frame+16], " + wide + ";");
  kernel.line("mov.u64 " + address + ", frame;");
  kernel.line("cvta.local.u64 " + address + ", " + address + ";");
  kernel.line("mov.u64 " + format + ", format;");
  kernel.line("cvta.global.u64 " + format + ", " + format + ";");
  kernel.line("{ .param .b64 a; .param .b64 b; .param .b32 r;");
  kernel.line("st.param.b64 [a], " + format + ";");
  kernel.line("st.param.b64 [b], " + address + ";");
  kernel.line("call.uni (r), vprintf, (a, b);");
  kernel.line("ld.param.b32 " + result + ", [r]; }");
  kernel.output(result);
  cases.push_back(kernel.finish(family, "vprintf"));
}

void addHeap(std::vector<Case> &cases) {
  ThreadKernel kernel(64);
  kernel.declare(".extern .func (.param .b64 result) malloc (.param .b64 "
                 "size);");
  kernel.declare(".extern .func free (.param .b64 pointer);");
  const std::string value = kernel.input(anyWords(4)), result = kernel.word(),
                    pointer = kernel.wide();
  kernel.line("{ .param .b64 s; .param .b64 r;");
  kernel.line("st.param.b64 [s], 16;");
  kernel.line("call.uni (r), malloc, (s);");
  kernel.line("ld.param.b64 " + pointer + ", [r]; }");
  kernel.line("st.b32 [" + pointer + "+12], " + value + ";");
  kernel.line("ld.b32 " + result + ", [" + pointer + "+12];");
  kernel.line("{ .param .b64 p;");
  kernel.line("st.param.b64 [p], " + pointer + ";");
  kernel.line("call.uni free, (p); }");
  kernel.output(result);
  cases.push_back(kernel.finish(family, "malloc"));
}

} // namespace

std::vector<Case> miscellaneousCases() {
  std::vector<Case> cases;
  cases.push_back(around("nanosleep.immediate", {"nanosleep.u32 100;"}));
  cases.push_back(around("nanosleep.register", {"nanosleep.u32 %t;"}));
  cases.push_back(around("pmevent", {"pmevent 0;", "pmevent 15;"}));
  cases.push_back(around("pmevent.mask", {"pmevent.mask 0xff;"}));
  cases.push_back(
      around("griddepcontrol",
             {"griddepcontrol.wait;", "griddepcontrol.launch_dependents;"}));
  addRegisters(cases);
  addPrint(cases);
  addHeap(cases);
  return cases;
}

} // namespace ashlar::conformance
