#!/bin/sh
# check.sh KERNEL COMPILE OPT RUN SIM CONFORMANCE: each output of each program,
# given a folder, a FIFO, a place in no folder, a device, a link and a full disk.
# Each must be an error with a sentence, and leave what was there as it was.
kernel=$1 compile=$2 opt=$3 run=$4 sim=$5 conformance=$6
[ -c /dev/full ] || exit 77
dir=$(mktemp -d) && cd "$dir" || exit 77
trap 'rm -rf "$dir"' EXIT
export ASHLAR_CACHE_DIR=$dir/cache
failures=0

fail() {
  echo "$1"
  failures=$((failures + 1))
}

# refused NAME COMMAND...: not 0, no signal, and a sentence.
refused() {
  name=$1
  shift
  timeout 60 "$@" >out 2>err
  status=$?
  [ $status -ne 0 ] && [ $status -lt 124 ] || fail "$name: exit status $status"
  grep -qi 'error: ' err || fail "$name: no sentence: $(head -c 300 err)"
  ! grep -q 'LLVM ERROR\|terminate called' err || fail "$name: $(head -c 300 err)"
}

# full NAME COMMAND...: what it prints does not fit on the disk.
full() {
  name=$1
  shift
  timeout 60 "$@" >/dev/full 2>err
  status=$?
  [ $status -ne 0 ] && [ $status -lt 124 ] || fail "$name >/dev/full: exit status $status"
  grep -q 'No space left\|can.t be written' err || fail "$name >/dev/full: $(head -c 300 err)"
}

cat >store.ptx <<'END'
.version 8.3
.target sm_90a
.address_size 64
.visible .entry store(.param .u64 to) {
  .reg .u64 %at;
  ld.param.u64 %at, [to];
  st.global.u64 [%at], %at;
  ret;
}
END
"$kernel" --emit=tile -o kernel.mlir || fail 'no tile IR'
"$kernel" --emit=ptx -o kernel.ptx || fail 'no PTX'
"$kernel" --save=kernel.ashlar || fail 'no artifact'

for target in folder fifo nowhere/file /dev/full link; do
  rm -rf folder fifo link kept
  mkdir folder
  mkfifo fifo
  echo kept >kept
  ln -s kept link
  refused "--emit -o $target" "$kernel" --emit=tile -o $target
  refused "--save $target" "$kernel" --save $target
  refused "ashlar-compile --save=$target" "$compile" kernel.mlir --save=$target
  refused "ashlar-opt -o $target" "$opt" kernel.mlir -o $target
  [ "$(cat kept)" = kept ] || fail "$target was written through"
  refused "--trace=$target" "$kernel" --run --device=sim --trace=$target
  refused "ashlar-run --trace=$target" "$run" kernel.ashlar --device=sim --trace=$target
  echo '{"grid": 1, "block": 1, "arguments": [{"buffer": "A"}],
      "buffers": {"A": {"type": "u64", "shape": [1], "save": "'$target'"}}}' >launch.json
  refused "ashlar-sim, save: $target" "$sim" store.ptx launch.json
  sed 's/, "save.*"}/}/' launch.json >traced.json
  refused "ashlar-sim --trace=$target" "$sim" store.ptx traced.json --trace=$target
  [ "$(cat kept)" = kept ] || fail "$target was written through by the simulator"
  if [ $target != link ]; then # where it leads is the user's choice
    refused "ashlar-conformance --record $target" "$conformance" --device=sim \
      --filter=add.s32 --record $target
  fi
  [ -d folder ] && [ -p fifo ] && [ -h link ] && [ -c /dev/full ] ||
    fail "$target: something was replaced"
done

full '--emit' "$kernel" --emit=tile
full '--run' "$kernel" --run --device=sim
full '--resources' "$kernel" --resources
full 'ashlar-run' "$run" kernel.ashlar --device=sim
full 'ashlar-compile' "$compile" kernel.mlir
full 'ashlar-opt' "$opt" kernel.mlir
full 'ashlar-sim --list' "$sim" kernel.ptx --list

# A limit of the size of files, in kilobytes, acts as a full disk does.
limited() {
  name=$1
  shift
  (ulimit -f 1 && exec timeout 60 "$@") >/dev/null 2>err
  status=$?
  [ $status -eq 1 ] || fail "$name with ulimit -f: exit status $status"
  grep -q 'File too large' err || fail "$name with ulimit -f: $(head -c 300 err)"
}
limited '--emit -o' "$kernel" --no-cache --emit=tile -o limited
limited '--save' "$kernel" --no-cache --save=limited
limited 'ashlar-compile --save' "$compile" kernel.mlir --save=limited
limited 'ashlar-opt -o' "$opt" kernel.mlir -o limited
[ ! -e limited ] || fail 'a part of a file was left'

refused '--emit=foo' "$kernel" --emit=foo
refused '--device=foo' "$kernel" --run --device=foo
refused 'ashlar-compile --emit=foo' "$compile" kernel.mlir --emit=foo
refused 'ashlar-run --device=foo' "$run" kernel.ashlar --device=foo
refused 'ashlar-opt on nothing' "$opt" nowhere.mlir
refused 'ashlar-compile on nothing' "$compile" nowhere.mlir
HOME=home XDG_CACHE_HOME= ASHLAR_CACHE_DIR= refused 'relative HOME' "$kernel" --save=other
TMPDIR=/nowhere "$kernel" --no-cache --save=other || fail 'a TMPDIR that is not there'
exit $((failures > 0))
