# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where functions and structs are defined, by universal-ctags; to be sourced, in the
# top directory of the sources.

# defined KINDS FILE...: lines "name file first-line last-line", one for each
# definition; KINDS is f for functions, s for structs.
defined() {
  local kinds=$1
  shift
  ctags --languages=C --langmap=C:.c.h --kinds-C="$kinds" --fields=+e -x --_xformat='%N %F %n %e' "$@" |
    grep -v '^__anon' | sort -u
}

# shared LEAST MOST: of lines "name file ...", the names that stand in LEAST to MOST
# files, each with these files.
shared() {
  awk -v least="$1" -v most="$2" '!seen[$1, $2]++ { files[$1]++; where[$1] = where[$1] " " $2 }
    END { for (name in files) if (files[name] >= least && files[name] <= most) print name ":" where[name] }' | sort
}

# slots: the members of the tables of drivers and of workloads that are functions.
# Each driver and each workload may have a function of that name.
slots() { sed -n 's/.*(\*\([a-z_]*\))(.*/\1/p' drivers/driver.h workload/workload.h | sort -u; }

# without_slots: of lines "name ...", those whose name is no slot.
without_slots() { awk 'NR == FNR { slot[$1]; next } !($1 in slot)' <(slots) -; }
