//! Figures of a window, and all windows as a measurement, under the names by which a demand is read.
//!
//! An operation is a transaction that ended. Times in states follow from how many processes were found in them, by Little's law:
//! time per operation is the mean number over the rate.

use narrows_engine::Samples;
use narrows_model::{
    ActivityState, Duty, Layer, Measurement, Metric, MetricValue, Observation, ObservedCounts,
    ProcessClass, Unit, WaitCheck, condition, metric,
};
use serde_json::json;

use super::activity;
use super::host::Used;
use super::machine::others;
use super::wait_checks;
use super::window::{Took, Window};
use crate::monitor::counters::Changed;
use crate::monitor::sources::Count;

/// Above this share of its periods a quota is what limits the group.
const MOSTLY_THROTTLED: f64 = 0.5;
/// Fewer transactions in a window, and what one of them took is told by their chance alone: the whole look is then one window.
const LEAST_TRANSACTIONS: f64 = 30.0;

/// What the server may use of the machine.
pub(crate) struct Machine<'a> {
    /// Its processors; `None` where they are another machine's.
    pub(crate) allowed: Option<&'a [u32]>,
    pub(crate) quota_cpus: Option<f64>,
    /// Processors that the kernel's own threads used on average; zero where they can't be told from others.
    pub(crate) kernel_threads: f64,
    /// Processors that others used who give way to the server.
    pub(crate) yielding: f64,
}

/// Whether a counter is asked for; of the log a server in recovery has none of its own.
pub(super) fn is_asked(count: Count, recovering: bool) -> bool {
    use Count::*;
    let of_the_log_alone =
        [LogRecords, LogWrites, LogWrittenBytes, SessionFlushes, CheckpointsDone];
    let unreadable = recovering && count.is_of_the_log();
    !of_the_log_alone.contains(&count) && !unreadable
}

/// What was counted, as the run has it.
pub(super) fn counted(changed: &Changed) -> ObservedCounts {
    let get = |count| changed.get(count);
    let ns = |count| changed.ns(count);
    let at_the_log = ns(Count::LogWriteMs).zip(ns(Count::FlushMs));
    ObservedCounts {
        commits: get(Count::Commits),
        rollbacks: get(Count::Rollbacks),
        writers: get(Count::Writers),
        block_hits: get(Count::BlockHits),
        block_reads: get(Count::BlockReads),
        read_ns: ns(Count::ReadMs),
        session_writes: get(Count::SessionWrites),
        checkpoint_writes: get(Count::CheckpointWrites),
        background_writes: get(Count::BackgroundWrites),
        write_ns: ns(Count::WriteMs),
        rows_read: get(Count::RowsRead),
        rows_changed: get(Count::RowsChanged),
        temp_files: get(Count::TempFiles),
        temp_bytes: get(Count::TempBytes),
        deadlocks: get(Count::Deadlocks),
        replay_conflicts: get(Count::ReplayConflicts),
        active_ns: ns(Count::ActiveMs),
        idle_in_transaction_ns: ns(Count::IdleInTransactionMs),
        connections: get(Count::Connections),
        log_bytes: get(Count::LogBytes),
        full_pages: get(Count::FullPages),
        log_buffers_full: get(Count::LogBuffersFull),
        flushes: get(Count::Flushes),
        flush_ns: at_the_log.map(|(write, flush)| write + flush),
        checkpoints_timed: get(Count::CheckpointsTimed),
        checkpoints_requested: get(Count::CheckpointsRequested),
    }
}

/// The windows that give figures of their own, or the whole alone where they are too short or too poor. States leave out windows
/// in which nothing was answered, and so do the figures beside them.
pub(super) fn usable(parts: Vec<Window>, whole: &Window, sees_states: bool) -> Vec<Window> {
    let parts: Vec<Window> =
        parts.into_iter().filter(|part| !sees_states || part.states.samples > 0).collect();
    let enough = |part: &Window| part.transactions().is_some_and(|n| n >= LEAST_TRANSACTIONS);
    if parts.is_empty() || !parts.iter().all(enough) { vec![whole.clone()] } else { parts }
}

