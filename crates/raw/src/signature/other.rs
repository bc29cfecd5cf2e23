//! Marks of partition tables, of swap space, and of databases that write to devices themselves.

use super::Owner::{Database, PartitionTable, Swap};
use super::{Signature, SignaturePosition, row};

const KIB: i64 = 1024;
const TABLE: &str = "util-linux libblkid/src/partitions";
const SWAP: &str = "util-linux libblkid/src/superblocks/swap.c";
/// Ten bytes before the end of the first page, whose size depends on the machine that wrote it.
const SWAP_PLACES: &[SignaturePosition] = &[
    SignaturePosition::start(4 * KIB - 10),
    SignaturePosition::start(8 * KIB - 10),
    SignaturePosition::start(16 * KIB - 10),
    SignaturePosition::start(32 * KIB - 10),
    SignaturePosition::start(64 * KIB - 10),
];
/// The third block, whose size on a DASD is 512 to 4096 bytes; a key of 4 bytes may come first.
const DASD: &[SignaturePosition] = &[
    SignaturePosition::start(1024),
    SignaturePosition::start(2048),
    SignaturePosition::start(4096),
    SignaturePosition::start(8192),
];
const DASD_KEY: &[SignaturePosition] = &[
    SignaturePosition::start(1028),
    SignaturePosition::start(2052),
    SignaturePosition::start(4100),
    SignaturePosition::start(8196),
];

pub(super) const TABLES: &[Signature] = &[
    row(
        "GPT",
        PartitionTable,
        b"EFI PART",
        &[SignaturePosition::block(1), SignaturePosition::block(u64::MAX)],
        "UEFI Specification 2.10, 5.3.2",
    ),
    row(
        "MBR or boot sector",
        PartitionTable,
        b"\x55\xaa",
        &[SignaturePosition::start(510)],
        "UEFI Specification 2.10, 5.2.1",
    ),
    row(
        "BSD disk label",
        PartitionTable,
        b"\x57\x45\x56\x82",
        &[
            SignaturePosition::start(512),
            SignaturePosition::start(64),
            SignaturePosition::start(128),
        ],
        TABLE,
    ),
    row("Sun disk label", PartitionTable, b"\xda\xbe", &[SignaturePosition::start(508)], TABLE),
    row(
        "SGI disk label",
        PartitionTable,
        b"\x0b\xe5\xa9\x41",
        &[SignaturePosition::start(0)],
        TABLE,
    ),
    row(
        "Solaris disk label",
        PartitionTable,
        b"\xee\xde\x0d\x60",
        &[SignaturePosition::start(512 + 12)],
        TABLE,
    ),
    row(
        "UnixWare disk label",
        PartitionTable,
        b"\x0d\x60\xe5\xca",
        &[SignaturePosition::start(29 * 512 + 4)],
        TABLE,
    ),
    row(
        "AIX disk label",
        PartitionTable,
        b"\xc9\xc2\xd4\xc1",
        &[SignaturePosition::start(0)],
        TABLE,
    ),
    row("Apple partition map", PartitionTable, b"ER\x02\0", &[SignaturePosition::start(0)], TABLE),
    row(
        "Amiga partition table",
        PartitionTable,
        b"RDSK",
        &[SignaturePosition::start(0).every(512, 16)],
        "Linux block/partitions/amiga.c",
    ),
    row(
        "DASD label",
        PartitionTable,
        b"\xe5\xd6\xd3\xf1",
        DASD_KEY,
        "Linux arch/s390/include/asm/vtoc.h",
    ),
    row(
        "DASD label",
        PartitionTable,
        b"\xd3\xd5\xe7\xf1",
        DASD,
        "Linux arch/s390/include/asm/vtoc.h",
    ),
    row(
        "DASD label",
        PartitionTable,
        b"\xc3\xd4\xe2\xf1",
        DASD,
        "Linux arch/s390/include/asm/vtoc.h",
    ),
];

pub(super) const OTHER: &[Signature] = &[
    row("swap space", Swap, b"SWAPSPACE2", SWAP_PLACES, SWAP),
    row("swap space", Swap, b"SWAP-SPACE", SWAP_PLACES, SWAP),
    row("suspended system", Swap, b"S1SUSPEND", SWAP_PLACES, SWAP),
    row("suspended system", Swap, b"S2SUSPEND", SWAP_PLACES, SWAP),
    row("suspended system", Swap, b"ULSUSPEND", SWAP_PLACES, SWAP),
    row("suspended system", Swap, b"LINHIB0001", SWAP_PLACES, SWAP),
    row(
        "Ceph BlueStore",
        Database,
        b"bluestore block device",
        &[SignaturePosition::start(0)],
        "util-linux libblkid/src/superblocks/bluestore.c",
    ),
    row(
        "Oracle ASM disk",
        Database,
        b"ORCLDISK",
        &[SignaturePosition::start(32)],
        "util-linux libblkid/src/superblocks/ocfs.c; kfed: kfdhdb.driver.provstr",
    ),
    // The block header that kfed prints: byte order, HARD magic, type disk header, format 1.
    row(
        "Oracle ASM disk",
        Database,
        b"\x01\x82\x01\x01",
        &[SignaturePosition::start(0)],
        "kfed: kfbh",
    ),
    row(
        "Oracle ASM disk",
        Database,
        b"\x00\x82\x01\x01",
        &[SignaturePosition::start(0)],
        "kfed: kfbh",
    ),
    // Block zero of any data file, redo log or control file, also of one on a raw device.
    row(
        "Oracle file",
        Database,
        b"}|{z",
        &[SignaturePosition::start(28)],
        "dumps of block zero of data files",
    ),
    row(
        "Oracle file, big-endian",
        Database,
        b"z{|}",
        &[SignaturePosition::start(28)],
        "dumps of block zero of data files",
    ),
    // Both versions of the magic number end in the same six bytes.
    row(
        "Aerospike device",
        Database,
        b"surtIC",
        &[SignaturePosition::start(2)],
        "Aerospike as/include/storage/drv_common.h",
    ),
];
