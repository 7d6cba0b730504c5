#!/bin/sh
# progress.sh SIM: what ashlar-sim tells of a launch: how far it is when it takes
# over 5 seconds, and how many instructions it has executed.
sim=$1
dir=$(mktemp -d) && cd "$dir" || exit 77
trap 'rm -rf "$dir"' EXIT
failures=0
fail() {
  echo "$1"
  failures=$((failures + 1))
}

cat >short.ptx <<'END'
.version 8.3
.target sm_90a
.address_size 64
.visible .entry short() { .reg .b32 %r; mov.u32 %r, 1; ret; }
END
cat >long.ptx <<'END'
.version 8.3
.target sm_90a
.address_size 64
.shared .u32 count;
.visible .entry long() { .reg .b32 %r; mov.u32 %r, 0;
  L: st.shared.u32 [count], %r; add.u32 %r, %r, 1; bra L; }
END
echo '{"grid": 6, "block": 1}' >launch.json

"$sim" short.ptx launch.json >out || fail "exit status $?"
grep -q '^12 instructions executed' out || fail "no count: $(cat out)"
"$sim" short.ptx launch.json --seeds=2 --json >out || fail "exit status $?"
grep -q '"instructions": 24' out || fail "no count in JSON: $(cat out)"

limit=--time-limit=6000
"$sim" long.ptx launch.json $limit --threads=1 >out 2>told &
"$sim" long.ptx launch.json $limit --threads=1 --no-progress >out 2>option &
ASHLAR_SIM_PROGRESS=0 "$sim" long.ptx launch.json $limit --threads=1 >out 2>variable &
wait
head -n 1 told | grep -q "^simulating 'long': 0 of 6 blocks done, [0-9,]* instructions, 5 s$" ||
  fail "no progress: $(head -3 told)"
for file in told option variable; do
  grep -q '^time limit' $file || fail "no report: $(head -3 $file)"
done
grep -l simulating option variable && fail 'progress that is turned off'
exit $((failures > 0))
