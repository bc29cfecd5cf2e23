//! Marks of RAID, volume managers, pools, caches, encryption.

use super::Owner::{Encryption, Raid, Volume};
use super::{Signature, SignaturePosition, row};

const KIB: i64 = 1024;
const MIB: i64 = 1024 * KIB;
const BLKID: &str = "util-linux libblkid/src/superblocks";
const MD: &str = "Linux include/uapi/linux/raid/md_p.h; md(4)";
const ZFS: &str = "ZFS On-Disk Specification, 1.2 and 1.3";
const DRBD: &str = "util-linux libblkid/src/superblocks/drbd.c";
/// DRBD's internal metadata ends in a block of 4 KiB; the mark is 60 bytes into it.
const DRBD_PLACES: &[SignaturePosition] = &[SignaturePosition::end(4096, -4 * KIB + 60)];

/// A ZFS device carries four labels of 256 KiB, two at each end.
const ZFS_LABEL: i64 = 256 * KIB;
const ZFS_END: u64 = ZFS_LABEL as u64;
/// The second half of a label is an array of uberblocks, each 1 KiB or a larger power of two.
const ZFS_UBERBLOCKS: &[SignaturePosition] = &[
    SignaturePosition::start(128 * KIB).every(1024, 128),
    SignaturePosition::start(ZFS_LABEL + 128 * KIB).every(1024, 128),
    SignaturePosition::end(ZFS_END, -2 * ZFS_LABEL + 128 * KIB).every(1024, 128),
    SignaturePosition::end(ZFS_END, -ZFS_LABEL + 128 * KIB).every(1024, 128),
];
/// The pool's description, a list of names and values, 16 KiB into a label.
const ZFS_NAMES: &[SignaturePosition] = &[
    SignaturePosition::start(16 * KIB),
    SignaturePosition::start(ZFS_LABEL + 16 * KIB),
    SignaturePosition::end(ZFS_END, -2 * ZFS_LABEL + 16 * KIB),
    SignaturePosition::end(ZFS_END, -ZFS_LABEL + 16 * KIB),
];

