#!/bin/sh
# What the guest does: make the machine as its description says, ask narrows, power off. The functions are prepare.sh's words.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
work=/run/lab/own
mkdir -p /lib/modules
ln -sfn /run/lab/modules "/lib/modules/$(uname -r)"
# The host's own rules for modules say nothing of the guest.
rm -rf /etc/modprobe.d /lib/modprobe.d /usr/lib/modprobe.d
hostname lab

# Waits up to a minute until a command succeeds: devices come up one after another.
until_it() {
    for _ in $(seq 300); do
        if "$@"; then return 0; fi
        sleep 0.2
    done
    echo "waited a minute for: $*" >&2
    return 1
}

disk_of_size() {
    for folder in /sys/block/*; do
        [ "$(cat "$folder/hidden" 2>/dev/null)" = 1 ] && continue
        if [ "$(cat "$folder/size")" = $(($1 * 2048)) ] && [ -b "/dev/${folder##*/}" ]; then
            echo "${folder##*/}"
            return 0
        fi
    done
    return 1
}

# disk MIB: the name of the disk of that size.
disk() { until_it disk_of_size "$1"; }

# claim MIB SPEED LANES: what the drive says of itself that it could. QEMU's drives say 2.5 GT/s x1 and can't be told otherwise.
claim() {
    function=$(readlink -f "/sys/block/$(disk "$1")/device/device")
    echo "$2" >"/run/lab/speed$1"
    echo "$3" >"/run/lab/lanes$1"
    mount --bind "/run/lab/speed$1" "$function/max_link_speed"
    mount --bind "/run/lab/lanes$1" "$function/max_link_width"
}

has_carrier() { [ "$(cat "/sys/class/net/$1/carrier" 2>/dev/null)" = 1 ]; }

# port_up NAME
port_up() {
    until_it test -e "/sys/class/net/$1"
    busybox ip link set "$1" up
    until_it has_carrier "$1"
}

region_of_size() {
    for folder in /sys/bus/nd/devices/region*; do
        if [ "$(cat "$folder/size")" = $(($1 * 1048576)) ]; then
            echo "${folder##*/region}"
            return 0
        fi
    done
    return 1
}

# as_memory MIB: the NVDIMM of that size becomes memory, on a node of its own.
as_memory() {
    region=$(until_it region_of_size "$1")
    until_it test -b "/dev/pmem$region"
    ndctl create-namespace --force --reconfig="namespace$region.0" --mode=devdax
    until_it test -e "/sys/bus/dax/drivers/device_dax/dax$region.0"
    echo online_movable >/sys/devices/system/memory/auto_online_blocks
    echo "dax$region.0" >/sys/bus/dax/drivers/device_dax/unbind
    echo "dax$region.0" >/sys/bus/dax/drivers/kmem/new_id
    until_it test -e "/sys/bus/dax/drivers/kmem/dax$region.0"
}

# data_on NAME
data_on() {
    mkfs.ext4 -q -F "/dev/$1"
    mkdir -p /srv/data
    mount -t ext4 "/dev/$1" /srv/data
}

finish() {
    sync
    echo o >/proc/sysrq-trigger
    while :; do sleep 1; done
}

# In a process of its own, so that its first failure ends it and not the guest.
(
    set -e
    # shellcheck source=/dev/null
    . "$work/prepare.sh"
) >"$work/prepare.log" 2>&1
if [ $? -ne 0 ]; then
    echo "the machine could not be made as described" >"$work/failed"
    finish
fi
sh "$work/ask.sh" >"$work/ask.log" 2>&1 || echo "narrows did not answer" >"$work/failed"
finish
