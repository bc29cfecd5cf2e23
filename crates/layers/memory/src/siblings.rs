//! Which CPUs share a core, of those that the server has.
//!
//! What the kernel was told is believed: under a hypervisor siblings may be invented or hidden, which the book explains.

use narrows_model::{Platform, Unknown};

use crate::smt::ID;

/// The CPUs to measure on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Siblings {
    /// All of the server's CPUs on one core, two or more.
    Core(Vec<u32>),
    /// Every core has one CPU: there is no yield, and nothing unknown.
    None,
    /// There may be a yield, and it can't be measured here.
    Unknown(Unknown),
}

/// Chooses the core: of the server's, the last that has several CPUs, because the first cores take most interrupts.
pub fn siblings(platform: &Platform, server_cpus: &[u32]) -> Siblings {
    let cpu = &platform.cpu;
    let unknown = |what: &str, needs: &str| {
        Siblings::Unknown(Unknown { what: format!("{ID}: {what}"), needs: needs.to_string() })
    };
    if cpu.cores_threads.is_empty() || cpu.smt_active.is_none() {
        let needs = "/sys/devices/system/cpu/cpu*/topology";
        return unknown("which CPUs share a core is unknown", needs);
    }
    let ours = |core: &Vec<u32>| {
        let usable = |id: &u32| server_cpus.contains(id) && cpu.allowed.contains(id);
        core.iter().copied().filter(usable).collect::<Vec<u32>>()
    };
    match cpu.cores_threads.iter().map(ours).rfind(|core| core.len() > 1) {
        Some(core) => Siblings::Core(core),
        None if cpu.cores_threads.iter().all(|core| core.len() == 1) => Siblings::None,
        None => unknown(
            "the server has no two CPUs of one core",
            "a cpuset or affinity with whole cores",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(cores: &[&[u32]], smt_active: Option<bool>, allowed: &[u32]) -> Platform {
        let mut platform = Platform::default();
        platform.cpu.cores_threads = cores.iter().map(|core| core.to_vec()).collect();
        platform.cpu.smt_active = smt_active;
        platform.cpu.allowed = allowed.to_vec();
        platform
    }

    #[test]
    fn the_core_is_one_of_the_servers_with_all_its_cpus() {
        let two =
            machine(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]], Some(true), &[0, 1, 2, 3, 4, 5, 6, 7]);
        // The last core is the client's.
        assert_eq!(siblings(&two, &[0, 1, 2, 4, 5, 6]), Siblings::Core(vec![2, 6]));
        // Of the others one CPU alone.
        assert_eq!(siblings(&two, &[0, 1, 2, 4]), Siblings::Core(vec![0, 4]));
        let four = machine(&[&[0, 1, 2, 3], &[4, 5, 6, 7]], Some(true), &[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(siblings(&four, &[0, 1, 2, 3]), Siblings::Core(vec![0, 1, 2, 3]));
    }

    #[test]
    fn without_smt_nothing_is_unknown_and_without_siblings_something_is() {
        let says = |siblings: Siblings| match siblings {
            Siblings::Unknown(unknown) => unknown.what,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            siblings(&machine(&[&[0], &[1]], Some(false), &[0, 1]), &[0, 1]),
            Siblings::None
        );
        let apart = siblings(&machine(&[&[0, 2], &[1, 3]], Some(true), &[0, 1, 2, 3]), &[0, 1]);
        assert!(says(apart).contains("no two CPUs of one core"));
        // Both are the server's by name, but only one may be used.
        let forbidden = siblings(&machine(&[&[0, 2], &[1, 3]], Some(true), &[0, 1]), &[0, 1, 2, 3]);
        assert!(says(forbidden).contains("no two CPUs of one core"));
        let hidden = siblings(&machine(&[&[0], &[1]], None, &[0, 1]), &[0, 1]);
        assert!(says(hidden).contains("unknown"));
        assert!(says(siblings(&machine(&[], None, &[]), &[])).contains("unknown"));
    }
}
