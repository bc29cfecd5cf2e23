//! Where a job runs, and with which I/O priority.

use crate::nodes::{MemoryPolicy, NodeList};

/// Where a job runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placement {
    /// The processors; `None` for all.
    pub cpus: Option<Vec<u32>>,
    /// Each clone on one of them, in turn, instead of each on all.
    pub one_each: bool,
    /// Alignment of buffers in bytes; `None` for narrows' own.
    pub buffer_align_bytes: Option<u64>,
    /// The I/O priority of its threads; `None` where no part of one is given.
    pub priority: Option<IoPriority>,
    /// The NUMA nodes whose processors it may use; they win over `cpus`, as in fio.
    pub cpu_nodes: Option<NodeList>,
    /// On which NUMA nodes its buffers lie; `None` where the process's own policy stays.
    pub memory: Option<MemoryPolicy>,
}

/// An I/O priority as `ioprio_set(2)` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IoPriority {
    /// 1 real-time, 2 best effort, 3 idle; 0 where none is given.
    pub class: u8,
    /// 0 is the highest, 7 the lowest.
    pub level: u8,
    /// What the drive may make of it, 0 to 1023.
    pub hint: u16,
}

impl IoPriority {
    /// In the kernel's form. As in fio, without a class it is best effort.
    pub fn value(self) -> u16 {
        const BEST_EFFORT: u16 = 2;
        let class = if self.class == 0 { BEST_EFFORT } else { self.class.into() };
        (class << 13) | (self.hint << 3) | u16::from(self.level)
    }

    /// Class, level and hint of what is in the kernel's form.
    pub fn parts(value: u16) -> (u16, u16, u16) {
        (value >> 13, value & 7, (value >> 3) & 1023)
    }
}
