// Short ways to write the parts of a program.
#ifndef ASHLAR_TEST_CORPUS_BUILD_H
#define ASHLAR_TEST_CORPUS_BUILD_H

#include "test/corpus/Dice.h"
#include "test/corpus/Program.h"

namespace ashlar::corpus {

/// The numbers of the sizes that every program has.
enum SizeNumber : int64_t { sizeM, sizeN, sizeK, sizeC, sizeZ };

inline Number sizeOf(SizeNumber number) { return {Number::Kind::size, number}; }
inline Number counterOf(int number) { return {Number::Kind::counter, number}; }
inline Number coordinateOf(int dimension) {
  return {Number::Kind::coordinate, dimension};
}
inline bool isConstant(const Number &n, int64_t value) {
  return n.kind == Number::Kind::constant && n.value == value;
}
inline Number operator+(Number a, Number b) {
  if (isConstant(b, 0))
    return a;
  return {Number::Kind::add, std::move(a), std::move(b)};
}
inline Number operator-(Number a, Number b) {
  return {Number::Kind::subtract, std::move(a), std::move(b)};
}
inline Number operator*(Number a, Number b) {
  if (isConstant(b, 1))
    return a;
  return {Number::Kind::multiply, std::move(a), std::move(b)};
}
inline Number operator/(Number a, Number b) {
  return {Number::Kind::divide, std::move(a), std::move(b)};
}
inline Number operator%(Number a, Number b) {
  return {Number::Kind::remainder, std::move(a), std::move(b)};
}
inline Number ceilDivide(Number a, Number b) {
  return {Number::Kind::ceilDivide, std::move(a), std::move(b)};
}
inline Number least(Number a, Number b) {
  return {Number::Kind::minimum, std::move(a), std::move(b)};
}

inline Value everywhere(double number) {
  Value v;
  v.number = number;
  return v;
}
inline Value fragment(int variable) {
  Value v;
  v.kind = Value::Kind::variable;
  v.variable = variable;
  return v;
}
inline Value binary(Value::Kind kind, Value a, Value b) {
  Value v;
  v.kind = kind;
  v.operands = {std::move(a), std::move(b)};
  return v;
}
inline Value withNumber(Value::Kind kind, Value a, double number) {
  Value v;
  v.kind = kind;
  v.number = number;
  v.operands = {std::move(a)};
  return v;
}
inline Value product(StageTile a, StageTile b, Value accumulator) {
  Value v;
  v.kind = Value::Kind::product;
  v.a = a;
  v.b = b;
  v.operands = {std::move(accumulator)};
  return v;
}
inline Value vectorOf(Value::Kind kind, int tensor, Number at) {
  Value v;
  v.kind = kind;
  v.tensor = tensor;
  v.at = std::move(at);
  return v;
}
inline Value tileOf(StageTile tile) {
  Value v;
  v.kind = Value::Kind::tile;
  v.a = tile;
  return v;
}

inline Statement statement(Statement::Kind kind, int label, int variable) {
  Statement s;
  s.kind = kind;
  s.label = label;
  s.variable = variable;
  return s;
}
inline Statement onStage(Statement::Kind kind, int label, int stage, int ring) {
  Statement s = statement(kind, label, stage);
  s.ring = ring;
  return s;
}
inline Statement loopOf(int label, int counter, Number low, Number high,
                        Number step, std::vector<Statement> body) {
  Statement s = statement(Statement::Kind::loop, label, counter);
  s.low = std::move(low);
  s.high = std::move(high);
  s.step = std::move(step);
  s.body = std::move(body);
  return s;
}
inline Statement setOf(int label, int variable, Value value,
                       bool declares = false) {
  Statement s = statement(Statement::Kind::set, label, variable);
  s.value = std::move(value);
  s.declares = declares;
  return s;
}
inline Statement copyOf(int label, int ring, int tensor, StageTile target,
                        std::vector<Number> coordinates) {
  Statement s = statement(Statement::Kind::copy, label, target.stage);
  s.ring = ring;
  s.tensor = tensor;
  s.target = target;
  s.coordinates = std::move(coordinates);
  return s;
}
inline Statement storeOf(Statement::Kind kind, int label, int tensor,
                         Value value) {
  Statement s = statement(kind, label, -1);
  s.tensor = tensor;
  s.value = std::move(value);
  return s;
}

/// Whether the statement, or one in it, names the stage.
bool mentions(const Statement &statement, int stage);

/// Releases each of these stages, which `body` waits for, somewhere behind its
/// last use, most often right there.
void insertReleases(std::vector<Statement> &body,
                    const std::vector<int> &stages, Dice &dice);

/// What a role does that fills the stages which `body` waits for: in its loops
/// and conditions each wait becomes an acquire, a copy of each tile and a
/// commit. `waits` are those of the rings that it fills; the tile's tensors are
/// `tensors[ring][tile]`, the coordinate along K is that of the wait.
std::vector<Statement> fillingOf(const std::vector<Statement> &body,
                                 const std::vector<int> &ringsFilled,
                                 const std::vector<std::vector<int>> &tensors);

} // namespace ashlar::corpus

#endif
