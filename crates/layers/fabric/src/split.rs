//! From rounds to the parts of each operation's latency.

use std::sync::Arc;

use narrows_engine::{Context, Samples};
use narrows_initiator::Association;
use narrows_model::{Layer, Measurement, Metric, condition, fabric, metric};
use narrows_nvme::log::{TargetActivity, TargetWait};
use narrows_observe::Watch;
use narrows_units::Nanos;
use serde_json::json;

use crate::FabricError;
use crate::echo::EchoShape;
use crate::fill::fill;
use crate::operation::SplitOperation;
use crate::plan::SplitPlan;
use crate::rounds::{SplitRound, rounds};
use crate::throughput::throughput;
use crate::window::{HostMode, OperationWindow};

/// Latencies, divided.
#[derive(Debug)]
pub struct Divided {
    /// One for each operation (`fabric.split.read.8k`), one of the target's CPU time where it tells (`fabric.target`), and reads with
    /// many in flight.
    pub measurements: Vec<Measurement>,
    /// What ended it before its time; the rounds that had ended are in the measurements.
    pub cut_short: Option<FabricError>,
}

/// Divides the latency of each operation of the plan, then reads with many in flight.
///
/// # Errors
/// [`FabricError::Stopped`] within a fraction of a second of being asked, or what failed, where fewer than
/// [`fabric::LEAST_ROUNDS`] rounds had ended.
pub fn split(
    ctx: &Context<'_>,
    association: &Arc<Association>,
    plan: &SplitPlan,
    watch: &Watch,
) -> Result<Divided, FabricError> {
    // Of another's target the feature is something else, and is left alone.
    if association.target_activity().is_some() {
        association.ask_for_service_time();
    }
    if plan.fills {
        fill(ctx, association, plan.region_bytes)?;
    }
    let (rounds, cut_short) = rounds(ctx, association, plan, watch);
    let cut_short = match cut_short {
        Some(error) if (rounds.len() as u32) < fabric::LEAST_ROUNDS => return Err(error),
        cut_short => cut_short,
    };
    let told = rounds.iter().find_map(|round| Some(round.target?[1]));
    let mut measurements: Vec<Measurement> = plan
        .operations
        .iter()
        .map(|operation| measurement(association, plan, *operation, (&rounds, ctx.repeats), told))
        .collect();
    measurements.extend(target_work(&rounds));
    if cut_short.is_some() {
        return Ok(Divided { measurements, cut_short });
    }
    match throughput(ctx, association, plan.region_bytes) {
        Ok(reads) => measurements.push(with_conditions(reads, association, plan, told)),
        Err(error) if (rounds.len() as u32) < fabric::LEAST_ROUNDS => return Err(error),
        Err(error) => return Ok(Divided { measurements, cut_short: Some(error) }),
    }
    Ok(Divided { measurements, cut_short: None })
}

fn measurement(
    association: &Association,
    plan: &SplitPlan,
    operation: SplitOperation,
    (rounds, planned): (&[SplitRound], u32),
    told: Option<TargetActivity>,
) -> Measurement {
    let reached = association.reached();
    let in_capsule = reached.controller.in_capsule_bytes();
    let shape =
        operation.goes_with_command(in_capsule).then(|| EchoShape::of(operation, reached.digests));
    let mut samples = Samples::new();
    let device_ns = plan.device_ns(operation);
    for round in rounds {
        let parts = parts(round, operation, shape, told.map(|told| told.wait));
        samples.extend(with_device(parts, device_ns));
        samples.add(metric::SPLIT_ROUNDS_DONE, rounds.len() as f64 / f64::from(planned.max(1)));
    }
    let id = format!("fabric.split.{}", operation.word());
    let mut measurement = Measurement::new(id.as_str(), Layer::Fabric);
    measurement.repeats = rounds.len() as u32;
    measurement.metrics = samples.into_metrics();
    let direction = if operation.writes { "write" } else { "read" };
    let workload = &mut measurement.workload;
    workload.insert(condition::BLOCK_BYTES, json!(operation.bytes));
    workload.insert(condition::DIRECTION, json!(direction));
    workload.insert(condition::DEPTH, json!(1));
    if operation.writes {
        workload.insert(condition::IN_CAPSULE, json!(operation.goes_with_command(in_capsule)));
        workload.insert(condition::IN_CAPSULE_BYTES, json!(in_capsule));
    }
    measurement.conditions.insert(condition::DIGESTS, json!(digests(association)));
    if let Some(run) = plan.device_run.as_ref().filter(|_| device_ns.is_some()) {
        measurement.conditions.insert(condition::DEVICE_RUN, json!(run));
    }
    with_conditions(measurement, association, plan, told)
}

