//! Description → what is done inside the guest before narrows is asked, and how it is asked. Pure; `lab/guest.sh` runs both.

use std::fmt::Write as _;

use super::guest::{Array, DataFolder, Guest, LaidPool, Used};

/// Where the guest sees its working folder.
const WORK: &str = "/run/lab/own";
/// Where the database's files are said to be, if anywhere in particular.
const DATA: &str = "/srv/data";

/// Modules that the guest's devices need.
fn modules(guest: &Guest) -> Vec<&'static str> {
    let needed = [
        (!guest.nvme.is_empty(), &["nvme"][..]),
        (!guest.ethernet.is_empty(), &["e1000e"]),
        (!guest.virtio_disks.is_empty(), &["virtio_blk"]),
        (guest.scsi.is_some(), &["virtio_scsi", "sd_mod"]),
        (guest.array.is_some(), &["md_mod", "raid1", "raid10"]),
        (!guest.persistent.is_empty(), &["nfit", "nd_pmem", "dax_pmem", "device_dax", "kmem"]),
        (guest.data.is_some(), &["ext4"]),
    ];
    needed.iter().filter(|(yes, _)| *yes).flat_map(|(_, modules)| *modules).copied().collect()
}

/// The script that makes the machine as described, run under `set -e` with the functions of `lab/guest.sh`.
pub fn prepare(guest: &Guest) -> String {
    let mut text = String::new();
    for cpu in &guest.cpus.offline {
        _ = writeln!(text, "echo 0 >/sys/devices/system/cpu/cpu{cpu}/online");
    }
    for module in modules(guest) {
        _ = writeln!(text, "modprobe {module}");
    }
    for mib in guest.disks_mib() {
        _ = writeln!(text, "disk {mib}");
    }
    for drive in &guest.nvme {
        let (Some(claims), Some(mib)) = (drive.claims, drive.namespaces_mib.first()) else {
            continue;
        };
        let gts: f64 = claims.gts.replace('_', ".").parse().unwrap_or(f64::NAN);
        _ = writeln!(text, "claim {mib} '{gts:.1} GT/s PCIe' {}", claims.lanes);
    }
    for index in 0..guest.ethernet.len() {
        _ = writeln!(text, "port_up eth{index}");
    }
    for part in guest.persistent.iter().filter(|part| part.used == Used::AsMemory) {
        _ = writeln!(text, "as_memory {}", part.mib);
    }
    if let Some(array) = &guest.array {
        text += &make_array(array);
    }
    match guest.data {
        None => {}
        Some(DataFolder::Disk { mib }) => _ = writeln!(text, "data_on \"$(disk {mib})\""),
        Some(DataFolder::Array) => text += "data_on md0\n",
    }
    text
}

fn make_array(array: &Array) -> String {
    let members: Vec<String> =
        array.members_mib.iter().map(|mib| format!("\"/dev/$(disk {mib})\"")).collect();
    let missing = " missing".repeat(array.missing as usize);
    let chunk = match array.chunk_kib {
        0 => String::new(),
        kib => format!(" --chunk={kib}"),
    };
    // Where the data begins is said, because mdadm's own choice is each version's.
    format!(
        "mdadm --create /dev/md0 --run --assume-clean --metadata=1.2 --data-offset={}K --level={}{chunk} \
         --raid-devices={} {}{missing}\n",
        Array::DATA_OFFSET_KIB,
        array.level,
        array.members_mib.len() + array.missing as usize,
        members.join(" ")
    )
}

/// The script that asks narrows.
pub fn ask(guest: &Guest) -> String {
    let data = if guest.data.is_some() { format!(" --data {DATA}") } else { String::new() };
    let mut text = format!(
        "set -e\n\
         cd {WORK}\n\
         ./narrows platform{data} --format json >found.json\n\
         ./narrows platform{data} >found.txt\n\
         ./narrows gather{data} -o found.capture\n"
    );
    if let Some(bound) = &guest.bound {
        let cpus = guest.cpus_of(bound.node);
        _ = writeln!(
            text,
            "taskset --cpu-list {cpus} ./narrows platform{data} --format json >bound.json"
        );
    }
    if let Some(pool) = &guest.pool {
        text += &ask_of_memory(pool);
    }
    text
}

/// A process with a pool on a node; where it lies; and every cell of the matrix, whose times say nothing here.
fn ask_of_memory(pool: &LaidPool) -> String {
    let LaidPool { node, mib } = pool;
    format!(
        "numactl --membind={node} perl -MIPC::SysV=IPC_PRIVATE,IPC_RMID,shmat,memwrite -e '\
         my $n = {mib} << 20; my $id = shmget(IPC_PRIVATE, $n, 0600) // die; my $at = shmat($id, undef, 0) // die; \
         memwrite($at, \"x\" x $n, 0, $n) or die; shmctl($id, IPC_RMID, 0); open(my $f, \">\", \"held\"); close($f); sleep 600' &\n\
         holder=$!\n\
         until [ -e held ]; do kill -0 $holder; sleep 0.2; done\n\
         ./narrows memory matrix --thorough --output matrix --format json >matrix.json || [ $? -ge 3 ]\n\
         ./narrows memory placement --every-page --matrix matrix.json --output placed --format json >placed.json || \
         [ $? -ge 3 ]\n\
         kill $holder\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::guests;

    fn guest(name: &str) -> Guest {
        guests::all().into_iter().find(|guest| guest.name == name).unwrap()
    }

    #[test]
    fn the_machine_is_made_as_described() {
        let links = prepare(&guest("links"));
        assert!(links.contains("claim 72 '16.0 GT/s PCIe' 4\n"), "{links}");
        assert!(links.ends_with("data_on \"$(disk 72)\"\n"), "{links}");
        let mirror = prepare(&guest("broken-mirror"));
        assert!(mirror.contains("--level=raid1 --raid-devices=2 \"/dev/$(disk 72)\" missing\n"));
        assert!(prepare(&guest("borrowed-disks")).contains(" --chunk=64 --raid-devices=4 "));
        assert!(prepare(&guest("asymmetric")).contains("echo 0 >/sys/devices/system/cpu/cpu1/"));
        assert!(prepare(&guest("persistent-memory")).contains("as_memory 512\n"));
    }

    #[test]
    fn asked_bound_only_where_that_is_described() {
        assert!(ask(&guest("far-drive")).contains("taskset --cpu-list 0-1 ./narrows platform"));
        assert!(!ask(&guest("links")).contains("taskset"));
        assert!(!ask(&guest("two-sockets")).contains("--data"));
    }
}
