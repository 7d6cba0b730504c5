// Each kernel of docs/language compiles, or is refused or remarked on as the
// page says.
#include "test/docs/Blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ashlar::test {
namespace {

class Page : public testing::TestWithParam<Block> {};

TEST_P(Page, IsTrue) {
  const Block &block = GetParam();
  const std::string said = block.said;
  try {
    CompileOptions options;
    options.check_expectations = true;
    const Compilation compiled = compile(block.define(), options);
    EXPECT_TRUE(compiled.warnings.empty()) << compiled.warnings[0].message;
    ASSERT_FALSE(said.starts_with("error:")) << "it compiles";
    if (said.starts_with("note: ")) {
      std::vector<std::string> notes;
      for (const Note &note : compiled.notes)
        notes.push_back(note.message);
      EXPECT_THAT(notes, testing::Contains(said.substr(6)));
    }
  } catch (const Error &error) {
    const std::string message = error.what();
    ASSERT_TRUE(said.starts_with("error: ")) << message;
    EXPECT_EQ(message.substr(message.find("error: ")), said);
  }
}

INSTANTIATE_TEST_SUITE_P(Docs, Page, testing::ValuesIn(blocks()),
                         [](const auto &info) {
                           std::string name = info.param.where;
                           for (char &letter : name)
                             if (!std::isalnum(letter))
                               letter = '_';
                           return name;
                         });

} // namespace
} // namespace ashlar::test
