#include "ParsePtx.h"

namespace ashlar::sim {
namespace {

using ptx::Operand;
using Kind = ptx::Operand::Kind;
using SymbolKind = ptx::SymbolUse::Kind;

TEST(ParserOperands, SplitTheModifiersAtTheDots) {
  const ptx::Function kernel = parseKernel(
      "@!%p1 mbarrier.try_wait.parity.shared::cta.b64 %p2, [%rd1], 1;");
  const ptx::Instruction &wait = kernel.body.at(0);
  EXPECT_EQ(wait.opcode, "mbarrier");
  EXPECT_EQ(wait.modifiers, (std::vector<std::string>{"try_wait", "parity",
                                                      "shared::cta", "b64"}));
  EXPECT_EQ(mnemonic(wait), "mbarrier.try_wait.parity.shared::cta.b64");
  ASSERT_TRUE(wait.guard);
  EXPECT_TRUE(wait.guard->negated);
  EXPECT_EQ(kernel.registers[wait.guard->predicate.index].name, "%p1");
  EXPECT_EQ(wait.position.line, 3U);
  EXPECT_EQ(wait.position.column, 1U);
}

TEST(ParserOperands, NameRegistersSpecialsSinksAndPairs) {
  const ptx::Function kernel =
      parseKernel("setp.eq.and.s32 %p1|_, %r12, %tid.x, !%p0;");
  const auto &operands = kernel.body.at(0).operands;
  ASSERT_EQ(operands[0].kind, Kind::pair);
  EXPECT_EQ(operands[0].elements[0].kind, Kind::registerUse);
  EXPECT_EQ(operands[0].elements[1].kind, Kind::sink);
  EXPECT_EQ(kernel.registers[operands[1].registerUse.index].name, "%r12");
  EXPECT_EQ(operands[2].kind, Kind::special);
  EXPECT_EQ(operands[2].text, "%tid.x");
  EXPECT_TRUE(operands[3].negated);
}

TEST(ParserOperands, ReachTheComponentsOfAVectorRegister) {
  const ptx::Function kernel =
      parseKernel(".reg .v4 .f32 v; mov.f32 v.y, v.b; ld.v4.f32 v, [%rd1];");
  const auto &move = kernel.body.at(0).operands;
  EXPECT_EQ(move[0].registerUse.component, 1);
  EXPECT_EQ(move[1].registerUse.component, 2);
  const Operand &whole = kernel.body.at(1).operands[0];
  ASSERT_EQ(whole.kind, Kind::vector);
  ASSERT_EQ(whole.elements.size(), 4U);
  EXPECT_EQ(whole.elements[3].registerUse.component, 3);
}

TEST(ParserOperands, GiveAddressesTheirBaseAndOffset) {
  const ptx::Function kernel = parseKernel(
      ".shared .b32 s[8];\n"
      "ld.u32 %r1, [%rd1+-4]; ld.u32 %r1, [s+4*2-1];\n"
      "ld.u32 %r1, [64]; ld.param.u64 %rd1, [a]; ld.u32 %r1, s[3];");
  const auto address = [&](size_t i) -> const ptx::Address & {
    return *kernel.body.at(i).operands[1].address;
  };
  EXPECT_EQ(kernel.registers[address(0).base->index].name, "%rd1");
  EXPECT_EQ(address(0).offset, -4);
  EXPECT_EQ(address(1).symbol->kind, SymbolKind::functionVariable);
  EXPECT_EQ(address(1).offset, 7);
  EXPECT_FALSE(address(2).base || address(2).symbol);
  EXPECT_EQ(address(2).offset, 64);
  EXPECT_EQ(address(3).symbol->kind, SymbolKind::parameter);
  EXPECT_EQ(address(4).offset, 12);
}

TEST(ParserOperands, KeepTheCoordinatesOfATensorCopy) {
  const ptx::Function kernel =
      parseKernel("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                  ".mbarrier::complete_tx::bytes.multicast::cluster "
                  "[%rd1], [%rd2, {%r1, %r2}], [%rd3+8], %r3;");
  const auto &copy = kernel.body.at(0);
  EXPECT_EQ(copy.modifiers[7], "mbarrier::complete_tx::bytes");
  ASSERT_EQ(copy.operands.size(), 4U);
  ASSERT_EQ(copy.operands[1].address->more.size(), 1U);
  EXPECT_EQ(copy.operands[1].address->more[0].kind, Kind::vector);
  EXPECT_EQ(copy.operands[2].address->offset, 8);
}

TEST(ParserOperands, TakeTheAddressOfASymbol) {
  const ptx::Module module =
      parseModule(".global .u32 g[4]; .func f { ret; }\n"
                  ".entry k() { .reg .u64 x; mov.u64 x, g+8; mov.u64 x, g[1];"
                  " mov.u64 x, f; }");
  const auto &body = module.functions.at(1).body;
  EXPECT_EQ(body[0].operands[1].kind, Kind::symbol);
  EXPECT_EQ(body[0].operands[1].integer, 8);
  EXPECT_EQ(body[1].operands[1].integer, 4);
  EXPECT_EQ(body[2].operands[1].symbol.kind, SymbolKind::function);
}

TEST(ParserOperands, HoldTheListsOfACall) {
  const ptx::Module module =
      parseModule(".func (.param .b32 o) f(.param .b32 i) { ret; }\n"
                  ".entry k() { .reg .u64 x; { .param .b32 p; .param .b32 q;\n"
                  " proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                  " call.uni (q), f, (p); call (q), x, (p), proto; call f, "
                  "((1+2)*3); call f, (); } }");
  const ptx::Function &kernel = module.functions.at(1);
  const auto &direct = kernel.body.at(0).operands;
  ASSERT_EQ(direct.size(), 3U);
  EXPECT_EQ(direct[0].kind, Kind::list);
  EXPECT_EQ(direct[0].elements[0].kind, Kind::symbol);
  EXPECT_EQ(direct[1].symbol.kind, SymbolKind::function);
  const auto &indirect = kernel.body.at(1).operands;
  EXPECT_EQ(indirect[3].kind, Kind::name);
  EXPECT_EQ(indirect[3].text, "proto");
  EXPECT_EQ(kernel.targets.at(indirect[3].integer).name, "proto");
  EXPECT_EQ(kernel.body.at(2).operands[1].elements.at(0).integer, 9);
  EXPECT_TRUE(kernel.body.at(3).operands[1].elements.empty());
}

TEST(ParserOperands, RefuseWhatIsNoOperand) {
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, %r20;"),
            "test.ptx:3:14: register '%r20' is not declared");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, %tid.q;"),
            "test.ptx:3:18: '%tid' has no component '.q'");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, %r2.x;"),
            "test.ptx:3:17: register '%r2' has no components");
  EXPECT_EQ(faultOfKernel("ld.u32 %r1, [b];"),
            "test.ptx:3:14: 'b' is not declared");
  EXPECT_EQ(faultOfKernel("ld.u32 %r1, [%rd1;"),
            "test.ptx:3:18: expected ']' after the address, not ';'");
  EXPECT_EQ(faultOfKernel("add.u32 %r1, %r2+1, 3;"),
            "test.ptx:3:17: a constant is added to a register in an address "
            "only; use 'add' before this instruction");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, ;"),
            "test.ptx:3:14: expected an operand, not ';'");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, 1 ret;"),
            "test.ptx:3:16: expected ';' after the instruction, not 'ret'");
  EXPECT_EQ(faultOfKernel("@%r1 ret;"),
            "test.ptx:3:2: the guard '%r1' is not a register of type .pred");
}

} // namespace
} // namespace ashlar::sim
