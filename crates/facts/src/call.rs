//! What no file tells and a system call or an instruction does, asked through [`Source`] like everything else, so that
//! it can be recorded and replayed. Answers are texts of one line.

use std::io;
use std::path::Path;

use crate::file::{self, FsStat};
use crate::nvme::{self, WriteCache};
use crate::{Source, affinity, mapper, parse_cpu_list, pcie_config, process};

/// What can be asked; each is asked of something, which is empty where there is only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    /// `statfs(2)` of a path: magic number, size and free space, bytes.
    FileSystem,
    /// The id of the mount that a path lies on.
    Mount,
    /// Processors that the calling thread may use.
    Affinity,
    /// The signature in the processor's leaf for hypervisors (CPUID 0x4000_0000), without NULs.
    Hypervisor,
    /// The architecture that this program was built for.
    Architecture,
    /// Whether the reader acts as root: `1` or `0`.
    Root,
    /// The volatile write cache of an NVMe controller such as `nvme0`: present, in use.
    NvmeWriteCache,
    /// What a device-mapper device is made of, by its number such as `253:0`; see [`mapper::targets`].
    MapperTargets,
    /// Whether the link of the PCI function at an address such as `0000:41:00.0` is in flit mode: `1` or `0`.
    PcieFlitMode,
    /// Length of a file and what is allocated for it, bytes.
    Allocation,
}

impl Call {
    /// All of them.
    pub const ALL: [Call; 10] = [
        Call::FileSystem,
        Call::Mount,
        Call::Affinity,
        Call::Hypervisor,
        Call::Architecture,
        Call::Root,
        Call::NvmeWriteCache,
        Call::MapperTargets,
        Call::PcieFlitMode,
        Call::Allocation,
    ];

    /// The word used in a capture.
    pub fn word(self) -> &'static str {
        match self {
            Call::FileSystem => "statfs",
            Call::Mount => "mount-id",
            Call::Affinity => "affinity",
            Call::Hypervisor => "hypervisor",
            Call::Architecture => "architecture",
            Call::Root => "root",
            Call::NvmeWriteCache => "nvme-write-cache",
            Call::MapperTargets => "mapper-targets",
            Call::PcieFlitMode => "pcie-flit-mode",
            Call::Allocation => "allocation",
        }
    }

    /// The call of that word.
    pub fn of_word(word: &str) -> Option<Call> {
        Call::ALL.into_iter().find(|call| call.word() == word)
    }
}

