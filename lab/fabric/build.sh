#!/bin/sh
# build.sh FOLDER [PACKAGE.deb]: Linux as a program (user-mode Linux) with NVMe/TCP host and target, pinned and verified, as FOLDER/linux.
# Two to six minutes on two CPUs, once. Needs gcc, make, flex, bison, bc, xz, dpkg, and, without a package at hand, curl.
set -eu
PACKAGE=linux-source-6.12_6.12.117-1~deb12u1_all.deb
SHA256=e849faf31ca3555757f3a8877cb01af92122f744f75d1f3102734651c4e14703
# The archive keeps a security update until the next one; then the package has to be given.
ARCHIVE=https://deb.debian.org/debian-security/pool/updates/main/l/linux/$PACKAGE

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
if [ $# -gt 1 ]; then given=$(readlink -f "$2"); else given=; fi
cd "$1"
if [ -n "$given" ]; then
    cp "$given" package.deb
elif [ ! -f package.deb ]; then
    curl -fsSL --retry 2 --max-time 600 -o package.deb "$ARCHIVE"
fi
echo "$SHA256  package.deb" | sha256sum --check --status || {
    echo "build.sh: the package's SHA-256 is not $SHA256, so it is not used" >&2
    exit 1
}
rm -rf source && mkdir source
dpkg -x package.deb source
tar -xJf source/usr/src/linux-source-6.12.tar.xz -C source
cd source/linux-source-6.12
# Room for the registers of CPUs with AMX: with less the first program of the guest ends by a signal.
sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 11264)/' arch/x86/um/user-offsets.c
make ARCH=um KCONFIG_ALLCONFIG="$here/uml.config" allnoconfig >/dev/null
make ARCH=um -j"$(nproc)" linux >/dev/null
strip -o ../../linux linux
cd ../.. && rm -rf source
echo "built $(pwd)/linux"
