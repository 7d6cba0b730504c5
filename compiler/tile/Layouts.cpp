// Layouts as parameters of types and attributes: written as text, held as
// values, and checked against what they lay out.

#include "compiler/target/Target.h"
#include "compiler/tile/Verify.h"

using namespace mlir;

namespace ashlar::layout {

static llvm::hash_code hash_value(const IntTuple &tuple) {
  std::vector<int64_t> leaves = tuple.flatten();
  return llvm::hash_combine(tuple.size(), llvm::hash_combine_range(leaves));
}

static llvm::hash_code hash_value(const Layout &layout) {
  return llvm::hash_combine(layout.shape(), layout.stride());
}

llvm::hash_code hash_value(const SwizzledLayout &layout) {
  return llvm::hash_combine(layout.swizzle.bits, layout.swizzle.base,
                            layout.swizzle.shift, layout.layout);
}

llvm::hash_code hash_value(const FragmentLayout &layout) {
  return llvm::hash_combine(llvm::hash_combine_range(layout.shape),
                            layout.thread, layout.value);
}

} // namespace ashlar::layout

namespace ashlar::tile {

FragmentAttr fragmentOf(Type type) {
  auto fragment = dyn_cast<RankedTensorType>(type);
  return fragment ? dyn_cast_if_present<FragmentAttr>(fragment.getEncoding())
                  : FragmentAttr();
}

LogicalResult TensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type element, int64_t) {
  if (!elementType(element))
    return emitError() << "a tensor holds numbers, not " << element;
  return success();
}

//===-- Shared tiles ------------------------------------------------------===//

LogicalResult
SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                   ArrayRef<int64_t> shape, Type element,
                   std::optional<layout::SwizzledLayout> swizzled) {
  if (!elementType(element))
    return emitError() << "a shared tile holds numbers, not " << element;
  int64_t left = std::numeric_limits<int32_t>::max();
  for (int64_t extent : shape)
    if (extent && (left /= extent) < 1)
      return emitError() << "a shared tile of " << dimensions(shape)
                         << " has more elements than 31 bits count";
  if (!swizzled)
    return success();
  const layout::Layout &layout = swizzled->layout;
  if (layout.rank() != int64_t(shape.size()))
    return emitError() << "the layout " << swizzled->str() << " has "
                       << layout.rank() << " modes, the shared tile "
                       << dimensions(shape) << " has " << shape.size()
                       << " dimensions";
  for (auto [i, extent] : llvm::enumerate(shape))
    if (layout.mode(i).size() != extent)
      return emitError() << "mode " << i << " of the layout " << swizzled->str()
                         << " has " << layout.mode(i).size()
                         << " elements, that dimension of the shared tile "
                         << dimensions(shape) << " has " << extent;
  if (swizzled->cosize() > std::numeric_limits<int32_t>::max())
    return emitError() << "the layout " << swizzled->str()
                       << " reaches beyond addresses of 32 bits";
  return success();
}

Type SharedType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type element;
  std::optional<layout::SwizzledLayout> layout;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    std::string text;
    if (parser.parseString(&text))
      return {};
    auto parsed = layout::SwizzledLayout::parse(text);
    if (!parsed) {
      parser.emitError(loc) << parsed.why();
      return {};
    }
    layout = *parsed;
  }
  if (parser.parseGreater())
    return {};
  return SharedType::getChecked([&] { return parser.emitError(loc); },
                                parser.getContext(), ArrayRef<int64_t>(shape),
                                element, layout);
}

void SharedType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    printer << extent << 'x';
  printer << getElementType();
  if (getLayout())
    printer << ", \"" << getLayout()->str() << '"';
  printer << '>';
}

//===-- Fragments ---------------------------------------------------------===//

LogicalResult FragmentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   layout::FragmentLayout layout) {
  if (auto refusal = layout::whyNotFragment(layout))
    return emitError() << refusal->why;
  // Of which the smallest, truth values, take a bit each.
  constexpr int64_t most = 32 * target::mostRegisters;
  if (layout.thread.size() > target::mostThreads || layout.value.size() > most)
    return emitError() << "the fragment layout " << layout.str() << " is of "
                       << layout.thread.size() << " threads with "
                       << layout.value.size() << " values each; a CTA has "
                       << target::mostThreads << " with registers for " << most;
  return success();
}

LogicalResult FragmentAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type element,
    function_ref<InFlightDiagnostic()> emitError) const {
  // The parser asks of an element that it has already refused, too.
  if (!element)
    return failure();
  if (shape != ArrayRef(getLayout().shape))
    return emitError() << "the fragment layout " << getLayout().str()
                       << " is not one of a tensor of " << dimensions(shape);
  if (!isFragmentElement(element))
    return emitError() << "a fragment cannot hold " << elementName(element);
  return success();
}

Attribute FragmentAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  if (parser.parseLess() || parser.parseString(&text) || parser.parseGreater())
    return {};
  auto layout = layout::FragmentLayout::parse(text);
  if (!layout) {
    parser.emitError(loc) << layout.why();
    return {};
  }
  return FragmentAttr::getChecked([&] { return parser.emitError(loc); },
                                  parser.getContext(), *layout);
}

void FragmentAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getLayout().str() << "\">";
}

LogicalResult checkFragments(Operation *role, int64_t threads) {
  auto check = [&](Operation *op, Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return success();
    if (!isFragmentElement(tensor.getElementType()))
      return op->emitOpError("has a fragment of ")
             << elementName(tensor.getElementType())
             << ", which a thread cannot hold";
    int64_t left = std::numeric_limits<int32_t>::max();
    for (int64_t extent : tensor.getShape())
      if (extent < 1 || (left /= extent) < 1)
        return op->emitOpError("has a fragment of ")
               << type << ", without elements or with more than are counted";
    FragmentAttr fragment = fragmentOf(type);
    if (!fragment || fragment.getLayout().thread.size() == threads)
      return success();
    return op->emitOpError("has a fragment that ")
           << fragment.getLayout().thread.size() << " threads hold, "
           << fragment.getLayout().str() << "; its role has " << threads;
  };
  WalkResult result = role->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(check(op, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(check(op, type)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace ashlar::tile