/// The measurement beside what was observed; `whole` is all windows as one.
pub(super) fn measurement(
    observation: &Observation,
    windows: &[Window],
    whole: &Window,
    machine: &Machine,
) -> Measurement {
    let mut metrics = metrics_of(observation, windows, machine);
    let together = metrics_of(observation, std::slice::from_ref(whole), machine);
    centre(&mut metrics, &together);
    let mut measurement = Measurement::new(super::MEASUREMENT, Layer::Database);
    measurement.repeats = windows.len() as u32;
    measurement.metrics = metrics;
    measurement.workload.insert(condition::OF, json!("a running server, observed"));
    measurement.workload.insert(condition::INTERVAL_S, json!(observation.interval_ns / 1e9));
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::SERVER_VERSION, json!(observation.version));
    if let Some(cpus) = machine.allowed.filter(|cpus| !cpus.is_empty()) {
        conditions.insert(condition::SERVER_CPUS, json!(cpus));
    }
    let hot = observation.processes.as_ref().and_then(|processes| processes.hot.as_ref());
    if let Some(hot) = hot {
        conditions.insert(condition::HOT_THREAD_NAME, json!(one_of(hot.class)));
    }
    // What only our session was given is no condition of the server.
    for setting in observation.settings.iter().filter(|setting| !setting.is_ours()) {
        conditions.add_setting(&setting.name, &setting.value);
    }
    measurement
}

fn metrics_of(
    observation: &Observation,
    windows: &[Window],
    machine: &Machine,
) -> Vec<MetricValue> {
    let mut samples = Samples::new();
    for window in windows {
        let counts = counted(&window.changed);
        counters(&mut samples, window, &counts, observation);
        let checks = &observation.activity.checks;
        states(&mut samples, window, checks);
        if let Some(took) = window.machine.as_ref().filter(|took| !took.seen.per_cpu.is_empty()) {
            processors(&mut samples, window, took, machine, checks);
        }
    }
    samples.add(metric::LOOKING_SHARE, observation.cost.share);
    let sessions = &observation.sessions;
    if sessions.unused.is_some() {
        let busy = sessions.duties.iter().find(|group| group.duty == Duty::Busy);
        samples.add(metric::BUSY_SESSIONS, busy.map_or(0.0, |group| group.sessions));
        samples.add(metric::BUSY_SESSIONS_AT_WORK, busy.map_or(0.0, |group| group.at_work));
    }
    samples.into_metrics()
}

/// Rates and what a transaction took are those of the whole look. Sessions report their counters once a second at most, and
/// those of one pool often at the same moment: a window of 3.3 s has the transactions of three seconds or of four, and the
/// median of such windows is off by a tenth. The windows' scatter stays their interval.
fn centre(metrics: &mut [MetricValue], together: &[MetricValue]) {
    use Unit::{BytesPerOp, BytesPerS, CountPerOp, Cpus, NsPerOp, OpsPerS};
    let counted = [OpsPerS, BytesPerS, NsPerOp, CountPerOp, BytesPerOp, Cpus];
    // What the verdict multiplies these with has to be of the same time.
    let means = [
        metric::SESSIONS,
        metric::OPEN_SESSIONS,
        metric::PARTICIPATING_SESSIONS,
        metric::UNUSED_SESSIONS,
        metric::SUMMED_SESSIONS,
    ];
    let whole_look = |m: &&mut MetricValue| {
        counted.contains(&m.unit) || means.iter().any(|mean| m.name == *mean)
    };
    for metric in metrics.iter_mut().filter(whole_look) {
        let Some(whole) = together.iter().find(|other| other.name == metric.name) else { continue };
        metric.value = whole.value;
        if let Some(interval) = &mut metric.interval_95 {
            interval.low = interval.low.min(metric.value);
            interval.high = interval.high.max(metric.value);
        }
    }
}

