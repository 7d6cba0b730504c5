// Texts of IR that are nearly right.
#pragma once

#include <random>
#include <string>

namespace ashlar::fuzz {

/// The text with one to three small changes: another number, a line less,
/// twice or in another place, a value, type, attribute or operation of the text
/// in the place of another, a word less.
std::string mutate(std::string text, std::mt19937_64 &random);

} // namespace ashlar::fuzz
