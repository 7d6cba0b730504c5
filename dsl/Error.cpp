#include "Trace.h"

#include <string_view>

namespace ashlar::detail {

void fail(SourceLocation where, const std::string &message) {
  where = Trace::ofAuthor(where);
  throw Error(SourceLine{where.file_name(), where.line(), where.column()},
              message);
}

std::string lineOf(SourceLocation where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);
  return std::string(file) + ":" + std::to_string(where.line());
}

} // namespace ashlar::detail
