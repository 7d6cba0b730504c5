#!/bin/sh
# check.sh SIM: what ashlar-sim says of a kernel that divides by zero at two
# lines, and how its findings are ignored.
sim=$1
dir=$(mktemp -d) && cd "$dir" || exit 77
trap 'rm -rf "$dir"' EXIT
failures=0

fail() {
  echo "$1"
  cat out err
  failures=$((failures + 1))
}

# expect STATUS NAME WORDS COMMAND...: its exit status, and words that it prints.
expect() {
  status=$1 name=$2 words=$3
  shift 3
  timeout 60 "$@" >out 2>err
  is=$?
  [ $is -eq $status ] || fail "$name: exit status $is"
  cat out err | grep -q -- "$words" || fail "$name: no '$words'"
}

# never WORDS: what the last command may not have printed.
never() {
  ! cat out err | grep -q -- "$1" || fail "$name: there is '$1'"
}

kernel=kernel_$(printf '%0100d' 0)_end
cat >kernel.ptx <<END
.version 8.3
.target sm_90a
.address_size 64
.func $kernel()
{
  ret;
}
.visible .entry divide(.param .u64 to)
{
  .reg .u32 %r<3>;
  .reg .u64 %at;
  ld.param.u64 %at, [to];
  mov.u32 %r1, %tid.x;
  .loc 1 5 0
  div.u32 %r2, 5, %r1;
  rem.u32 %r2, 5, %r1;
  .loc 1 6 0
  div.u32 %r2, 7, %r1;
  st.global.u32 [%at], 7;
  END
  ret;
}
.file 1 "author.cpp"
END
sed 's/^  END$//' kernel.ptx >divides.ptx
sed 's/^  END$/  trap;/' kernel.ptx >traps.ptx
cat >launch.json <<'END'
{"grid": 1, "block": 1, "kernel": "divide",
 "buffers": {"d": {"type": "u32", "shape": [1], "expect": {"values": [7]}}},
 "arguments": [{"buffer": "d"}]}
END

expect 1 'nothing is ignored' 'found 2 times' "$sim" divides.ptx launch.json
grep -q 'd is right' out || fail 'a finding leaves results, which are not told'
expect 1 'a line of another kind' 'author.cpp:5' \
  "$sim" divides.ptx launch.json --ignore=race@author.cpp:5
expect 1 'a line is ignored' 'author.cpp:6' \
  "$sim" divides.ptx launch.json --ignore=division-by-zero@author.cpp:5
never 'author.cpp:5'
expect 0 'both lines are ignored' 'd is right' "$sim" divides.ptx launch.json \
  --ignore=division-by-zero@author.cpp:5,division-by-zero@author.cpp:6
expect 0 'a kind is ignored' 'd is right' \
  "$sim" divides.ptx launch.json --ignore=division-by-zero --seeds=5

printf '# known\ndivision-by-zero@author.cpp:5 # why\n' >known
expect 1 'a file of what is ignored' 'author.cpp:6' \
  "$sim" divides.ptx launch.json --ignore=known
never 'author.cpp:5'
expect 0 'the environment ignores a kind' 'd is right' \
  env ASHLAR_SIM_IGNORE=division-by-zero "$sim" divides.ptx launch.json
expect 1 'the environment names a file' 'author.cpp:6' \
  env ASHLAR_SIM_IGNORE=known "$sim" divides.ptx launch.json
never 'author.cpp:5'
expect 2 'a kind that is none' "'divison' is neither" \
  "$sim" divides.ptx launch.json --ignore=divison
expect 1 'such a kind in the environment' 'ASHLAR_SIM_IGNORE: ' \
  env ASHLAR_SIM_IGNORE=divison "$sim" divides.ptx launch.json

expect 1 'all seeds are executed' 'found 10 times' \
  "$sim" divides.ptx launch.json --seeds=5
expect 1 'the end is told' 'the launch ends here' \
  "$sim" traps.ptx launch.json --ignore=trap,division-by-zero
grep -q 'd is not checked' out || fail 'what a launch left that ended is judged'
grep -q 'and so is not ignored' err || fail 'an end is ignored'

[ $failures -eq 0 ]
