// Findings that somebody knows of and does not want to see.
#pragma once

#include "runtime/sim/machine/Report.h"

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::sim {

class Ignored {
public:
  /// KIND or KIND@FILE:LINE, such as "race" or
  /// "missing-proxy-fence@gemm.cpp:31": a finding of that kind, with one side
  /// at that line of the source or of the PTX. A file is named by the end of
  /// its path. Throws std::invalid_argument.
  void add(std::string_view entry);
  /// Entries with commas between; or, where that is the name of a file, those
  /// in it, one to a line, what follows a '#' being a comment. Throws
  /// std::invalid_argument, with the file and the line.
  void addAll(const std::string &text);

  bool covers(const Report &report) const;

private:
  void addFile(std::istream &file, const std::string &path);

  struct Entry {
    Finding finding;
    std::string place; // "gemm.cpp:31"; empty for all
  };
  std::vector<Entry> entries;
};

} // namespace ashlar::sim
