// The order of a schedule's tiles, as an attribute.

#include "compiler/tile/Tile.h"

namespace ashlar::tile {

using namespace mlir;

llvm::hash_code hash_value(const RasterMode &mode) {
  return llvm::hash_combine(mode.along, mode.extent, mode.alternating);
}

namespace {

/// Tiles are counted in 31 bits.
constexpr int64_t mostTiles = (int64_t(1) << 31) - 1;

StringRef nameOf(Along along) { return along == Along::m ? "m" : "n"; }

/// What is wrong with a mode that comes after these, as a predicate of it.
std::string whyNotNext(const RasterMode &mode, ArrayRef<RasterMode> faster) {
  const std::string name = nameOf(mode.along).str();
  int64_t tiles = 1;
  bool isFirst = true;
  for (const RasterMode &before : faster) {
    tiles *= before.extent.value_or(1);
    if (before.along != mode.along)
      continue;
    isFirst = false;
    if (!before.extent)
      return "walks along " + name +
             ", of which one before it leaves nothing: give that an extent";
  }
  if (mode.extent && *mode.extent < 1)
    return "walks " + std::to_string(*mode.extent) + " tiles along " + name +
           "; it walks at least 1";
  if (mode.extent && *mode.extent > mostTiles / tiles)
    return "walks more tiles, with those before it, than the " +
           std::to_string(mostTiles) + " that are counted";
  if (mode.alternating && !isFirst)
    return "alternates and steps over more than one tile; only the first "
           "along m and the first along n may";
  return "";
}

} // namespace

std::string whyNotRaster(ArrayRef<RasterMode> modes) {
  auto ofMode = [](size_t i) {
    return "mode " + std::to_string(i) + " of the raster ";
  };
  for (auto [i, mode] : llvm::enumerate(modes))
    if (std::string reason = whyNotNext(mode, modes.take_front(i));
        !reason.empty())
      return ofMode(i) + reason;
  for (Along along : {Along::m, Along::n})
    if (llvm::none_of(modes, [&](const RasterMode &mode) {
          return mode.along == along && !mode.extent;
        }))
      return "the raster does not reach the end of " + nameOf(along).str() +
             ": end it with a mode along " + nameOf(along).str() +
             " that has no extent";
  if (modes.back().alternating)
    return ofMode(modes.size() - 1) +
           "alternates and is the slowest, with none to alternate with: let a "
           "faster one alternate";
  return "";
}

LogicalResult RasterAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<RasterMode> modes) {
  if (std::string reason = whyNotRaster(modes); !reason.empty())
    return emitError() << reason;
  return success();
}

Attribute RasterAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<RasterMode> modes;
  auto parseMode = [&]() -> ParseResult {
    RasterMode mode{};
    mode.alternating = succeeded(parser.parseOptionalKeyword("alternating"));
    if (failed(parser.parseOptionalKeyword("m"))) {
      if (failed(parser.parseOptionalKeyword("n")))
        return parser.emitError(parser.getCurrentLocation(),
                                "expected a mode along m or n");
      mode.along = Along::n;
    }
    int64_t extent = 0;
    if (succeeded(parser.parseOptionalColon())) {
      if (parser.parseInteger(extent))
        return failure();
      mode.extent = extent;
    }
    modes.push_back(mode);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseMode))
    return {};
  return RasterAttr::getChecked([&] { return parser.emitError(loc); },
                                parser.getContext(), ArrayRef(modes));
}

void RasterAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getModes(), printer, [&](const RasterMode &mode) {
    printer << (mode.alternating ? "alternating " : "") << nameOf(mode.along);
    if (mode.extent)
      printer << ':' << *mode.extent;
  });
  printer << '>';
}

} // namespace ashlar::tile
