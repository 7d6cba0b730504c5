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

Result<Swizzle> Swizzle::parse(std::string_view text) {
  if (!text.starts_with("S<") || !text.ends_with(">"))
    return refuse("'", text, "' is not a swizzle: expected S<bits,base,shift>");
  std::string numbers(text.substr(2, text.size() - 3));
  Result<IntTuple> fields = IntTuple::parse("(" + numbers + ")");
  if (!fields)
    return fields.refusal();
  if (fields->size() != 3 || fields->depth() != 1)
    return refuse("'", text, "' is not a swizzle: expected three numbers");
  int64_t bits = (*fields)[0].value(), base = (*fields)[1].value(),
          shift = (*fields)[2].value();
  if (bits < 0 || bits > shift || base < 0)
    return refuse("the swizzle ", text,
                  " is not its own inverse: 0 <= bits <= shift and 0 <= base "
                  "must hold");
  if (base > 31 || shift > 31 || base + shift + bits > 31)
    return refuse("the swizzle ", text,
                  " moves bits beyond the 32 of an address");
  return Swizzle{static_cast<int>(bits), static_cast<int>(base),
                 static_cast<int>(shift)};
}

int64_t SwizzledLayout::cosize() const {
  int64_t row = int64_t(1) << (swizzle.base + swizzle.bits);
  return (layout.cosize() + row - 1) / row * row;
}

std::string SwizzledLayout::str() const {
  return swizzle.str() + " o " + layout.str();
}

Result<SwizzledLayout> SwizzledLayout::parse(std::string_view text) {
  size_t composed = text.find(" o ");
  if (composed == std::string_view::npos)
    return refuse("'", text,
                  "' is not a swizzled layout: expected S<...> o layout");
  Result<Swizzle> swizzle = Swizzle::parse(text.substr(0, composed));
  if (!swizzle)
    return swizzle.refusal();
  Result<Layout> layout = Layout::parse(text.substr(composed + 3));
  if (!layout)
    return layout.refusal();
  return SwizzledLayout{*swizzle, *layout};
}

std::ostream &operator<<(std::ostream &out, const Swizzle &swizzle) {
  return out << swizzle.str();
}

std::ostream &operator<<(std::ostream &out, const SwizzledLayout &layout) {
  return out << layout.str();
}

} // namespace ashlar::layout
