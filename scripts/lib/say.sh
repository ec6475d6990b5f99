# scripts/lib/say.sh - output of the scripts: one line per step, color on a terminal only, the log of a step only if it
# fails. Sourced, not run.

# shellcheck disable=SC2034  # used by the scripts that source this
if [[ -t 1 && -z "${NO_COLOR:-}" ]]; then
  bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
  bold='' red='' green='' plain=''
fi

say() { printf '%s\n' "$*"; }
heading() { printf '%s%s%s\n' "$bold" "$*" "$plain"; }
complain() { printf '%s%s%s\n' "$red" "$*" "$plain" >&2; }

# Seconds since the epoch with a fraction, in microseconds, without a subprocess: bash arithmetic has no fractions.
now() { printf '%s' "${EPOCHREALTIME//[.,]/}"; }

# seconds FROM [TO]: the time between two now() as "12.3".
seconds() {
  local tenths=$(((${2:-$(now)} - $1) / 100000))
  printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

# quietly WHAT COMMAND...: runs COMMAND, shows WHAT and its time; its output only if it fails.
quietly() {
  local what=$1 log status=0 start
  shift
  log=$(mktemp)
  start=$(now)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    say "  $what ($(seconds "$start") s)"
  else
    cat "$log"
    say "  ${red}$what: failed with exit code $status; its output is above${plain}"
  fi
  rm -f "$log"
  return "$status"
}