fn digests(association: &Association) -> &'static str {
    let digests = association.reached().digests;
    match (digests.header, digests.data) {
        (false, false) => "none",
        (true, false) => "header",
        (false, true) => "data",
        (true, true) => "both",
    }
}

/// As of a session of a database: `none`, or protocol, ciphers and how the other side is known.
fn encryption(association: &Association) -> String {
    let suite = association.reached().suite.as_deref();
    suite.map_or("none".to_string(), |suite| {
        let ciphers = suite.strip_prefix("TLS_").unwrap_or(suite);
        format!("TLS 1.3 {ciphers}, pre-shared key")
    })
}

fn with_conditions(
    mut measurement: Measurement,
    association: &Association,
    plan: &SplitPlan,
    told: Option<TargetActivity>,
) -> Measurement {
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::SAME_MACHINE, json!(plan.same_machine));
    conditions.insert(condition::ENCRYPTION, json!(encryption(association)));
    if let Some(interface) = association.interface() {
        conditions.insert(condition::INTERFACE, json!(interface));
    }
    if let Some(storage) = told.and_then(|told| told.storage) {
        conditions.insert(condition::TARGET_STORAGE, json!(storage.word()));
    }
    if let Some(told) = told {
        let word = match told.wait {
            TargetWait::Sleep => "sleeps".to_string(),
            TargetWait::Spin(ns) => format!("polls for {}, then sleeps", Nanos(ns.into())),
            TargetWait::Poll => "polls".to_string(),
        };
        conditions.insert(condition::TARGET_WAIT, json!(word));
    }
    measurement
}

/// CPU time of the target's threads per command, over each round.
fn target_work(rounds: &[SplitRound]) -> Option<Measurement> {
    let mut samples = Samples::new();
    for [before, after] in rounds.iter().filter_map(|round| round.target) {
        let commands = after.commands.saturating_sub(before.commands);
        let cpu_ns = after.cpu_ns.saturating_sub(before.cpu_ns);
        if commands > 0 {
            samples.add(metric::TARGET_CPU_PER_OP, cpu_ns as f64 / commands as f64);
            samples.add(metric::OPERATIONS, commands as f64);
        }
    }
    let repeats = samples.get(metric::OPERATIONS).len() as u32;
    let mut measurement = Measurement::new("fabric.target", Layer::Fabric);
    measurement.repeats = repeats;
    measurement.metrics = samples.into_metrics();
    (repeats > 0).then_some(measurement)
}

