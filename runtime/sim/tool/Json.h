// Reading JSON with the place of each value in the document at hand.
#pragma once

#include "runtime/sim/tool/Description.h"

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

namespace ashlar::sim::tool {

/// Parses the text; a syntax error is an InputError with line and column.
nlohmann::json parseJson(const std::vector<uint8_t> &text,
                         const std::string &path);

/// A value and where it stands: "arguments[2].box".
class Value {
public:
  Value(const nlohmann::json &json, std::string place)
      : json(json), place(std::move(place)) {}

  const std::string &where() const { return place; }
  [[noreturn]] void fail(const std::string &sentence) const;

  bool isObject() const { return json.is_object(); }
  bool isArray() const { return json.is_array(); }
  bool isString() const { return json.is_string(); }
  bool isNumber() const { return json.is_number(); }

  /// Fails for a member that is none of these.
  void expectMembers(std::initializer_list<const char *> names) const;
  bool has(const char *name) const;
  Value operator[](const char *name) const; // fails when it is missing
  size_t size() const { return json.size(); }
  Value at(size_t index) const;
  template <class Visit> void forEachMember(Visit visit) const {
    for (auto member = json.begin(); member != json.end(); ++member)
      visit(member.key(), Value(member.value(), join(member.key())));
  }

  std::string string() const;
  uint64_t unsignedInteger(uint64_t least, uint64_t most) const;
  /// A number, or "nan", "inf" or "-inf".
  double real() const;
  /// An integer that an element holds, signed or unsigned, as its bits.
  uint64_t integerBits(Element element) const;
  std::vector<uint64_t> integers(size_t leastCount, size_t mostCount,
                                 uint64_t least, uint64_t most) const;
  std::vector<std::string> memberNames() const;

private:
  std::string join(const std::string &name) const {
    return place.empty() ? name : place + "." + name;
  }
  const nlohmann::json &json;
  std::string place;
};

} // namespace ashlar::sim::tool
