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

# nvmet NQN DEVICE...: the kernel's target serves these to anybody, at 127.0.0.1:4420, a file through the page cache.
NVMET=/sys/kernel/config/nvmet
nvmet() {
    local nqn=$1 number=0 device
    shift
    mkdir -p "$NVMET/subsystems/$nqn" $NVMET/ports/1
    echo 1 >"$NVMET/subsystems/$nqn/attr_allow_any_host"
    for device in "$@"; do
        number=$((number + 1))
        mkdir "$NVMET/subsystems/$nqn/namespaces/$number"
        [ -b "$device" ] || echo 1 >"$NVMET/subsystems/$nqn/namespaces/$number/buffered_io"
        echo "$device" >"$NVMET/subsystems/$nqn/namespaces/$number/device_path"
        echo 1 >"$NVMET/subsystems/$nqn/namespaces/$number/enable"
    done
    echo tcp >$NVMET/ports/1/addr_trtype
    echo ipv4 >$NVMET/ports/1/addr_adrfam
    echo 127.0.0.1 >$NVMET/ports/1/addr_traddr
    echo 4420 >$NVMET/ports/1/addr_trsvcid
    port_on "$nqn"
}
port_on() { ln -s "$NVMET/subsystems/$1" "$NVMET/ports/1/subsystems/$1"; }
port_off() { rm "$NVMET/ports/1/subsystems/$1"; }

# silent SECONDS: no packet arrives meanwhile.
silent() { tc qdisc add dev lo root netem loss 100%; sleep "$1"; tc qdisc del dev lo root; }
# Whether the kernel can do that.
has_silence() { tc qdisc add dev lo root netem loss 0% 2>/dev/null && tc qdisc del dev lo root; }

finish() {
    [ $FAILED = 0 ] && echo "all passed"
}
