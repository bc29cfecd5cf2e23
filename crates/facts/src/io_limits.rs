//! Limits on block I/O of the control groups this process is in.
//!
//! Version 2 has one file per group, `io.max`; version 1 one per group and kind of limit. Linux
//! `Documentation/admin-guide/cgroup-v2.rst` and `cgroup-v1/blkio-controller.rst`.

use std::collections::BTreeMap;

use crate::Source;
use crate::cgroup::{Hierarchies, Version};

/// The tightest limit by device (`major:minor`) and kind (`rbps`, `wbps`, `riops`, `wiops`), per second.
pub type IoLimits = BTreeMap<(String, String), u64>;

const V1_FILES: [(&str, &str); 4] = [
    ("read_bps_device", "rbps"),
    ("write_bps_device", "wbps"),
    ("read_iops_device", "riops"),
    ("write_iops_device", "wiops"),
];

/// A file with limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoLimitFile {
    /// Where it is.
    pub path: String,
    /// What it limits; `None` where its lines say so (version 2).
    kind: Option<&'static str>,
}

/// The files of the own group and those above, also those that limit nothing now and are empty then; none where there are no groups.
pub fn files(source: &dyn Source) -> Vec<IoLimitFile> {
    files_of(source, "self")
}

/// The same files of another process's groups, by its number or `self`.
pub fn files_of(source: &dyn Source, process: &str) -> Vec<IoLimitFile> {
    let Some(io) = Hierarchies::of(source, process).controller(source, "blkio") else {
        return Vec::new();
    };
    let of = |folder: &String| match io.version {
        Version::V2 => vec![IoLimitFile { path: format!("{folder}/io.max"), kind: None }],
        Version::V1 => V1_FILES
            .iter()
            .map(|(file, kind)| IoLimitFile {
                path: format!("{folder}/blkio.throttle.{file}"),
                kind: Some(kind),
            })
            .collect(),
    };
    io.folders.iter().flat_map(of).filter(|file| source.exists(&file.path)).collect()
}

impl IoLimitFile {
    /// Takes what a file says into `limits`, where it is tighter.
    pub fn take(&self, text: &str, limits: &mut IoLimits) {
        let mut note = |device: &str, kind: &str, value: &str| {
            // `max` is no number, and version 1 has 0 for no limit.
            let Some(value) = value.parse::<u64>().ok().filter(|value| *value > 0) else { return };
            let entry = limits.entry((device.to_string(), kind.to_string())).or_insert(value);
            *entry = value.min(*entry);
        };
        for line in text.lines() {
            let Some((device, rest)) = line.split_once(' ') else { continue };
            match self.kind {
                Some(kind) => note(device, kind, rest.trim()),
                // 8:16 rbps=2097152 wbps=max riops=max wiops=120
                None => rest
                    .split_whitespace()
                    .filter_map(|word| word.split_once('='))
                    .for_each(|(kind, value)| note(device, kind, value)),
            }
        }
    }
}

/// All limits now.
pub fn read(source: &dyn Source) -> IoLimits {
    read_of(source, "self")
}

/// The limits of another process's groups now, by its number or `self`.
pub fn read_of(source: &dyn Source, process: &str) -> IoLimits {
    let mut limits = IoLimits::new();
    for file in files_of(source, process) {
        file.take(&source.text(&file.path).unwrap_or_default(), &mut limits);
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(limits: &IoLimits, device: &str, kind: &str) -> Option<u64> {
        limits.get(&(device.to_string(), kind.to_string())).copied()
    }

    #[test]
    fn a_file_that_limits_nothing_yet_is_watched_too() {
        let root = tempfile::tempdir().unwrap();
        let group = root.path().join("cg/a");
        std::fs::create_dir_all(&group).unwrap();
        std::fs::create_dir_all(root.path().join("proc/self")).unwrap();
        std::fs::write(root.path().join("proc/self/cgroup"), "0::/a\n").unwrap();
        let mounts = "30 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n";
        std::fs::write(root.path().join("proc/self/mountinfo"), mounts).unwrap();
        let tree = crate::Tree::new(root.path());
        assert!(files(&tree).is_empty());
        // As the kernel has it: empty without a limit.
        std::fs::write(group.join("io.max"), "").unwrap();
        let files = files(&tree);
        assert_eq!(
            files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            ["/cg/a/io.max"]
        );
        assert!(read(&tree).is_empty());
        std::fs::write(group.join("io.max"), "8:16 riops=1000\n").unwrap();
        assert_eq!(limit(&read(&tree), "8:16", "riops"), Some(1000));
    }

    #[test]
    fn the_tightest_of_all_groups_counts_and_no_limit_is_none() {
        let v2 = IoLimitFile { path: String::new(), kind: None };
        let mut limits = IoLimits::new();
        v2.take("8:16 rbps=2097152 wbps=max riops=max wiops=120\n8:0 riops=9\n", &mut limits);
        v2.take("8:16 rbps=1000000000 wiops=60\n", &mut limits);
        assert_eq!(limit(&limits, "8:16", "rbps"), Some(2_097_152));
        assert_eq!(limit(&limits, "8:16", "wiops"), Some(60));
        assert_eq!(limit(&limits, "8:0", "riops"), Some(9));
        assert_eq!(limits.len(), 3);
        let v1 = IoLimitFile { path: String::new(), kind: Some("riops") };
        v1.take("254:0 2000\n254:16 0\nnonsense\n", &mut limits);
        assert_eq!(limit(&limits, "254:0", "riops"), Some(2000));
        assert_eq!(limits.len(), 4);
    }
}
