#!/bin/sh
# kernel.sh FOLDER [PACKAGE.deb]: the guests' kernel, pinned and verified, unpacked into FOLDER with an initramfs beside it.
# Without a package at hand it is downloaded, once. FOLDER/ready is made last and says of which scripts all of it is.
set -eu
RELEASE=6.12.117+deb12-amd64
PACKAGE=linux-image-${RELEASE}_6.12.117-1~deb12u1_amd64.deb
SHA256=803d36a7cda13355ae8152122470288b2636f19f1cb58162dd9d8b408af9b1b4
# The archive keeps a security update until the next one; the snapshot keeps every file for good, by its SHA-1.
ARCHIVE=https://deb.debian.org/debian-security/pool/updates/main/l/linux-signed-6.12-amd64/$PACKAGE
SNAPSHOT=https://snapshot.debian.org/file/a36c8af8c5297b3a5373d34171a244625878d2fe

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
if [ $# -gt 1 ]; then given=$(readlink -f "$2"); else given=; fi
cd "$1"
new=$PWD/new.$$
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT TERM
mkdir "$new"

if [ -n "$given" ]; then
    cp "$given" "$new/package.deb"
elif [ -f package.deb ]; then
    cp package.deb "$new/package.deb"
else
    curl -fsSL --retry 2 --max-time 600 -o "$new/package.deb" "$ARCHIVE" ||
        curl -fsSL --retry 2 --max-time 600 -o "$new/package.deb" "$SNAPSHOT"
fi
echo "$SHA256  $new/package.deb" | sha256sum --check --status || {
    echo "kernel.sh: the package's SHA-256 is not $SHA256, so it is not used" >&2
    exit 1
}
dpkg-deb -x "$new/package.deb" "$new/tree"
mv "$new/package.deb" package.deb
depmod -b "$new/tree" "$RELEASE"

# The initramfs has what it takes to reach the host's files, and no more; every other module is loaded from there.
modules=lib/modules/$RELEASE
mkdir -p "$new/initramfs/bin" "$new/initramfs/modules"
cp "$(command -v busybox)" "$new/initramfs/bin/busybox"
cp "$here/init" "$new/initramfs/init"
chmod 755 "$new/initramfs/init"
for module in 9pnet_virtio 9p overlay; do
    modprobe -C /dev/null -d "$new/tree" -S "$RELEASE" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
    name=$(basename "$file")
    case $name in
    *.xz) xz -dc "$file" >"$new/initramfs/modules/${name%.xz}" ;;
    *) cp "$file" "$new/initramfs/modules/$name" ;;
    esac
    echo "${name%.xz}" >>"$new/initramfs/modules/order"
done
(cd "$new/initramfs" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$new/initramfs.gz"
cp "$new/tree/boot/vmlinuz-$RELEASE" "$new/vmlinuz"
rm -rf "$new/initramfs" modules
# A modules' folder by its own, so that it can be shared with the guest alone.
mv "$new/tree/$modules" "$new/modules"
echo "$RELEASE" >"$new/release"
for part in modules vmlinuz initramfs.gz release; do
    rm -rf "$part"
    mv "$new/$part" "$part"
done
cat "$here/kernel.sh" "$here/init" >ready