fn one_of(class: ProcessClass) -> &'static str {
    match class {
        ProcessClass::Session => "a session",
        ProcessClass::ParallelWorker => "a parallel worker",
        ProcessClass::LogSender => "a log sender",
        ProcessClass::IoWorker => "an I/O worker",
        class => class.words(),
    }
}

/// What the server counted.
fn counters(
    samples: &mut Samples,
    window: &Window,
    counts: &ObservedCounts,
    observation: &Observation,
) {
    let mut add = |metric, value: Option<f64>| {
        if let Some(value) = value {
            samples.add(metric, value);
        }
    };
    let transactions = window.transactions();
    let over =
        |of: Option<f64>, to: Option<f64>| to.filter(|to| *to > 0.0).and_then(|to| Some(of? / to));
    let per_op = |count| over(count, transactions);
    add(metric::THROUGHPUT, over(transactions, Some(window.ns)).map(|per_ns| per_ns * 1e9));
    add(metric::OPERATIONS, transactions);
    add(metric::WINDOW, Some(window.ns));
    add(metric::OPEN_SESSIONS, window.open());
    add(metric::PARTICIPATING_SESSIONS, window.participating());
    add(metric::UNUSED_SESSIONS, window.unused);
    for (metric, count) in [
        (metric::ACTIVE_TIME_PER_OP, counts.active_ns),
        (metric::IDLE_IN_TRANSACTION_PER_OP, counts.idle_in_transaction_ns),
        (metric::SERVER_READ_TIME_PER_OP, counts.read_ns),
        (metric::BLOCK_READS_PER_OP, counts.block_reads),
        (metric::BLOCK_HITS_PER_OP, counts.block_hits),
        (metric::WAL_BYTES_PER_OP, counts.log_bytes),
        (metric::FLUSHES_PER_OP, counts.flushes),
        (metric::CONNECTIONS_PER_OP, counts.connections),
    ] {
        add(metric, per_op(count));
    }
    let per_s = |count: Option<f64>| over(count, Some(window.ns)).map(|per_ns| per_ns * 1e9);
    add(metric::WRITING_TRANSACTIONS, per_s(counts.writers));
    add(metric::COMMITTED_TRANSACTIONS, per_s(counts.commits));
    add(metric::LOG_RATE, per_s(counts.log_bytes));
    add(metric::FLUSH_RATE, per_s(counts.flushes));
    add(metric::SERVER_FLUSH_TIME, over(counts.flush_ns, counts.flushes));
    let timed = counts.checkpoints_timed;
    let checkpoints = counts.checkpoints_requested.map(|n| n + timed.unwrap_or(0.0)).or(timed);
    add(metric::CHECKPOINTS, checkpoints);
    add(metric::CHECKPOINT_PAGES, counts.checkpoint_writes);
    let page: Option<f64> = observation.setting("block_size").and_then(|s| s.value.parse().ok());
    let pages = counts.full_pages.zip(page).map(|(pages, bytes)| pages * bytes);
    add(metric::FULL_PAGE_SHARE, over(pages, counts.log_bytes));
    let read = counts.block_reads.zip(page).map(|(blocks, bytes)| blocks * bytes);
    add(metric::SERVER_READ_BYTES, read);
}

/// What processes were found doing.
fn states(samples: &mut Samples, window: &Window, checks: &[WaitCheck]) {
    let found = &window.states;
    if found.samples == 0 {
        return;
    }
    let mut add = |metric, value: f64| samples.add(metric, value);
    let sessions = found.at_work(ProcessClass::Session);
    let workers = workers(window, checks);
    add(metric::SESSIONS, sessions);
    let asked = (sessions + found.at_work(ProcessClass::ParallelWorker)) * found.samples as f64;
    add(metric::WAIT_SAMPLES, asked);
    let Some(transactions) = window.transactions().filter(|n| *n > 0.0) else { return };
    let per_op = |processes: f64| processes * window.ns / transactions;
    let running = found.of(ActivityState::Running, ProcessClass::serves_transactions);
    add(metric::SAMPLED_ON_CPU_PER_OP, per_op(running + found.just_ended()));
    for (name, processes) in waits(found) {
        add(name, per_op(processes));
    }
    for (name, processes) in runnable(found, checks).into_iter().filter(|(_, n)| *n > 0.0) {
        add(name, per_op(processes));
    }
    add(metric::WORKER_TIME_PER_OP, per_op(workers));
}

