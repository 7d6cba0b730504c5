#include "compiler/layout/Swizzle.h"

#include <ostream>

namespace ashlar::layout {

int64_t Swizzle::operator()(int64_t offset) const {
  int64_t mask = ((int64_t(1) << bits) - 1) << (base + shift);
  return offset ^ ((offset & mask) >> shift);
}

std::string Swizzle::str() const {
  return "S<" + std::to_string(bits) + "," + std::to_string(base) + "," +
         std::to_string(shift) + ">";
}

Swizzle Swizzle::parse(std::string_view text) {
  if (!text.starts_with("S<") || !text.ends_with(">"))
    refuse("'", text, "' is not a swizzle: expected S<bits,base,shift>");
  std::string numbers(text.substr(2, text.size() - 3));
  IntTuple fields = IntTuple::parse("(" + numbers + ")");
  if (fields.size() != 3 || fields.depth() != 1)
    refuse("'", text, "' is not a swizzle: expected three numbers");
  Swizzle swizzle{static_cast<int>(fields[0].value()),
                  static_cast<int>(fields[1].value()),
                  static_cast<int>(fields[2].value())};
  if (swizzle.bits < 0 || swizzle.bits > swizzle.shift || swizzle.base < 0)
    refuse("the swizzle ", swizzle,
           " is not its own inverse: 0 <= bits <= shift and 0 <= base must "
           "hold");
  return swizzle;
}

int64_t SwizzledLayout::cosize() const {
  int64_t row = int64_t(1) << (swizzle.base + swizzle.bits);
  return (layout.cosize() + row - 1) / row * row;
}

std::string SwizzledLayout::str() const {
  return swizzle.str() + " o " + layout.str();
}

SwizzledLayout SwizzledLayout::parse(std::string_view text) {
  size_t composed = text.find(" o ");
  if (composed == std::string_view::npos)
    refuse("'", text, "' is not a swizzled layout: expected S<...> o layout");
  return {Swizzle::parse(text.substr(0, composed)),
          Layout::parse(text.substr(composed + 3))};
}

std::ostream &operator<<(std::ostream &out, const Swizzle &swizzle) {
  return out << swizzle.str();
}

std::ostream &operator<<(std::ostream &out, const SwizzledLayout &layout) {
  return out << layout.str();
}

} // namespace ashlar::layout
