//! Processor time, scheduling delay, names and children of processes.
//!
//! Where times come from: `/proc/PID/task/TID/schedstat` counts nanoseconds per thread (Linux
//! `Documentation/scheduler/sched-stats.rst`); `/proc/PID/stat` counts ticks of 10 ms for the whole process and
//! remembers threads that have ended. Both include kernel time on the process's behalf and neither includes
//! interrupts.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::time::ClockId;

use crate::{Live, Source};

/// Times that this process was continued after a stop, or this where nobody counts them.
static CONTINUED: AtomicU64 = AtomicU64::new(NOT_COUNTED);
const NOT_COUNTED: u64 = u64::MAX;

/// Times that this process was continued after a stop (SIGCONT) since [`count_continued`]; `None` where nobody counts them.
pub fn continued() -> Option<u64> {
    let count = CONTINUED.load(Ordering::Relaxed);
    (count != NOT_COUNTED).then_some(count)
}

/// From now on somebody calls [`was_continued`] at each SIGCONT.
pub fn count_continued() {
    let _ = CONTINUED.compare_exchange(NOT_COUNTED, 0, Ordering::Relaxed, Ordering::Relaxed);
}

/// A SIGCONT came; a signal's handler may call it.
pub fn was_continued() {
    let counted = |count| (count != NOT_COUNTED).then(|| count + 1);
    let _ = CONTINUED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
}

/// Processor time of a process, all its threads, ns; `None` if there is no such process.
///
/// Threads that ended are counted only to 10 ms, because only `/proc/PID/stat` remembers them.
pub fn cpu_ns(pid: u32) -> Option<u64> {
    let stat = Stat::read(pid)?;
    let threads = sum_threads(pid).map(|(run, _)| run);
    // One tick is the most by which the coarse counter may lead the fine one without a thread having ended.
    match threads {
        Some(fine) if fine + 2 * tick_ns() >= stat.cpu_ns => Some(fine),
        _ => Some(stat.cpu_ns),
    }
}

/// Time the living threads of a process were runnable and not running, ns; `None` if the process is gone or the
/// kernel keeps no such count.
pub fn run_delay_ns(pid: u32) -> Option<u64> {
    sum_threads(pid).map(|(_, delay)| delay)
}

/// Processor time of a process's children that have ended and were waited for, ns, to 10 ms.
pub fn reaped_children_cpu_ns(pid: u32) -> Option<u64> {
    Stat::read(pid).map(|stat| stat.reaped_ns)
}

/// Processor time of a process's main thread and the time it was runnable and not running, ns: all there is of a process
/// with a single thread, for a third of the cost. `None` if it is gone or the kernel keeps no such count.
pub fn main_thread_ns(pid: u32) -> Option<(u64, u64)> {
    let bytes = Live.read(&format!("/proc/{pid}/schedstat")).ok()?;
    let [run, delay, slices] = parse_schedstat(&String::from_utf8_lossy(&bytes))?;
    (slices > 0).then_some((run, delay))
}

/// Time the calling thread was runnable and not running so far, ns; `None` where the kernel keeps no such count.
pub fn thread_run_delay_ns() -> Option<u64> {
    let bytes = Live.read("/proc/thread-self/schedstat").ok()?;
    let [_, delay, slices] = parse_schedstat(&String::from_utf8_lossy(&bytes))?;
    (slices > 0).then_some(delay)
}

/// How often a process gave its processor up to wait for something, and how often it was taken from it; `None` if it is gone.
/// Of the main thread alone.
pub fn switches(pid: u32) -> Option<(u64, u64)> {
    let status = Status::read(pid)?;
    Some((
        status.number("voluntary_ctxt_switches:")?,
        status.number("nonvoluntary_ctxt_switches:")?,
    ))
}

/// What a process's main thread is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunState {
    /// On a processor, or ready for one; else it waits for something.
    pub runnable: bool,
    /// In a wait that no signal ends (state D): mostly for storage.
    pub uninterruptible: bool,
    /// How often it has given its processor up to wait so far: unchanged between two looks, it did not begin to wait in between.
    pub waits: u64,
}

/// What a process's main thread is at; `None` if it is gone.
pub fn run_state(pid: u32) -> Option<RunState> {
    let status = Status::read(pid)?;
    let state = status.text("State:")?;
    let (runnable, uninterruptible) = (state.starts_with('R'), state.starts_with('D'));
    Some(RunState { runnable, uninterruptible, waits: status.number("voluntary_ctxt_switches:")? })
}

/// When the process began, ns since the machine started, to a clock tick.
pub fn began_ns(pid: u32) -> Option<u64> {
    Stat::read(pid)?.began_ns
}

/// Has this process killed when the one that started it ends, however that ends (prctl(2), `PR_SET_PDEATHSIG`).
pub fn end_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

