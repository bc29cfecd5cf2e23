//! What the lab needs of the machine it runs on, told in one sentence where it isn't there.

use std::path::{Path, PathBuf};

use super::guest::{DataFolder, Guest, Used};

/// A program, and the Debian package that has it.
type Program = (&'static str, &'static str);

const ALWAYS: [Program; 2] =
    [("qemu-system-x86_64", "qemu-system-x86"), ("busybox", "busybox-static")];

/// Only until the kernel is there.
const FOR_THE_KERNEL: [Program; 5] = [
    ("curl", "curl"),
    ("dpkg-deb", "dpkg"),
    ("depmod", "kmod"),
    ("cpio", "cpio"),
    ("xz", "xz-utils"),
];

/// All that the guests need; inside they use the host's programs.
pub fn programs(guests: &[Guest], kernel_is_there: bool) -> Vec<Program> {
    let any = |has: fn(&Guest) -> bool| guests.iter().any(has);
    let memory = |guest: &Guest| guest.persistent.iter().any(|part| part.used == Used::AsMemory);
    let inside = [
        (true, ("modprobe", "kmod")),
        (any(|guest| guest.array.is_some()), ("mdadm", "mdadm")),
        (
            any(|guest| matches!(guest.data, Some(DataFolder::Disk { .. } | DataFolder::Array))),
            ("mkfs.ext4", "e2fsprogs"),
        ),
        (any(memory), ("ndctl", "ndctl")),
        (any(|guest| guest.bound.is_some()), ("taskset", "util-linux")),
        (any(|guest| guest.pool.is_some()), ("numactl", "numactl")),
        (any(|guest| guest.pool.is_some()), ("perl", "perl")),
    ];
    let mut all = ALWAYS.to_vec();
    if !kernel_is_there {
        all.extend(FOR_THE_KERNEL);
    }
    all.extend(inside.iter().filter(|(needed, _)| *needed).map(|(_, program)| *program));
    all
}

/// One sentence about those that are in none of the folders; `None` where all are there.
pub fn missing(programs: &[Program], folders: &[PathBuf]) -> Option<String> {
    let is_there = |name: &str| folders.iter().any(|folder| folder.join(name).is_file());
    let mut missing: Vec<Program> =
        programs.iter().copied().filter(|(name, _)| !is_there(name)).collect();
    missing.sort();
    missing.dedup();
    if missing.is_empty() {
        return None;
    }
    let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    let mut packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    packages.dedup();
    Some(format!(
        "the lab needs {}, not found here; on Debian: apt install {}",
        names.join(", "),
        packages.join(" ")
    ))
}

/// Where programs are looked for: as the shell does, and where a user's path often doesn't lead.
pub fn folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(|folder| Path::new(folder).into());
    std::env::split_paths(&path).chain(usual).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::guests;

    #[test]
    fn what_is_missing_is_named_with_its_package() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_path_buf()];
        let guests = guests::all();
        let all = programs(&guests, false);
        let said = missing(&all, &folders).unwrap();
        assert!(said.contains("qemu-system-x86_64") && said.contains("qemu-system-x86 "), "{said}");
        assert!(said.contains(" mdadm") && said.contains(" ndctl"), "{said}");
        assert_eq!(said.lines().count(), 1);
        for (name, _) in &all {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(missing(&all, &folders), None);
    }

    #[test]
    fn a_guest_needs_no_more_than_it_uses() {
        let two: Vec<Guest> =
            guests::all().into_iter().filter(|guest| guest.name == "two-sockets").collect();
        let names: Vec<&str> = programs(&two, true).iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["qemu-system-x86_64", "busybox", "modprobe"]);
    }
}
