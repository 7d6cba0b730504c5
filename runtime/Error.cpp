#include "ashlar/error.h"

namespace ashlar {

std::string SourceLine::str() const {
  return file.empty() ? std::string() : file + ":" + std::to_string(line);
}

Error::Error(const std::string &message) : std::runtime_error(message) {}

Error::Error(SourceLine where, const std::string &message)
    : std::runtime_error(
          where.file.empty() ? message : where.str() + ": error: " + message) {
  if (!where.file.empty())
    place = std::move(where);
}

std::string_view Error::message() const {
  const std::string_view all = what();
  constexpr std::string_view separator = ": error: ";
  return place ? all.substr(place->str().size() + separator.size()) : all;
}

} // namespace ashlar
