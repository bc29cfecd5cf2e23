//! Streams that are one thing to whoever asked for them (the clones of a job, the files of one user) as one outcome.
//!
//! Counts add up, latencies and slices are merged, and what is a property of one stream alone is taken from the first.
//! Nothing is averaged.

use narrows_stats::Recorder;

use crate::gather;
use crate::outcome::{OpenOutcome, PriorityLatency, Slice, StreamOutcome};
use crate::scenario::Load;

impl StreamOutcome {
    /// All `outcomes` of one window as one of that `name`; `None` of none. With `whole` they are all that ran, so that
    /// the devices' counters are about them; with `disjoint` no two of them worked on the same blocks.
    pub fn combined(
        name: &str,
        outcomes: &[StreamOutcome],
        whole: bool,
        disjoint: bool,
    ) -> Option<StreamOutcome> {
        // One whose window never began has no time that could count.
        let begun: Vec<StreamOutcome>;
        let mut outcomes = outcomes;
        if outcomes.iter().any(|one| one.window_ns == 0)
            && outcomes.iter().any(|one| one.window_ns > 0)
        {
            begun = outcomes.iter().filter(|one| one.window_ns > 0).cloned().collect();
            outcomes = &begun;
        }
        let (first, others) = outcomes.split_first()?;
        let mut all = first.clone();
        all.name = name.to_string();
        all.begins_ns = outcomes.iter().map(|outcome| outcome.begins_ns).min().unwrap_or(0);
        let ends = outcomes.iter().map(|outcome| outcome.begins_ns + outcome.window_ns);
        all.window_ns = ends.max().unwrap_or(0) - all.begins_ns;
        all.slices.clear();
        outcomes.iter().for_each(|outcome| lay(&mut all, outcome));
        // A part of a slice at the end of those that began within one is none.
        let slices = (all.window_ns / all.slice_ns.max(1)) as usize;
        if others.iter().any(|other| other.begins_ns != first.begins_ns) {
            all.slices.truncate(slices);
        }
        let mut cpu_ns = cost_ns(first);
        for other in others {
            add(&mut all, other);
            cpu_ns += cost_ns(other);
        }
        all.cpu_per_op_ns = cpu_ns / all.operations() as f64;
        all.beside_others &= !whole;
        if !disjoint && !others.is_empty() {
            all.unique_read_bytes = None;
        }
        Some(all)
    }
}

/// Adds the slices of one of them where they lie in the time of all, to the nearest slice.
fn lay(all: &mut StreamOutcome, one: &StreamOutcome) {
    let slice_ns = all.slice_ns.max(1);
    let at = ((one.begins_ns - all.begins_ns + slice_ns / 2) / slice_ns) as usize;
    if all.slices.len() < at + one.slices.len() {
        all.slices.resize(at + one.slices.len(), Slice::default());
    }
    for (slice, more) in all.slices[at..].iter_mut().zip(&one.slices) {
        slice.add(more);
    }
}

/// Processor time of all its operations, ns; nothing where there were none.
fn cost_ns(outcome: &StreamOutcome) -> f64 {
    let operations = outcome.operations();
    if operations == 0 { 0.0 } else { outcome.cpu_per_op_ns * operations as f64 }
}

fn add(all: &mut StreamOutcome, other: &StreamOutcome) {
    all.load = both(all.load, other.load);
    for (kind, more) in all.kinds.iter_mut().zip(&other.kinds) {
        kind.add(more);
    }
    if let (Some(open), Some(more)) = (&mut all.open, &other.open) {
        add_open(open, more);
    }
    all.did_more |= other.did_more;
    all.depth_found = all.depth_found.or(other.depth_found);
    all.contents = all.contents.worse(other.contents);
    all.looked_at += other.looked_at;
    all.zeros += other.zeros;
    all.wrong += other.wrong;
    PriorityLatency::add(&mut all.priorities, &other.priorities);
    all.verified.add(&other.verified);
    all.written.extend_from_slice(&other.written);
    all.foreign.add(&other.foreign);
    all.read_back.looked_at += other.read_back.looked_at;
    all.read_back.lost += other.read_back.lost;
    all.busiest = all.busiest.max(other.busiest);
    all.cpu_busy = match (all.cpu_busy, other.cpu_busy) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    };
    all.cursor = all.cursor.max(other.cursor);
    all.usage = all.usage.plus(&other.usage);
    all.issued += other.issued;
    all.kept_waiting = all.kept_waiting.zip(other.kept_waiting).map(|(a, b)| a.max(b));
    all.seen_on.extend(&other.seen_on);
    all.written_bytes += other.written_bytes;
    // One that was refused makes the whole of it not so.
    all.registered_buffers =
        all.registered_buffers.zip(other.registered_buffers).map(|(a, b)| a && b);
    all.submit_ns = all.submit_ns.zip(other.submit_ns).map(|(a, b)| a + b);
    all.workers = all.workers.max(other.workers);
    all.outages = gather::worse(all.outages, other.outages);
    for refusal in &other.refusals {
        if !all.refusals.contains(refusal) {
            all.refusals.push(refusal.clone());
        }
    }
    all.unique_read_bytes = all.unique_read_bytes.zip(other.unique_read_bytes).map(|(a, b)| a + b);
    all.sentinel_drift = all.sentinel_drift.max(other.sentinel_drift);
}

