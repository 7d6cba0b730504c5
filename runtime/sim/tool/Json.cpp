#include "runtime/sim/tool/Json.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ashlar::sim::tool {
namespace {

/// "12:7", both from 1, of a byte in the text.
std::string position(const std::vector<uint8_t> &text, size_t byte) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < std::min(byte, text.size()); ++i)
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  return std::to_string(line) + ":" + std::to_string(column);
}

/// The library's own sentence, without its code and position in front.
std::string reasonOf(const std::string &what) {
  size_t begin = 0;
  for (const char *end : {"] ", ": "})
    if (const size_t at = what.find(end, begin); at != what.npos)
      begin = at + 2;
  return what.substr(begin);
}

} // namespace

nlohmann::json parseJson(const std::vector<uint8_t> &text,
                         const std::string &path) {
  // The library takes the last of several members with one name.
  std::vector<std::set<std::string>> names;
  auto refuseTwice = [&](int, nlohmann::json::parse_event_t event,
                         const nlohmann::json &value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start)
      names.emplace_back();
    else if (event == Event::object_end)
      names.pop_back();
    else if (event == Event::key &&
             !names.back().insert(value.get<std::string>()).second)
      throw InputError(path + ": an object has two members '" +
                       value.get<std::string>() + "'");
    return true;
  };
  try {
    return nlohmann::json::parse(text, refuseTwice);
  } catch (const nlohmann::json::parse_error &error) {
    throw InputError(path + ":" +
                     position(text, error.byte ? error.byte - 1 : 0) + ": " +
                     reasonOf(error.what()));
  } catch (const nlohmann::json::exception &error) {
    throw InputError(path + ": " + reasonOf(error.what()));
  }
}

void Value::fail(const std::string &sentence) const {
  throw InputError((place.empty() ? "the description" : place) + ": " +
                   sentence);
}

void Value::expectMembers(std::initializer_list<const char *> names) const {
  if (!json.is_object())
    fail("is no object, {...}");
  for (auto member = json.begin(); member != json.end(); ++member)
    if (std::ranges::find(names, member.key()) == names.end()) {
      std::string known;
      for (const char *name : names)
        known += (known.empty() ? "" : ", ") + std::string(name);
      fail("has no member '" + member.key() + "'; it can have " + known);
    }
}

bool Value::has(const char *name) const {
  return json.is_object() && json.contains(name);
}

Value Value::operator[](const char *name) const {
  if (!has(name))
    fail("has no '" + std::string(name) + "'");
  return Value(json.find(name).value(), join(name));
}

Value Value::at(size_t index) const {
  return Value(json[index], place + "[" + std::to_string(index) + "]");
}

std::string Value::string() const {
  if (!json.is_string())
    fail("is no string");
  return json.get<std::string>();
}

uint64_t Value::unsignedInteger(uint64_t least, uint64_t most) const {
  const std::string range =
      std::to_string(least) + " to " + std::to_string(most);
  if (!json.is_number_integer() ||
      (!json.is_number_unsigned() && json.get<int64_t>() < 0))
    fail("is no integer from " + range);
  const uint64_t value = json.get<uint64_t>();
  if (value < least || value > most)
    fail("is " + std::to_string(value) + "; it must be " + range);
  return value;
}

double Value::real() const {
  if (json.is_number())
    return json.get<double>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf")
    return infinity;
  if (json == "-inf")
    return -infinity;
  fail("is no number, \"nan\", \"inf\" or \"-inf\"");
}

uint64_t Value::integerBits(Element element) const {
  const unsigned bits = sizeBytes(element) * 8;
  const uint64_t most = ~uint64_t(0) >> (64 - bits);
  if (json.is_number_unsigned()) {
    const auto value = json.get<uint64_t>();
    if (value <= most && (least(element) == 0 || value <= (most >> 1)))
      return value;
  } else if (json.is_number_integer() && least(element) < 0) {
    const auto value = json.get<int64_t>();
    if (value >= -static_cast<int64_t>(most >> 1) - 1)
      return static_cast<uint64_t>(value) & most;
  }
  fail("is no " + std::string(name(element)) + ", an integer of " +
       std::to_string(bits) + " bits");
}

std::vector<uint64_t> Value::integers(size_t leastCount, size_t mostCount,
                                      uint64_t least, uint64_t most) const {
  if (!json.is_array() || json.size() < leastCount || json.size() > mostCount)
    fail("is no array of " +
         (leastCount == mostCount ? std::to_string(leastCount)
                                  : std::to_string(leastCount) + " to " +
                                        std::to_string(mostCount)) +
         " integers");
  std::vector<uint64_t> values;
  for (size_t i = 0; i < json.size(); ++i)
    values.push_back(at(i).unsignedInteger(least, most));
  return values;
}

std::vector<std::string> Value::memberNames() const {
  std::vector<std::string> names;
  for (auto member = json.begin(); member != json.end(); ++member)
    names.push_back(member.key());
  return names;
}

} // namespace ashlar::sim::tool
