// The order of a schedule's tiles, as an attribute.

#include "compiler/tile/Tile.h"

namespace ashlar::tile {

using namespace mlir;

llvm::hash_code hash_value(const RasterMode &mode) {
  return llvm::hash_combine(mode.along, mode.extent, mode.alternating);
}

static StringRef nameOf(Along along) { return along == Along::m ? "m" : "n"; }

std::string whyNotRaster(ArrayRef<RasterMode> modes) {
  std::string reason;
  llvm::raw_string_ostream text(reason);
  for (Along along : {Along::m, Along::n}) {
    bool isWhole = false, isStep = false;
    for (auto [i, mode] : llvm::enumerate(modes)) {
      if (mode.along != along)
        continue;
      text << "mode " << i << " of the raster ";
      if (isWhole) {
        text << "walks along " << nameOf(along)
             << ", of which one before it leaves nothing: give that an extent";
        return reason;
      }
      if (mode.extent && *mode.extent < 1) {
        text << "walks " << *mode.extent << " tiles along " << nameOf(along)
             << "; it walks at least 1";
        return reason;
      }
      if (mode.alternating && isStep) {
        text << "alternates and steps over more than one tile; only the first "
                "along m and the first along n may";
        return reason;
      }
      if (mode.alternating && i + 1 == modes.size()) {
        text << "alternates and is the slowest: there is none to alternate "
                "with";
        return reason;
      }
      reason.clear();
      isWhole = !mode.extent;
      isStep = true;
    }
    if (!isWhole) {
      text << "the raster does not reach the end of " << nameOf(along)
           << ": leave out the extent of its last mode along it";
      return reason;
    }
  }
  return reason;
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
