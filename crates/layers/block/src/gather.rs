//! From what the threads counted to what a window gave, stream by stream.

use narrows_facts::{Usage, affinity};
use narrows_io::{Op, Outages};
use narrows_observe::HostWindow;
use narrows_stats::Recorder;

use crate::contents::Contents;
use crate::outcome::{Counted, OpenOutcome, PriorityLatency, Slice, StreamOutcome, Verified};
use crate::read_back::ReadBack;
use crate::scenario::{AccessPattern, Distribution, Load, Scenario, Stream};
use crate::seed::seed_of;
use crate::stalls::{HeldUp, Span};
use crate::worker::{Foreign, Tally, unique};

/// What the coordinator saw around the window.
pub(crate) struct Measured {
    pub start_ns: u64,
    pub window_ns: u64,
    /// Processor time of this process in the window, ns.
    pub cpu_ns: f64,
    /// Share of the window in which the coordinator was due and did not run.
    pub stood_still: f64,
    /// Bytes that the kernel read from storage for this process in the window.
    pub process_read_bytes: Option<u64>,
    pub seen: HostWindow,
    /// When the coordinator was to wake up and was late.
    pub still: Vec<Span>,
}

/// One outcome per stream; `tallies` are in the order of streams and their threads.
pub(crate) fn outcomes(
    scenario: &Scenario,
    measured: Measured,
    tallies: Vec<Tally>,
    contents: &[(Contents, ReadBack)],
    sentinel_drift: f64,
) -> Vec<StreamOutcome> {
    let all_threads = tallies.len();
    let all_cpu_ns: u64 = tallies.iter().map(|tally| tally.cpu_ns).sum();
    let mut tallies = tallies.into_iter();
    scenario
        .streams
        .iter()
        .zip(contents)
        .zip(1..)
        .map(|((stream, (contents, read_back)), number)| {
            let order_seed = stream.order_seed.unwrap_or(seed_of(scenario.seed, number, 0));
            let own: Vec<Tally> = tallies.by_ref().take(stream.threads as usize).collect();
            let cpu_ns: u64 = own.iter().map(|tally| tally.cpu_ns).sum();
            // Of several streams nobody counts whose work the kernel did beside their threads.
            let part = if scenario.streams.len() == 1 || all_cpu_ns == 0 {
                1.0 / scenario.streams.len() as f64
            } else {
                cpu_ns as f64 / all_cpu_ns as f64
            };
            let slice_ns = scenario.slice.as_nanos() as u64;
            let mut outcome = sum(stream, &measured, own, slice_ns);
            // What the whole process took has in it what the figures leave out.
            let all_ns = if outcome.did_more { cpu_ns as f64 } else { measured.cpu_ns * part };
            outcome.cpu_per_op_ns = all_ns / outcome.operations() as f64;
            outcome.contents = *contents;
            outcome.read_back = *read_back;
            outcome.sequence = sequence(stream, scenario.seed, order_seed);
            if all_threads >= processors(stream) {
                // They wait for one another.
                outcome.kept_waiting = None;
            }
            outcome.beside_others = scenario.streams.len() > 1;
            outcome.sentinel_drift = sentinel_drift;
            outcome
        })
        .collect()
}

/// On which its threads may run.
fn processors(stream: &Stream) -> usize {
    if stream.cpus.is_empty() { affinity::current().len() } else { stream.cpus.len() }
}