/// The parts of an operation's latency in a round, ns.
fn parts(
    round: &SplitRound,
    operation: SplitOperation,
    shape: Option<EchoShape>,
    wait: Option<TargetWait>,
) -> Vec<(Metric, f64)> {
    let seen = |mode| round.window(operation, mode);
    let Some(plain) = seen(HostMode::SLEEPING) else { return Vec::new() };
    let whole = plain.typical.whole_ns;
    let mut parts = of_windows(round, operation, plain);
    parts.extend(plain.typical.storage_ns.map(|storage| (metric::FABRIC_ADDED, whole - storage)));

    let sleeping = &seen(HostMode::SLEEPING_STAMPED).unwrap_or(plain).typical;
    let told = sleeping.target_ns.zip(sleeping.storage_ns);
    if let Some((target, storage)) = told {
        parts.extend([(metric::SPLIT_TARGET, target), (metric::SPLIT_STORAGE, storage)]);
    }
    // Of a host that polls, because a packet is stamped when its CPU has woken up: in a host that sleeps the way to the stamp holds a
    // part of the wake-up.
    let polling = seen(HostMode::POLLING_STAMPED).map(|polling| &polling.typical);
    let polling = polling.filter(|polling| polling.sections.is_some());
    let cut = polling.unwrap_or(sleeping);
    let Some(sections) = cut.sections else { return parts };
    let wake_up = polling.map(|polling| sleeping.outside_target() - polling.outside_target());
    parts.extend(sections.send_ns.map(|send| (metric::SPLIT_SEND, send)));
    parts.push((metric::SPLIT_RECEIVE, sections.receive_ns));
    parts.extend(wake_up.map(|wake_up| (metric::SPLIT_HOST_WAKE_UP, wake_up)));
    let host = sections.send_ns.unwrap_or(0.0) + sections.receive_ns + wake_up.unwrap_or(0.0);
    let echo = |polled| Some(round.echo(shape?, polled)?.network_ns);
    let (wire, sleeping_echo) = (echo(true), echo(false));
    parts.extend(wire.map(|wire| (metric::SPLIT_WIRE, wire)));
    let echo_wake_up = wire.zip(sleeping_echo).map(|(wire, sleeping)| sleeping - wire);
    parts.extend(echo_wake_up.map(|wake_up| (metric::SPLIT_ECHO_WAKE_UP, wake_up)));
    let beyond = match told {
        Some((target, storage)) => {
            let network = sections.between_ns - cut.in_target();
            parts.push((metric::SPLIT_NETWORK, network));
            let wake_up = wire.and_then(|wire| target_wake_up(wait, network - wire));
            parts.extend(wake_up.map(|wake_up| (metric::SPLIT_TARGET_WAKE_UP, wake_up)));
            let divided = wire.zip(wake_up).map(|(wire, wake_up)| wire + wake_up);
            divided.unwrap_or(network) + target + storage
        }
        None => {
            parts.push((metric::SPLIT_BEYOND_HOST, sections.between_ns));
            parts.extend(sleeping_echo.map(|echo| (metric::SPLIT_ECHO, echo)));
            sections.between_ns
        }
    };
    let unexplained = whole - host - beyond;
    parts.push((metric::SPLIT_UNEXPLAINED, unexplained));
    parts.push((metric::SPLIT_UNEXPLAINED_SHARE, unexplained / whole));
    parts
}

/// With the drive as its own machine measured it. Where the target doesn't tell its storage's time, that is what the fabric adds to.
fn with_device(mut parts: Vec<(Metric, f64)>, device_ns: Option<f64>) -> Vec<(Metric, f64)> {
    let Some(device) = device_ns else { return parts };
    let of = |metric: Metric| parts.iter().find(|(name, _)| *name == metric).map(|(_, ns)| *ns);
    let (whole, told) = (of(metric::SPLIT_LATENCY), of(metric::FABRIC_ADDED).is_some());
    parts.push((metric::SPLIT_DEVICE, device));
    parts.extend(whole.filter(|_| !told).map(|ns| (metric::FABRIC_ADDED, ns - device)));
    parts
}

/// What the windows of an operation say by themselves.
fn of_windows(
    round: &SplitRound,
    operation: SplitOperation,
    plain: &OperationWindow,
) -> Vec<(Metric, f64)> {
    let windows = || round.of(operation);
    let polling = round.window(operation, HostMode::POLLING);
    let shortest = windows().filter_map(|seen| seen.tcp.min_rtt_ns).min();
    let mut figures = vec![
        (metric::SPLIT_LATENCY, plain.typical.whole_ns),
        (metric::LATENCY_P50, plain.median_ns as f64),
        (metric::CPU_PER_OP, plain.cpu_per_op_ns),
        (metric::OPERATIONS, windows().map(|seen| seen.typical.count as f64).sum()),
        (metric::RETRANSMITS, windows().map(|seen| f64::from(seen.tcp.retransmits)).sum()),
    ];
    figures.extend(plain.p99_ns.map(|ns| (metric::LATENCY_P99, ns as f64)));
    figures.extend(polling.map(|polling| (metric::SPLIT_LATENCY_POLLED, polling.typical.whole_ns)));
    figures.extend(shortest.map(|ns| (metric::MIN_RTT, ns as f64)));
    figures.extend(round.host.iter().copied());
    // Of memory that was never written there is nothing to read either.
    let from_memory = plain.typical.storage_ns.is_some_and(|ns| ns < fabric::MEMORY_NS);
    if !operation.writes && !from_memory {
        let shares: Vec<f64> = windows().map(|seen| seen.zero_share).collect();
        figures.push((metric::ZERO_BLOCKS, shares.iter().sum::<f64>() / shares.len() as f64));
    }
    figures
}