/// Parallel workers, mean: as they were found, or those that the scheduler counted and those found waiting, where that is more. One that
/// starts or ends is in no list of the server's and takes processor time all the same.
fn workers(window: &Window, checks: &[WaitCheck]) -> f64 {
    let of_workers = |class| class == ProcessClass::ParallelWorker;
    let found = window.states.at_work(ProcessClass::ParallelWorker);
    let no_waits = runnable_of(&window.states, checks, of_workers).into_iter().map(|(_, n)| n);
    let running = window.states.of(ActivityState::Running, of_workers) + no_waits.sum::<f64>();
    let waiting = (found - running).max(0.0);
    let used = window.machine.as_ref().map(|took| took.of(of_workers));
    found.max(used.unwrap_or_default().ready_ns() / window.ns + waiting)
}

/// Sessions and workers that were found in each wait, mean, under the name of its time.
fn waits(found: &activity::Window) -> [(Metric, f64); 5] {
    use ActivityState::*;
    let of = |states: &[ActivityState]| {
        let each = states.iter().map(|state| found.of(*state, ProcessClass::serves_transactions));
        each.sum::<f64>()
    };
    [
        (metric::WAIT_READ_PER_OP, of(&[Read])),
        (metric::WAIT_FLUSH_PER_OP, of(&[Log])),
        (metric::WAIT_LOCK_PER_OP, of(&[Lock, Latch])),
        (metric::WAIT_CLIENT_PER_OP, (of(&[Client]) - found.just_ended()).max(0.0)),
        (metric::WAIT_OTHER_PER_OP, of(&[Write, Other])),
    ]
}

/// Of those found in a wait that calls the kernel, how many at most did not wait, mean: their time is processor time or run queue.
fn runnable(found: &activity::Window, checks: &[WaitCheck]) -> [(Metric, f64); 3] {
    runnable_of(found, checks, ProcessClass::serves_transactions)
}

/// The same of processes of some classes.
fn runnable_of(
    found: &activity::Window,
    checks: &[WaitCheck],
    whose: impl Fn(ProcessClass) -> bool + Copy,
) -> [(Metric, f64); 3] {
    use ActivityState::*;
    let of = |state| wait_checks::runnable_share(checks, state) * found.of(state, whose);
    [
        (metric::RUNNABLE_READ_PER_OP, of(Read)),
        (metric::RUNNABLE_FLUSH_PER_OP, of(Log)),
        (metric::RUNNABLE_WRITE_PER_OP, of(Write)),
    ]
}

/// The server's CPUs in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SharedCpus {
    /// Those it may run on.
    set: f64,
    /// What others used of them, and the hypervisor.
    taken: f64,
    /// What was left to it, used or not.
    pub(crate) available: f64,
}

/// What others left of the server's CPUs.
pub(crate) fn shared_cpus(took: &Took, ns: f64, machine: &Machine) -> SharedCpus {
    let seen = &took.seen;
    let others = others(took, ns, machine.kernel_threads);
    let server = took.of(|_| true).cpu_ns / ns;
    let all_cpus: Vec<u32> = seen.per_cpu.iter().map(|cpu| cpu.id).collect();
    let allowed = machine.allowed.filter(|cpus| !cpus.is_empty()).unwrap_or(&all_cpus);
    let set = allowed.len() as f64;
    let in_set = seen.per_cpu.iter().filter(|cpu| allowed.contains(&cpu.id));
    let (busy, steal) = in_set.fold((0.0, 0.0), |(busy, steal), cpu| {
        (busy + cpu.busy_ns as f64 / ns, steal + cpu.steal_ns as f64 / ns)
    });
    let by_others = (busy - server).clamp(0.0, others);
    let taken = (by_others + steal).min(set);
    let mut available = set - kept_from_the_server(taken, by_others, machine.yielding / others);
    if let Some(quota) = machine.quota_cpus {
        available = available.min(quota);
    }
    // A group that is stopped in most periods has what it used: the rest of a quota is lost in slices.
    if let Some(share) = seen.throttled_share.filter(|share| *share > MOSTLY_THROTTLED) {
        available = available.min(server / share);
    }
    SharedCpus { set, taken, available: available.max(0.0) }
}

