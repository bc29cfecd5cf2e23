#!/bin/sh
# run.sh LINUX PROGRAMS [TEST...]: boots LINUX (of build.sh) once for each test and says what passed. PROGRAMS is the folder of
# `narrows` and `narrows-target`. LIMIT: seconds for a test [600]; BLKTESTS: the folder of that suite, for the
# test of its name; TESTS: of it only these (012,031); LOG: a file for all that is said. The guest has the host's files, read-only, and memory for what it writes; no root is needed.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ $# -ge 2 ] || { echo "usage: run.sh LINUX PROGRAMS [TEST...]" >&2; exit 2; }
linux=$(readlink -f "$1") programs=$(readlink -f "$2")
shift 2
for needed in "$linux" "$programs/narrows" "$programs/narrows-target"; do
    [ -x "$needed" ] || { echo "run.sh: $needed is no program" >&2; exit 2; }
done
for needed in nvme fio mkfs.ext4 blkdiscard busybox jq tc; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$needed" >/dev/null || {
        echo "run.sh: $needed is not installed (nvme-cli, fio, e2fsprogs, util-linux, busybox-static, jq, iproute2)" >&2
        exit 2
    }
done
[ $# -gt 0 ] || set -- linux-host initiator workloads initiator-outages block-device local-target outages
failed=0
for test in "$@"; do
    echo "== $test"
    output=$(timeout "${LIMIT:-600}" "$linux" mem=2G root=/dev/root rootfstype=hostfs rootflags=/ ro \
        init="$here/init" lab="$here/tests/$test" programs="$programs" suite="${BLKTESTS:-}" tests="${TESTS:-}" \
        con0=fd:0,fd:1 con=null ssl=null quiet loglevel=3 </dev/null 2>&1)
    [ -z "${LOG:-}" ] || echo "$output" >>"$LOG"
    echo "$output" | tr -d '\r' | grep -E '^(ok|FAILED|skipped) ' || true
    # A guest that ends early proves nothing: the last line has to be there.
    if ! echo "$output" | tr -d '\r' | grep -q '^all passed$'; then
        failed=1
        echo "FAILED $test; the end of its console:"
        echo "$output" | tail -30
    fi
done
exit $failed
