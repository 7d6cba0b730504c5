#!/bin/sh
# check.sh CMAKE BUILD COMPILER SCRATCH C-COMPILER
set -eu
cmake=$1 build=$2 compiler=$3 scratch=$4
here=$(dirname "$0")
rm -rf "$scratch"
"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
"$cmake" -G Ninja -S "$here/program" -B "$scratch/build" \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_C_COMPILER="$5" >/dev/null
"$cmake" --build "$scratch/build" >/dev/null
unset ASHLAR_PTXAS
"$scratch/build/program" --run --device=sim --no-cache | grep "D is right"
test -s "$scratch/prefix/share/doc/ashlar/docs/language/README.md"
rm -rf "$scratch"
