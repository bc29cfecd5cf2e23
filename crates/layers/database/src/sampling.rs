//! Where sessions spend their time, sampled from two sides at once.
//!
//! The server says what each session waits for, the kernel says whether its process sleeps or
//! can run (`/proc/PID/stat`). Neither alone is enough: a session whose request has arrived but whose process
//! still waits for a processor looks idle to the server, so on a busy server "idle" is mostly run queue. The
//! share of *sleeping* samples gives the time blocked; the server's wait events say blocked on what.
//!
//! Looking changes what is seen, and on a small virtual machine by a lot. A thread that wakes on another processor
//! than the server's wakes late (a halted virtual processor takes tens of µs), and meanwhile the server finishes and
//! sleeps: seen here, 43 % runnable where the scheduler's own account said 73 %. Eight processes read in a row are
//! asleep by the eighth. So one process is looked at per waking, from the server's own processors, two milliseconds
//! apart, which costs the server half a percent of one processor. Even so a patient look, which waits for the end of
//! someone's turn, finds too many asleep, and an impatient one, let in early by a short slice, too few. Looks of both
//! kinds take turns: they are the two ends between which the scheduler's own account of the time blocked must lie, and
//! if it doesn't, the nearer end is taken and the sum of the parts misses the measured rate.

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use narrows_engine::{Rng, Stop, Window, now_ns};
use narrows_facts::process;

use crate::kind::{Observer, SessionState};
use crate::load::LoadError;

/// The server is asked at this interval; a query costs it about 0.2 ms, so this is half a percent of one processor.
const ASK_EVERY: Duration = Duration::from_millis(40);
/// Between two looks at one process's state. One at a time: to read eight in a row takes longer than a short
/// operation, holds up the client meanwhile, and finds the later ones asleep for lack of requests.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Of the processes' time, the smallest share asleep that counts as what no wait event names.
const UNNAMED: f64 = 0.05;

/// Slices of the history; about a dozen questions fall into one.
pub(crate) const SLICE_NS: u64 = 500_000_000;

const PATIENT: usize = 0;
const IMPATIENT: usize = 1;

/// What a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// Nothing: it runs, or could.
    None,
    /// A data-file read.
    Read,
    /// The commit log: its own flush or another session's.
    Flush,
    /// A lock or latch.
    Lock,
    /// The client.
    Client,
    /// Anything else.
    Other,
}

/// What was seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sampled {
    /// Processes found running or ready to, by patient and by impatient looks.
    pub runnable: [u64; 2],
    /// Processes found sleeping, likewise.
    pub blocked: [u64; 2],
    /// Sessions by what the server said they wait for.
    pub waits: BTreeMap<Wait, u64>,
    /// The same by the server's own names, `IO:DataFileRead`.
    pub events: BTreeMap<String, u64>,
    /// Most parallel workers seen at once.
    pub most_workers: u64,
    /// The same answers slice by slice from the window's start.
    pub history: Vec<Moment>,
    /// Whether the kernel granted a short slice to impatient looks.
    pub impatient: bool,
    /// CPU time of the sampler itself, on the server's CPUs, ns.
    pub own_cpu_ns: u64,
}

/// The answers of one slice.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moment {
    /// Questions answered.
    pub asked: u64,
    /// Sessions and parallel workers by what the server said they wait for, over all of them.
    pub waits: BTreeMap<Wait, u64>,
}

impl Sampled {
    /// Sessions asked about, over all samples.
    pub fn asked(&self) -> u64 {
        self.waits.values().sum()
    }

    /// Share of time blocked, by the kernel's word, as patient and as impatient looks have it; `None` without samples
    /// of both.
    pub fn blocked_shares(&self) -> Option<[f64; 2]> {
        let share = |kind: usize| {
            let all = self.runnable[kind] + self.blocked[kind];
            (all > 0).then(|| self.blocked[kind] as f64 / all as f64)
        };
        Some([share(PATIENT)?, share(IMPATIENT)?])
    }

