//! One repeat of one variation: what was seen, turned into metrics.

use narrows_engine::{Samples, held_quantile, record_latency};
use narrows_model::{Metric, metric};
use narrows_observe::HostWindow;

use crate::capacity::OnServerCpus;
use crate::counters::Counters;
use crate::load::LoadResult;
use crate::processes::Used;
use crate::sampling::{Sampled, Wait};
use crate::task::Task;
use crate::wakes::{Wakes, waits_ns};

/// The class of operations that commit, of a load with several.
pub(crate) const UPDATES: &str = "update";
/// Above this share of its periods a quota is what limits the group.
const MOSTLY_THROTTLED: f64 = 0.5;

/// Processors of server and client.
#[derive(Debug, Clone, Default)]
pub struct Cpus {
    /// Of the server.
    pub server: Vec<u32>,
    /// Of the client.
    pub client: Vec<u32>,
    /// The control group's quota on the server, processors.
    pub quota: Option<f64>,
    /// Whether it covers us alike.
    pub quota_covers_client: bool,
}

impl Cpus {
    /// Whether they have some in common.
    pub fn shared(&self) -> bool {
        self.server.iter().any(|cpu| self.client.contains(cpu))
    }
}

/// What of a workload's operations the arithmetic needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Whether sessions pause between operations.
    pub thinks: bool,
    /// How long a session pauses for one operation in the mean, ns, where the sessions' waits for their clients hold that.
    pub pause_ns: f64,
    /// Blocks of the table that one operation asks for in the mean, where that is a number.
    pub blocks: Option<f64>,
    /// Durable commits over the whole load, as the client counted them; `None` where operations don't commit.
    pub commits: Option<f64>,
    /// Transactions of one operation, as the server counts them.
    pub transactions: f64,
    /// Statements of one operation, where that is a number.
    pub statements: Option<f64>,
}

impl Shape {
    /// Of a task, over a load of it.
    pub fn of(task: &Task, load: &LoadResult) -> Shape {
        let updates = load.classes.iter().find(|class| class.name == UPDATES);
        let drawn = updates.map(|class| class.span_operations as f64);
        let commits = drawn.unwrap_or(load.span_operations as f64 * task.commits());
        Shape {
            thinks: !task.think.is_zero(),
            pause_ns: task.think.as_nanos() as f64,
            blocks: task.blocks().map(f64::from),
            commits: (task.commits() > 0.0).then_some(commits),
            transactions: task.transactions(),
            // Each is a transaction of its own.
            statements: Some(task.transactions()),
        }
    }
}

/// Everything one repeat saw.
pub struct RepeatSample {
    /// Of its operations.
    pub shape: Shape,
    /// Sessions.
    pub sessions: u32,
    /// Server processes that work on operations at the same time: the sessions, or a scan's processes.
    pub parties: f64,
    /// What the client counted.
    pub load: LoadResult,
    /// Length of the window, ns.
    pub window_ns: f64,
    /// Server processes over the window; `None` where they can't be seen.
    pub used: Option<Used>,
    /// What sessions were found waiting for.
    pub sampled: Sampled,
    /// CPU time of the thread that kept the table out of memory, which runs where the client does, ns.
    pub evictor_cpu_ns: u64,
    /// Machine counters over the window.
    pub seen: HostWindow,
    /// Device counters over the whole load.
    pub span: HostWindow,
    /// Server counters over the whole load.
    pub counters: Counters,
    /// Transactions that opening the sessions took, in the server's count.
    pub setup_transactions: f64,
    /// Bytes of a block.
    pub block_bytes: f64,
    /// Rate that an open loop was asked for.
    pub offered_per_s: Option<f64>,
}

