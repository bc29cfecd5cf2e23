//! Servers whose processes wait in the kernel and don't come back.

use std::time::Duration;

use narrows_facts::process;

/// The name of all of PostgreSQL's processes.
const POSTGRES: &str = "postgres";
/// A process that is in the same wait this much later waits for longer than a drive takes.
const LATER: Duration = Duration::from_millis(500);

/// What is said where processes of PostgreSQL on this machine are in a wait that no signal ends, and stay in it; `None` where none is.
pub(super) fn in_the_kernel() -> Option<String> {
    let all: Vec<u32> = process::all()
        .into_iter()
        .filter(|pid| process::name(*pid).as_deref() == Some(POSTGRES))
        .collect();
    let waits = |pid: u32| {
        let state = process::run_state(pid)?;
        state.uninterruptible.then_some(state.waits)
    };
    let before: Vec<(u32, u64)> = all.iter().filter_map(|pid| Some((*pid, waits(*pid)?))).collect();
    if before.is_empty() {
        return None;
    }
    std::thread::sleep(LATER);
    let stuck = before.iter().filter(|(pid, waited)| waits(*pid) == Some(*waited)).count();
    sentence(stuck, all.len())
}

fn sentence(stuck: usize, all: usize) -> Option<String> {
    let are = if stuck == 1 { "is" } else { "are" };
    (stuck > 0).then(|| {
        format!(
            "{stuck} of {all} PostgreSQL processes on this machine {are} in a wait that no signal ends (state D): the storage does not answer\n\
             hint: ps -eo pid,stat,wchan:32,args shows them. /sys/block/DEV/inflight counts requests that the drive does not end (dmesg: resets, timeouts; multipath -ll); with none, the file system is frozen (fsfreeze, a snapshot or a backup of the virtual machine) or its network storage is gone"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_of_all_is_told_and_nothing_of_none() {
        assert_eq!(sentence(0, 12), None);
        let one = sentence(1, 12).unwrap();
        assert!(
            one.starts_with("1 of 12 PostgreSQL processes on this machine is in a wait"),
            "{one}"
        );
        assert!(one.contains("\nhint: ps -eo"), "{one}");
    }
}