/// Has sleeps of the calling thread end at most `ns` late (prctl(2), `PR_SET_TIMERSLACK`); 50 µs are usual.
pub fn wake_within_ns(ns: NonZeroU64) {
    let _ = rustix::thread::set_current_timer_slack(Some(ns));
}

/// Whether a process of that number exists, whoever owns it.
pub fn exists(pid: u32) -> bool {
    let asked = number(pid).map(rustix::process::test_kill_process);
    asked.is_some_and(|asked| asked != Err(rustix::io::Errno::SRCH))
}

/// Sends SIGKILL to a process that the caller knows to be the one it means; one that has ended is left in peace.
pub fn kill(pid: u32) {
    if let Some(pid) = number(pid) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

fn number(pid: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)
}

/// Time since the machine started, ns, with the time it was suspended: what [`began_ns`] is counted on.
pub fn since_boot_ns() -> u64 {
    clock_ns(ClockId::Boottime)
}

/// The numbers of a process in the process namespaces it is in, the one seen from here first, its own last (Linux 4.1 and
/// later); empty where it is gone.
pub fn numbers(pid: u32) -> Vec<u32> {
    let source: &dyn Source = &Live;
    let status = source.text(&format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
    line.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

/// The command line, arguments parted by spaces; servers write what they do into it. `None` if the process is gone or hidden.
pub fn title(pid: u32) -> Option<String> {
    let bytes = Live.read(&format!("/proc/{pid}/cmdline")).ok()?;
    Some(String::from_utf8_lossy(&bytes).replace('\0', " ").trim().to_string())
}

/// Bytes that a process had read from drives and written to them (`/proc/PID/io`); `None` where that may not be seen.
pub fn drive_bytes(pid: u32) -> Option<(u64, u64)> {
    let source: &dyn Source = &Live;
    let text = source.text(&format!("/proc/{pid}/io"))?;
    let of = |name: &str| text.lines().find_map(|l| l.strip_prefix(name)?.trim().parse().ok());
    Some((of("read_bytes:")?, of("write_bytes:")?))
}

/// Processes whose parent is `parent`, ascending.
pub fn children(parent: u32) -> Vec<u32> {
    let mut found = match children_listed(parent) {
        Some(listed) => listed,
        None => all_parents()
            .into_iter()
            .filter(|(_, its_parent)| *its_parent == parent)
            .map(|(pid, _)| pid)
            .collect(),
    };
    found.sort_unstable();
    found.dedup();
    found
}

/// A process and all that descend from it, the process first. Empty if it is gone.
pub fn tree(pid: u32) -> Vec<u32> {
    trees(&[pid])
}

/// Several processes and all that descend from them, each once; those that are gone are left out.
pub fn trees(roots: &[u32]) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    for &root in roots {
        if !found.contains(&root) && Live.exists(&format!("/proc/{root}")) {
            found.push(root);
        }
    }
    // Where the kernel doesn't list children, one pass over all processes serves every level of the trees.
    let mut parents: Option<Vec<(u32, u32)>> = None;
    let mut next = 0;
    while next < found.len() {
        let pid = found[next];
        let listed = if parents.is_none() { children_listed(pid) } else { None };
        let below = listed.unwrap_or_else(|| {
            let all = parents.get_or_insert_with(all_parents);
            all.iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| *child).collect()
        });
        found.extend(below.into_iter().filter(|child| !roots.contains(child)));
        next += 1;
    }
    found
}

fn all_parents() -> Vec<(u32, u32)> {
    all().into_iter().filter_map(|pid| Some((pid, parent(pid)?))).collect()
}

/// The process's name as the kernel keeps it, at most 15 bytes.
pub fn name(pid: u32) -> Option<String> {
    let source: &dyn Source = &Live;
    source.text(&format!("/proc/{pid}/comm"))
}

/// The process's parent.
pub fn parent(pid: u32) -> Option<u32> {
    Stat::read(pid).map(|stat| stat.parent)
}

/// All processes that can be seen, ascending.
pub fn all() -> Vec<u32> {
    let mut pids: Vec<u32> = Live
        .list("/proc")
        .unwrap_or_default()
        .iter()
        .filter_map(|name| name.parse().ok())
        .collect();
    pids.sort_unstable();
    pids
}

/// Processor time of this process, user and kernel, all threads living or ended (io_uring workers too), ns.
///
/// The process's CPU clock: the sum `getrusage(2)` rounds to microseconds.
pub fn self_cpu_ns() -> u64 {
    clock_ns(ClockId::ProcessCPUTime)
}

/// Processor time of the calling thread, user and kernel, ns.
pub fn thread_cpu_ns() -> u64 {
    clock_ns(ClockId::ThreadCPUTime)
}

/// Processor time of this process's children that have ended and were waited for, ns.
pub fn self_reaped_children_cpu_ns() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is valid for writing one rusage, and all-zero bytes are one.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

