# SPDX-License-Identifier: GPL-3.0-or-later
# Completion for isostress in bash.  What there is to complete is asked of the
# program itself, so that nothing is to be kept in step.

_isostress_commands() {
  "$1" help 2>/dev/null | sed -n 's/^  isostress \([a-z-]*\) .*/\1/p'
  echo --help --version
}

_isostress_options() {
  "$1" help "$2" 2>/dev/null |
    sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\2/p'
  echo --help
}

# The first word of each entry of a list.
_isostress_list() {
  "$1" list "$2" 2>/dev/null | sed -n 's/^\([^ ][^ ]*\).*/\1/p'
}

# Databases as targets begin, such as sqlite: and postgresql:
_isostress_schemes() {
  "$1" list drivers 2>/dev/null | sed -n 's/^    target \([a-z+]*:\).*/\1/p'
}

_isostress_kinds() { "$1" server 2>&1 | sed -n 's/^kinds: //p'; }

# Servers that run, by their names.
_isostress_servers() { "$1" server list 2>/dev/null | sed 's/ .*//'; }

# The words of an option whose help has them as --NAME=this|that; capital
# letters stand for what anybody may write.
_isostress_choices() {
  local choices
  choices=$("$1" help "$2" 2>/dev/null |
    sed -n "s/^ .*$3=\\([^ ]*|[^ ]*\\).*/\\1/p" | head -n 1)
  [ -n "$choices" ] || return 1
  tr '|' '\n' <<<"$choices" | sed 's/:TIME$/:/' | grep -v '[A-Z]'
}

# The words of an option of targets whose help begins with them, as in "none or
# btree".
_isostress_target_choices() {
  local help
  help=$("$1" list drivers 2>/dev/null |
    sed -n "s/^    ?$2= *\(\[[^]]*\]\)\{0,1\} *\(of tables of rows: \)\{0,1\}//p" | head -n 1)
  help=${help%%[;:]*}
  [[ $help =~ ^[a-z-]+((, [a-z-]+)*\ or\ [a-z-]+)?$ ]] || return 1
  sed 's/, / /g; s/ or / /' <<<"$help"
}

# What stands behind a command besides options; files are completed, too.
_isostress_words() {
  case $2 in
  run) _isostress_list "$1" jobs; _isostress_schemes "$1" ;;
  sweep) _isostress_list "$1" sweeps; _isostress_schemes "$1" ;;
  steps) _isostress_list "$1" scripts; _isostress_schemes "$1" ;;
  explore) _isostress_list "$1" programs; _isostress_schemes "$1" ;;
  repro) echo list; _isostress_list "$1" recipes ;;
  failover) _isostress_kinds "$1" ;;
  rank | replay | scorecard | advise | clean | driver-test) _isostress_schemes "$1" ;;
  server)
    case $3 in
    server) echo start stop list kill crash pause resume detach promote faults ;;
    start) _isostress_kinds "$1" ;;
    stop) echo all; _isostress_servers "$1" ;;
    esac ;;
  esac
}

# Values of an option; fails if its value is none of a list.
_isostress_values() {
  case $2 in
  -w | --workload) _isostress_list "$1" workloads ;;
  -i | --isolation) _isostress_list "$1" levels ;;
  -l | --level) _isostress_list "$1" levels; echo auto recorded ;;
  --check) _isostress_list "$1" levels; echo claimed auto recorded none ;;
  --aim) _isostress_list "$1" aims ;;
  --bug) _isostress_list "$1" bugs ;;
  --format | --to) _isostress_list "$1" formats ;;
  --distribution) echo uniform zipfian hotspot exponential ;;
  --target) _isostress_schemes "$1" ;;
  --server) _isostress_servers "$1" ;;
  --*) _isostress_choices "$1" "$3" "$2" ;;
  *[?\&]*) _isostress_target_choices "$1" "${2##*[?&]}" ;;
  *) return 1 ;;
  esac
}

_isostress() {
  local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local words
  if [ "$current" = = ]; then # --workload=
    current=
  elif [ "$before" = = ]; then # --workload=m
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    words=$(_isostress_commands "$program")
  elif [[ $current == -* ]]; then
    words=$(_isostress_options "$program" "$command")
  elif ! words=$(_isostress_values "$program" "$before" "$command"); then
    case $command in
    list) words="drivers workloads levels anomalies formats bugs models jobs sweeps programs recipes scripts" ;;
    help) words=$(_isostress_commands "$program") ;;
    *) words=$(_isostress_words "$program" "$command" "$before") ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o default -F _isostress isostress
