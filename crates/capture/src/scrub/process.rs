//! Processes: those are kept that discovery looked at more closely than by name, which are servers, and of their command
//! lines only where the data are.

use std::collections::BTreeSet;

use narrows_facts::{Recording, Refusal};

use super::rules::is_process;

/// Arguments of servers that name the folder of their data.
const FOLDERS: &[&str] = &["-D", "--data_directory", "--datadir", "--dbpath"];

/// Parameters of the kernel's command line that decide how fast it is.
const KERNEL: &[&str] = &[
    "isolcpus",
    "nohz",
    "nohz_full",
    "rcu_nocbs",
    "mitigations",
    "iommu",
    "intel_iommu",
    "amd_iommu",
    "transparent_hugepage",
    "hugepages",
    "hugepagesz",
    "default_hugepagesz",
    "numa_balancing",
    "numa",
    "clocksource",
    "tsc",
    "idle",
    "maxcpus",
    "nosmt",
    "nr_cpus",
    "mem",
    "pcie_aspm",
    "cgroup_disable",
    "systemd.unified_cgroup_hierarchy",
    "spectre_v2",
    "spec_store_bypass_disable",
    "mds",
    "l1tf",
];
/// The same for modules, by the beginning.
const KERNEL_MODULES: &[&str] =
    &["nvme.", "nvme_core.", "intel_idle.", "processor.", "intel_pstate", "amd_pstate", "cpufreq."];

/// Takes every process out that was looked at by name alone; returns how many.
pub(super) fn drop_others(recording: &mut Recording) -> u64 {
    let process = |path: &str| -> Option<String> {
        let rest = path.strip_prefix("/proc/")?;
        let name = rest.split('/').next()?;
        is_process(name).then(|| name.to_string())
    };
    let examined = |path: &String| path.matches('/').count() > 2 && !path.ends_with("/comm");
    // Of a name that is looked for, the state is asked next.
    let kept: BTreeSet<String> = recording
        .files
        .keys()
        .filter(|path| examined(path))
        .filter_map(|path| process(path))
        .collect();
    let stays = |path: &String| process(path).is_none_or(|name| kept.contains(&name));
    let mut dropped = BTreeSet::new();
    for path in recording.files.keys().filter(|path| !stays(path)) {
        dropped.extend(process(path));
    }
    let unnamed = parents(recording, &kept);
    recording.files.retain(|path, _| stays(path));
    for parent in unnamed.intersection(&dropped) {
        let gone = Refusal::Reason("left out of the capture".to_string());
        recording.files.insert(format!("/proc/{parent}/comm"), Err(gone));
    }
    recording.folders.retain(|path, _| stays(path));
    recording.links.retain(|path, _| stays(path));
    recording.real_paths.retain(|path, _| stays(path));
    recording.present.retain(|path, _| stays(path));
    if let Some(Ok(names)) = recording.folders.get_mut("/proc") {
        names.retain(|name| !is_process(name) || kept.contains(name));
    }
    dropped.len() as u64
}

/// Who started the processes that stay: discovery asks for their names too, and the answer is then that there is none.
fn parents(recording: &Recording, kept: &BTreeSet<String>) -> BTreeSet<String> {
    let parent = |name: &String| {
        let stat = recording.files.get(&format!("/proc/{name}/stat"))?.as_ref().ok()?;
        let stat = String::from_utf8_lossy(&stat.bytes);
        // The name in parentheses may hold anything; the last one ends it, the state follows, and then the parent.
        stat.rsplit(')').next()?.split_whitespace().nth(1).map(str::to_string)
    };
    kept.iter().filter_map(parent).collect()
}

/// The program's name and the folders of its data; words end with NUL.
pub(super) fn arguments(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    let mut words = line.split('\0');
    let program = words.next().unwrap_or_default();
    // A server may write its own line, with spaces and what it works on.
    let program = program.split([' ', ':']).next().unwrap_or_default();
    let mut kept = vec![program.rsplit('/').next().unwrap_or_default().to_string()];
    while let Some(word) = words.next() {
        for name in FOLDERS {
            match word.strip_prefix(name) {
                Some("") => kept.extend(words.next().map(|folder| format!("{word}\0{folder}"))),
                Some(rest) if rest.starts_with(['=', '/']) => kept.push(word.to_string()),
                _ => {}
            }
        }
    }
    kept.join("\0")
}

/// The parameters that decide how fast the kernel is.
pub(super) fn kernel_arguments(line: &str) -> String {
    let kept = line.split_whitespace().filter(|word| {
        let name = word.split('=').next().unwrap_or_default();
        KERNEL.contains(&name) || KERNEL_MODULES.iter().any(|module| name.starts_with(module))
    });
    kept.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_command_line_stays_where_the_data_are() {
        for (line, kept) in [
            (
                "/usr/lib/postgresql/17/bin/postgres\0-D\0/srv/pg\0-c\0password=x\0",
                "postgres\0-D\0/srv/pg",
            ),
            ("mysqld\0--datadir=/srv/my\0--user=bob\0", "mysqld\0--datadir=/srv/my"),
            ("postgres: bob sales 10.0.0.7 SELECT", "postgres"),
            ("postgres\0-D/srv/pg\0-d\0secret", "postgres\0-D/srv/pg"),
            ("", ""),
        ] {
            assert_eq!(arguments(line.as_bytes()), kept);
        }
    }

    #[test]
    fn of_the_kernels_stays_what_makes_it_fast_or_slow() {
        let line = "BOOT_IMAGE=/vmlinuz root=UUID=1 ip=10.0.0.1::db7 isolcpus=2-5 mitigations=off nvme.poll_queues=4";
        assert_eq!(kernel_arguments(line), "isolcpus=2-5 mitigations=off nvme.poll_queues=4");
    }
}