/// What of the network's time is the target's wake-up, of what an echo that polls doesn't explain; `None` where the target does now
/// this, now that.
fn target_wake_up(wait: Option<TargetWait>, beyond_wire: f64) -> Option<f64> {
    match wait? {
        TargetWait::Sleep => Some(beyond_wire),
        TargetWait::Poll => Some(0.0),
        TargetWait::Spin(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::echo::EchoTimes;
    use crate::typical::{Sections, TypicalTimes};

    const READ: SplitOperation = SplitOperation { writes: false, bytes: 8192 };
    const SHAPE: EchoShape = EchoShape { question_bytes: 72, answer_bytes: 8240 };

    fn seen([send_ns, between_ns, receive_ns]: [f64; 3], tells: bool) -> OperationWindow {
        let told = |ns: f64| tells.then_some(ns);
        OperationWindow {
            typical: TypicalTimes {
                count: 1000,
                whole_ns: send_ns + between_ns + receive_ns,
                sections: Some(Sections { send_ns: Some(send_ns), between_ns, receive_ns }),
                target_ns: told(2e3),
                storage_ns: told(10e3),
            },
            median_ns: 1,
            p99_ns: None,
            cpu_per_op_ns: 5e3,
            zero_share: 0.0,
            tcp: narrows_initiator::TcpInfo { min_rtt_ns: Some(7), retransmits: 1 },
        }
    }

    /// The host sends in 2 µs, receives in 3, wakes up in 9; the network takes 6, the target's wake-up 8, an echo's 7.
    fn round(tells: bool, echoed: bool) -> SplitRound {
        let windows = HostMode::ALL.map(|mode| {
            let receive = if mode.polled { 3e3 } else { 12e3 };
            ((READ, mode.polled, mode.stamped), seen([2e3, 26e3, receive], tells))
        });
        let echo = |polled, network_ns| ((SHAPE, polled), EchoTimes { network_ns });
        let echoes = [echo(true, 6e3), echo(false, 13e3)];
        let echoes = echoes.into_iter().filter(|_| echoed).collect();
        SplitRound::planted(BTreeMap::from(windows), echoes)
    }

    fn of(parts: &[(Metric, f64)], metric: Metric) -> Option<f64> {
        parts.iter().find(|(name, _)| *name == metric).map(|(_, value)| *value)
    }

    #[test]
    fn each_part_is_where_it_was_planted_and_all_add_up() {
        let parts = parts(&round(true, true), READ, Some(SHAPE), Some(TargetWait::Sleep));
        for (metric, ns) in [
            (metric::SPLIT_LATENCY, 40e3),
            (metric::SPLIT_LATENCY_POLLED, 31e3),
            (metric::SPLIT_SEND, 2e3),
            (metric::SPLIT_WIRE, 6e3),
            (metric::SPLIT_TARGET_WAKE_UP, 8e3),
            (metric::SPLIT_ECHO_WAKE_UP, 7e3),
            (metric::SPLIT_TARGET, 2e3),
            (metric::SPLIT_STORAGE, 10e3),
            (metric::SPLIT_RECEIVE, 3e3),
            (metric::SPLIT_HOST_WAKE_UP, 9e3),
            (metric::SPLIT_UNEXPLAINED, 0.0),
            (metric::FABRIC_ADDED, 30e3),
            (metric::RETRANSMITS, 4.0),
        ] {
            assert_eq!(of(&parts, metric), Some(ns), "{metric}");
        }
    }

    #[test]
    fn the_drive_by_itself_is_what_the_fabric_adds_to_where_the_target_tells_nothing() {
        let parts = |tells| {
            let parts = parts(&round(tells, true), READ, Some(SHAPE), Some(TargetWait::Sleep));
            with_device(parts, Some(11e3))
        };
        let silent = parts(false);
        assert_eq!(of(&silent, metric::SPLIT_DEVICE), Some(11e3));
        assert_eq!(of(&silent, metric::FABRIC_ADDED), Some(29e3));
        // What the target says of its storage goes before.
        assert_eq!(of(&parts(true), metric::FABRIC_ADDED), Some(30e3));
    }

    #[test]
    fn a_target_that_polls_has_no_wake_up_and_what_is_left_shows() {
        let parts = parts(&round(true, true), READ, Some(SHAPE), Some(TargetWait::Poll));
        assert_eq!(of(&parts, metric::SPLIT_TARGET_WAKE_UP), Some(0.0));
        assert_eq!(of(&parts, metric::SPLIT_UNEXPLAINED), Some(8e3));
        assert_eq!(of(&parts, metric::SPLIT_UNEXPLAINED_SHARE), Some(0.2));
    }

    #[test]
    fn without_an_echo_the_network_is_one_part() {
        let parts = parts(&round(true, false), READ, Some(SHAPE), Some(TargetWait::Sleep));
        assert_eq!(of(&parts, metric::SPLIT_NETWORK), Some(14e3));
        assert_eq!(of(&parts, metric::SPLIT_WIRE), None);
        assert_eq!(of(&parts, metric::SPLIT_UNEXPLAINED), Some(0.0));
        let spins = Some(TargetWait::Spin(50_000));
        let spinning = super::parts(&round(true, true), READ, Some(SHAPE), spins);
        assert_eq!(of(&spinning, metric::SPLIT_TARGET_WAKE_UP), None);
        assert_eq!(of(&spinning, metric::SPLIT_UNEXPLAINED), Some(0.0));
    }

    #[test]
    fn another_s_target_is_one_part_with_the_network() {
        let parts = parts(&round(false, true), READ, Some(SHAPE), None);
        assert_eq!(of(&parts, metric::SPLIT_BEYOND_HOST), Some(26e3));
        assert_eq!(of(&parts, metric::SPLIT_ECHO), Some(13e3));
        assert_eq!(
            (of(&parts, metric::SPLIT_STORAGE), of(&parts, metric::FABRIC_ADDED)),
            (None, None)
        );
    }

    #[test]
    fn without_stamps_the_target_still_tells_its_part() {
        let mut bare = seen([2e3, 26e3, 12e3], true);
        bare.typical.sections = None;
        let windows = BTreeMap::from([((READ, false, false), bare)]);
        let round = SplitRound::planted(windows, BTreeMap::new());
        let parts = parts(&round, READ, Some(SHAPE), Some(TargetWait::Sleep));
        assert_eq!(of(&parts, metric::SPLIT_STORAGE), Some(10e3));
        assert_eq!(of(&parts, metric::FABRIC_ADDED), Some(30e3));
        assert_eq!(of(&parts, metric::SPLIT_UNEXPLAINED), None);
    }

    #[test]
    fn the_target_s_work_is_between_two_looks() {
        let at = |cpu_ns, commands| TargetActivity {
            wait: TargetWait::Sleep,
            threads: 1,
            cpu_ns,
            commands,
            storage: None,
        };
        let round = |before, after| {
            let mut round = SplitRound::default();
            round.target = Some([before, after]);
            round
        };
        let rounds = [round(at(100, 10), at(5100, 15)), round(at(100, 10), at(200, 10))];
        let work = target_work(&rounds).unwrap();
        assert_eq!((work.repeats, work.value(metric::TARGET_CPU_PER_OP)), (1, Some(1000.0)));
        assert!(target_work(&rounds[1..]).is_none());
    }
}
