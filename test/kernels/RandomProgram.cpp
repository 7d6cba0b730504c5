#include "test/kernels/RandomProgram.h"
#include "test/kernels/RandomElements.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>

namespace ashlar::test {
namespace {

bool isOfIntegers(ElementType type) {
  return type == s32 || type == s16 || type == s8;
}

class Draw {
public:
  explicit Draw(uint64_t seed) : engine(seed) {}

  Program program() {
    const bool products = chance(5);
    do {
      result.rows = products ? pick({64, 128}) : pick({1, 2, 4, 8, 16, 32});
      result.columns =
          products ? pick({32, 64, 96}) : pick({16, 32, 64, 96, 128, 256, 512});
      result.warps = products ? pick({4, 8}) : pick({1, 2, 3, 4, 8});
    } while (!fits(products ? 48 : 16) ||
             (products && (result.rows < 16 * result.warps ||
                           result.rows * result.columns > 8192)));
    result.parts = products ? 1 : pick({1, 1, 1, 2, 4});
    drawWays();
    emit(Step::inputX, Of::tile, false);
    emit(Step::inputY, Of::tile, true);
    emit(Step::inputZ, Of::tile,
         result.stored == s4 || result.stored == u4
             ? chance(2)
             : result.stored == u8 || isOfIntegers(result.stored));
    const size_t steps = products ? 10 : 16;
    if (products)
      product();
    while (result.steps.size() < steps)
      step();
    if (products)
      product();
    return std::move(result);
  }

private:
  template <class T> T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + number(0, int64_t(choices.size()) - 1));
  }
  int64_t pick(std::initializer_list<int> choices) {
    return *(choices.begin() + number(0, int64_t(choices.size()) - 1));
  }
  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  bool chance(int64_t oneOf) { return number(1, oneOf) == 1; }

  bool fits(int64_t each) const {
    const int64_t elements = result.rows * result.columns;
    return elements <= each * 32 * result.warps && areSpread(elements / 2);
  }
  bool areSpread(int64_t elements) const {
    const int64_t threads = 32 * result.warps;
    return elements % threads == 0 || threads % elements == 0;
  }

  /// Whether shared memory has room for so many more bytes, which it then
  /// lacks.
  bool takes(int64_t bytes) {
    constexpr int64_t most = 64 << 10;
    if (sharedBytes + bytes > most)
      return false;
    sharedBytes += bytes;
    return true;
  }
  int64_t tileBytes(ElementType type) const {
    return rowBytes(type, result.rows * result.columns);
  }

  static int64_t rowBytes(ElementType type, int64_t extent) {
    return extent / pack_length(type) * size_bytes(type);
  }
  /// Whether TMA moves a tile with rows of so many.
  static bool fitsTma(ElementType type, int64_t extent) {
    const int64_t bytes = rowBytes(type, extent);
    return bytes % 128 == 0 || bytes == 16 || bytes == 32 || bytes == 64;
  }

  Way way(ElementType type, bool isOutput) {
    Way way;
    way.turned = pack_length(type) == 1 && chance(3);
    way.byTile =
        chance(2) && fitsTma(type, way.turned ? result.rows : result.columns);
    way.alignment = isOutput && way.byTile ? 16 : pick({1, 4, 16});
    way.alignment = std::max(way.alignment, size_bytes(type));
    way.byElements = isOutput && pack_length(type) == 1 && !way.byTile &&
                     !way.turned && chance(2);
    return way;
  }

  void drawWays() {
    result.stored = pick({f32, tf32, bf16, f16, e4m3, e5m2, s32, s16, s8, u8,
                          s4, u4, e2m1, e8m0});
    result.result = pick({bf16, f16, e4m3, e5m2, s16, s8, s4, u4, e2m1, e8m0});
    result.x = way(f32, false);
    result.z = way(result.stored, false);
    result.d = way(f32, true);
    result.e = way(result.result, true);
  }

  bool emit(Step::Kind kind, Of of, bool isInteger, int a = -1, int b = -1,
            int c = -1) {
    result.steps.push_back({kind, of, isInteger, a, b, c});
    Step &step = result.steps.back();
    step.type = isInteger ? s32 : f32;
    step.constant = number(1, 9);
    step.which = int(number(0, 2));
    step.combine = pick({Combine::sum, Combine::max, Combine::min});
    step.alongRow = chance(2);
    step.exclusive = chance(2);
    step.sparse = chance(3);
    step.halfSum = chance(3);
    step.turned = chance(3);
    return true;
  }
  Step &last() { return result.steps.back(); }

