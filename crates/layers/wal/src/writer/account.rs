//! What a window of commits showed. Pure: records in, figures out.

use narrows_engine::rate_search::{Backlog, Goal, RateSeen};
use narrows_engine::{Samples, held_quantile, record_latency};
use narrows_model::metric;
use narrows_stats::{Recorder, Slice};

use super::law::{closed_law, open_law};
use super::log::Flushed;

/// Slices of a window.
const SLICES: u64 = 40;

/// One commit as it went; times are those of [`narrows_engine::now_ns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit {
    /// When it was due; in a closed loop the moment it was queued.
    pub due_ns: u64,
    /// When it was queued.
    pub queued_ns: u64,
    /// The end of its record.
    pub position: u64,
    /// When its session ran again.
    pub woken_ns: u64,
}

/// How commits came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Came {
    /// So many sessions, each again at once.
    Closed(u32),
    /// So many sessions that work between their commits; a commit is due when the session's last one has returned.
    Working(u32),
    /// So many due per second, by so many sessions at most at a time; by a Poisson process or not.
    Open { rate_per_s: f64, sessions: u32, poisson: bool },
}

/// A window: what was recorded in it and around it.
#[derive(Debug, Clone)]
pub struct Went {
    pub came: Came,
    pub start_ns: u64,
    pub end_ns: u64,
    /// Commits, warm-up and stragglers too.
    pub commits: Vec<Commit>,
    /// Commits that were due in the window and never sent, by when they were due.
    pub unsent_ns: Vec<u64>,
    /// When the last session gave up sending.
    pub ended_ns: u64,
    /// Flushes in their order.
    pub flushes: Vec<Flushed>,
    /// Processor time of this process in the window, ns.
    pub cpu_ns: f64,
}

/// The figures of a window.
#[derive(Debug, Clone)]
pub struct Account {
    pub came: Came,
    pub length_ns: u64,
    /// Commits completed in the window.
    pub completed: u64,
    /// Waits from when a commit was due, of all that belong to the window.
    pub wait: Recorder,
    /// Waits from when it was queued: *log file sync*.
    pub sync: Recorder,
    /// Of these parts the means, ns: until the flush began, and from its return until the session ran.
    pub queued_mean_ns: Option<f64>,
    pub woken_mean_ns: Option<f64>,
    /// *log file parallel write*: write and flush.
    pub parallel_write: Recorder,
    pub flush_lengths_ns: Vec<u64>,
    /// The flush without its write, where that is known.
    pub flush_alone: Recorder,
    pub flush_bytes: u64,
    pub flush_commits: u64,
    /// From when a commit was due until it was sent, of those for which a session was free.
    pub lateness: Recorder,
    /// Waits without that.
    pub on_time: Recorder,
    pub due: u64,
    pub sent: u64,
    /// Commits of an open loop that had to wait for a session.
    pub held: u64,
    pub cpu_ns: f64,
    waiting_by_slice: Vec<u64>,
    due_in_slices: Vec<(u64, u64)>,
    over_by_slice: Vec<Vec<u64>>,
}

impl Went {
    fn contains(&self, at_ns: u64) -> bool {
        (self.start_ns..self.end_ns).contains(&at_ns)
    }

    /// Whether a commit belongs to the window: in an open loop those that were due in it, in a closed one those that
    /// completed.
    fn own(&self, commit: &Commit) -> bool {
        match self.came {
            Came::Open { .. } => self.contains(commit.due_ns),
            Came::Closed(_) | Came::Working(_) => self.contains(commit.woken_ns),
        }
    }

    /// The figures.
    pub fn account(&self) -> Account {
        let length_ns = self.end_ns.saturating_sub(self.start_ns).max(1);
        let mut account = Account {
            came: self.came,
            length_ns,
            completed: 0,
            wait: Recorder::new(),
            sync: Recorder::new(),
            queued_mean_ns: None,
            woken_mean_ns: None,
            parallel_write: Recorder::new(),
            flush_lengths_ns: Vec::new(),
            flush_alone: Recorder::new(),
            flush_bytes: 0,
            flush_commits: 0,
            lateness: Recorder::new(),
            on_time: Recorder::new(),
            due: self.unsent_ns.len() as u64,
            sent: 0,
            held: 0,
            cpu_ns: self.cpu_ns,
            waiting_by_slice: Vec::new(),
            due_in_slices: vec![(0, 0); SLICES as usize],
            over_by_slice: vec![Vec::new(); SLICES as usize],
        };
        self.commits_into(&mut account);
        self.flushes_into(&mut account);
        if let Came::Open { .. } = self.came {
            // What was never sent found none either.
            account.held += self.unsent_ns.len() as u64;
            account.waiting_by_slice = self.waiting_by_slice(length_ns);
        }
        account
    }