    /// How far apart the two ends are, with what so few looks leave open at each (95 %, binomial), as a share of the processes' time; `None`
    /// without samples of both, and where an impatient look is none, so that both are one look and their distance is chance.
    pub fn width(&self) -> Option<f64> {
        let [patient, impatient] = self.blocked_shares().filter(|_| self.impatient)?;
        let doubt = |kind: usize, share: f64| {
            let looks = (self.runnable[kind] + self.blocked[kind]) as f64;
            1.96 * (share * (1.0 - share) / looks).sqrt()
        };
        let chance = doubt(PATIENT, patient).hypot(doubt(IMPATIENT, impatient));
        Some(((patient - impatient).abs() + chance).min(1.0))
    }

    /// Share of time blocked: what the scheduler's account leaves, if the looks admit it, else the nearer end.
    pub fn blocked_share(&self, by_scheduler: f64) -> Option<f64> {
        let [patient, impatient] = self.blocked_shares()?;
        Some(by_scheduler.clamp(impatient.min(patient), impatient.max(patient)))
    }

    /// Of the time blocked, the share blocked on this, by the server's word.
    pub fn share_of_blocked(&self, wait: Wait) -> Option<f64> {
        let waiting: u64 =
            self.waits.iter().filter(|(kind, _)| **kind != Wait::None).map(|(_, n)| n).sum();
        let these = self.waits.get(&wait).copied().unwrap_or(0);
        (waiting > 0 && wait != Wait::None).then(|| these as f64 / waiting as f64)
    }

    /// Of the time blocked, the shares by what it was blocked on; none without a session that waited. A woken process shows its wait until it
    /// runs, so the server names at least as many waiting as the kernel finds blocked. Where it names fewer, by more than so few answers
    /// leave open (95 %, binomial) and by [`UNNAMED`], the rest is [`Wait::Other`]: processes asleep in what no wait event names.
    pub(crate) fn shares_of_blocked(&self, blocked: f64) -> BTreeMap<Wait, f64> {
        let waits = [Wait::Read, Wait::Flush, Wait::Lock, Wait::Client, Wait::Other];
        let share = |wait: Wait| self.share_of_blocked(wait).filter(|share| *share > 0.0);
        let mut shares: BTreeMap<Wait, f64> =
            waits.into_iter().filter_map(|wait| Some((wait, share(wait)?))).collect();
        let asked = self.asked() as f64;
        let running = self.waits.get(&Wait::None).copied().unwrap_or(0) as f64;
        if asked == 0.0 {
            return shares;
        }
        let named = 1.0 - running / asked;
        let doubt = 1.96 * (named * (1.0 - named) / asked).sqrt();
        let unnamed = blocked - named;
        if unnamed > doubt.max(UNNAMED) {
            shares.values_mut().for_each(|share| *share *= named / blocked);
            *shares.entry(Wait::Other).or_default() += unnamed / blocked;
        }
        shares
    }

    /// Sessions and their parallel workers that waited so, in each slice on average; `None` where a slice has no answer, as when
    /// the server stood still: then there is no history without gaps.
    pub fn over_time(&self, wait: Wait) -> Option<Vec<f64>> {
        let mean = |moment: &Moment| {
            let found = moment.waits.get(&wait).copied().unwrap_or(0);
            (moment.asked > 0).then(|| found as f64 / moment.asked as f64)
        };
        self.history.iter().map(mean).collect()
    }

    /// Adds another window's samples, without its history.
    pub fn merge(&mut self, other: &Sampled) {
        for kind in [PATIENT, IMPATIENT] {
            self.runnable[kind] += other.runnable[kind];
            self.blocked[kind] += other.blocked[kind];
        }
        for (wait, n) in &other.waits {
            *self.waits.entry(*wait).or_default() += n;
        }
        for (event, n) in &other.events {
            *self.events.entry(event.clone()).or_default() += n;
        }
        self.most_workers = self.most_workers.max(other.most_workers);
        self.impatient |= other.impatient;
    }

    /// Adds an answer, that long after the window's start.
    fn take(&mut self, answer: &[SessionState], since_ns: u64) {
        let slice = (since_ns / SLICE_NS) as usize;
        if self.history.len() <= slice {
            self.history.resize_with(slice + 1, Moment::default);
        }
        self.history[slice].asked += 1;
        for SessionState { wait, name, .. } in answer {
            *self.waits.entry(*wait).or_default() += 1;
            *self.history[slice].waits.entry(*wait).or_default() += 1;
            *self.events.entry(name.clone()).or_default() += 1;
        }
        let workers = answer.iter().filter(|standing| standing.worker).count();
        self.most_workers = self.most_workers.max(workers as u64);
    }
}