/// What the server's processes took, and what there was to take.
fn processors(
    samples: &mut Samples,
    window: &Window,
    took: &Took,
    machine: &Machine,
    checks: &[WaitCheck],
) {
    let ns = window.ns;
    let seen = &took.seen;
    let others = others(took, ns, machine.kernel_threads);
    // The machine's own account of others has the server among them.
    samples.extend(seen.metrics().into_iter().filter(|(metric, _)| *metric != metric::OTHER_CPUS));
    let mut add = |metric, value: f64| samples.add(metric, value);
    add(metric::OTHER_CPUS, others);
    let all = took.of(|_| true);
    let shared = shared_cpus(took, ns, machine);
    add(metric::SERVER_CPUS, shared.set);
    add(metric::SERVER_CPUS_TAKEN, shared.taken);
    add(metric::SERVER_CPUS_AVAILABLE, shared.available);
    if let Some((_, _, used_ns)) = took.busiest {
        add(metric::HOT_THREAD, used_ns as f64 / ns);
    }
    let serving = took.of(ProcessClass::serves_transactions);
    if window.states.samples > 0 {
        let waits = waits(&window.states).into_iter().map(|(_, processes)| processes);
        let between = between_statements(window, took);
        let used_ns = serving.cpu_ns + serving.run_queue_ns - between.cpu_ns - between.run_queue_ns;
        let summed = used_ns.max(0.0) / ns + waits.sum::<f64>();
        // What was no wait is in the processor time already: as much of it as there are more than sessions and workers.
        let found = window.states.at_work(ProcessClass::ParallelWorker);
        // Workers that no sample finds are none of those that are there.
        let summed = summed - (workers(window, checks) - found);
        let there = window.states.open() + found;
        let runnable: f64 = runnable(&window.states, checks).iter().map(|(_, n)| n).sum();
        let too_many = (summed - there).clamp(0.0, runnable);
        add(metric::SUMMED_SESSIONS, summed - too_many);
    }
    let Some(transactions) = window.transactions().filter(|n| *n > 0.0) else { return };
    add(metric::SERVER_CPU_PER_OP, all.cpu_ns / transactions);
    add(metric::BACKEND_CPU_PER_OP, serving.cpu_ns / transactions);
    add(metric::RUN_QUEUE_PER_OP, serving.run_queue_ns / transactions);
    if window.states.samples > 0 {
        let between = between_statements(window, took);
        let (name, queue_name) =
            (metric::BETWEEN_STATEMENTS_PER_OP, metric::QUEUE_BETWEEN_STATEMENTS_PER_OP);
        let all_ns = between.cpu_ns + between.run_queue_ns;
        add(name, all_ns / transactions);
        add(queue_name, between.run_queue_ns / transactions);
    }
}

/// Of what was taken, what the server can't have back when it wants it: not what others use who give way. Of them only their share of
/// all others is known, wherever these run; that share of what was taken here is taken for theirs.
fn kept_from_the_server(taken: f64, by_others: f64, yielding_share: f64) -> f64 {
    let share = if yielding_share.is_finite() { yielding_share.clamp(0.0, 1.0) } else { 0.0 };
    taken - (share * by_others).min(taken)
}

/// Processor time and run queue that are no part of the time in statements, ns.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Between {
    cpu_ns: f64,
    run_queue_ns: f64,
}

/// Of the processor time and run queue of sessions and workers, what is no part of the time in statements beside the waits.
fn between_statements(window: &Window, took: &Took) -> Between {
    let running = window.states.of(ActivityState::Running, |class| class == ProcessClass::Session);
    let inside = running + window.states.just_ended();
    let outside = window.states.between();
    let share = if inside + outside > 0.0 { outside / (inside + outside) } else { 0.0 };
    let sessions = took.of(|class| class == ProcessClass::Session);
    between(share, sessions, took.of(|class| class == ProcessClass::ParallelWorker))
}

