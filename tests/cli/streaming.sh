#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress convert keeps little of a history in memory, however long it is, and
# leaves nothing behind where it ends early.
. "${TOP_SRCDIR:?}/tests/tap.sh"

cd "$work" || exit 1
formats="jsonl edn json bincode hist timekiller viper awdit plume cobra own"
plan 36

peak() { # peak COMMAND...: the most memory that it had, in kB
  python3 - "$@" 2>/dev/null <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}

for n in 1 10; do
  isostress run -c 5 -t $((n * 1500)) -k 100 -w general --ops=10 --threads=1 --seed=1 -i si \
    --check=none -o "runs-$n" memory: >/dev/null 2>&1
  mv "runs-$n/latest/history" "$n.iso"
done
stays_small() { # stays_small FROM TO [OPTION]: converting N.FROM to N.TO
  local name="from $1 to $2${3:+ with $3}: ten times the length takes no more memory" n
  for n in 1 10; do
    if [ "$2" = own ]; then
      peak isostress convert ${3:+"$3"} --to=isostress "$n.$1" "$n.own" >"peak-$n"
    else
      peak isostress convert ${3:+"$3"} "$n.$1" "$n.$2" >"peak-$n"
    fi
  done
  if grep -qa __asan_init "$(command -v isostress)"; then
    skip "$name" "sanitizers take memory of their own"
  else
    is "$(($(<peak-10) < $(<peak-1) + 2000))" 1 "$name ($(<peak-1) and $(<peak-10) kB)"
  fi
}
# From each format into the next one, `own` being ours.
in=iso
for out in $formats; do
  stays_small "$in" "$out"
  in=$out
done
for n in 1 10; do
  sed 's/"aborted"/"unknown"/' "$n.jsonl" >"$n.doubt"
done
stays_small doubt awdit
for n in 1 10; do # and ten times the sessions
  for ((s = 0; s < n * 300; s++)); do
    echo "{\"session\":$s,\"ops\":[[\"w\",1,$((s + 1))]]}"
  done >"$n.many"
done
stays_small many own
for n in 1 10; do # the second half, with some unknown outcomes; no end; a hole near the start
  sed 's/"aborted"/"unknown"/' "$n.jsonl" | tail -n +$((n * 3750)) >"$n.half"
  size=$(stat -c %s "$n.iso")
  head -c $((size * 6 / 10)) "$n.iso" >"$n.torn"
  { head -c $((size / 9)) "$n.iso"; printf '%500s' ''; tail -c +$((size / 9 + 501)) "$n.iso"; } >"$n.hole"
done
stays_small half edn --init=first-read
stays_small torn awdit
stays_small hole own
stays_small hole hist --init=first-read
is "$(find . -name '*.tmp-*')" "" "nothing is left behind"
isostress convert 10.iso whole.jsonl
isostress convert --to=jsonl 10.iso - >stdout.jsonl
is "$(cmp whole.jsonl stdout.jsonl && cmp whole.jsonl 10.jsonl)" "" "stdout gets the same"

{ head -n 3000 10.jsonl; echo '{"ops":[["r","x"'; tail -n 3000 10.jsonl; } >broken.jsonl
run isostress convert broken.jsonl out.edn
is "$status $(wc -l <<<"$err")" "255 1" "what makes no sense in the middle is refused"
like "$err" '^isostress: broken.jsonl:3002:[0-9]+: ' "with its place"
head -c 1000000 10.bincode >cut.bincode
run isostress convert cut.bincode out.edn
like "$status $err" '^255 isostress: cut.bincode: byte 9[0-9]{5}: ' "so is what is cut off"
head -c 1000000 10.iso >cut.iso
run isostress convert cut.iso cut.jsonl
like "$status $err" '^0 isostress: cut.iso: is cut off, .* transactions of 5 sessions are usable' \
  "of our own format, what is whole is taken"
like "$err" 'jsonl can not say what depends on lost writes: left out \([1-9][0-9]* transactions\)' "but for what depends on the rest"
counts() { # counts FILE: the verdict and what it is about
  isostress check -l si "$1" 2>/dev/null | grep -oE '^PASS.*|[0-9]+ operations count'
}
for out in $formats; do
  [ "$out" = own ] && to=isostress || to=$(isostress list formats | awk -v s="$out" '$1 == s || $0 ~ "[.]" s "( |$)" {print $1; exit}')
  rm -rf "cut.$out"
  isostress convert --to="$to" cut.iso "cut.$out" 2>/dev/null
  counts "cut.$out"
done >of-formats
is "$(sort -u of-formats)" "$(counts cut.iso | sort)" "which a check of it in any format shows"
run isostress convert --strict cut.iso strict.own --to=isostress
is "$status" 255 "and --strict refuses"
is "$(ls out.edn* 2>/dev/null)" "" "nothing is written of what is refused"

(
  ulimit -f 500
  run isostress convert 10.iso out.edn
  echo "$status $err" >full
)
like "$(<full)" '^255 isostress: out.edn: the temporary file for it can not be written: File too large' \
  "a disk that is full"
for ((i = 0; i < 50; i++)); do # until it is met while it writes
  isostress convert 10.iso out.edn 2>err &
  until ls out.edn* >/dev/null 2>&1; do sleep .001; done
  kill -TERM $! 2>/dev/null
  wait $!
  status=$?
  [ "$status" != 255 ] || break
  rm -f out.edn
done
like "$status $(tail -n 1 err)" '^255 isostress: out.edn: not written, for it was interrupted' "an interruption"
is "$(ls out.edn* 2>/dev/null)" "" "leaves nothing behind, nor do the others"

# What can not be known before the end of the history.
printf '[x:=1]? [x:=2]? [x:=3]?\n---\n[x==2 y:=1]? [y==1]\n' >unknown.hist
run isostress convert unknown.hist unknown.awdit
is "$(<unknown.awdit)" "$(printf 'w 0 2\n===\nr 0 2\nw 1 1\n---\nr 1 1')" \
  "unknown outcomes that others saw have committed, with what they read"
printf 'w(1,2,0,0)\nw(1,3,1,1)\nr(1,3,0,0)\nr(2,0,0,2)\n' >mixed.plume
isostress convert mixed.plume mixed.hist
is "$(<mixed.hist)" "$(printf '[1:=2 1==3]\n[2==?]\n---\n[1:=3]')" "operations of a transaction may stand apart"
printf '[x:=1] [x:=1]\n' >twice.hist
isostress convert twice.hist twice.jsonl
is "$(grep -c '"w","x",1' twice.jsonl)" 2 "values that are written twice stay so"
run isostress convert twice.hist twice.iso
is "$status $err" "255 isostress: twice.hist: value 1 is written to key x twice, in session 0, transaction 0 and in \
session 0, transaction 1: values must be unique per key (or --duplicate-values=allow)" "but for our own format"
printf '[y:=1]\n---\n[y==1] [x:=0]\n' >zero.hist
run isostress convert --init=implicit zero.hist zero.jsonl
like "$status $err" '^255 isostress: zero.hist: session 1, transaction 1 writes 0 to key x, which is its initial' \
  "an initial value is not written"
printf '{:process :nemesis, :type :info, :f :cut, :key "x", :value "y"}\n' >keys.edn
run isostress convert --format=edn keys.edn keys.jsonl
is "$status $err $(<keys.jsonl)" "0  " "a key may have no operation"