    fn commits_into(&self, account: &mut Account) {
        let (mut queued, mut woken, mut parts) = (0.0, 0.0, 0u64);
        let under_way = UnderWay::of(&self.commits);
        let found_none = |due_ns: u64| match self.came {
            Came::Open { sessions, .. } => under_way.at(due_ns) >= u64::from(sessions),
            Came::Closed(_) | Came::Working(_) => false,
        };
        for commit in &self.commits {
            account.completed += u64::from(self.contains(commit.woken_ns));
            account.sent += u64::from(self.contains(commit.queued_ns));
            if !self.own(commit) {
                continue;
            }
            let wait_ns = commit.woken_ns - commit.due_ns;
            account.wait.record(wait_ns);
            account.sync.record(commit.woken_ns - commit.queued_ns);
            // Who found no session was late for lack of one.
            if found_none(commit.due_ns) {
                account.held += 1;
                account.on_time.record(wait_ns);
            } else {
                account.lateness.record(commit.queued_ns - commit.due_ns);
                account.on_time.record(commit.woken_ns - commit.queued_ns);
            }
            account.due += 1;
            self.slice(account, commit.due_ns, wait_ns);
            let at = self.flushes.partition_point(|flush| flush.batch.to < commit.position);
            if let Some(flush) = self.flushes.get(at) {
                queued += flush.begun_ns.saturating_sub(commit.queued_ns) as f64;
                woken += commit.woken_ns.saturating_sub(flush.durable_ns) as f64;
                parts += 1;
            }
        }
        // Those that were never sent waited at least until everybody gave up.
        for due_ns in &self.unsent_ns {
            let wait_ns = self.ended_ns.saturating_sub(*due_ns);
            account.wait.record(wait_ns);
            account.on_time.record(wait_ns);
            self.slice(account, *due_ns, wait_ns);
        }
        if parts > 0 {
            account.queued_mean_ns = Some(queued / parts as f64);
            account.woken_mean_ns = Some(woken / parts as f64);
        }
    }

    fn slice(&self, account: &mut Account, due_ns: u64, wait_ns: u64) {
        let at = due_ns.saturating_sub(self.start_ns) * SLICES / account.length_ns;
        let at = (at as usize).min(SLICES as usize - 1);
        account.due_in_slices[at].0 += 1;
        account.over_by_slice[at].push(wait_ns);
    }

    fn flushes_into(&self, account: &mut Account) {
        for flush in self.flushes.iter().filter(|flush| self.contains(flush.durable_ns)) {
            let ns = flush.durable_ns - flush.begun_ns;
            account.parallel_write.record(ns);
            account.flush_lengths_ns.push(ns);
            if let Some(ns) = flush.flush_ns {
                account.flush_alone.record(ns);
            }
            account.flush_bytes += flush.bytes;
            account.flush_commits += flush.batch.commits;
        }
    }

    /// Commits due and not completed at the end of each slice.
    fn waiting_by_slice(&self, length_ns: u64) -> Vec<u64> {
        let mut due: Vec<u64> = self.commits.iter().map(|c| c.due_ns).collect();
        due.extend(&self.unsent_ns);
        let mut woken: Vec<u64> = self.commits.iter().map(|c| c.woken_ns).collect();
        due.sort_unstable();
        woken.sort_unstable();
        (1..=SLICES)
            .map(|slice| {
                let at_ns = self.start_ns + length_ns * slice / SLICES;
                let before = |times: &[u64]| times.partition_point(|ns| *ns < at_ns) as u64;
                before(&due).saturating_sub(before(&woken))
            })
            .collect()
    }
}

/// When commits were under way.
struct UnderWay {
    sent_ns: Vec<u64>,
    woken_ns: Vec<u64>,
}

impl UnderWay {
    fn of(commits: &[Commit]) -> UnderWay {
        let mut sent_ns: Vec<u64> = commits.iter().map(|c| c.queued_ns).collect();
        let mut woken_ns: Vec<u64> = commits.iter().map(|c| c.woken_ns).collect();
        sent_ns.sort_unstable();
        woken_ns.sort_unstable();
        UnderWay { sent_ns, woken_ns }
    }

    /// How many at that time.
    fn at(&self, ns: u64) -> u64 {
        let sent = self.sent_ns.partition_point(|at| *at < ns);
        sent.saturating_sub(self.woken_ns.partition_point(|at| *at <= ns)) as u64
    }
}

impl Account {
    /// Commits completed per second.
    pub fn rate_per_s(&self) -> f64 {
        self.per_s(self.completed)
    }

    fn per_s(&self, count: u64) -> f64 {
        count as f64 * 1e9 / self.length_ns as f64
    }