pub(super) const VOLUMES: &[Signature] = &[
    row(
        "log of narrows-target",
        Volume,
        b"NRWLTSB1",
        &[SignaturePosition::start(0), SignaturePosition::start(4 * KIB)],
        "narrows-log-tier, format.rs",
    ),
    row(
        "Linux RAID (md 0.90)",
        Raid,
        b"\xfc\x4e\x2b\xa9",
        &[SignaturePosition::end(64 * 1024, -64 * KIB)],
        MD,
    ),
    row(
        "Linux RAID (md 0.90, big-endian)",
        Raid,
        b"\xa9\x2b\x4e\xfc",
        &[SignaturePosition::end(64 * 1024, -64 * KIB)],
        MD,
    ),
    row(
        "Linux RAID (md 1.0)",
        Raid,
        b"\xfc\x4e\x2b\xa9",
        &[SignaturePosition::end(4096, -8 * KIB)],
        MD,
    ),
    row("Linux RAID (md 1.1)", Raid, b"\xfc\x4e\x2b\xa9", &[SignaturePosition::start(0)], MD),
    row("Linux RAID (md 1.2)", Raid, b"\xfc\x4e\x2b\xa9", &[SignaturePosition::start(4 * KIB)], MD),
    row("DRBD", Raid, b"\x83\x74\x02\x67", DRBD_PLACES, "DRBD 0.7 and 8.0 metadata, drbdmeta(8)"),
    row("DRBD", Raid, b"\x83\x74\x02\x6b", DRBD_PLACES, DRBD),
    row("DRBD", Raid, b"\x83\x74\x02\x6c", DRBD_PLACES, DRBD),
    row("DRBD", Raid, b"\x83\x74\x02\x6d", DRBD_PLACES, DRBD),
    row("DRBD Proxy log", Raid, b"DRBDdlh*", &[SignaturePosition::start(0)], BLKID),
    row("DRBD Manage", Raid, b"$DRBDmgr=q", &[SignaturePosition::start(0)], BLKID),
    row(
        "Intel RAID",
        Raid,
        b"Intel Raid ISM Cfg Sig. ",
        &[SignaturePosition::end(512, -1024), SignaturePosition::end(4096, -8192)],
        BLKID,
    ),
    row(
        "DDF RAID",
        Raid,
        b"\xde\x11\xde\x11",
        &[SignaturePosition::end(512, -512), SignaturePosition::end(512, -257 * 512)],
        "SNIA Common RAID Disk Data Format 2.0, 5.5",
    ),
    row("LSI MegaRAID", Raid, b"$XIDE$", &[SignaturePosition::end(512, -512)], BLKID),
    row("NVIDIA RAID", Raid, b"NVIDIA  ", &[SignaturePosition::end(512, -1024)], BLKID),
    row("Adaptec RAID", Raid, b"DPTM", &[SignaturePosition::end(512, -512 + 256)], BLKID),
    row(
        "Silicon Image RAID",
        Raid,
        b"\x00\x00\x00\x2f",
        &[SignaturePosition::end(512, -512 + 0x60)],
        BLKID,
    ),
    row("JMicron RAID", Raid, b"JM", &[SignaturePosition::end(512, -512)], BLKID),
    row("VIA RAID", Raid, b"\x55\xaa", &[SignaturePosition::end(512, -512)], BLKID),
    row(
        "HighPoint RAID",
        Raid,
        b"\xf0\x16\x78\x5a",
        &[SignaturePosition::start(9 * 512 + 32)],
        BLKID,
    ),
    row(
        "HighPoint RAID",
        Raid,
        b"\xfd\x16\x78\x5a",
        &[SignaturePosition::start(9 * 512 + 32)],
        BLKID,
    ),
    row(
        "HighPoint RAID",
        Raid,
        b"\xf3\x16\x78\x5a",
        &[SignaturePosition::end(512, -11 * 512)],
        BLKID,
    ),
    row(
        "HighPoint RAID",
        Raid,
        b"\xfd\x16\x78\x5a",
        &[SignaturePosition::end(512, -11 * 512)],
        BLKID,
    ),
    row(
        "Promise RAID",
        Raid,
        b"Promise Technology, Inc.",
        &[
            SignaturePosition::end(512, -16 * 512),
            SignaturePosition::end(512, -63 * 512),
            SignaturePosition::end(512, -255 * 512),
            SignaturePosition::end(512, -256 * 512),
            SignaturePosition::end(512, -399 * 512),
            SignaturePosition::end(512, -591 * 512),
            SignaturePosition::end(512, -675 * 512),
            SignaturePosition::end(512, -735 * 512),
            SignaturePosition::end(512, -911 * 512),
            SignaturePosition::end(512, -951 * 512),
            SignaturePosition::end(512, -974 * 512),
            SignaturePosition::end(512, -991 * 512),
            SignaturePosition::end(512, -3087 * 512),
        ],
        BLKID,
    ),
    // The label may stand in any of the first four sectors.
    Signature {
        name: "LVM physical volume",
        owner: Volume,
        magic: b"LVM2 001",
        places: &[SignaturePosition::start(24).every(512, 4)],
        also: Some((-24, b"LABELONE")),
        source: "LVM2 lib/label/label.h; pvck(8)",
    },
    row("LVM1 physical volume", Volume, b"HM\x01\0", &[SignaturePosition::start(0)], BLKID),
    row("LVM1 physical volume", Volume, b"HM\x02\0", &[SignaturePosition::start(0)], BLKID),
    row(
        "device-mapper snapshot",
        Volume,
        b"SnAp",
        &[SignaturePosition::start(0)],
        "Linux drivers/md/dm-snap-persistent.c",
    ),
    row(
        "device-mapper thin pool metadata",
        Volume,
        // 27022010, little-endian, in 64 bits.
        b"\xba\x52\x9c\x01\0\0\0\0",
        &[SignaturePosition::start(32)],
        "Linux drivers/md/dm-thin-metadata.c, THIN_SUPERBLOCK_MAGIC",
    ),
    row(
        "device-mapper cache metadata",
        Volume,
        // 06142003, octal in the kernel's source.
        b"\x03\xc4\x18\0\0\0\0\0",
        &[SignaturePosition::start(32)],
        "Linux drivers/md/dm-cache-metadata.c, CACHE_SUPERBLOCK_MAGIC",
    ),
    row(
        "device-mapper writecache",
        Volume,
        b"\x21\x93\x48\x23",
        &[SignaturePosition::start(0)],
        "Linux drivers/md/dm-writecache.c, MEMORY_SUPERBLOCK_MAGIC",
    ),
    row("VDO", Volume, b"dmvdo001", &[SignaturePosition::start(0)], BLKID),
    row(
        "Stratis",
        Volume,
        b"!Stra0tis\x86\xff\x02^\x41rh",
        &[SignaturePosition::start(512 + 4), SignaturePosition::start(9 * 512 + 4)],
        BLKID,
    ),
    row(
        "bcache",
        Volume,
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
        &[SignaturePosition::start(4 * KIB + 24)],
        "Linux drivers/md/bcache/bcache_ondisk.h, bcache_magic",
    ),
    row("ZFS", Volume, b"\x0c\xb1\xba\0\0\0\0\0", ZFS_UBERBLOCKS, ZFS),
    row("ZFS", Volume, b"\0\0\0\0\x00\xba\xb1\x0c", ZFS_UBERBLOCKS, ZFS),
    row("ZFS", Volume, b"\x01\x01\0\0\0\0\0\0\0\0\0\x01", ZFS_NAMES, ZFS),
    row("ZFS", Volume, b"\x01\x00\0\0\0\0\0\0\0\0\0\x01", ZFS_NAMES, ZFS),
    row("HSE media pool", Volume, b"mpoolDev", &[SignaturePosition::start(0)], BLKID),
    row(
        "SPDK blob store",
        Volume,
        b"SPDKBLOB",
        &[SignaturePosition::start(0)],
        "SPDK lib/blob/blobstore.h",
    ),
    row(
        "LUKS",
        Encryption,
        b"LUKS\xba\xbe",
        &[SignaturePosition::start(0)],
        "LUKS On-Disk Format 1.2.3, figure 1; LUKS2 On-Disk Format 1.1.3, 2.1",
    ),
    // The second header of LUKS 2, which outlives the first.
    row(
        "LUKS",
        Encryption,
        b"SKUL\xba\xbe",
        &[
            SignaturePosition::start(16 * KIB),
            SignaturePosition::start(32 * KIB),
            SignaturePosition::start(64 * KIB),
            SignaturePosition::start(128 * KIB),
            SignaturePosition::start(256 * KIB),
            SignaturePosition::start(512 * KIB),
            SignaturePosition::start(MIB),
            SignaturePosition::start(2 * MIB),
            SignaturePosition::start(4 * MIB),
        ],
        "LUKS2 On-Disk Format 1.1.3, 2.1",
    ),
    row("BitLocker", Encryption, b"-FVE-FS-", &[SignaturePosition::start(3)], BLKID),
    row(
        "dm-integrity",
        Encryption,
        b"integrt\0",
        &[SignaturePosition::start(0)],
        "Linux drivers/md/dm-integrity.c, SB_MAGIC",
    ),
    row(
        "dm-verity",
        Encryption,
        b"verity\0\0",
        &[SignaturePosition::start(0)],
        "veritysetup on-disk format",
    ),
];