/// A session that runs, or was put off a processor, shows no wait, inside of a statement and outside: its time is parted as
/// sessions were found, a `share` of them outside. A session that was woken and waits for a processor still shows what it
/// waited for: inside of a statement that is in the wait already, outside it is the client's request, which the server doesn't
/// know of yet.
fn between(share: f64, sessions: Used, workers: Used) -> Between {
    let woken_ns = |used: Used| used.run_queue_ns - used.put_off_ns();
    Between {
        cpu_ns: share * sessions.cpu_ns,
        run_queue_ns: share * sessions.put_off_ns() + woken_ns(sessions) + woken_ns(workers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_between_statements_is_parted_into_processor_time_and_run_queue() {
        let sessions = Used { cpu_ns: 20e3, run_queue_ns: 32e3, waits: 3.0, preempted: 1.0 };
        let workers = Used { cpu_ns: 9e3, run_queue_ns: 1e3, waits: 1.0, preempted: 0.0 };
        // A quarter of the sessions' queue came of being put off, and of that a half lies outside.
        let parted = between(0.5, sessions, workers);
        assert_eq!(parted, Between { cpu_ns: 10e3, run_queue_ns: 4e3 + 24e3 + 1e3 });
        // A worker that starts or ends is counted without its wait after it was woken.
        assert_eq!((sessions.ready_ns(), workers.ready_ns()), (20e3 + 8e3, 9e3));
        let nobody = between(0.0, Used::default(), Used::default());
        assert_eq!(nobody, Between { cpu_ns: 0.0, run_queue_ns: 0.0 });
    }

    #[test]
    fn who_gives_way_takes_nothing_from_the_capacity() {
        // A batch at the lowest priority soaks up what a server of one processor leaves.
        assert!((kept_from_the_server(0.7, 0.69, 1.0) - 0.01).abs() < 1e-12, "steal is no batch");
        assert!((kept_from_the_server(0.7, 0.6, 0.5) - 0.4).abs() < 1e-12);
        // Clocks differ: more may give way than others use at all.
        assert_eq!(kept_from_the_server(0.3, 0.3, 1.2), 0.0);
        assert_eq!(kept_from_the_server(0.3, 0.2, 0.0), 0.3);
        assert_eq!(kept_from_the_server(0.0, 0.0, f64::NAN), 0.0, "nobody else used anything");
    }

    fn metric(of: Metric, values: &[f64]) -> MetricValue {
        let mut samples = Samples::new();
        values.iter().for_each(|value| samples.add(of, *value));
        samples.into_metrics().remove(0)
    }

    #[test]
    fn sessions_that_report_once_a_second_do_not_hide_a_tenth_of_the_rate() {
        // 755 per second, as told in windows of 3.3 s.
        let windows = [909.5, 675.9, 689.6, 906.9, 678.3, 672.0];
        let mut metrics = [
            metric(metric::THROUGHPUT, &windows),
            metric(metric::WINDOW, &[3.3e9; 6]),
            metric(metric::SESSIONS, &[2.0, 2.0, 2.0, 2.0, 2.0, 20.0]),
        ];
        assert!(metrics[0].value < 700.0);
        let together = [
            metric(metric::THROUGHPUT, &[755.4]),
            metric(metric::WINDOW, &[20e9]),
            metric(metric::SESSIONS, &[5.0]),
        ];
        centre(&mut metrics, &together);
        assert_eq!(metrics[0].value, 755.4);
        assert_eq!(metrics[0].samples, windows);
        assert!(metrics[0].interval_95.unwrap().low < 676.0);
        // What isn't a rate is still that of a window; sessions at work over that rate are the time of one transaction.
        assert_eq!(metrics[1].value, 3.3e9);
        assert_eq!(metrics[2].value, 5.0);
    }
}