    /// What the search judges.
    pub fn rate_seen(&self, goal: &Goal, usable: bool) -> RateSeen {
        let slices = self
            .over_by_slice
            .iter()
            .map(|waits| Slice {
                operations: waits.len() as u64,
                over: waits.iter().filter(|ns| **ns > goal.limit_ns).count() as u64,
            })
            .collect();
        // As for storage: a stall that held back a few is in their waits.
        let cap_hit = self.held as f64 > goal.allowed_over() * self.due as f64;
        // What waits because all sessions wait already is not the generator's.
        let offered = self.sent.max((self.sent + self.held).min(self.due));
        RateSeen {
            due_per_s: self.per_s(self.due),
            sent_per_s: self.per_s(offered),
            achieved_per_s: self.rate_per_s(),
            slices,
            quantile_ns: self.wait.quantile(goal.quantile),
            mean_ns: self.wait.mean(),
            lateness_ns: if cap_hit { None } else { self.lateness.quantile(goal.quantile) },
            lateness_median_ns: self.lateness.quantile(0.5),
            backlog: Backlog::of(&self.waiting_by_slice, self.due, cap_hit),
            usable,
        }
    }

    /// The metrics of one repeat.
    pub fn add_to(&self, samples: &mut Samples) {
        let (flushes, commits) = (self.flush_lengths_ns.len() as f64, self.flush_commits as f64);
        let rate = self.rate_per_s();
        samples.add(metric::THROUGHPUT, rate);
        // Without one flush there is no mean; `add` leaves out what is not finite.
        let per_flush = commits / flushes;
        samples.add(metric::COMMITS_PER_FLUSH, per_flush);
        let bytes = self.flush_bytes as f64;
        samples.add(metric::FLUSH_BYTES, bytes / flushes);
        samples.add(metric::FLUSHES_PER_OP, flushes / commits);
        record_latency(samples, &self.wait);
        let completed = self.completed as f64;
        samples.add(metric::CPU_PER_OP, self.cpu_ns / completed);
        samples.add(metric::WINDOW, self.length_ns as f64);
        samples.add(metric::OPERATIONS, completed);
        samples.add(metric::ISSUED_WRITE_BYTES, bytes);
        self.parts_into(samples);
        self.law_into(samples);
        if let Came::Open { rate_per_s, .. } = self.came {
            samples.add(metric::ASKED_RATE, rate_per_s);
            let due = self.per_s(self.due);
            samples.add(metric::OFFERED, due);
            let sent = self.per_s(self.sent);
            samples.add(metric::SENT_RATE, sent);
            if let Some(ns) = held_quantile(&self.lateness, 0.99) {
                samples.add(metric::LATENESS_P99, ns);
            }
            if let Some(ns) = held_quantile(&self.on_time, 0.99) {
                samples.add(metric::ON_TIME_LATENCY_P99, ns);
            }
        }
    }

    /// Oracle's two waits and what lies between them.
    fn parts_into(&self, samples: &mut Samples) {
        let mut ns = |name, value: Option<f64>| {
            if let Some(value) = value {
                samples.add(name, value);
            }
        };
        ns(metric::LOG_FILE_SYNC_MEAN, self.sync.mean());
        ns(metric::FLUSH_TIME_MEAN, self.flush_alone.mean());
        ns(metric::PARALLEL_WRITE_MEAN, self.parallel_write.mean());
        ns(metric::PARALLEL_WRITE_P50, held_quantile(&self.parallel_write, 0.5));
        ns(metric::PARALLEL_WRITE_P99, held_quantile(&self.parallel_write, 0.99));
        ns(metric::QUEUED_MEAN, self.queued_mean_ns);
        ns(metric::WAKE_UP_MEAN, self.woken_mean_ns);
        if let (Some(woken), Some(all)) = (self.woken_mean_ns, self.sync.mean()) {
            samples.add(metric::WAKE_UP_SHARE, woken / all);
        }
    }