/// The process that listens where this stream was connected to; `None` where it is in another namespace of processes (unix(7), `SO_PEERCRED`).
pub fn listener(stream: &UnixStream) -> Option<u32> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `peer`, which has as many; rustix has no value for a process that is not seen.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            std::ptr::from_mut(&mut peer).cast(),
            &raw mut length,
        )
    };
    u32::try_from(peer.pid).ok().filter(|pid| result == 0 && *pid != 0)
}

/// The user whose rights this process has.
pub(crate) fn euid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether this process acts as root.
pub fn is_root() -> bool {
    euid() == 0
}

/// Length of one clock tick of `/proc` counters, ns; 10 ms on every common Linux.
pub fn tick_ns() -> u64 {
    1_000_000_000 / rustix::param::clock_ticks_per_second().max(1)
}

fn clock_ns(clock: ClockId) -> u64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// `None` where the kernel was built without the list of children.
fn children_listed(parent: u32) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    let mut any = false;
    for thread in Live.list(&format!("/proc/{parent}/task")).unwrap_or_default() {
        match Live.read(&format!("/proc/{parent}/task/{thread}/children")) {
            Ok(bytes) => {
                any = true;
                let text = String::from_utf8_lossy(&bytes);
                found.extend(text.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
            }
            // A thread that ended meanwhile; its children went to a sibling thread.
            Err(_) => continue,
        }
    }
    any.then_some(found)
}

/// (run, delay) of the living threads. `None` if gone, or if the kernel keeps none: it then prints zeros.
fn sum_threads(pid: u32) -> Option<(u64, u64)> {
    let mut sum = (0, 0);
    let mut slices = 0;
    for thread in Live.list(&format!("/proc/{pid}/task")).ok()? {
        let Ok(bytes) = Live.read(&format!("/proc/{pid}/task/{thread}/schedstat")) else {
            continue;
        };
        let [run, delay, count] = parse_schedstat(&String::from_utf8_lossy(&bytes))?;
        sum.0 += run;
        sum.1 += delay;
        slices += count;
    }
    (slices > 0).then_some(sum)
}

fn parse_schedstat(text: &str) -> Option<[u64; 3]> {
    let mut numbers = text.split_whitespace().map(str::parse);
    Some([numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?])
}

/// `/proc/PID/status`.
struct Status(String);

impl Status {
    fn read(pid: u32) -> Option<Status> {
        let source: &dyn Source = &Live;
        source.text(&format!("/proc/{pid}/status")).map(Status)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }
}

/// A line of `/proc/PID/stat`.
pub(crate) struct Stat {
    pub(crate) name: String,
    pub(crate) parent: u32,
    /// Flags of the kernel (`PF_*`).
    pub(crate) flags: u64,
    pub(crate) cpu_ns: u64,
    reaped_ns: u64,
    /// Absent where a kernel leaves the end of the line away.
    pub(crate) nice: Option<i64>,
    pub(crate) began_ns: Option<u64>,
    pub(crate) policy: Option<u64>,
}

impl Stat {
    pub(crate) fn read(pid: u32) -> Option<Stat> {
        let bytes = Live.read(&format!("/proc/{pid}/stat")).ok()?;
        Stat::parse(&String::from_utf8_lossy(&bytes), tick_ns())
    }

    pub(crate) fn parse(text: &str, tick_ns: u64) -> Option<Stat> {
        // The name in parentheses may itself hold spaces and parentheses; the last one ends it.
        let (begin, end) = (text.find('(')?, text.rfind(')')?);
        let fields: Vec<&str> = text.get(end + 1..)?.split_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Stat {
            name: text.get(begin + 1..end)?.to_string(),
            parent: u32::try_from(number(1)?).ok()?,
            flags: number(6)?,
            cpu_ns: (number(11)? + number(12)?) * tick_ns,
            reaped_ns: (number(13)? + number(14)?) * tick_ns,
            nice: fields.get(16).and_then(|nice| nice.parse().ok()),
            began_ns: number(19).map(|ticks| ticks * tick_ns),
            policy: number(38),
        })
    }
}

