// What a kernel tells of itself while it runs: on a GPU, and in the simulator.
#pragma once

#include "ashlar/condition.h"
#include "ashlar/fragment.h"
#include "ashlar/index.h"
#include "ashlar/scalar.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ashlar {

namespace detail {

/// A text, and where it stands.
struct Text {
  std::string_view text;
  SourceLocation where;

  Text(const char *text, SourceLocation where = SourceLocation::current())
      : text(text), where(where) {}
  Text(const std::string &text,
       SourceLocation where = SourceLocation::current())
      : text(text), where(where) {}
  Text(std::nullptr_t) = delete;
};

/// What can be printed: an index, a scalar, a condition, a fragment, a mask, or
/// a C++ number.
struct PrintOperand {
  const Index *index = nullptr;
  const Scalar *scalar = nullptr;
  const Condition *condition = nullptr;
  const Fragment *fragment = nullptr;
  const Mask *mask = nullptr;
  bool isWhole = false;
  int64_t whole = 0;
  double number = 0;

  PrintOperand(const Index &index) : index(&index) {}
  PrintOperand(const Scalar &scalar) : scalar(&scalar) {}
  PrintOperand(const Condition &condition) : condition(&condition) {}
  PrintOperand(const Fragment &fragment) : fragment(&fragment) {}
  PrintOperand(const Mask &mask) : mask(&mask) {}
  template <std::integral T>
  PrintOperand(T number) : isWhole(true), whole(int64_t(number)) {}
  template <std::floating_point T>
  PrintOperand(T number) : number(double(number)) {}
  template <class T>
    requires(!Constant<T> && !AnyIndex<T> &&
             !OneOf<T, Scalar, Condition, Fragment, Mask>)
  PrintOperand(const T &) {
    static_assert(Constant<T>,
                  "print shows indices, scalars, conditions, fragments, masks "
                  "and numbers: text stands in the format, and what lies in "
                  "memory is loaded first");
  }
};

void print(const Text &text, std::initializer_list<PrintOperand> values);

} // namespace detail

/// Prints a line: the role, the CTA, and the text, in which each `{}` is the
/// next of the values. With fragments among them, which have one shape, it
/// prints a line for each element, with the element's coordinates. Lines of
/// different threads come in any order. On a GPU they appear when the launch is
/// waited for; what does not fit the driver's buffer (1 MiB) is lost. It is a
/// call of a function: beside an mma, ptxas lets no wgmma be in flight across
/// it.
template <class... Values>
void print(detail::Text text, const Values &...values) {
  detail::print(text, {detail::PrintOperand(values)...});
}

/// Ends the launch with this sentence, at the author's line, where the
/// condition is false. Checked in the simulator; on a GPU by `--check`, or
/// `CompileOptions::check_expectations`, and it costs nothing else. Directly in
/// the kernel it is of sizes, as `at_most` is, and each launch that breaks it
/// is refused.
void expect(detail::ConditionOperand condition, std::string_view sentence,
            SourceLocation where = SourceLocation::current());
// What C++ finds at once: a condition might also be taken for a mask, and that
// is refused.
template <std::same_as<Condition> T>
void expect(const T &condition, std::string_view sentence,
            SourceLocation where = SourceLocation::current()) {
  expect(detail::ConditionOperand(condition, where), sentence, where);
}
/// Where the mask is false for an element.
void expect(const Mask &mask, std::string_view sentence,
            SourceLocation where = SourceLocation::current());

} // namespace ashlar