    /// What the law says beside it. It is about independent arrivals and sessions without think time, nothing else.
    fn law_into(&self, samples: &mut Samples) {
        let law = match self.came {
            Came::Open { poisson: false, .. } | Came::Working(_) => None,
            Came::Open { rate_per_s, .. } => open_law(rate_per_s, &self.flush_lengths_ns),
            Came::Closed(sessions) => {
                self.parallel_write.mean().and_then(|mean| closed_law(sessions, mean))
            }
        };
        let Some(law) = law else { return };
        samples.add(metric::MODEL_LATENCY_MEAN, law.wait_mean_ns);
        let commits = law.commits_per_flush;
        samples.add(metric::MODEL_COMMITS_PER_FLUSH, commits);
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::Batch;
    use super::*;

    /// Two commits on the first flush, one on the second; µs made ns.
    fn by_hand(came: Came) -> Went {
        let commit = |due: u64, queued: u64, position: u64, woken: u64| Commit {
            due_ns: due * 1000,
            queued_ns: queued * 1000,
            position,
            woken_ns: woken * 1000,
        };
        let flush = |from, to, commits, number, begun: u64, durable: u64| Flushed {
            batch: Batch { from, to, commits, number },
            begun_ns: begun * 1000,
            durable_ns: durable * 1000,
            flush_ns: Some((durable - begun) * 1000 - 30_000),
            bytes: 8192,
        };
        Went {
            came,
            start_ns: 0,
            end_ns: 1_000_000,
            commits: vec![
                commit(100, 110, 10, 320),
                commit(105, 105, 20, 310),
                commit(200, 200, 30, 520),
            ],
            unsent_ns: Vec::new(),
            ended_ns: 1_000_000,
            flushes: vec![flush(0, 20, 2, 0, 120, 300), flush(20, 30, 1, 1, 305, 505)],
            cpu_ns: 30_000.0,
        }
    }

    #[test]
    fn a_wait_is_split_into_queue_write_and_wake_up() {
        let went = by_hand(Came::Open { rate_per_s: 3000.0, sessions: 8, poisson: true });
        let account = went.account();
        assert_eq!((account.completed, account.due, account.sent), (3, 3, 3));
        // Queued 10, 15, 105; woken 20, 10, 15 after the flush returned.
        assert_eq!(account.queued_mean_ns, Some((10.0 + 15.0 + 105.0) * 1000.0 / 3.0));
        assert_eq!(account.woken_mean_ns, Some(15_000.0));
        assert_eq!(account.flush_lengths_ns, [180_000, 200_000]);
        assert_eq!(account.lateness.max(), Some(10_000));
        // From the queue on: 210, 205 and 320.
        assert_eq!((account.wait.min(), account.on_time.min()), (Some(205_000), Some(205_000)));
        assert_eq!((account.on_time.count(), account.on_time.max()), (3, Some(320_000)));
        let mut samples = Samples::new();
        account.add_to(&mut samples);
        assert_eq!(samples.get(metric::COMMITS_PER_FLUSH), [1.5]);
        assert_eq!(samples.get(metric::CPU_PER_OP), [10_000.0]);
        let alone = samples.get(metric::FLUSH_TIME_MEAN)[0];
        assert!((alone - 160_000.0).abs() < 1_000.0, "{alone}: 180 and 200 without writes of 30");
        assert_eq!(samples.get(metric::THROUGHPUT), [3000.0]);
        // The parts are the whole: queue, write and wake-up make the mean wait from the queue on.
        let get = |name| samples.get(name)[0];
        let parts = get(metric::QUEUED_MEAN) + get(metric::WAKE_UP_MEAN);
        let write = (180.0 + 180.0 + 200.0) * 1000.0 / 3.0;
        assert!((parts + write - get(metric::LOG_FILE_SYNC_MEAN)).abs() < 1_000.0);
        // The third was due while both others were under way.
        assert_eq!(account.held, 0);
        let two = by_hand(Came::Open { rate_per_s: 3000.0, sessions: 2, poisson: true }).account();
        assert_eq!((two.held, two.lateness.count()), (1, 2), "it was late for lack of a session");
        let of = |quantile| two.rate_seen(&Goal { quantile, limit_ns: 1_000_000 }, true).backlog;
        assert_eq!((of(0.6), of(0.7)), (Backlog::Bounded, Backlog::CapHit), "one of three is held");
    }

    #[test]
    fn what_was_due_and_never_sent_counts_as_slow() {
        let mut went = by_hand(Came::Open { rate_per_s: 5000.0, sessions: 3, poisson: true });
        went.unsent_ns = vec![700_000, 800_000];
        went.ended_ns = 9_000_000;
        let account = went.account();
        assert_eq!(account.held, 2);
        let goal = Goal { quantile: 0.9, limit_ns: 1_000_000 };
        let seen = account.rate_seen(&goal, true);
        assert_eq!(seen.due_per_s, 5000.0);
        assert_eq!(seen.slices.iter().map(|slice| slice.over).sum::<u64>(), 2);
        assert_eq!(seen.backlog, Backlog::CapHit);
    }

    #[test]
    fn a_closed_loop_counts_what_completed_in_the_window() {
        let mut went = by_hand(Came::Closed(2));
        went.start_ns = 315_000;
        let account = went.account();
        assert_eq!((account.completed, account.wait.count()), (2, 2));
        let mut samples = Samples::new();
        account.add_to(&mut samples);
        assert!(samples.get(metric::OFFERED).is_empty());
        assert_eq!(samples.get(metric::MODEL_LATENCY_MEAN), [2.0 * 200_000.0]);
    }
}
