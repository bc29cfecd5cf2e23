#!/bin/sh
# What a guest of run.sh does; `settings` says which phase. What it says for the user is in `said`, all else in guest.log.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
work=/run/lab/own
exec >"$work/guest.log" 2>&1
rm -f "$work/said"
# shellcheck source=/dev/null
. "$work/settings"
target=${programs:?}/narrows-target acknowledged=$programs/examples/acknowledged
subsystem=nqn.2026-11.org.example:dax
here=nvme-tcp://127.0.0.1:4420/$subsystem
server=

say() { echo "$*" >>"$work/said"; }

off() {
    sync
    echo o >/proc/sysrq-trigger
    while :; do sleep 1; done
}

until_it() {
    for _ in $(seq 300); do
        if "$@"; then return 0; fi
        sleep 0.2
    done
    echo "waited a minute for: $*"
    return 1
}

# pmem NUMBER: the persistent memory of that region, made anew where it is none yet.
pmem() {
    until_it test -e "/sys/bus/nd/devices/region$1"
    if [ "$(ndctl list -N -r "region$1" | grep -c '"mode":"fsdax"')" = 0 ]; then
        ndctl create-namespace --force --reconfig="namespace$1.0" --mode=fsdax --map=mem
        until_it test -b "/dev/pmem$1"
        mkfs.ext4 -q -F -b 4096 "/dev/pmem$1"
    fi
    until_it test -b "/dev/pmem$1"
}

machine() {
    mkdir -p /lib/modules
    ln -sfn /run/lab/modules "/lib/modules/$(uname -r)"
    rm -rf /etc/modprobe.d /lib/modprobe.d /usr/lib/modprobe.d
    modprobe -a nfit nd_pmem ext4 virtio_net
    busybox ip link set lo up
    busybox ip link set eth0 up
    busybox ip addr add 10.0.2.15/24 dev eth0
    pmem 0
    pmem 1
    mkdir -p /srv/dax /srv/plain
    mount -t ext4 -o dax=always /dev/pmem0 /srv/dax
    mount -t ext4 -o dax=never /dev/pmem1 /srv/plain
}

# log_for NAME FOLDER: a file of 8 MiB on the file system without DAX, and a log of it in FOLDER.
log_for() {
    [ ! -e "/srv/plain/$1" ] || return 0
    truncate -s 8M "/srv/plain/$1"
    truncate -s 64M "$2/$1.log"
    "$target" log make --for "/srv/plain/$1" --log "$2/$1.log" >>"$work/said"
}

# serve NAMESPACE…: the target, whose process is $server then.
serve() {
    for namespace in "$@"; do set -- "$@" --namespace "$namespace" && shift; done
    "$target" serve --subsystem "$subsystem" --allow-any-host --listen 0.0.0.0:4420 --threads 1 $waits "$@" 2>"$work/target.log" &
    server=$!
    until_it grep -q listens "$work/target.log"
    cat "$work/target.log"
}

kills() {
    log_for disk /srv/dax
    "$target" log status /srv/dax/disk.log >>"$work/said"
    # Without it this proves nothing.
    "$target" log status /srv/dax/disk.log | grep -q 'persistent memory (MAP_SYNC, CL'
    "$target" log status /srv/plain/disk 2>&1 | grep -q 'holds no log'
    for round in $(seq "${kills:?}"); do
        serve /srv/plain/disk,log=/srv/dax/disk.log
        [ "$round" = 1 ] || "$acknowledged" check "$here" "$work/kill.list"
        "$acknowledged" write "$here" "$work/kill.list" $((round * 7919 % 4000 + 100)) "$server"
        wait "$server" || true
        "$target" log status /srv/dax/disk.log
    done
    serve /srv/plain/disk,log=/srv/dax/disk.log
    "$acknowledged" check "$here" "$work/kill.list" >>"$work/said"
    kill "$server"
    wait "$server"
    # The power cuts begin with blocks of zeros.
    rm /srv/plain/disk /srv/dax/disk.log
    log_for disk /srv/dax
    say "ok: ${kills:?} kills"
}

# What the target's own tests of logs find on this memory; one of them is about files without it.
own_tests() {
    mkdir /srv/dax/tests
    TMPDIR=/srv/dax/tests "$tests" logged --skip ordinary_file >"$work/tests.log" 2>&1
    say "ok: $(grep '^test result' "$work/tests.log")"
}

timings() {
    log_for on-dax /srv/dax
    log_for on-file /srv/plain
    for waits in "--wait sleep" "--wait poll"; do
        serve /srv/plain/on-dax,log=/srv/dax/on-dax.log /srv/plain/on-file,log=/srv/plain/on-file.log ram:8MiB
        how=${waits#--wait }
        say "8 KiB, durable, one at a time, medians; both sides: $how"
        "$acknowledged" times 5 "$how" "log-on-DAX=$here?ns=1" "log-on-a-file=$here?ns=2" "ram=$here?ns=3" >>"$work/said"
        kill "$server"
        wait "$server"
    done
}

# In a process of its own, so that its first failure ends it and not the guest.
(
    set -eux
    waits=
    machine
    case ${phase:?} in
    kills)
        kills
        [ -z "${tests:-}" ] || own_tests
        ;;
    serve | look)
        serve /srv/plain/disk,log=/srv/dax/disk.log
        grep log-recovered "$work/target.log" >>"$work/said" || true
        touch "$work/listens"
        ;;
    esac
    if [ "$phase" = look ]; then
        # The host looks meanwhile, and then the log is left in order.
        until_it test -e "$work/looked"
        kill "$server"
        wait "$server"
        timings
    elif [ "$phase" = serve ]; then
        wait "$server"
    fi
)
if [ $? -ne 0 ]; then touch "$work/failed"; fi
touch "$work/done"
off
