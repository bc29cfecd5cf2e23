#!/bin/sh
# run.sh KERNEL PROGRAMS [KILLS [CUTS]]: a log in persistent memory (DAX), in a guest of QEMU. KERNEL is a folder of `lab/kernel.sh`; PROGRAMS that of
# `narrows-target` and `examples/acknowledged` (target/debug). In the guest the target is ended by SIGKILL [20 times]; then the whole guest is, while the
# host writes to it over the network [5 times]; each time every acknowledged write must be there. At last three logs are timed.
# TESTS: the program of crates/storage-target/tests (target/debug/deps/it-…), whose tests of logs are then run on that memory as well.
# WORK: where its files are made [a folder that is removed]; ACCEL: tcg, kvm [tcg]; PERSISTENCE: what the machine says of a loss of power [mem-ctrl].
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ $# -ge 2 ] || { echo "usage: run.sh KERNEL PROGRAMS [KILLS [CUTS]]" >&2; exit 2; }
kernel=$(readlink -f "$1") programs=$(readlink -f "$2") kills=${3:-20} cuts=${4:-5}
acknowledged=$programs/examples/acknowledged
tests=${TESTS:+$(readlink -f "$TESTS")}
for needed in "$programs/narrows-target" "$acknowledged" ${tests:+"$tests"}; do
    [ -x "$needed" ] || {
        echo "run.sh: $needed is no program; cargo build -p narrows-target --bins --example acknowledged" >&2
        exit 2
    }
done
[ -f "$kernel/ready" ] || { echo "run.sh: $kernel has no kernel; lab/kernel.sh $1 makes one" >&2; exit 2; }
for needed in qemu-system-x86_64 busybox modprobe ndctl mkfs.ext4; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$needed" >/dev/null || {
        echo "run.sh: $needed is not installed (qemu-system-x86, busybox-static, kmod, ndctl, e2fsprogs)" >&2
        exit 2
    }
done
guest=
made=
if [ -z "${WORK:-}" ]; then
    WORK=$(mktemp -d) made=$WORK
fi
work=$(readlink -f "$WORK")
finish() {
    [ -z "$guest" ] || kill -9 "$guest" 2>/dev/null || true
    [ -z "$made" ] || rm -rf "$made"
}
trap finish EXIT
trap 'exit 130' INT TERM
rm -f "$work/dax.img" "$work/plain.img" "$work/kill.list" "$work/cut.list" "$work/tests.log"
cp "$here/guest.sh" "$work/guest.sh"
truncate -s 256M "$work/dax.img" "$work/plain.img"
address=nvme-tcp://127.0.0.1:4469/nqn.2026-11.org.example:dax

# boot PHASE: starts the guest, whose process is $guest then.
boot() {
    rm -f "$work/done" "$work/failed" "$work/listens" "$work/looked"
    printf 'phase=%s kills=%s programs=%s tests=%s\n' "$1" "$kills" "$programs" "$tests" >"$work/settings"
    qemu-system-x86_64 -nodefaults -no-reboot -display none -serial stdio \
        -machine "q35,nvdimm=on,nvdimm-persistence=${PERSISTENCE:-mem-ctrl}" \
        -accel "${ACCEL:-tcg}" -cpu "${CPU:-max}" -smp 2 -m 1536M,slots=2,maxmem=4G \
        -object "memory-backend-file,id=dax,share=on,mem-path=$work/dax.img,size=256M" -device nvdimm,id=nvdimm0,memdev=dax \
        -object "memory-backend-file,id=plain,share=on,mem-path=$work/plain.img,size=256M" -device nvdimm,id=nvdimm1,memdev=plain \
        -netdev user,id=net,hostfwd=tcp:127.0.0.1:4469-:4420 -device virtio-net-pci,netdev=net,romfile= \
        -fsdev local,id=host,path=/,security_model=none,multidevs=remap,readonly=on -device virtio-9p-pci,fsdev=host,mount_tag=host \
        -fsdev "local,id=work,path=$work,security_model=none,multidevs=remap" -device virtio-9p-pci,fsdev=work,mount_tag=work \
        -fsdev "local,id=modules,path=$kernel/modules,security_model=none,multidevs=remap,readonly=on" \
        -device virtio-9p-pci,fsdev=modules,mount_tag=modules \
        -kernel "$kernel/vmlinuz" -initrd "$kernel/initramfs.gz" \
        -append "console=ttyS0 panic=-1 quiet loglevel=4 net.ifnames=0 mitigations=off tsc=reliable no_timer_check" \
        </dev/null >"$work/console.log" 2>&1 &
    guest=$!
}

# wait_for FILE: until the guest made it.
wait_for() {
    for _ in $(seq 3000); do
        [ ! -e "$work/$1" ] || return 0
        if [ -e "$work/failed" ] || ! kill -0 "$guest" 2>/dev/null; then break; fi
        sleep 0.2
    done
    echo "FAILED: no $1; the guest said"
    tail -n 30 "$work/console.log" "$work/guest.log" 2>/dev/null || true
    exit 1
}

boot kills
wait_for done
wait "$guest" || true
cat "$work/said"
for round in $(seq "$cuts"); do
    boot serve
    wait_for listens
    # What the cut before left is what the target moved at this start.
    [ "$round" = 1 ] || "$acknowledged" check "$address" "$work/cut.list"
    "$acknowledged" write "$address" "$work/cut.list" $((500 + 700 * round)) "$guest"
    wait "$guest" 2>/dev/null || true
    echo "ok: cut $round"
done
boot look
wait_for listens
"$acknowledged" check "$address" "$work/cut.list"
touch "$work/looked"
wait_for done
wait "$guest" || true
cat "$work/said"
echo "all passed"
