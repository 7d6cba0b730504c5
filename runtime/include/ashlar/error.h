#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ashlar {

/// A place in the kernel author's C++. `line` and `column` count from 1; a
/// `SourceLine` with an empty `file` means "not known".
struct SourceLine {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;

  /// "file:line", or "" when the file is not known.
  std::string str() const;

  bool operator==(const SourceLine &) const = default;
};

/// What every function of Ashlar throws. `what()` is one sentence: what is
/// wrong, what the limit is, what to change; it starts with "file:line: error:
/// " when the author's line is known.
class Error : public std::runtime_error {
public:
  explicit Error(const std::string &message);
  Error(SourceLine where, const std::string &message);

  /// What `what()` says behind the author's line.
  std::string_view message() const;

  /// The author's line, or nothing when the mistake has none.
  const std::optional<SourceLine> &where() const { return place; }

private:
  std::optional<SourceLine> place;
};

} // namespace ashlar
