// The door to what the language lacks: instructions by their PTX.
#pragma once

#include "ashlar/arithmetic.h"
#include "ashlar/scalar.h"

#include <initializer_list>
#include <string_view>

namespace ashlar {

/// An element of the result for each of the fragments, which have one shape:
/// `$0` in the text is its register, `$1` and on are those of the elements, in
/// the order of the fragments, which are read and not written: whoever uses the
/// fragment behind it finds what the text leaves there.
///
///   Fragment y = ptx("cos.approx.f32 $0, $1;", f32, {x});
///
/// Elements have 16 or 32 bits: PTX has no smaller registers. Registers of its
/// own the text declares between braces. What is wrong in it the assembler
/// tells, at the author's line.
Fragment ptx(std::string_view text, ElementType result,
             std::initializer_list<detail::FragmentOperand> inputs,
             SourceLocation where = SourceLocation::current());

/// A number for the role, which each of its threads gets from the first one.
///
///   Scalar sm = ptx_scalar("mov.u32 $0, %smid;", s32);
Scalar ptx_scalar(std::string_view text, ElementType result,
                  std::initializer_list<Scalar> inputs = {},
                  SourceLocation where = SourceLocation::current());

/// What the role's first thread does, once: `$0` and on are the inputs. The
/// rest of the role does not wait for it.
void ptx_once(std::string_view text, std::initializer_list<Scalar> inputs = {},
              SourceLocation where = SourceLocation::current());

} // namespace ashlar