/// Which processes' states can be looked at.
#[derive(Debug, Clone, Copy)]
pub enum Processes<'a> {
    /// These, for the whole window.
    Fixed(&'a [u32]),
    /// Those that the server named last: a scan's workers come and go.
    Named,
    /// None: the server is elsewhere.
    Hidden,
}

/// Samples until the window ends or `until` says so, on `cpus`.
pub(crate) fn sample(
    observer: &mut dyn Observer,
    processes: Processes<'_>,
    cpus: &[u32],
    window: &Window,
    stop: &Stop,
    until: impl Fn() -> bool,
) -> Result<Sampled, LoadError> {
    let place = CpuPinning::take(cpus);
    let began_ns = process::thread_cpu_ns();
    let mut sampled = Sampled::default();
    let mut looks = Looks::default();
    let mut rng = Rng::new(window.start_ns);
    let mut next_ask = Instant::now();
    if let Processes::Fixed(pids) = processes {
        looks.at(pids);
    }
    while now_ns() < window.end_ns && !until() {
        stop.check()?;
        if Instant::now() >= next_ask {
            let answer = observer.activity()?;
            sampled.take(&answer, now_ns().saturating_sub(window.start_ns));
            if let Processes::Named = processes {
                let named: Vec<u32> = answer.iter().filter_map(|standing| standing.pid).collect();
                looks.at(&named);
            }
            // A fixed interval could beat with the load; half to one and a half of it can't.
            next_ask = Instant::now() + ASK_EVERY.mul_f64(0.5 + rng.unit_f64());
        }
        let kind = (rng.next_u64() & 1) as usize;
        sampled.impatient |= short_slice(kind == IMPATIENT);
        let left = Duration::from_nanos(window.end_ns.saturating_sub(now_ns()));
        std::thread::sleep(LOOK_EVERY.mul_f64(0.5 + rng.unit_f64()).min(left));
        match looks.at_one(&mut rng) {
            Some('R') => sampled.runnable[kind] += 1,
            Some('S' | 'D' | 'I') => sampled.blocked[kind] += 1,
            _ => {}
        }
    }
    if place.is_there {
        sampled.own_cpu_ns = process::thread_cpu_ns().saturating_sub(began_ns);
    }
    Ok(sampled)
}

/// Open state files of the processes that are looked at.
#[derive(Default)]
struct Looks {
    files: Vec<(u32, std::fs::File)>,
}

impl Looks {
    /// Looks at these from now on.
    fn at(&mut self, pids: &[u32]) {
        self.files.retain(|(pid, _)| pids.contains(pid));
        for pid in pids {
            if !self.files.iter().any(|(known, _)| known == pid)
                && let Ok(file) = std::fs::File::open(format!("/proc/{pid}/stat"))
            {
                self.files.push((*pid, file));
            }
        }
    }

    /// The state letter of one of them, drawn at random: `R` runs or could, `S` and `D` sleep (proc(5)).
    fn at_one(&self, rng: &mut Rng) -> Option<char> {
        if self.files.is_empty() {
            return None;
        }
        let (_, file) = &self.files[rng.below(self.files.len() as u64) as usize];
        let mut buffer = [0u8; 128];
        let n = file.read_at(&mut buffer, 0).ok()?;
        state_letter(&buffer[..n])
    }
}

/// The name may hold spaces and parentheses; the state follows the last closing one.
fn state_letter(stat: &[u8]) -> Option<char> {
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    stat.get(end + 2).map(|&byte| byte as char)
}

/// Processors of this thread for the time of sampling.
struct CpuPinning {
    before: Vec<u32>,
    /// Whether it was granted.
    is_there: bool,
}

impl CpuPinning {
    fn take(cpus: &[u32]) -> CpuPinning {
        let before = narrows_facts::affinity::current();
        // Where it is refused, the shares are what they are: the sum will say so.
        let is_there = !cpus.is_empty() && narrows_facts::affinity::pin(cpus).is_ok();
        CpuPinning { before, is_there }
    }
}

