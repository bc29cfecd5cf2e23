//! Where a prediction fails: which of its parts went another way in the database than in the emulation.
//!
//! Everything is time of one session per commit. N sessions that commit again at once have N times the time between two commits for
//! each (Little's law), and that is what the parts of a commit add up to; so the gap is taken there too, with its sign: a part that
//! moved the other way explains nothing of it.

use narrows_model::{Measurement, Metric, metric};
use narrows_units::{Nanos, significant};

use super::place::Base;

/// A part has to differ by so much to be named, and to explain such a share of what prediction and proof differ by.
const NAMED: f64 = 0.1;
const EXPLAINS: f64 = 0.2;
/// A commit waits for the flush under way when it comes, and for its own.
const MOST_FLUSHES: f64 = 2.0;

/// What the database took longer than predicted, as one session's time per commit, ns; below zero where it was faster.
pub fn gap_ns(sessions: f64, measured_per_s: f64, predicted_per_s: f64) -> f64 {
    sessions * (1e9 / measured_per_s - 1e9 / predicted_per_s)
}

/// The part whose worth is nearest to `gap_ns` (see [`gap_ns`]); or that none explains it.
pub fn of(
    base: &Base<'_>,
    database: &Measurement,
    emulation: &Measurement,
    (sessions, gap_ns): (f64, f64),
) -> String {
    let sides = Sides { base, database, emulation };
    let flush = metric::PARALLEL_WRITE_MEAN;
    let cpu = metric::BACKEND_CPU_PER_OP;
    let parts = [
        sides.part("one write and flush", [flush, flush], flushes(database, sessions)),
        sides.part("a session's CPU time", [cpu, cpu], queued(database)),
    ];
    let moved = parts.into_iter().flatten().filter(|part| part.apart() > NAMED);
    let causes = moved.map(|part| (part.worth_ns(), part.sentence())).chain(sides.other_waits());
    let explains = |worth_ns: f64| worth_ns / gap_ns > EXPLAINS;
    let cause = causes
        .filter(|(worth_ns, _)| explains(*worth_ns))
        .min_by(|a, b| (a.0 - gap_ns).abs().total_cmp(&(b.0 - gap_ns).abs()));
    // The wait follows from these; alone it is named where none of them explains it.
    let wait = [metric::WAIT_FLUSH_PER_OP, metric::LOG_FILE_SYNC_MEAN];
    let wait = || {
        let part = sides.part("the wait for WAL", wait, 1.0)?;
        let worth_ns = part.worth_ns();
        (part.apart() > NAMED && explains(worth_ns)).then(|| (worth_ns, part.sentence()))
    };
    match cause.or_else(wait) {
        None => "no part that was measured explains it".to_string(),
        Some((worth_ns, what)) => {
            let all = if worth_ns / gap_ns > 1.0 { ", more than all of the" } else { " of the" };
            format!(
                "{what}: {}{all} {} of a session's time per commit by which prediction and proof differ",
                ns(worth_ns),
                ns(gap_ns)
            )
        }
    }
}

/// For how many flushes a commit waits: its own alone where flushes are as many as commits, never more than two, and for none but its
/// own where there is one session.
fn flushes(database: &Measurement, sessions: f64) -> f64 {
    let per_op = database.value(metric::FLUSHES_PER_OP).unwrap_or(0.0);
    (sessions * per_op).clamp(1.0, MOST_FLUSHES.min(sessions.max(1.0)))
}

/// Who computes longer makes those behind wait longer: time on a processor with the queue for it, over the time on it.
fn queued(database: &Measurement) -> f64 {
    let queue = database.value(metric::RUN_QUEUE_PER_OP).unwrap_or(0.0);
    let cpu = database.value(metric::BACKEND_CPU_PER_OP).filter(|ns| *ns > 0.0);
    cpu.map_or(1.0, |cpu| 1.0 + queue / cpu)
}

/// Both sides, on the first place and on this one.
struct Sides<'a> {
    base: &'a Base<'a>,
    database: &'a Measurement,
    emulation: &'a Measurement,
}

impl Sides<'_> {
    /// A part by its metric in the database and in the emulation; `None` where one of the four figures is not known.
    fn part(
        &self,
        name: &'static str,
        [of, emulated]: [Metric; 2],
        times: f64,
    ) -> Option<CommitComponent> {
        let part = CommitComponent {
            name,
            database: (self.base.database.value(of)?, self.database.value(of)?),
            emulation: (self.base.emulation.value(emulated)?, self.emulation.value(emulated)?),
            times,
        };
        let all = [part.database.0, part.database.1, part.emulation.0, part.emulation.1];
        all.iter().all(|ns| *ns > 0.0).then_some(part)
    }

    /// What the emulation takes over from the first place as it is.
    fn other_waits(&self) -> Option<(f64, String)> {
        let names = [metric::WAIT_LOCK_PER_OP, metric::WAIT_OTHER_PER_OP];
        let sum =
            |m: &Measurement| -> f64 { names.iter().filter_map(|metric| m.value(*metric)).sum() };
        let grown_ns = sum(self.database) - sum(self.base.database);
        let how = if grown_ns > 0.0 { "grew" } else { "shrank" };
        let what = format!(
            "waits for locks and others {how} by {} µs per commit, which the emulation has from the first location",
            significant(grown_ns.abs() / 1e3, 3)
        );
        (grown_ns != 0.0).then_some((grown_ns, what))
    }
}

/// One part of an operation in both, and what both became from the first place to this one.
struct CommitComponent {
    name: &'static str,
    database: (f64, f64),
    emulation: (f64, f64),
    /// How often a commit spends it.
    times: f64,
}

impl CommitComponent {
    /// How differently the two changed, relative.
    fn apart(&self) -> f64 {
        let change = |(from, to): (f64, f64)| to / from;
        (change(self.database) / change(self.emulation)).ln().abs()
    }

    /// What the difference is worth in a session's time per commit, ns; below zero where the database took less.
    fn worth_ns(&self) -> f64 {
        let (from, to) = self.database;
        let expected = from * self.emulation.1 / self.emulation.0;
        (to - expected) * self.times
    }

    fn sentence(&self) -> String {
        let ((a, b), (c, d)) = (self.database, self.emulation);
        format!(
            "{} went from {} to {} in the database and from {} to {} in the emulation",
            self.name,
            ns(a),
            ns(b),
            ns(c),
            ns(d)
        )
    }
}

/// A time without its sign.
fn ns(ns: f64) -> String {
    Nanos(ns.abs().round() as u64).to_string()
}
