# Functions for scripts that consist of steps.

# step NAME COMMAND …: runs a command and prints its result and duration. Exits if the command fails.
step() {
    local name=$1 started=$SECONDS
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    "$@" || { printf '== %s: FAILED after %d s\n' "$name" $((SECONDS - started)); exit 1; }
    printf '== %s: passed in %d s\n' "$name" $((SECONDS - started))
}
