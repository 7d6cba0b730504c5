#include "runtime/sim/machine/Ignored.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace ashlar::sim {
namespace {

/// A kind as it is given: "missing-proxy-fence".
std::string option(Finding finding) {
  std::string text = name(finding);
  std::replace(text.begin(), text.end(), ' ', '-');
  return text;
}

Finding findingNamed(std::string_view text) {
  std::string known;
  for (int i = 0; i <= static_cast<int>(Finding::other); ++i) {
    const auto finding = static_cast<Finding>(i);
    const std::string kind = option(finding);
    if (kind == text)
      return finding;
    known += (i ? ", " : "") + kind;
  }
  throw std::invalid_argument(
      "'" + std::string(text) +
      "' is neither a kind of finding nor a file; the kinds are " + known);
}

/// Whether a line of a file, "dir/gemm.cpp:31", is the one that is named.
bool isAt(std::string_view where, std::string_view place) {
  return where.ends_with(place) &&
         (where.size() == place.size() ||
          where[where.size() - place.size() - 1] == '/');
}

/// "kernel.ptx:2041" of "kernel.ptx:2041: wgmma.mma_async".
std::string_view placeOf(std::string_view instruction) {
  return instruction.substr(0, instruction.find(": "));
}

std::string_view trimmed(std::string_view text) {
  text = text.substr(0, text.find('#'));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

} // namespace

void Ignored::add(std::string_view entry) {
  const size_t at = entry.find('@');
  const std::string_view place = at == entry.npos ? "" : entry.substr(at + 1);
  if (at != entry.npos) {
    const size_t colon = place.rfind(':');
    if (colon == place.npos || colon == 0 || colon + 1 == place.size() ||
        place.find_first_not_of("0123456789", colon + 1) != place.npos)
      throw std::invalid_argument("'" + std::string(place) +
                                  "' is no line of a file; write FILE:LINE");
  }
  entries.push_back({findingNamed(entry.substr(0, at)), std::string(place)});
}

void Ignored::addFile(std::istream &file, const std::string &path) {
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (const std::string_view entry = trimmed(line); !entry.empty()) {
      try {
        add(entry);
      } catch (const std::invalid_argument &error) {
        throw std::invalid_argument(path + ":" + std::to_string(number) + ": " +
                                    error.what());
      }
    }
}

void Ignored::addAll(const std::string &text) {
  std::error_code absent;
  if (const auto type = std::filesystem::status(text, absent).type();
      type == std::filesystem::file_type::directory ||
      type == std::filesystem::file_type::character)
    throw std::invalid_argument(
        "'" + text + "' is a folder or a device: name a file of entries");
  if (std::ifstream file(text); file) {
    addFile(file, text);
    return;
  }
  for (size_t from = 0; from <= text.size();) {
    const size_t to = std::min(text.find(',', from), text.size());
    add(trimmed(std::string_view(text).substr(from, to - from)));
    from = to + 1;
  }
}

bool Ignored::covers(const Report &report) const {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry &entry) {
    return entry.finding == report.finding &&
           (entry.place.empty() ||
            std::any_of(report.sites.begin(), report.sites.end(),
                        [&](const Site &site) {
                          return isAt(site.source, entry.place) ||
                                 isAt(placeOf(site.instruction), entry.place);
                        }));
  });
}

} // namespace ashlar::sim
