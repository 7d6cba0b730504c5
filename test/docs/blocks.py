"""blocks.py FOLDER OUTPUT: the blocks of C++ in the pages of a folder, as one
source file with a list of the kernels that they define.

A block of text behind one that begins with "error:" or "note:" is what the
compiler says of its kernel."""

import pathlib
import re
import sys

VALUES = {"int64_t": "64", "bool": "true"}


def blocks(page):
    """(language, first line, text) of each fenced block."""
    found, lines = [], page.read_text().split("\n")
    at = 0
    while at < len(lines):
        fence = re.fullmatch(r"```(\w*)", lines[at])
        if fence:
            end = lines.index("```", at + 1)
            found.append((fence.group(1), at + 2, lines[at + 1:end]))
            at = end
        at += 1
    return found


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text, entries = ['#include "test/docs/Blocks.h"', ""], []
    for page in sorted(folder.glob("*.md")):
        found = blocks(page)
        for i, (language, line, lines) in enumerate(found):
            if language != "cpp":
                continue
            # A whole program: that of test/install.
            if any(each.startswith("int main(") for each in lines):
                whole = folder.parent.parent / "test/install/program/program.cpp"
                if "\n".join(lines[lines.index("Kernel twice() {"):]) + "\n" \
                        not in whole.read_text():
                    sys.exit(f"{page.name}:{line} is not {whole}")
                continue
            scope = f"{page.stem}_{line}"
            text += [f"namespace {scope} {{", "using namespace ashlar;",
                     f'#line {line} "{page.name}"', *lines, "}", ""]
            said = ""
            if i + 1 < len(found) and found[i + 1][0] == "text":
                said = " ".join(found[i + 1][2])
            kernels = re.findall(r"^Kernel (\w+)\(([^)]*)\)", "\n".join(lines),
                                 re.M)
            if not kernels:
                sys.exit(f"{page.name}:{line}: a block that defines no kernel")
            for name, parameters in kernels:
                values = ", ".join(VALUES[each.split()[0]]
                                   for each in parameters.split(",") if each)
                entries.append(f'    {{"{page.name}:{line}", [] {{ return '
                               f'{scope}::{name}({values}); }}, '
                               f'R"({said})"}},')
    text += ["std::span<const ashlar::test::Block> ashlar::test::blocks() {",
             "  static const Block all[] = {", *entries, "  };",
             "  return all;", "}", ""]
    output.write_text("\n".join(text))


main()