fn sum(stream: &Stream, measured: &Measured, tallies: Vec<Tally>, slice_ns: u64) -> StreamOutcome {
    let ended_ns = tallies
        .iter()
        .map(|tally| tally.ended_ns)
        .try_fold(0, |last, ended| ended.map(|ended| last.max(ended)));
    let last_ns = measured.start_ns + measured.window_ns;
    let began_ns = tallies.iter().filter_map(|tally| tally.began_ns).min().unwrap_or(last_ns);
    let window_ns = ended_ns.unwrap_or(last_ns).min(last_ns).saturating_sub(began_ns);
    let mut outcome = StreamOutcome {
        name: stream.name.clone(),
        begins_ns: began_ns.saturating_sub(measured.start_ns),
        did_more: stream.begin.as_ref().is_some_and(|own| !own.warm_up.is_zero())
            && began_ns > measured.start_ns
            || tallies.iter().any(|tally| tally.counted_anew),
        depth_found: tallies.iter().find_map(|tally| tally.depth_found),
        window_ns,
        load: match tallies.iter().find_map(|tally| tally.depth_found) {
            Some(found) => Load::Closed { depth: found.depth },
            None => stream.load,
        },
        kinds: std::array::from_fn(|_| Counted::default()),
        open: None,
        slice_ns,
        slices: vec![Slice::default(); (window_ns / slice_ns) as usize],
        looked_at: 0,
        zeros: 0,
        wrong: 0,
        priorities: Vec::new(),
        verified: Verified::default(),
        written: Vec::new(),
        foreign: Foreign::default(),
        read_back: ReadBack::default(),
        cpu_per_op_ns: 0.0,
        usage: Usage::default(),
        busiest: 0.0,
        cpu_busy: None,
        cursor: stream.cursor,
        issued: 0,
        written_bytes: 0,
        method: stream.access.method(),
        registered_buffers: None,
        submit_ns: None,
        workers: None,
        outages: None,
        refusals: stream.access.refusals().to_vec(),
        unique_read_bytes: unique(stream, &tallies),
        sequence: (0, 0),
        contents: Contents::default(),
        kept_waiting: None,
        seen_on: Vec::new(),
        stood_still: measured.stood_still,
        process_read_bytes: measured.process_read_bytes,
        beside_others: false,
        seen: measured.seen.clone(),
        sentinel_drift: 0.0,
    };
    let mut furthest = 0;
    for tally in tallies {
        furthest = furthest.max(tally.issued);
        add(&mut outcome, stream, &measured.still, tally);
    }
    outcome.cursor += furthest;
    if let Some(open) = &mut outcome.open {
        let completed: u64 =
            outcome.kinds[..3].iter().map(|kind| kind.operations + kind.failed).sum();
        // What was waiting at the end came in before or during the window and did not leave in it.
        open.backlog_before = (open.backlog_after + completed).saturating_sub(open.due);
    }
    outcome
}

/// What several ways saw together; they may have the same connections.
pub(crate) fn worse(one: Option<Outages>, other: Option<Outages>) -> Option<Outages> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.both(other)),
        (one, other) => one.or(other),
    }
}

/// Distinct bytes that were read.
fn unique(stream: &Stream, tallies: &[Tally]) -> Option<f64> {
    let block_bytes = stream.sizes.single(&stream.mix)?;
    let reads = Counted::index(Op::Read);
    let reads: Vec<u64> = tallies.iter().map(|tally| tally.kinds[reads].operations).collect();
    unique::bytes(&stream.place, stream.region.bytes(), block_bytes, &reads)
}

/// What decides the order: a seed and a beginning, each where it plays a part.
fn sequence(stream: &Stream, seed: u64, order_seed: u64) -> (u64, u64) {
    match &stream.place {
        AccessPattern::Sequential | AccessPattern::SameOffsets | AccessPattern::Stepped { .. } => {
            (0, stream.cursor)
        }
        AccessPattern::Random(Distribution::OnceEach) => (order_seed, stream.cursor),
        AccessPattern::Random(_)
        | AccessPattern::Jumping(_)
        | AccessPattern::Zones(_)
        | AccessPattern::Listed(_)
        | AccessPattern::Recorded(_)
        | AccessPattern::TrimThenWrite(_) => (seed, order_seed),
    }
}

/// A thread that uses less of its processor leaves it to others: how busy that one is says nothing of the generator.
const ITS_OWN: f64 = 0.4;

/// Share of the time in which the processor of a thread was not idle: in tasks, in interrupts, or taken by the hypervisor.
fn under(seen: &HostWindow, (window_ns, late): (u64, bool), tally: &Tally) -> Option<f64> {
    let cpu = tally.cpu?;
    if (tally.cpu_ns as f64) < ITS_OWN * window_ns as f64 || seen.window.0 == 0 {
        return None;
    }
    // The processors were looked at over the scenario's window: of a part of it that does not begin with it they say nothing.
    if late && window_ns < seen.window.0 / 10 * 9 {
        return None;
    }
    let seen_cpu = seen.per_cpu.iter().find(|seen| seen.id == cpu)?;
    let busy_ns = seen_cpu.busy_ns + seen_cpu.steal_ns;
    Some((busy_ns as f64 / seen.window.0 as f64).min(1.0))
}