impl RepeatSample {
    /// Adds this repeat to the samples.
    pub fn add_to(&self, samples: &mut Samples, cpus: &Cpus) {
        let window_s = self.window_ns / 1e9;
        let operations = self.load.operations as f64;
        let rate = operations / window_s;
        let mut add = |metric, value: f64| samples.add(metric, value);
        add(metric::THROUGHPUT, rate);
        add(metric::WINDOW, self.window_ns);
        add(metric::OPERATIONS, operations);
        add(metric::ERRORS, (self.load.errors + self.load.conflicts + self.load.wrong) as f64);
        add(metric::SESSIONS, f64::from(self.sessions));
        add(metric::SPAN_OPERATIONS, self.load.span_operations as f64);
        if let Some(offered) = self.offered_per_s {
            // What was due, not what was asked for on average: a Poisson schedule has its own scatter.
            add(metric::OFFERED, self.load.due as f64 / window_s);
            add(metric::SKIPPED, self.load.skipped as f64);
            if let Some(late) = held_quantile(&self.load.lateness, 0.99) {
                add(metric::LATENESS_P99, late);
            }
            if let Some(on_time) = held_quantile(&self.load.on_time, 0.99) {
                add(metric::ON_TIME_LATENCY_P99, on_time);
            }
            debug_assert!(offered > 0.0);
        } else if let Some(mean) = self.load.latency.mean().filter(|_| !self.shape.thinks) {
            add(metric::IN_FLIGHT, rate * mean / 1e9);
            add(metric::DEPTH, f64::from(self.sessions));
        }
        if operations > 0.0 {
            let client = self.load.cpu_ns as f64;
            add(metric::CLIENT_CPU_PER_OP, client / operations);
            let threads = f64::from(self.load.threads.max(1));
            add(metric::CLIENT_BUSY, client / self.window_ns / threads);
        }
        record_latency(samples, &self.load.latency);
        self.add_counters(samples);
        self.add_processors(samples, cpus);
        samples.extend(self.seen.metrics().into_iter().filter(|(metric, _)| {
            // The device's figures come from the whole load, beside the server's.
            !metric.is_of_device()
        }));
        samples.extend(self.span.metrics().into_iter().filter(|(metric, _)| metric.is_of_device()));
    }

    fn add_counters(&self, samples: &mut Samples) {
        let span = self.load.span_operations as f64;
        if span == 0.0 {
            return;
        }
        let counters = &self.counters;
        let mut per_op = |metric, value: f64| samples.add(metric, value / span);
        per_op(metric::BLOCK_READS_PER_OP, counters.blocks_read);
        per_op(metric::BLOCK_HITS_PER_OP, counters.blocks_hit);
        per_op(metric::WAL_BYTES_PER_OP, counters.wal_bytes);
        if let Some(reads) = counters.table_reads {
            per_op(metric::TABLE_READS_PER_OP, reads);
        }
        if let Some(time) = counters.read_time_ns {
            per_op(metric::SERVER_READ_TIME_PER_OP, time);
        }
        if let Some(time) = counters.active_time_ns {
            per_op(metric::ACTIVE_TIME_PER_OP, time);
        }
        if let Some(blocks) = self.shape.blocks.filter(|blocks| *blocks > 0.0) {
            per_op(metric::BLOCKS_PER_OP, blocks * span);
        }
        if let Some(commits) = self.shape.commits {
            per_op(metric::COMMITS_PER_OP, commits);
        }
        if let Some(pages) = counters.full_pages {
            per_op(metric::FULL_PAGES_PER_OP, pages);
        }
        if let Some(flushes) = counters.flushes {
            per_op(metric::FLUSHES_PER_OP, flushes);
            if let Some(time) = counters.flush_time_ns.filter(|&t| t > 0.0 && flushes > 0.0) {
                samples.add(metric::SERVER_FLUSH_TIME, time / flushes);
                if let Some(write) = counters.write_time_ns.filter(|&t| t > 0.0) {
                    let both = (write + time) / flushes;
                    samples.add(metric::PARALLEL_WRITE_MEAN, both);
                }
            }
        }
        let mut total = |metric, value: f64| samples.add(metric, value);
        total(metric::SERVER_READ_BYTES, counters.blocks_read * self.block_bytes);
        total(
            metric::SERVER_TRANSACTIONS,
            (counters.transactions - self.setup_transactions) / self.shape.transactions,
        );
        if let Some(checkpoints) = counters.checkpoints {
            total(metric::CHECKPOINTS, checkpoints);
        }
        if let Some(pages) = counters.checkpoint_pages {
            total(metric::CHECKPOINT_PAGES, pages);
        }
        if let Some(at_work) = counters.checkpointing {
            total(metric::CHECKPOINTING, at_work);
        }
    }