  /// A value of before; the last ones more often.
  std::optional<int> any(std::optional<bool> isInteger = std::nullopt,
                         std::optional<Of> of = std::nullopt) {
    std::vector<int> found;
    for (size_t i = 0; i < result.steps.size(); ++i)
      if ((!isInteger || result.steps[i].isInteger == *isInteger) &&
          (!of || result.steps[i].of == *of))
        found.push_back(int(i));
    if (found.empty())
      return std::nullopt;
    return found[std::max(number(0, int64_t(found.size()) - 1),
                          number(0, int64_t(found.size()) - 1))];
  }

  std::optional<ElementType> oneOf(const std::vector<ElementType> &types,
                                   bool isInteger) {
    std::vector<ElementType> fitting;
    for (ElementType type : types)
      if (isOfIntegers(type) == isInteger)
        fitting.push_back(type);
    if (fitting.empty())
      return std::nullopt;
    return fitting[number(0, int64_t(fitting.size()) - 1)];
  }

  void elements(int a) {
    const Step first = result.steps[a];
    const auto which = int(number(0, int64_t(elementOperations().size()) - 1));
    const ElementOperation &operation = elementOperations()[which];
    const std::optional<ElementType> type =
        oneOf(operation.types, first.isInteger);
    if (!type)
      return;
    const int b = *any(first.isInteger), c = *any(first.isInteger);
    Of of = first.of;
    if (operation.operands > 1 && result.steps[b].of != of)
      of = Of::tile;
    if (operation.operands > 2 && result.steps[c].of != of)
      of = Of::tile;
    emit(Step::elements, of, first.isInteger, a,
         operation.operands > 1 ? b : -1, operation.operands > 2 ? c : -1);
    last().which = which;
    last().type = *type;
  }

  void keep(int a) {
    const Step first = result.steps[a];
    const ElementType type =
        pick({f32, bf16, f16, e4m3, e5m2, s32, s16, s8, s4, u4, e2m1, e8m0});
    By by = pick(
        {By::registers, By::tile, By::turnedTile, By::scattered, By::gathered});
    if (pack_length(type) > 1 && by != By::registers)
      by = By::tile;
    if (first.of != Of::tile ||
        rowBytes(type, by == By::turnedTile ? result.rows : result.columns) %
                16 !=
            0 ||
        (by != By::registers && !takes(tileBytes(type))))
      by = By::registers;
    if (const int64_t extent =
            first.of == Of::rows ? result.rows : result.columns;
        pack_length(type) > 1 && first.of != Of::tile &&
        (extent % 2 || !areSpread(extent / 2)))
      return;
    emit(Step::keep, first.of, first.isInteger, a);
    last().type = type;
    last().by = by;
  }

  bool product() {
    const int a = *any(std::nullopt, Of::tile);
    const ElementType type = pick({bf16, f16, f32, e4m3, e5m2, s8});
    const std::optional<int> sum = any(type == s8, Of::tile);
    if (!sum || (result.columns % 32 && type == s8))
      return false;
    const int64_t k = 2 * result.columns;
    if (!takes(tileBytes(type) + k * result.columns * size_bytes(type)))
      return false;
    emit(Step::product, Of::tile, type == s8, a, chance(2) ? *sum : -1);
    last().type = type;
    last().other = type == e4m3 || type == e5m2 ? pick({e4m3, e5m2}) : type;
    last().by = pick({By::registers, By::tile});
    last().turned = last().turned && size_bytes(type) == 2;
    last().halfSum =
        last().halfSum && type != f32 && type != bf16 && type != s8;
    return true;
  }

