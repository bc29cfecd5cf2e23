//! CPU time of the kernel's own threads: they write back, journal, encrypt and compress what others asked for.
//!
//! A look at them falls into the window that it is about, and on a machine of hundreds of CPUs there are thousands: so each costs
//! one small file (`schedstat` of its only thread), the list one more, and those that never work for storage, some for every CPU,
//! are not read at all.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use narrows_facts::process;

/// The parent of all kernel threads, where it is visible.
pub(crate) const KTHREADD: u32 = 2;
/// Beginnings of the names of threads that every CPU has and that do nothing for I/O: scheduling, hot-plug, read-copy-update's
/// callbacks, power capping.
const NEVER_STORAGE: [&str; 6] =
    ["migration/", "cpuhp/", "idle_inject/", "watchdog/", "rcu", "irq_work/"];

/// The kernel's threads, and which of them are worth a look.
#[derive(Debug, Default)]
pub(crate) struct KernelThreads {
    /// By number: whether it may work for storage.
    known: Mutex<HashMap<u32, bool>>,
}

impl KernelThreads {
    /// Their CPU time since each of them began, ns. One that ends takes its time with it: differences can be negative.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.sum(&process::children(KTHREADD), process::name, |pid| {
            process::main_thread_ns(pid).map(|(run_ns, _)| run_ns).or_else(|| process::cpu_ns(pid))
        })
    }

    fn sum(
        &self,
        threads: &[u32],
        name: impl Fn(u32) -> Option<String>,
        cpu_ns: impl Fn(u32) -> Option<u64>,
    ) -> u64 {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts = |pid: u32| {
            *known
                .entry(pid)
                .or_insert_with(|| name(pid).is_none_or(|name| may_work_for_storage(&name)))
        };
        threads.iter().filter(|pid| counts(**pid)).filter_map(|pid| cpu_ns(*pid)).sum()
    }
}

fn may_work_for_storage(name: &str) -> bool {
    !NEVER_STORAGE.iter().any(|begin| name.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn threads_of_the_scheduler_are_not_read_and_names_are_asked_for_once() {
        let names =
            ["migration/479", "kworker/7:1H-kblockd", "kcryptd/253:0", "rcuop/12", "jbd2/dm-0-8"];
        let asked = RefCell::new(0);
        let name = |pid: u32| {
            *asked.borrow_mut() += 1;
            names.get(pid as usize).map(|name| (*name).to_string())
        };
        let read = RefCell::new(Vec::new());
        let cpu_ns = |pid: u32| {
            read.borrow_mut().push(pid);
            Some(u64::from(pid) * 10)
        };
        let threads = KernelThreads::default();
        assert_eq!(threads.sum(&[0, 1, 2, 3, 4], name, cpu_ns), 70);
        assert_eq!(threads.sum(&[0, 1, 2, 3, 4], name, cpu_ns), 70);
        assert_eq!(*read.borrow(), [1, 2, 4, 1, 2, 4]);
        assert_eq!(*asked.borrow(), 5);
        // One whose name can't be had is counted: it may be anything.
        assert_eq!(threads.sum(&[9], name, cpu_ns), 90);
    }
}