impl Drop for CpuPinning {
    fn drop(&mut self) {
        short_slice(false);
        let _ = narrows_facts::affinity::pin(&self.before);
    }
}

/// Asks for the shortest slice (0.1 ms), which lets a thread that has slept in before one with a longer slice
/// (sched_setattr(2); Linux 6.12; no right needed). Older kernels take the call and ignore it, so they are asked what they made of it: whether
/// it was granted.
fn short_slice(on: bool) -> bool {
    let size = size_of::<SchedulingAttributes>() as u32;
    let runtime_ns = if on { SHORTEST_SLICE_NS } else { 0 };
    let mut attributes = SchedulingAttributes { size, runtime_ns, ..Default::default() };
    // SAFETY: the structure is of the size it states and lives through the call; 0 is this thread.
    let set = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    attributes.runtime_ns = 0;
    // SAFETY: as above, and so many bytes are written at most.
    let got = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    on && set == 0 && got == 0 && attributes.runtime_ns == SHORTEST_SLICE_NS
}

const SHORTEST_SLICE_NS: u64 = 100_000;

/// `struct sched_attr`.
#[repr(C)]
#[derive(Default)]
struct SchedulingAttributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::counters::Counters;
    use crate::kind::KindError;

    #[test]
    fn the_state_is_found_behind_any_name() {
        assert_eq!(state_letter(b"12 (a) S (b)) R 1 1"), Some('R'));
        assert_eq!(state_letter(b"12 (postgres) D 1"), Some('D'));
        assert_eq!(state_letter(b""), None);
        let mut looks = Looks::default();
        looks.at(&[std::process::id()]);
        // The main thread may sleep while a test thread looks.
        assert!(matches!(looks.at_one(&mut Rng::new(1)), Some('R' | 'S')));
        looks.at(&[]);
        assert_eq!(looks.at_one(&mut Rng::new(1)), None);
    }

    fn stands(wait: Wait) -> SessionState {
        SessionState { wait, name: format!("{wait:?}"), pid: Some(1), worker: false }
    }

    #[test]
    fn the_history_has_a_mean_of_each_slice_or_none() {
        let (flush, read) = (stands(Wait::Flush), stands(Wait::Read));
        let mut sampled = Sampled::default();
        sampled.take(&[flush.clone(), read.clone()], 0);
        sampled.take(&[flush.clone(), flush.clone()], SLICE_NS - 1);
        sampled.take(std::slice::from_ref(&read), SLICE_NS);
        assert_eq!(sampled.over_time(Wait::Flush), Some(vec![1.5, 0.0]));
        assert_eq!(sampled.over_time(Wait::Read), Some(vec![0.5, 1.0]));
        assert_eq!(sampled.over_time(Wait::Lock), Some(vec![0.0, 0.0]));
        // The third slice had no answer.
        sampled.take(&[read], 3 * SLICE_NS);
        assert_eq!(sampled.over_time(Wait::Read), None);
        assert_eq!(sampled.asked(), 6);
    }

    /// Says the same each time, and at the last is gone.
    struct ScriptedObserver<'a> {
        answer: Vec<SessionState>,
        asked: &'a Cell<u32>,
        last: u32,
    }

    impl Observer for ScriptedObserver<'_> {
        fn counters(&mut self) -> Result<Counters, KindError> {
            Ok(Counters::default())
        }

        fn settle(&mut self) -> Result<(), KindError> {
            Ok(())
        }

        fn activity(&mut self) -> Result<Vec<SessionState>, KindError> {
            self.asked.set(self.asked.get() + 1);
            if self.asked.get() == self.last {
                return Err("the end".into());
            }
            Ok(self.answer.clone())
        }
    }

    #[test]
    fn answers_add_up_and_the_processes_they_name_are_looked_at_until_somebody_says_so() {
        let mut asleep = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        // Not while it is still being started.
        let stat = format!("/proc/{}/stat", asleep.id());
        while !std::fs::read_to_string(&stat).unwrap().contains("(sleep) S ") {
            std::thread::yield_now();
        }
        let worker = SessionState { worker: true, pid: Some(asleep.id()), ..stands(Wait::Read) };
        let lock = SessionState { pid: None, ..stands(Wait::Lock) };
        let answer = vec![worker.clone(), worker, lock];
        let window = Window { start_ns: now_ns(), end_ns: u64::MAX };
        let asked = Cell::new(0);
        let sampled = |last, until: u32| {
            asked.set(0);
            let mut told = ScriptedObserver { answer: answer.clone(), asked: &asked, last };
            let enough = || asked.get() == until;
            sample(&mut told, Processes::Named, &[], &window, &Stop::new(), enough)
        };
        let seen = sampled(9, 4);
        let gone = sampled(2, 9);
        asleep.kill().unwrap();
        asleep.wait().unwrap();
        let seen = seen.unwrap();
        assert_eq!((seen.asked(), seen.most_workers), (4 * 3, 2));
        assert_eq!((seen.waits[&Wait::Read], seen.events["Lock"]), (8, 4));
        assert_eq!(seen.runnable, [0, 0]);
        assert!(seen.blocked.iter().sum::<u64>() > 4, "{:?}", seen.blocked);
        assert!(gone.unwrap_err().to_string().contains("the end"));
    }

    #[test]
    fn the_check_is_as_wide_as_its_two_ends_and_its_looks_leave_it() {
        let mut sampled =
            Sampled { runnable: [200, 500], blocked: [800, 500], ..Sampled::default() };
        assert_eq!(sampled.width(), None, "before Linux 6.12 both ends are one look");
        sampled.impatient = true;
        // 0.8 and 0.5, each by a thousand looks.
        let chance = (0.16f64 / 1000.0 + 0.25 / 1000.0).sqrt() * 1.96;
        assert!((sampled.width().unwrap() - (0.3 + chance)).abs() < 1e-12);
        let few = Sampled { runnable: [1, 1], blocked: [1, 1], ..sampled.clone() };
        assert!(few.width().unwrap() > 0.9, "four looks check nothing");
        assert_eq!(Sampled { impatient: true, ..Sampled::default() }.width(), None);
    }

    #[test]
    fn an_impatient_look_is_one_where_the_kernel_says_so() {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        assert!(!short_slice(false), "a patient one never is");
        // Distributions carry it back to older ones.
        assert!(short_slice(true) || version < (6, 12), "{release}");
        short_slice(false);
    }

    #[test]
    fn shares_are_of_what_was_blocked() {
        let mut sampled = Sampled { runnable: [20, 30], blocked: [80, 70], ..Sampled::default() };
        sampled.waits.insert(Wait::None, 10);
        sampled.waits.insert(Wait::Flush, 30);
        sampled.waits.insert(Wait::Client, 10);
        assert_eq!(sampled.blocked_share(0.75), Some(0.75));
        assert_eq!(sampled.blocked_share(0.95), Some(0.8));
        assert_eq!(sampled.blocked_share(0.10), Some(0.7));
        assert_eq!(sampled.share_of_blocked(Wait::Flush), Some(0.75));
        let shares = sampled.shares_of_blocked(0.1);
        assert_eq!((shares[&Wait::Flush], shares.get(&Wait::Other)), (0.75, None));
        assert_eq!(sampled.share_of_blocked(Wait::Read), Some(0.0));
        assert_eq!(Sampled::default().blocked_share(0.5), None);
    }

    #[test]
    fn who_sleeps_without_a_wait_event_is_not_the_clients() {
        let mut sampled = Sampled::default();
        sampled.waits.insert(Wait::None, 700);
        sampled.waits.insert(Wait::Client, 300);
        // The kernel finds four of five asleep, and the server names three of ten.
        let shares = sampled.shares_of_blocked(0.8);
        assert!((shares[&Wait::Client] - 0.375).abs() < 1e-12, "{shares:?}");
        assert!((shares[&Wait::Other] - 0.625).abs() < 1e-12, "{shares:?}");
        // As many as it names, or as many more as so many answers leave open.
        for blocked in [0.1, 0.3, 0.34] {
            let shares = sampled.shares_of_blocked(blocked);
            assert_eq!(shares, BTreeMap::from([(Wait::Client, 1.0)]), "{blocked}");
        }
        assert_eq!(Sampled::default().shares_of_blocked(0.8), BTreeMap::new());
    }
}