    fn add_processors(&self, samples: &mut Samples, cpus: &Cpus) {
        let Some(used) = &self.used else { return };
        let operations = self.load.operations as f64;
        let mut add = |metric, value: f64| samples.add(metric, value);
        let server_cpus = used.total_cpu_ns as f64 / self.window_ns;
        let client_cpus = self.load.cpu_ns as f64 / self.window_ns;
        let in_set = |id: &u32| cpus.server.contains(id);
        let helpers = self.sampled.own_cpu_ns + if cpus.shared() { self.evictor_cpu_ns } else { 0 };
        let mut on = OnServerCpus {
            set: cpus.server.len() as f64,
            server: server_cpus,
            looking: (used.watching_cpu_ns + helpers) as f64 / self.window_ns,
            client: if cpus.shared() { client_cpus } else { 0.0 },
            others: self.seen.other_cpus,
            ..OnServerCpus::default()
        };
        for cpu in self.seen.per_cpu.iter().filter(|cpu| in_set(&cpu.id)) {
            on.busy += cpu.busy_ns as f64 / self.window_ns;
            on.steal += cpu.steal_ns as f64 / self.window_ns;
        }
        let mut available = on.left();
        if let Some(quota) = cpus.quota {
            let ours = if cpus.quota_covers_client { client_cpus } else { 0.0 };
            available = available.min(quota - ours);
        }
        // A group that is stopped in most periods has what it used: the rest of a quota is lost in slices.
        if let Some(share) = self.seen.throttled_share.filter(|share| *share > MOSTLY_THROTTLED) {
            available = available.min(server_cpus / share);
        }
        add(metric::SERVER_CPUS, on.set);
        add(metric::SERVER_CPUS_TAKEN, on.taken());
        add(metric::SERVER_CPUS_LOOKING, on.looking);
        add(metric::SERVER_CPUS_AVAILABLE, available.max(0.0));
        if let Some((_, ns)) = used.busiest {
            add(metric::HOT_THREAD, ns as f64 / self.window_ns);
        }
        if operations == 0.0 {
            return;
        }
        let per_op = |ns: f64| ns / operations;
        add(metric::SERVER_CPU_PER_OP, per_op(used.total_cpu_ns as f64));
        add(metric::BACKEND_CPU_PER_OP, per_op(used.backend_cpu_ns as f64));
        add(metric::RUN_QUEUE_PER_OP, per_op(used.backend_run_delay_ns as f64));
        add(metric::WAIT_SAMPLES, self.sampled.asked() as f64);
        // Time of all of them per operation: what the parts of the sum have to add up to.
        let session_ns = self.parties * self.window_ns / operations;
        let on_cpu =
            (used.backend_cpu_ns + used.backend_run_delay_ns) as f64 / operations / session_ns;
        let Some(blocked) = self.sampled.blocked_share(1.0 - on_cpu) else { return };
        add(metric::SAMPLED_ON_CPU_PER_OP, (1.0 - blocked) * session_ns);
        if let Some(width) = self.sampled.width() {
            add(metric::SAMPLED_WIDTH, width);
        }
        let wakes = self.wakes(used);
        let client_ns = wakes.map_or(0.0, |_| self.load.cpu_ns as f64 / operations);
        let waits = waits_ns(&self.sampled.shares_of_blocked(blocked), blocked * session_ns, wakes);
        for (name, wait) in WAITS {
            if self.sampled.share_of_blocked(wait).is_some() {
                // A session that pauses waits for its client too, and the pause is not the client's doing. It waits at least while
                // its client works for it.
                let client = wait == Wait::Client;
                let (pause, least) =
                    if client { (self.shape.pause_ns, client_ns) } else { (0.0, 0.0) };
                add(name, (waits.get(&wait).copied().unwrap_or(0.0) - pause).max(least));
            }
        }
    }

    /// How sessions came to run again; `None` where the kernel counted no switch, and for a scan, whose workers have ended.
    fn wakes(&self, used: &Used) -> Option<Wakes> {
        let (waited, preempted) = used.backend_switches;
        let span = self.load.span_operations as f64;
        if waited == 0 || span == 0.0 || self.parties > f64::from(self.sessions) {
            return None;
        }
        let operations = self.load.operations as f64;
        let missed = self.counters.blocks_read;
        let by_drives = self.span.metrics().into_iter().find(|(m, _)| *m == metric::DEVICE_READS);
        Some(Wakes {
            waited: waited as f64 / operations,
            preempted: preempted as f64 / operations,
            run_queue_ns: used.backend_run_delay_ns as f64 / operations,
            // What the page cache answered put nobody to sleep.
            reads: by_drives.map_or(missed, |(_, reads)| reads.min(missed)) / span,
            statements: self.shape.statements?,
        })
    }
}

/// Kinds of waits, and what they are stored as.
const WAITS: [(Metric, Wait); 5] = [
    (metric::WAIT_READ_PER_OP, Wait::Read),
    (metric::WAIT_FLUSH_PER_OP, Wait::Flush),
    (metric::WAIT_LOCK_PER_OP, Wait::Lock),
    (metric::WAIT_CLIENT_PER_OP, Wait::Client),
    (metric::WAIT_OTHER_PER_OP, Wait::Other),
];
