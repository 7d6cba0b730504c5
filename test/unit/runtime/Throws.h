// That a statement throws an Error whose message has every one of some parts.
#pragma once

#include "ashlar/error.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace ashlar::test {

template <typename Statement>
std::string messageOf(const Statement &statement) {
  try {
    statement();
  } catch (const Error &error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

template <typename Statement>
void expectError(const Statement &statement,
                 std::initializer_list<const char *> parts) {
  std::string message = messageOf(statement);
  for (const char *part : parts)
    EXPECT_NE(message.find(part), std::string::npos)
        << "no \"" << part << "\" in: " << message;
}

} // namespace ashlar::test
