#include "runtime/sim/ptx/Context.h"

namespace ashlar::sim::ptx {

void Context::requireNew(const Token &name, std::string_view what) const {
  if (const auto first = names.findHere(name.text))
    cursor.fail(name.position,
                std::string(what) + " '" + std::string(name.text) +
                    "' is declared twice in this scope (first at line " +
                    std::to_string(first->position.line) + ")");
}

void Context::countFamily(uint64_t members, Position position) {
  familyMembers += members;
  if (familyMembers > limit::familyMembers)
    cursor.fail(position, "this module declares more than " +
                              std::to_string(limit::familyMembers) +
                              " names of the form x<N>");
}

void Context::takeNotes(int function, size_t start, size_t end) {
  const auto &comments = cursor.notes();
  for (size_t i = module.notes.size(); i < comments.size(); ++i) {
    const bool inside = comments[i].offset > start && comments[i].offset < end;
    module.notes.push_back({std::string(comments[i].text), comments[i].position,
                            inside ? function : -1});
  }
}

} // namespace ashlar::sim::ptx
