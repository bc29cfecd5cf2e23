//! Marks of file systems.

use super::Owner::FileSystem;
use super::{Signature, SignaturePosition, row};

const KIB: i64 = 1024;
const MIB: i64 = 1024 * KIB;
const GIB: i64 = 1024 * MIB;
const BLKID: &str = "util-linux libblkid/src/superblocks";
const FAT_PLACES: &[SignaturePosition] =
    &[SignaturePosition::start(0x36), SignaturePosition::start(0x52)];
const UFS: &[SignaturePosition] = &[
    SignaturePosition::start(1372),
    SignaturePosition::start(8 * KIB + 1372),
    SignaturePosition::start(64 * KIB + 1372),
    SignaturePosition::start(256 * KIB + 1372),
];

pub(super) const FILE_SYSTEMS: &[Signature] = &[
    row(
        "ext2, ext3 or ext4",
        FileSystem,
        b"\x53\xef",
        &[SignaturePosition::start(KIB + 56)],
        "Linux Documentation/filesystems/ext4/super.rst",
    ),
    row(
        "XFS",
        FileSystem,
        b"XFSB",
        &[SignaturePosition::start(0)],
        "Linux fs/xfs/libxfs/xfs_format.h, XFS_SB_MAGIC",
    ),
    // A log record begins at some sector of the first 256 KiB.
    row(
        "XFS external log",
        FileSystem,
        b"\xfe\xed\xba\xbe",
        &[SignaturePosition::start(0).every(512, 512)],
        "Linux fs/xfs/libxfs/xfs_log_format.h, XLOG_HEADER_MAGIC_NUM",
    ),
    // The super block and its two copies, which outlive the first.
    row(
        "Btrfs",
        FileSystem,
        b"_BHRfS_M",
        &[
            SignaturePosition::start(64 * KIB + 64),
            SignaturePosition::start(64 * MIB + 64),
            SignaturePosition::start(256 * GIB + 64),
        ],
        "btrfs(5), super block; Linux fs/btrfs/accessors.h",
    ),
    row(
        "F2FS",
        FileSystem,
        b"\x10\x20\xf5\xf2",
        &[SignaturePosition::start(KIB), SignaturePosition::start(4 * KIB + KIB)],
        "Linux include/linux/f2fs_fs.h, F2FS_SUPER_OFFSET",
    ),
    row(
        "bcachefs",
        FileSystem,
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
        &[
            SignaturePosition::start(4 * KIB + 24),
            SignaturePosition::start(2 * MIB + 24),
            SignaturePosition::end(512, -MIB + 24),
        ],
        "util-linux libblkid/src/superblocks/bcache.c",
    ),
    row("JFS", FileSystem, b"JFS1", &[SignaturePosition::start(32 * KIB)], BLKID),
    row(
        "ReiserFS",
        FileSystem,
        b"ReIsErFs",
        &[
            SignaturePosition::start(8 * KIB + 0x34),
            SignaturePosition::start(64 * KIB + 0x34),
            SignaturePosition::start(8 * KIB + 20),
        ],
        BLKID,
    ),
    row(
        "ReiserFS 3.6",
        FileSystem,
        b"ReIsEr2Fs",
        &[SignaturePosition::start(64 * KIB + 0x34)],
        BLKID,
    ),
    row(
        "ReiserFS, other journal",
        FileSystem,
        b"ReIsEr3Fs",
        &[SignaturePosition::start(64 * KIB + 0x34)],
        BLKID,
    ),
    row("Reiser4", FileSystem, b"ReIsEr4", &[SignaturePosition::start(64 * KIB)], BLKID),
    row(
        "GFS or GFS2",
        FileSystem,
        b"\x01\x16\x19\x70",
        &[SignaturePosition::start(64 * KIB)],
        "Linux include/uapi/linux/gfs2_ondisk.h, GFS2_MAGIC",
    ),
    row(
        "OCFS2",
        FileSystem,
        b"OCFSV2",
        &[
            SignaturePosition::start(KIB),
            SignaturePosition::start(2 * KIB),
            SignaturePosition::start(4 * KIB),
            SignaturePosition::start(8 * KIB),
        ],
        "Linux fs/ocfs2/ocfs2_fs.h, OCFS2_SUPER_BLOCK_SIGNATURE",
    ),
    row("OCFS", FileSystem, b"OracleCFS", &[SignaturePosition::start(8 * KIB)], BLKID),
    row(
        "VMFS",
        FileSystem,
        b"\x5e\xf1\xab\x2f",
        &[SignaturePosition::start(2 * MIB)],
        "util-linux libblkid/src/superblocks/vmfs.c",
    ),
    row(
        "VMFS volume",
        FileSystem,
        b"\x0d\xd0\x01\xc0",
        &[SignaturePosition::start(MIB)],
        "util-linux libblkid/src/superblocks/vmfs.c",
    ),
    row("VxFS", FileSystem, b"\xf5\xfc\x01\xa5", &[SignaturePosition::start(KIB)], BLKID),
    row(
        "VxFS, big-endian",
        FileSystem,
        b"\xa5\x01\xfc\xf5",
        &[SignaturePosition::start(8 * KIB)],
        BLKID,
    ),
    row(
        "NILFS2",
        FileSystem,
        b"\x34\x34",
        &[SignaturePosition::start(KIB + 6), SignaturePosition::end(512, -4 * KIB + 6)],
        "Linux Documentation/filesystems/nilfs2.rst",
    ),
    row(
        "EROFS",
        FileSystem,
        b"\xe2\xe1\xf5\xe0",
        &[SignaturePosition::start(KIB)],
        "Linux fs/erofs/erofs_fs.h, EROFS_SUPER_OFFSET",
    ),
    row("SquashFS", FileSystem, b"hsqs", &[SignaturePosition::start(0)], BLKID),
    row("SquashFS, big-endian", FileSystem, b"sqsh", &[SignaturePosition::start(0)], BLKID),
    row(
        "cramfs",
        FileSystem,
        b"\x45\x3d\xcd\x28",
        &[SignaturePosition::start(0), SignaturePosition::start(512)],
        BLKID,
    ),
    row("zonefs", FileSystem, b"SFOZ", &[SignaturePosition::start(0)], BLKID),
    row("NTFS", FileSystem, b"NTFS    ", &[SignaturePosition::start(3)], BLKID),
    row("ReFS", FileSystem, b"\0\0\0ReFS\0", &[SignaturePosition::start(0)], BLKID),
    row("exFAT", FileSystem, b"EXFAT   ", &[SignaturePosition::start(3)], BLKID),
    row("FAT", FileSystem, b"FAT12   ", FAT_PLACES, BLKID),
    row("FAT", FileSystem, b"FAT16   ", FAT_PLACES, BLKID),
    row("FAT", FileSystem, b"FAT32   ", FAT_PLACES, BLKID),
    row("FAT", FileSystem, b"MSDOS", &[SignaturePosition::start(0x36)], BLKID),
    row("FAT", FileSystem, b"MSWIN", &[SignaturePosition::start(0x52)], BLKID),
    row("HPFS", FileSystem, b"\x49\xe8\x95\xf9", &[SignaturePosition::start(8 * KIB)], BLKID),
    row("APFS", FileSystem, b"NXSB", &[SignaturePosition::start(32)], BLKID),
    row("HFS", FileSystem, b"BD", &[SignaturePosition::start(KIB)], BLKID),
    row("HFS+", FileSystem, b"H+", &[SignaturePosition::start(KIB)], BLKID),
    row("HFSX", FileSystem, b"HX", &[SignaturePosition::start(KIB)], BLKID),
    row(
        "ISO 9660",
        FileSystem,
        b"CD001",
        &[SignaturePosition::start(32 * KIB + 1)],
        "ECMA-119, 8.4",
    ),
    row(
        "UDF",
        FileSystem,
        b"NSR02",
        &[SignaturePosition::start(32 * KIB + 1).every(2048, 16)],
        "ECMA-167, 3/9",
    ),
    row(
        "UDF",
        FileSystem,
        b"NSR03",
        &[SignaturePosition::start(32 * KIB + 1).every(2048, 16)],
        "ECMA-167, 3/9",
    ),
    row("UFS1", FileSystem, b"\x54\x19\x01\x00", UFS, BLKID),
    row("UFS1, big-endian", FileSystem, b"\x00\x01\x19\x54", UFS, BLKID),
    row("UFS2", FileSystem, b"\x19\x01\x54\x19", UFS, BLKID),
    row("UFS2, big-endian", FileSystem, b"\x19\x54\x01\x19", UFS, BLKID),
    row("UBIFS", FileSystem, b"\x31\x18\x10\x06", &[SignaturePosition::start(0)], BLKID),
];
