//! A machine made of files, and a reader that asks for all of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use narrows_facts::{Recorder, Recording, Source, Tree};

/// What must not be in an archive, wherever it stood.
pub const SECRETS: &[&str] = &[
    "db7",
    "acme.example",
    "JX9TCK3",
    "S64FNE0R",
    "WD-WX11A",
    "DIMM-0451",
    "ASSET-99",
    "0123456789abcdef",
    "a0:36:9f:11",
    "a0369f1122",
    "10.20.30",
    "fe80::a236",
    "2001:470:1f",
    "5000c500a1b2c3d4",
    "0025385b71b0a1c2",
    "4c4c4544",
    "alice",
    "bob",
    "hunter2",
    "sales",
    "0002:c903",
    "nexus-7",
    "filer1",
    "buildd",
    "nqn.2014",
    "8c2a1f5e",
    "TOKEN=",
    "customer-42",
    "PROC-SN-5",
];

/// The folder of a user, `~` below.
pub const HOME: &str = concat!("/ho", "me/alice");

/// Files of the made machine.
const FILES: &[(&str, &str)] = &[
    ("proc/sys/kernel/hostname", "db7.acme.example\n"),
    ("proc/sys/kernel/random/boot_id", "8c2a1f5e-1111-4222-8333-444455556666\n"),
    ("proc/sys/kernel/osrelease", "6.1.0-9-amd64\n"),
    ("proc/version", "Linux version 6.1.0-9-amd64 (buildd@nexus-7) (gcc 12.2.0)\n"),
    (
        "proc/cmdline",
        "BOOT_IMAGE=/vmlinuz root=UUID=8c2a1f5e-1111-4222-8333-444455556666 ip=10.20.30.41 isolcpus=1\n",
    ),
    (
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: EPYC 9354\nSerial\t\t: PROC-SN-5\nflags\t\t: fpu\n",
    ),
    ("proc/meminfo", "MemTotal: 1000 kB\n"),
    ("proc/net/arp", "10.20.30.1 0x1 0x2 a0:36:9f:11:22:33 * eth0\n"),
    ("proc/self/environ", "TOKEN=hunter2\0HOME=~\0"),
    ("proc/self/cgroup", "0::/user.slice/db7.scope\n"),
    ("proc/self/status", "Name:\tnarrows\nUid:\t1000\nCpus_allowed_list:\t0\n"),
    (
        "proc/self/mountinfo",
        "25 1 8:1 / / rw - ext4 /dev/mapper/db7--vg-root rw\n\
         26 25 0:50 / ~/x rw - nfs4 filer1.acme.example:/sales rw,addr=10.20.30.5\n\
         27 25 0:51 / /mnt/s rw - cifs //filer1/share rw,username=bob,password=hunter2\n\
         28 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    ),
    ("proc/42/comm", "postgres\n"),
    ("proc/42/stat", "42 (postgres) S 77 42 42 0\n"),
    ("proc/42/cmdline", "/usr/bin/postgres\0-D\0~/pg\0-c\0password=hunter2\0sales\0"),
    ("proc/42/environ", "TOKEN=hunter2\0"),
    ("proc/77/comm", "customer-42\n"),
    ("etc/machine-id", "0123456789abcdef0123456789abcdef\n"),
    ("etc/os-release", "PRETTY_NAME=\"Debian 12\"\n"),
    ("etc/passwd", "alice:x:1000:1000::~:/bin/sh\n"),
    ("~/pg/postmaster.pid", "42\n~/pg\n"),
    ("sys/class/dmi/id/product_name", "R6625\n"),
    ("sys/class/dmi/id/product_serial", "JX9TCK3\n"),
    ("sys/class/dmi/id/product_uuid", "4c4c4544-0058-3910-8054-cac04f434b33\n"),
    ("sys/class/dmi/id/chassis_asset_tag", "ASSET-99\n"),
    ("sys/devices/pci0000:00/nvme/nvme0/serial", "S64FNE0R123456      \n"),
    ("sys/devices/pci0000:00/nvme/nvme0/model", "SAMSUNG MZQL23T8HCLS S64FNE0R123456\n"),
    ("sys/devices/pci0000:00/nvme/nvme0/firmware_rev", "GDC5602Q\n"),
    ("sys/devices/pci0000:00/nvme/nvme0/subsysnqn", "nqn.2014.08.org.nvmexpress:S64FNE0R123456\n"),
    ("sys/devices/pci0000:00/nvme/nvme0/address", "traddr=10.20.30.7,trsvcid=4420\n"),
    ("sys/devices/pci0000:00/nvme/nvme0/nvme0n1/wwid", "eui.0025385b71b0a1c2\n"),
    ("sys/devices/pci0000:00/nvme/nvme0/nvme0n1/uuid", "8c2a1f5e-9999-4222-8333-444455556666\n"),
    ("sys/devices/pci0000:00/nvme/nvme1/nvme1n1/wwid", "eui.0025385b71b0a1c2\n"),
    ("sys/block/sda/device/wwid", "naa.5000c500a1b2c3d4\n"),
    ("sys/block/sda/device/vpd_pg80", "\0\u{1}WD-WX11A123\0"),
    ("sys/block/dm-0/dm/name", "db7--vg-root\n"),
    ("sys/block/dm-0/dm/uuid", "LVM-8c2a1f5eQxYz\n"),
    ("sys/class/net/enxa0369f112233/address", "a0:36:9f:11:22:33\n"),
    ("sys/class/infiniband/mlx5_0/node_guid", "0002:c903:00fe:1234\n"),
    ("sys/class/infiniband/mlx5_0/node_desc", "db7 mlx5_0\n"),
    ("sys/class/infiniband/mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:00fe:1234\n"),
    ("sys/class/infiniband/mlx5_0/note", "fe80::a236:9fff:fe11:2233 2001:470:1f0b::7\n"),
    ("sys/fs/cgroup/user.slice/db7.scope/cpu.max", "max 100000\n"),
    (
        "run/udev/data/+dmi:id",
        "E:MEMORY_DEVICE_0_SIZE=17179869184\nE:MEMORY_DEVICE_0_SERIAL_NUMBER=DIMM-0451\n\
         E:MEMORY_DEVICE_0_ASSET_TAG=ASSET-99\nS:disk/by-id/wwn-0x5000c500a1b2c3d4\n",
    ),
    (
        "run/udev/data/b8:0",
        "E:ID_SERIAL=WD-WX11A123\nE:DEVLINKS=/dev/disk/by-id/ata-WD-WX11A123\nE:ID_MODEL=Disk\n",
    ),
];

/// The machine below a new folder.
pub fn machine() -> (tempfile::TempDir, Tree) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (path, text) in FILES {
        let (path, text) = (path.replace('~', HOME), text.replace('~', HOME));
        write(root, path.trim_start_matches('/'), text.as_bytes());
    }
    let mut table = vec![1, 4, 0, 0];
    table.extend(b"Dell\0JX9TCK3\0\0");
    let mut slot = vec![0u8; 0x28];
    (slot[0], slot[1], slot[0x10], slot[0x18]) = (17, 0x28, 1, 2);
    table.extend(slot);
    table.extend(b"A1\0DIMM-0451\0\0");
    write(root, "sys/firmware/dmi/tables/DMI", &table);
    symlink(format!("{HOME}/pg"), root.join("proc/42/cwd")).unwrap();
    symlink("../devices/pci0000:00/nvme/nvme0/nvme0n1", root.join("sys/block/nvme0n1")).unwrap();
    let tree = Tree::new(root);
    (folder, tree)
}

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Everything below `/`, asked in every way.
pub fn everything(tree: &Tree) -> Recording {
    let recorder = Recorder::new(tree);
    visit(&recorder, "");
    recorder.finish()
}

fn visit(source: &dyn Source, path: &str) {
    let Ok(names) = source.list(if path.is_empty() { "/" } else { path }) else { return };
    for name in names {
        let path = format!("{path}/{name}");
        let _ = (source.read(&path), source.exists(&path), source.real_path(&path));
        // Links lead to what is visited anyway.
        if source.link(&path).is_err() {
            visit(source, &path);
        }
    }
}