fn add(outcome: &mut StreamOutcome, stream: &Stream, still: &[Span], tally: Tally) {
    for (sum, kind) in outcome.kinds.iter_mut().zip(&tally.kinds) {
        sum.add(kind);
    }
    for (sum, slice) in outcome.slices.iter_mut().zip(&tally.slices) {
        sum.add(slice);
    }
    outcome.looked_at += tally.looked_at;
    outcome.zeros += tally.zeros;
    outcome.wrong += tally.wrong + tally.verified.wrong;
    PriorityLatency::add(&mut outcome.priorities, &tally.priorities);
    outcome.verified.add(&tally.verified);
    outcome.written.extend_from_slice(&tally.written);
    outcome.foreign.add(&tally.foreign);
    outcome.busiest = outcome.busiest.max(tally.cpu_ns as f64 / outcome.window_ns.max(1) as f64);
    let late = outcome.begins_ns > 0 || outcome.did_more;
    let under = under(&outcome.seen, (outcome.window_ns, late), &tally);
    outcome.cpu_busy = match (outcome.cpu_busy, under) {
        (Some(most), Some(this)) => Some(most.max(this)),
        (one, other) => one.or(other),
    };
    outcome.usage = outcome.usage.plus(&tally.usage);
    let waited =
        tally.run_delay_ns.map(|delay_ns| delay_ns as f64 / outcome.window_ns.max(1) as f64);
    outcome.kept_waiting = match (outcome.kept_waiting, waited) {
        (Some(most), Some(this)) => Some(this.max(most)),
        (one, other) => one.or(other),
    };
    outcome.seen_on.extend(&tally.seen_on);
    outcome.issued += tally.issued;
    outcome.written_bytes += tally.written_bytes;
    outcome.registered_buffers = match (outcome.registered_buffers, tally.registered_buffers) {
        (Some(all), Some(this)) => Some(all && this),
        (one, other) => one.or(other),
    };
    outcome.submit_ns = match (outcome.submit_ns, tally.submit_ns) {
        (Some(all), Some(this)) => Some(all + this),
        (one, other) => one.or(other),
    };
    // Asked of the process, so that every thread sees the same ones.
    outcome.workers = outcome.workers.max(tally.workers);
    outcome.outages = worse(outcome.outages, tally.outages);
    for refusal in tally.refusals {
        if !outcome.refusals.contains(&refusal) {
            outcome.refusals.push(refusal);
        }
    }
    let (Some(part), Load::Open { rate_per_s, arrivals, .. }) = (tally.open, stream.load) else {
        return;
    };
    let open = outcome.open.get_or_insert_with(|| OpenOutcome {
        rate_per_s,
        arrivals,
        due: 0,
        sent: 0,
        held: 0,
        unsent: 0,
        unfinished: 0,
        backlog_before: 0,
        backlog_after: 0,
        lateness: Recorder::new(),
        own_lateness: Recorder::new(),
        on_time: Recorder::new(),
        own_on_time: Recorder::new(),
        held_up: HeldUp::default(),
        stragglers: Recorder::new(),
    });
    open.due += part.due_sent + part.unsent_due;
    open.sent += part.sent;
    open.held += part.held;
    open.unsent += part.unsent;
    open.unfinished += part.unfinished;
    open.backlog_after += part.in_flight + part.unsent;
    open.held_up.add(HeldUp::of(&part.late_calls, still));
    open.lateness.merge(&part.lateness);
    open.own_lateness.merge(&part.own_lateness);
    open.on_time.merge(&part.on_time);
    open.own_on_time.merge(&part.own_on_time);
    open.stragglers.merge(&part.stragglers);
}

#[cfg(test)]
mod tests {
    use narrows_observe::CpuSeen;
    use narrows_units::Nanos;

    use super::*;

    fn thread(cpu: Option<u32>, cpu_ns: u64) -> Tally {
        let mut tally = Tally::new(0, false);
        (tally.cpu, tally.cpu_ns) = (cpu, cpu_ns);
        tally
    }

    #[test]
    fn interrupts_and_steal_on_the_threads_cpu_count_for_how_busy_the_generator_is() {
        let on = |id, busy_ns, steal_ns| CpuSeen { id, busy_ns, steal_ns };
        let per_cpu = vec![on(0, 300, 0), on(3, 900, 80)];
        let seen = HostWindow { window: Nanos(1000), per_cpu, ..HostWindow::default() };
        // 60 % in the thread, the rest of 98 % in interrupts that a precise kernel takes out of it.
        let whole = (1000, false);
        assert_eq!(under(&seen, whole, &thread(Some(3), 600)), Some(0.98));
        assert_eq!(under(&seen, whole, &thread(Some(0), 300)), None, "mostly others' or idle");
        assert_eq!(under(&seen, whole, &thread(None, 900)), None, "it moved");
        assert_eq!(under(&seen, whole, &thread(Some(7), 900)), None, "not watched");
        assert_eq!(under(&seen, (500, false), &thread(Some(3), 300)), Some(0.98), "ended early");
        assert_eq!(under(&seen, (500, true), &thread(Some(3), 300)), None, "began later");
    }
}