/// Depths and rates add up. Streams of different kinds of loop are not one load: the first stands for what it is.
fn both(one: Load, other: Load) -> Load {
    match (one, other) {
        (Load::Closed { depth: a }, Load::Closed { depth: b }) => Load::Closed { depth: a + b },
        (
            Load::Open { rate_per_s: a, arrivals, most_in_flight: c },
            Load::Open { rate_per_s: b, most_in_flight: d, .. },
        ) => Load::Open { rate_per_s: a + b, arrivals, most_in_flight: c + d },
        (one, _) => one,
    }
}

fn add_open(open: &mut OpenOutcome, more: &OpenOutcome) {
    open.rate_per_s += more.rate_per_s;
    for (sum, part) in [
        (&mut open.due, more.due),
        (&mut open.sent, more.sent),
        (&mut open.held, more.held),
        (&mut open.unsent, more.unsent),
        (&mut open.unfinished, more.unfinished),
        (&mut open.backlog_before, more.backlog_before),
        (&mut open.backlog_after, more.backlog_after),
    ] {
        *sum += part;
    }
    let merge = |into: &mut Recorder, from: &Recorder| into.merge(from);
    open.held_up.add(more.held_up);
    merge(&mut open.lateness, &more.lateness);
    merge(&mut open.own_lateness, &more.own_lateness);
    merge(&mut open.on_time, &more.on_time);
    merge(&mut open.own_on_time, &more.own_on_time);
    merge(&mut open.stragglers, &more.stragglers);
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use narrows_engine::{Context, Silent, Stop};
    use narrows_io::{Access, Op, Target};
    use narrows_observe::Watch;

    use super::*;
    use crate::{Region, Scenario, Stream, run_scenario};

    #[test]
    fn clones_together_are_the_sum_of_them() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        File::create(&path).unwrap().set_len(1 << 20).unwrap();
        let region = Region::from(Target::open_read(&path, false).unwrap());
        let stop = Stop::new();
        let window = Duration::from_millis(30);
        let ctx =
            Context { stop: &stop, progress: &Silent, seed: 1, repeats: 1, quick: true, window };
        let one = |name| Stream::reads(name, region.clone(), 4096, 2, Access::null());
        let mut scenario = Scenario::of(one("a"), Duration::ZERO, window, 3);
        scenario.streams.push(one("b"));
        scenario.slice = Duration::from_millis(10);
        let outcomes = run_scenario(&ctx, &scenario, &Watch::none()).unwrap();
        let operations: u64 = outcomes.iter().map(StreamOutcome::operations).sum();
        assert!(operations > 0);

        let all = StreamOutcome::combined("both", &outcomes, true, false).unwrap();
        assert_eq!((all.name.as_str(), all.beside_others), ("both", false));
        assert_eq!(all.operations(), operations);
        assert_eq!(all.latency().count(), operations);
        assert_eq!(all.load, Load::Closed { depth: 4 });
        let sliced: u64 =
            outcomes.iter().flat_map(|o| &o.slices).map(|slice| slice.operations).sum();
        assert_eq!(all.slices.iter().map(|slice| slice.operations).sum::<u64>(), sliced);
        // They read the same blocks, so how many different ones it was is not known.
        assert_eq!(all.unique_read_bytes, None);
        let mut never = outcomes.clone();
        (never[1].window_ns, never[1].begins_ns) = (0, 1 << 40);
        let begun = StreamOutcome::combined("both", &never, true, false).unwrap();
        assert_eq!((begun.window_ns, begun.begins_ns), (outcomes[0].window_ns, 0));
        let apart = StreamOutcome::combined("both", &outcomes, false, true).unwrap();
        assert!(apart.beside_others);
        let unique: Option<f64> = outcomes.iter().map(|o| o.unique_read_bytes).sum();
        assert_eq!(apart.unique_read_bytes, unique);
        assert!(all.of(Op::Write).operations == 0 && all.cpu_per_op_ns > 0.0);
        assert!(StreamOutcome::combined("none", &[], true, true).is_none());
    }
}
