"""The lit tests: any pass on any level, from text to text."""

import os

import lit.formats

config.name = "ashlar"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.binary_root
config.excludes = ["unit", "errors"]
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all"

for name, path in {
    "ashlar-opt": config.ashlar_opt,
    "FileCheck": config.llvm_tools_dir + "/FileCheck",
    "not": config.llvm_tools_dir + "/not",
    "split-file": config.llvm_tools_dir + "/split-file",
}.items():
    config.substitutions.append((r"(?<![-/\w])" + name + r"(?![-/\w.])", path))