/// Reads the current exit state without waiting: whether `pid` is a zombie or gone.
///
/// # Errors
/// Only what reading `/proc` itself gives, not that the process is gone.
pub fn has_ended(pid: u32) -> io::Result<bool> {
    match Live.read(&format!("/proc/{pid}/stat")) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let state = text.rfind(')').and_then(|end| text[end + 1..].split_whitespace().next());
            Ok(matches!(state, Some("Z" | "X" | "x")))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burn(ns: u64) {
        let start = thread_cpu_ns();
        while thread_cpu_ns() - start < ns {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn the_last_parenthesis_ends_the_name() {
        let text = "42 (a) b (c) S 7 1 1 0 -1 0 0 0 0 0 100 50 30 20 20 0 1 0 5 6 7";
        let stat = Stat::parse(text, 10).unwrap();
        assert_eq!((stat.parent, stat.cpu_ns, stat.reaped_ns), (7, 1500, 500));
        assert_eq!((stat.name.as_str(), stat.began_ns), ("a) b (c", Some(50)));
        assert!(Stat::parse("42 (a", 10).is_none());
    }

    #[test]
    fn work_shows_in_thread_process_and_proc_alike() {
        let pid = std::process::id();
        let before = (thread_cpu_ns(), self_cpu_ns(), cpu_ns(pid).unwrap());
        burn(60_000_000);
        let after = (thread_cpu_ns(), self_cpu_ns(), cpu_ns(pid).unwrap());
        assert!(after.0 - before.0 >= 60_000_000);
        // Other tests run in the same process, so these can be larger; /proc may lag by a tick.
        assert!(after.1 - before.1 >= 60_000_000);
        assert!(after.2 - before.2 >= 60_000_000 - 2 * tick_ns(), "{before:?} {after:?}");
    }

    #[test]
    fn ended_threads_still_count() {
        std::thread::spawn(|| burn(80_000_000)).join().unwrap();
        let threads = sum_threads(std::process::id()).map_or(0, |(run, _)| run);
        let counted = cpu_ns(std::process::id()).unwrap();
        assert!(counted >= 80_000_000 - 2 * tick_ns() && counted + 2 * tick_ns() >= threads);
    }

    #[test]
    fn a_child_is_found_named_and_accounted() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; sleep 30 & wait"])
            .spawn()
            .unwrap();
        let pid = child.id();
        assert!(children(std::process::id()).contains(&pid));
        assert_eq!(parent(pid), Some(std::process::id()));
        // Until the shell has started its own child.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while tree(pid).len() < 2 && std::time::Instant::now() < deadline {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let family = tree(pid);
        let (comm, cpu, delay) = (name(pid), cpu_ns(pid), run_delay_ns(pid));
        assert!(!has_ended(pid).unwrap());
        for &member in family.iter().rev() {
            kill(member);
        }
        let reaped_before = self_reaped_children_cpu_ns();
        child.wait().unwrap();
        assert_eq!(family.len(), 2, "the shell and its sleep");
        assert!(comm.is_some_and(|comm| comm.ends_with("sh")));
        assert!(cpu.unwrap() > 1_000_000 && delay.is_some());
        assert!(self_reaped_children_cpu_ns() > reaped_before);
        assert!(tree(pid).is_empty() && cpu_ns(pid).is_none() && has_ended(pid).unwrap());
    }

    #[test]
    fn this_process_began_between_the_machine_and_now_and_has_a_number_and_a_title() {
        let pid = std::process::id();
        let began = began_ns(pid).unwrap();
        assert!(began > 0 && began <= since_boot_ns());
        assert_eq!(numbers(pid).first(), Some(&pid));
        assert!(!title(pid).unwrap().is_empty());
        let before = main_thread_ns(pid).unwrap();
        assert!(main_thread_ns(pid).unwrap().0 >= before.0);
        assert!(drive_bytes(pid).is_some() && switches(pid).is_some());
        assert!(main_thread_ns(u32::MAX).is_none() && numbers(u32::MAX).is_empty());
    }

    #[test]
    fn stops_are_counted_only_where_somebody_says_so() {
        assert_eq!(continued(), None);
        was_continued();
        assert_eq!(continued(), None, "unknown is not one");
        count_continued();
        was_continued();
        count_continued();
        assert_eq!(continued(), Some(1));
    }

    #[test]
    fn the_process_clock_is_what_getrusage_sums() {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        let before = self_cpu_ns();
        // SAFETY: `usage` is valid for writing one rusage, and all-zero bytes are one.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
            usage.assume_init()
        };
        let after = self_cpu_ns();
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
        let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
        let ns = seconds as u64 * 1_000_000_000 + micros as u64 * 1000;
        let slack = 5_000_000;
        assert!(ns + slack >= before && ns <= after + slack, "{before} {ns} {after}");
    }

    #[test]
    fn who_waits_is_told_from_who_could_run() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = child.id();
        let asleep = |state: &RunState| !state.runnable && name(pid).as_deref() == Some("sleep");
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        // While it is loaded it sleeps too, for its pages: only what stands still is its own sleep.
        let mut before = None;
        let state = loop {
            match run_state(pid).filter(asleep) {
                Some(state) if before.as_ref() == Some(&state) => break state,
                _ if std::time::Instant::now() > until => panic!("it never slept"),
                state => before = state,
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        assert!(state.waits > 0 && switches(pid).is_some_and(|(waits, _)| waits == state.waits));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(run_state(pid), None);
        assert!(run_state(std::process::id()).is_some());
    }
}