  void step() {
    const auto kind = Step::Kind(number(Step::inputRows, Step::kinds - 1));
    const int a = *any();
    const Step first = result.steps[a];
    switch (kind) {
    case Step::inputRows:
    case Step::rowNumbers:
    case Step::columnNumbers:
      emit(kind, Of::tile, true);
      return;
    case Step::number:
      emit(kind, Of::tile, chance(2));
      return;
    case Step::elements:
      return elements(a);
    case Step::mixed: {
      // A vector of rows meets one of columns only in a tile.
      std::optional<int> b = any(first.isInteger);
      if (first.of != Of::tile && result.steps[*b].of != first.of)
        b = any(first.isInteger, Of::tile);
      if (b)
        emit(kind, first.of == result.steps[*b].of ? first.of : Of::tile,
             first.isInteger, a, *b);
      return;
    }
    case Step::reduce:
    case Step::half:
    case Step::place:
    case Step::whether: {
      if (first.of != Of::tile)
        return;
      const bool combines = kind == Step::reduce || kind == Step::half;
      emit(kind, Of::tile, first.isInteger || !combines, a);
      last().alongRow |= result.rows < 2;
      last().of = last().alongRow ? Of::rows : Of::columns;
      last().type = narrowed(first.isInteger, combines);
      return;
    }
    case Step::scan:
      if (first.of == Of::tile) {
        emit(kind, first.of, first.isInteger, a);
        last().type = narrowed(first.isInteger, true);
      }
      return;
    case Step::convert:
      emit(kind, first.of, chance(2), a);
      return;
    case Step::keep:
      return keep(a);
    case Step::lookUp:
      if (const std::optional<int> b = any(true, first.of);
          first.isInteger && b)
        emit(kind, first.of, true, a, *b);
      return;
    case Step::addAll:
      if (first.of == Of::tile)
        emit(kind, first.of, first.isInteger, a);
      return;
    case Step::whenAny:
    case Step::loop:
    case Step::whereInside:
      if (kind == Step::whereInside && first.of != Of::tile)
        return;
      emit(kind, first.of, first.isInteger, a, *any(first.isInteger, first.of));
      return;
    case Step::scale:
      emit(kind, first.of, first.isInteger, a);
      return;
    case Step::count:
      if (first.isInteger && first.of == Of::tile)
        emit(kind, first.of, true, a);
      return;
    case Step::overCluster:
      if (result.parts > 1)
        emit(kind, first.of, first.isInteger, a);
      return;
    default:
      return;
    }
  }

  /// Where sums of thousands are exact, or at least what is there already.
  ElementType narrowed(bool isInteger, bool sums) {
    if (sums && last().combine == Combine::sum)
      return isInteger ? pick({s32, s16, s8}) : f32;
    return isInteger ? pick({s32, s16, s8}) : pick({f32, bf16, f16});
  }

  std::mt19937_64 engine;
  int64_t sharedBytes = 0;
  Program result;
};

constexpr std::array kindNames = {
    "X",           "Y",      "Z",       "rows by indices",
    "number",      "row",    "column",  "elements",
    "mixed",       "reduce", "half",    "place",
    "whether",     "scan",   "convert", "keep",
    "lookUp",      "addAll", "whenAny", "loop",
    "whereInside", "scale",  "count",   "overCluster",
    "product"};
static_assert(kindNames.size() == Step::kinds);

std::string describe(const Way &way) {
  return std::string(way.byTile ? " by tile" : "") +
         (way.turned ? " turned" : "") +
         (way.byElements ? " by elements" : "") + " align " +
         std::to_string(way.alignment);
}

std::string describe(const Step &step) {
  constexpr std::array of = {"", " of rows", " of columns"};
  constexpr std::array by = {"registers", "tile", "turned tile", "scattered",
                             "gathered"};
  constexpr std::array combine = {"sum", "max", "min"};
  std::string text = std::string(kindNames[step.kind]) + of[int(step.of)] +
                     (step.isInteger ? " (integer)" : "");
  for (int operand : {step.a, step.b, step.c})
    if (operand >= 0)
      text += " " + std::to_string(operand);
  if (step.kind == Step::elements)
    text += std::string(": ") + elementOperations()[step.which].name;
  return text + ", " + std::string(name(step.type)) + " " +
         std::string(name(step.other)) + ", by " + by[int(step.by)] +
         ", constant " + std::to_string(step.constant) + ", which " +
         std::to_string(step.which) + ", " + combine[int(step.combine)] +
         (step.alongRow ? ", along row" : "") +
         (step.exclusive ? ", exclusive" : "") +
         (step.sparse ? ", sparse" : "") + (step.halfSum ? ", half sum" : "") +
         (step.turned ? ", turned" : "");
}

} // namespace

Program drawProgram(uint64_t seed) { return Draw(seed).program(); }

std::string describe(const Program &program) {
  std::string text =
      "tiles of " + std::to_string(program.rows) + "x" +
      std::to_string(program.columns) + " by " + std::to_string(program.warps) +
      " warps, " + std::to_string(program.parts) + " CTAs\nX" +
      describe(program.x) + "\nZ " + std::string(name(program.stored)) +
      describe(program.z) + "\nD" + describe(program.d) + "\nE " +
      std::string(name(program.result)) + describe(program.e) + "\n";
  for (size_t i = 0; i < program.steps.size(); ++i)
    text += std::to_string(i) + ": " + describe(program.steps[i]) + "\n";
  return text;
}

} // namespace ashlar::test
