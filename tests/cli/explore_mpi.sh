#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress explore in two processes of mpirun counts as one process does.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
{ [ -e "$TOP_BUILDDIR/ranks/mpi.so" ] && command -v mpiexec >/dev/null; } || {
  echo "1..0 # SKIP there is no MPI: apt-get install mpich libmpich-dev"
  exit 0
}
cd "$work" || exit 1
plan 18

# two ARGUMENT...: explores in two processes.
two() {
  run env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    mpiexec -n 2 isostress explore -j 1 "$@"
}

# same ARGUMENT...: two processes say what one says.
same() {
  run isostress explore "$@"
  local one="$status $out"
  two "$@"
  is "$status $out" "$one" "explore $*"
}

for ((i = 1; i <= 6; i++)); do echo "session S$i: inc"; done >six.program
sed -i '1i initially x=0\ntransaction inc; read x into v; write x v + 1; end' six.program
same -i cc,si,ser six.program
same -i rc-statement,si --repair stock
same -i cc --part 2/3 courseware-3 --assert-only
same --robust oncall course
same --output json -i rc-statement oncall
same --algorithm dfs -i cc courseware-2
same --schema "$TOP_SRCDIR/configs/programs/stock.sql" "$TOP_SRCDIR/configs/programs/buy.pgbench@3"
same --estimate -i si,ser --seed 1 oncall
same -i rc-statement --sample 100 --seed 1 stock

two -i cc courseware-3 --timeout 1us --save rest
is "$status" 2 "stopped at once: undecided"
like "$err" "^isostress: the rest of the exploration is in $PWD/rest; go on with: isostress explore" "a stopped exploration of several processes is saved"
run isostress explore -i cc courseware-3
one=$out
two -i cc courseware-3 --resume rest
is "$out" "$one" "two processes go on"
two -i cc courseware-3 --timeout 1us --save rest
run isostress explore -i cc courseware-3 --resume rest
is "$out" "$one" "one process goes on for two"

# ---- Mistakes are told once

two none
like "$status $err" '^254 isostress: there is no program "none" here or in configs/programs$' "an unknown program is told by one process"
two -i none stock
is "$status $(grep -c '^isostress: ' <<<"$err")" "254 1" "a wrong level is told once by two processes"
printf 'transaction a; repeat 300; write x 1; end; end\nsession A: a\n' >big.program
two big.program
is "$status $(grep -c '^isostress: big.program:2: a performs more than 256 operations' <<<"$err")" "254 1" "a program that is too large is told once by two processes"
two -i cc --resume none stock
is "$status $(grep -c '^isostress: cannot read none' <<<"$err")" "254 1" "a file with nothing to resume is refused"

# ---- Without mpirun

run isostress explore -i si stock
is "$status" 0 "one process needs no mpirun"
