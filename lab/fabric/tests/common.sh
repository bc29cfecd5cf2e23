# What the tests share: expectations, each with a line, and the end that says whether all held.
FAILED=0

# expect WHAT COMMAND...: a line, and the command's output where it failed.
expect() {
    local what=$1
    shift
    if "$@" >/run/said 2>&1; then
        echo "ok $what"
    else
        echo "FAILED $what ($*)"
        tail -20 /run/said
        FAILED=1
    fi
}

# same WHAT ONE OTHER
same() {
    if [ "$2" = "$3" ]; then echo "ok $1"; else
        echo "FAILED $1: '$2' is not '$3'"
        FAILED=1
    fi
}

# until_true COMMAND...: waits up to 30 s.
until_true() {
    for _ in $(seq 300); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    return 1
}

finish() {
    [ $FAILED = 0 ] && echo "all passed"
}
