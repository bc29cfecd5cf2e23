//! On which CPUs several generator threads run, each on one of its own: near the drives, on cores of their own, and not where interrupts
//! that have nowhere else to go take the time.
//!
//! A thread submits from the node it runs on, and most drivers complete on the CPU that submitted: who sends everything from one socket
//! measures that socket's link to the other. One thread alone stays where the scheduler puts it.

use narrows_model::{PciKind, Platform, RolePath};

/// These CPUs in the order in which generator threads take them: not the only CPU that serves a drive's interrupts, on the drives' nodes
/// (in turns, if there are several), one of each core before its siblings.
pub fn generator_cpus(platform: &Platform, allowed: &[u32]) -> Vec<u32> {
    let drives = || platform.roles.iter().flat_map(RolePath::drives);
    let near: Vec<u32> = drives().filter_map(|drive| drive.numa_node).collect();
    let node_of = |cpu: u32| platform.nodes.iter().find(|node| node.cpus.contains(&cpu));
    let alone = lone_interrupt_cpus(platform);
    let sibling = |cpu: u32| {
        let core = platform.cpu.cores_threads.iter().find(|core| core.contains(&cpu));
        core.and_then(|core| core.iter().position(|thread| *thread == cpu)).unwrap_or(0)
    };
    // How many of its node came before it, so that nodes take turns.
    let mut seen = std::collections::BTreeMap::new();
    let mut ranked: Vec<_> = Vec::with_capacity(allowed.len());
    for &cpu in allowed {
        let node = node_of(cpu).map(|node| node.id);
        let far = !near.is_empty() && !node.is_some_and(|node| near.contains(&node));
        let key = (alone.contains(&cpu), far, sibling(cpu));
        let nth = seen.entry((key, node)).or_insert(0u32);
        ranked.push((key, *nth, node, cpu));
        *nth += 1;
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(.., cpu)| cpu).collect()
}

/// CPUs that alone serve the interrupts of a storage controller. Where every CPU has a queue of its own there is none.
fn lone_interrupt_cpus(platform: &Platform) -> Vec<u32> {
    let kinds = [PciKind::Nvme, PciKind::Storage];
    let functions = platform.devices.pci.iter().filter(|function| kinds.contains(&function.kind));
    let served = functions.filter_map(|function| function.interrupts.as_ref());
    served
        .filter(|interrupts| interrupts.count > 0)
        .filter_map(|interrupts| match interrupts.cpus.ids() {
            [cpu] => Some(*cpu),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use narrows_model::{BlockDevice, DeviceKind, Interrupts, NumaNode, PciDevice, Role};

    use super::*;

    /// Two nodes of two cores with two threads each; CPU n and n + 4 are siblings.
    fn machine(drives_at: &[u32]) -> Platform {
        let mut platform = Platform::default();
        let node = |id, cpus: &[u32]| NumaNode { id, cpus: cpus.to_vec(), ..NumaNode::default() };
        platform.nodes = vec![node(0, &[0, 1, 4, 5]), node(1, &[2, 3, 6, 7])];
        platform.cpu.cores_threads = (0..4).map(|core| vec![core, core + 4]).collect();
        let drive = |(number, &node): (usize, &u32)| BlockDevice {
            name: format!("nvme{number}n1"),
            number: String::new(),
            kind: DeviceKind::Disk,
            level: None,
            model: None,
            transport: None,
            size_bytes: None,
            slaves: Vec::new(),
            queue: None,
            numa_node: Some(node),
            pcie: Vec::new(),
        };
        let devices = drives_at.iter().enumerate().map(drive).collect();
        let (path, file_system) = (String::new(), Default::default());
        platform.roles = vec![RolePath { role: Role::Data, path, file_system, devices }];
        platform
    }

    const ALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[test]
    fn the_drives_node_comes_first_and_cores_before_siblings() {
        assert_eq!(generator_cpus(&machine(&[1]), &ALL), [2, 3, 6, 7, 0, 1, 4, 5]);
        assert_eq!(generator_cpus(&machine(&[1]), &[0, 7]), [7, 0], "only what is allowed");
    }

    #[test]
    fn nodes_take_turns_where_both_have_drives_or_nobody_says() {
        assert_eq!(generator_cpus(&machine(&[0, 1]), &ALL), [0, 2, 1, 3, 4, 6, 5, 7]);
        assert_eq!(generator_cpus(&machine(&[]), &ALL), [0, 2, 1, 3, 4, 6, 5, 7]);
    }

    #[test]
    fn the_only_cpu_of_a_controllers_interrupts_comes_last() {
        let mut platform = machine(&[0]);
        let served = |cpus: &[u32]| Interrupts {
            count: 1_000_000,
            cpus: cpus.iter().copied().collect(),
            ..Interrupts::default()
        };
        let mut function = PciDevice::new(PciKind::Storage);
        function.interrupts = Some(served(&[0]));
        platform.devices.pci = vec![function.clone()];
        assert_eq!(generator_cpus(&platform, &ALL), [1, 4, 5, 2, 3, 6, 7, 0]);
        // A queue for each CPU: each serves its own.
        function.interrupts = Some(served(&ALL));
        platform.devices.pci = vec![function];
        assert_eq!(generator_cpus(&platform, &ALL)[0], 0);
    }

    #[test]
    fn each_thread_has_one_of_its_own_and_the_first_again_where_there_are_more() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::write(&path, [0; 4096]).unwrap();
        let region = crate::Region::from(narrows_io::Target::open_read(&path, false).unwrap());
        let access = narrows_io::Access::null();
        let stream = crate::Stream::reads("x", region, 4096, 8, access);
        let stream = crate::Stream { cpus: vec![2, 3, 6], threads: 4, ..stream };
        assert_eq!(stream.cpus_of(1), [2, 3, 6], "as they were named");
        let each = crate::Stream { one_cpu_each: true, ..stream };
        assert_eq!([0, 1, 2, 3].map(|thread| each.cpus_of(thread).to_vec()), [[2], [3], [6], [2]]);
    }

    #[test]
    fn thirty_two_drives_on_two_nodes_get_both_nodes_cores() {
        let drives: Vec<u32> = (0..32).map(|n| n % 2).collect();
        let order = generator_cpus(&machine(&drives), &ALL);
        assert_eq!(order[..4], [0, 2, 1, 3]);
    }
}
