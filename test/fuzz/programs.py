#!/usr/bin/env python3
"""Fuzzes the programs with PTX, descriptions and command lines that are nearly
right: each is taken or refused with a sentence.

  programs.py [--seed N] [--seconds N] [--count N] [--out FOLDER]
              {ptx,json,command} SIM [KERNEL...]

SIM is ashlar-sim; the kernels are programs such as examples/gemm, whose PTX and
options are begun with. A fault is a signal, an exception that nobody caught,
a refusal without a sentence or more than 10 s; what caused it stays in the
folder. Ends with 1 when there is one.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import time

LIMIT_SECONDS = 10
CORPUS = pathlib.Path(__file__).parent / "corpus"
PTX_TOKENS = re.compile(r"%\w+|\.\w+(?:::\w+)*|-?\b\w+\b|[\[\]{},;@+]")
JSON_TOKENS = re.compile(r'"[^"\n]*"|-?[\w.+]+|[\[\]{},:]')
NUMBERS = ["0", "-1", "1", "2", "31", "255", "65536", "2147483647",
           "2147483648", "4294967295", "4294967296", "9223372036854775807",
           "-9223372036854775808", "18446744073709551616", "1e400", "nan"]


def mutate(text, tokens, dice):
    """The text with one to three small changes."""
    for _ in range(dice.randint(1, 3)):
        way = dice.randrange(8)
        lines = text.split("\n")
        parts = [m.span() for m in tokens.finditer(text)]
        if way == 0 and len(lines) > 1:
            del lines[dice.randrange(len(lines))]
            text = "\n".join(lines)
        elif way == 1:
            lines.insert(dice.randrange(len(lines) + 1), dice.choice(lines))
            text = "\n".join(lines)
        elif way == 2 and len(lines) > 1:
            line = lines.pop(dice.randrange(len(lines)))
            lines.insert(dice.randrange(len(lines) + 1), line)
            text = "\n".join(lines)
        elif way == 3 and text:
            at = dice.randrange(len(text))
            text = text[:at] + dice.choice(
                ["", chr(dice.randrange(1, 256)), "\x00", "\u20ac"]
            ) + text[at + dice.randrange(2):]
        elif way == 4 and text:
            text = text[:dice.randrange(len(text))]
        elif parts:
            begin, end = dice.choice(parts)
            other = dice.choice(parts)
            new = ("" if way == 5 else dice.choice(NUMBERS) if way == 6
                   else text[other[0]:other[1]])
            text = text[:begin] + new + text[end:]
    return text


def description(ptx):
    """Of a launch of the first kernel: a buffer for each pointer."""
    entry = re.search(r"\.entry\s+(\w+)\s*\(([^)]*)\)", ptx)
    if not entry:
        return {"grid": 1, "block": 64}
    arguments, buffers = [], {}
    for parameter in entry[2].split(","):
        if ".u64" in parameter or ".b64" in parameter:
            name = f"b{len(buffers)}"
            buffers[name] = {"type": "u8", "shape": [65536]}
            arguments.append({"buffer": name})
        elif size := re.search(r"\.b8\s+\w+\[(\d+)\]", parameter):
            arguments.append({"bytes": "00" * int(size[1])})
        elif parameter.strip():
            arguments.append({"u32": 64})
    result = {"grid": 1, "block": 64, "shared_bytes": 1024,
              "buffers": buffers, "arguments": arguments}
    if ".entry" in ptx and entry[1]:
        result["kernel"] = entry[1]
    return result


def contents(path):
    return path.read_bytes().decode("utf-8", "replace")


class Inputs:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.out)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.ptx = [contents(p) for p in sorted((CORPUS / "ptx").iterdir())]
        for kernel in options.kernels:
            self.ptx.append(subprocess.run(
                [kernel, "--emit=ptx", "--no-cache"], check=True,
                capture_output=True, text=True).stdout)
        self.json = [contents(p) for p in sorted((CORPUS / "json").iterdir())]
        self.words = self.option_words()

    def option_words(self):
        """Of each program: its options, and values that they might have."""
        words = {}
        for program in [self.options.sim] + self.options.kernels:
            help_text = subprocess.run([program, "--help"], capture_output=True,
                                       text=True).stdout
            words[program] = re.findall(r"(--[a-z-]+)", help_text)
        return words

    def make(self, dice):
        """A command."""
        sim = [self.options.sim, "--time-limit=1000"]
        ptx_file = self.folder / "input.ptx"
        json_file = self.folder / "input.json"
        if self.options.kind == "command":
            return self.command(dice)
        ptx = dice.choice(self.ptx)
        launch = json.dumps(description(ptx), indent=1)
        if self.options.kind == "ptx":
            ptx = mutate(ptx, PTX_TOKENS, dice)
        else:
            ptx = self.ptx[0] if dice.random() < 0.5 else ptx
            start = launch if dice.random() < 0.5 else dice.choice(self.json)
            launch = mutate(start, JSON_TOKENS, dice)
        ptx_file.write_text(ptx, "utf-8", "surrogateescape")
        json_file.write_text(launch, "utf-8", "surrogateescape")
        return sim + [str(ptx_file), str(json_file)]

    def command(self, dice):
        program = dice.choice(list(self.words))
        values = NUMBERS + ["", "M=64", "N=7", "K=", "=3", "M=-1", "sim", "ptx",
                            "tile", "nonsense", "a,b", "race", "race@x:1",
                            "/nonexistent/x", "\u20ac", "x" * 5000]
        command = [program]
        for _ in range(dice.randint(0, 4)):
            word = dice.choice(self.words[program])
            # Problems of any size take any time.
            if word in ("--bench", "--size", "--seeds"):
                continue
            form = dice.randrange(4)
            if form == 0:
                command.append(word)
            elif form == 1:
                command.append(f"{word}={dice.choice(values)}")
            elif form == 2:
                command += [word, dice.choice(values)]
            else:
                command.append(dice.choice(values + [word[:-1], word + "x"]))
        if program != self.options.sim:
            command += ["--size", "M=64", "N=64", "K=64", "--time-limit=2000"]
        return [word.replace("\x00", "") for word in command]


def fault(command, folder):
    """What is wrong with what the program does, or nothing."""
    began = time.monotonic()
    try:
        run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return "takes more than 10 s"
    text = (run.stdout + run.stderr).decode("utf-8", "replace")
    bare = re.search(r"terminate called|what\(\):|LLVM ERROR|Assertion|"
                     r"std::\w+|basic_string|vector::|\[json\.", text)
    if run.returncode < 0 or run.returncode > 125:
        return f"exit status {run.returncode}"
    if bare:
        return f"tells '{bare[0]}'"
    if run.returncode and not text.strip():
        return "is refused without a sentence"
    if time.monotonic() - began > LIMIT_SECONDS:
        return "takes more than 10 s"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--out", default="fuzz-programs")
    parser.add_argument("kind", choices=["ptx", "json", "command"])
    parser.add_argument("sim")
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    inputs = Inputs(options)
    dice = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    count, faults = 0, collections.Counter()
    while count < options.count and time.monotonic() < end:
        command = inputs.make(dice)
        count += 1
        what = fault(command, inputs.folder)
        if not what:
            continue
        faults[what] += 1
        if faults[what] <= 3:
            kept = inputs.folder / f"fault-{options.seed}-{count}"
            kept.mkdir(exist_ok=True)
            for name in ("input.ptx", "input.json"):
                if (inputs.folder / name).exists():
                    shutil.copy(inputs.folder / name, kept)
            print(f"{kept}: {what}: {command}", flush=True)
    print(f"{count} inputs of kind {options.kind}, {len(faults)} kinds of fault")
    for what, times in faults.items():
        print(f"{times} times: {what}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