/// Asks this machine.
pub(crate) fn live(call: Call, of: &str) -> io::Result<String> {
    match call {
        Call::FileSystem => file::statfs(Path::new(of))
            .map(|stat| format!("{} {} {}", stat.magic, stat.total_bytes, stat.free_bytes)),
        Call::Mount => file::mount_id(Path::new(of)).map(|id| id.to_string()),
        Call::Affinity => {
            let cpus: Vec<String> = affinity::current().iter().map(u32::to_string).collect();
            Ok(cpus.join(","))
        }
        Call::Hypervisor => hypervisor(),
        Call::Architecture => Ok(std::env::consts::ARCH.to_string()),
        Call::Root => Ok(u8::from(process::is_root()).to_string()),
        Call::MapperTargets => mapper::targets(of),
        Call::PcieFlitMode => pcie_config::flit_mode(of).map(|on| u8::from(on).to_string()),
        Call::Allocation => {
            let (length, allocated) = file::allocation(Path::new(of))?;
            Ok(format!("{length} {allocated}"))
        }
        Call::NvmeWriteCache => {
            let cache = nvme::write_cache(&Path::new("/dev").join(of))?;
            let enabled = cache.enabled.map_or("-", |on| if on { "1" } else { "0" });
            Ok(format!("{} {enabled}", u8::from(cache.present)))
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn hypervisor() -> io::Result<String> {
    let leaf = std::arch::x86_64::__cpuid(0x4000_0000);
    let bytes = [leaf.ebx, leaf.ecx, leaf.edx].map(u32::to_le_bytes).concat();
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_matches(['\0', ' ']).to_string())
}

#[cfg(not(target_arch = "x86_64"))]
fn hypervisor() -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The calls by type. `None` where the source can't tell: the call failed, or this is a copy without an answer.
impl dyn Source + '_ {
    /// Size and free space of the file system under `path`.
    pub fn file_system(&self, path: &str) -> Option<FsStat> {
        let answer = self.call(Call::FileSystem, path).ok()?;
        let mut words = answer.split(' ');
        Some(FsStat {
            magic: words.next()?.parse().ok()?,
            total_bytes: words.next()?.parse().ok()?,
            free_bytes: words.next()?.parse().ok()?,
        })
    }

    /// The id of the mount that `path` lies on, as in `mountinfo`.
    pub fn mount_id(&self, path: &str) -> Option<u32> {
        self.call(Call::Mount, path).ok()?.parse().ok()
    }

    /// Processors that the calling thread may use; empty where nobody says.
    pub fn affinity(&self) -> Vec<u32> {
        self.call(Call::Affinity, "").map(|list| parse_cpu_list(&list)).unwrap_or_default()
    }

    /// The hypervisor's own signature; only meaningful where the processor says that there is one.
    pub fn hypervisor_signature(&self) -> Option<String> {
        self.call(Call::Hypervisor, "").ok().filter(|text| !text.is_empty())
    }

    /// Architecture of the machine's programs.
    pub fn architecture(&self) -> Option<String> {
        self.call(Call::Architecture, "").ok()
    }

    /// Whether the machine is, or was, read by root.
    pub fn is_root(&self) -> bool {
        self.call(Call::Root, "").is_ok_and(|answer| answer == "1")
    }

    /// What the device-mapper device of that number is made of; `None` for who isn't root.
    pub fn mapper_targets(&self, number: &str) -> Option<String> {
        self.call(Call::MapperTargets, number).ok()
    }

    /// The write cache of the NVMe controller of that name, in its own words.
    pub fn nvme_write_cache(&self, controller: &str) -> Option<WriteCache> {
        let answer = self.call(Call::NvmeWriteCache, controller).ok()?;
        let (present, enabled) = answer.split_once(' ')?;
        Some(WriteCache { present: bit(present)?, enabled: bit(enabled) })
    }

    /// Length of a file and what is allocated for it, bytes.
    pub fn allocation(&self, path: &str) -> Option<(u64, u64)> {
        let answer = self.call(Call::Allocation, path).ok()?;
        let (length, allocated) = answer.split_once(' ')?;
        Some((length.parse().ok()?, allocated.parse().ok()?))
    }

    /// Whether the link of the PCI function at `address` is in flit mode; `None` for who isn't root.
    pub fn pcie_flit_mode(&self, address: &str) -> Option<bool> {
        bit(&self.call(Call::PcieFlitMode, address).ok()?)
    }
}

fn bit(text: &str) -> Option<bool> {
    match text {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Live;

    #[test]
    fn answers_come_back_as_they_went() {
        let source: &dyn Source = &Live;
        assert_eq!(source.file_system("/proc"), Some(file::statfs(Path::new("/proc")).unwrap()));
        assert_eq!(source.mount_id("/proc"), file::mount_id(Path::new("/proc")).ok());
        assert_eq!(source.affinity(), affinity::current());
        assert_eq!(source.architecture().as_deref(), Some(std::env::consts::ARCH));
        assert_eq!(source.is_root(), process::is_root());
        assert_eq!(source.file_system("/no/such/path"), None);
        assert_eq!(source.nvme_write_cache("no-such-controller"), None);
        let file = tempfile::NamedTempFile::new_in(".").unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        let of_file = source.allocation(&file.path().to_string_lossy());
        assert!(of_file.is_some_and(|(length, had)| length == 1 << 20 && had < length));
        assert_eq!(source.allocation("/no/such/path"), None);
    }

    /// Answers one text, whatever is asked.
    struct Says(&'static str);

    impl Source for Says {
        fn read(&self, _: &str) -> io::Result<Vec<u8>> {
            Err(io::ErrorKind::NotFound.into())
        }
        fn list(&self, _: &str) -> io::Result<Vec<String>> {
            Err(io::ErrorKind::NotFound.into())
        }
        fn link(&self, _: &str) -> io::Result<String> {
            Err(io::ErrorKind::NotFound.into())
        }
        fn real_path(&self, _: &str) -> io::Result<String> {
            Err(io::ErrorKind::NotFound.into())
        }
        fn exists(&self, _: &str) -> bool {
            false
        }
        fn call(&self, _: Call, _: &str) -> io::Result<String> {
            Ok(self.0.to_string())
        }
        fn is_live(&self) -> bool {
            false
        }
    }

    #[test]
    fn an_answer_that_is_none_is_unknown() {
        let cache = |says| (&Says(says) as &dyn Source).nvme_write_cache("nvme0");
        assert_eq!(cache("1 0"), Some(WriteCache { present: true, enabled: Some(false) }));
        assert_eq!(cache("0 -"), Some(WriteCache { present: false, enabled: None }));
        for wrong in ["", "1", "2 1", "yes no"] {
            assert_eq!(cache(wrong), None, "{wrong}");
            assert_eq!((&Says(wrong) as &dyn Source).file_system("/"), None, "{wrong}");
        }
        assert_eq!((&Says("6 -1 9") as &dyn Source).file_system("/"), None);
        for wrong in ["", "1", "2 -1", "yes no"] {
            assert_eq!((&Says(wrong) as &dyn Source).allocation("/"), None, "{wrong}");
        }
    }

    #[test]
    fn every_call_has_a_word_of_its_own() {
        for call in Call::ALL {
            assert_eq!(Call::of_word(call.word()), Some(call));
        }
        assert_eq!(Call::of_word("reboot"), None);
    }
}
