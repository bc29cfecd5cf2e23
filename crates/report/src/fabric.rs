//! Where the time of operations over a storage fabric goes.
//!
//! Made from the measurements `fabric.split.*`: a column for each operation, a line for each part of its latency in the order in which
//! the operation passes them, and what follows, in sentences. An invalid measurement has no column.

use narrows_model::{
    LimitBasis, Measurement, Metric, Run, Unit, Validity, condition, fabric, family, metric,
};
use narrows_units::{Bytes, significant};

use crate::document::{AnnotatedTable, Row, Table};
use crate::notes::Notes;
use crate::print::{Units, percent, time};
use crate::words::capital;

/// The lines of the table: a name, the metric.
const LINES: [(&str, Metric); 15] = [
    ("latency", metric::SPLIT_LATENCY),
    ("  this host sends", metric::SPLIT_SEND),
    ("  network and stacks", metric::SPLIT_WIRE),
    ("  target's wake-up", metric::SPLIT_TARGET_WAKE_UP),
    ("  network and wake-up", metric::SPLIT_NETWORK),
    ("  network and target", metric::SPLIT_BEYOND_HOST),
    ("  target", metric::SPLIT_TARGET),
    ("  storage", metric::SPLIT_STORAGE),
    ("  this host receives", metric::SPLIT_RECEIVE),
    ("  this host's wake-up", metric::SPLIT_HOST_WAKE_UP),
    ("  unexplained", metric::SPLIT_UNEXPLAINED),
    ("drive by itself", metric::SPLIT_DEVICE),
    ("p99", metric::LATENCY_P99),
    ("with polling here", metric::SPLIT_LATENCY_POLLED),
    ("CPU time here", metric::CPU_PER_OP),
];
/// Those that add up.
const PARTS: [Metric; 9] = [
    metric::SPLIT_SEND,
    metric::SPLIT_WIRE,
    metric::SPLIT_TARGET_WAKE_UP,
    metric::SPLIT_NETWORK,
    metric::SPLIT_BEYOND_HOST,
    metric::SPLIT_TARGET,
    metric::SPLIT_STORAGE,
    metric::SPLIT_RECEIVE,
    metric::SPLIT_HOST_WAKE_UP,
];

/// Measurements of a run that divide a latency, and may be shown.
fn divided(run: &Run) -> Vec<&Measurement> {
    let all = run.measurements.iter().filter(|m| family::FABRIC_SPLIT.has(&m.id));
    all.filter(|m| m.validity != Validity::Invalid).collect()
}

/// The operation whose latency is told first: the smallest write, because commits wait for it, else the smallest read.
fn first(run: &Run) -> Option<&Measurement> {
    let all = divided(run);
    let smallest = |direction: &str| {
        let of = all.iter().filter(|m| m.text(condition::DIRECTION) == Some(direction));
        of.min_by(|a, b| bytes(a).total_cmp(&bytes(b))).copied()
    };
    smallest("write").or_else(|| smallest("read"))
}

fn bytes(m: &Measurement) -> f64 {
    m.number(condition::BLOCK_BYTES).unwrap_or(0.0)
}

fn writes(m: &Measurement) -> bool {
    m.text(condition::DIRECTION) == Some("write")
}

/// `8 KiB read`, `20 KiB durable write`.
fn words(m: &Measurement) -> String {
    let what = if writes(m) { "durable write" } else { "read" };
    format!("{} {what}", Bytes(bytes(m) as u64).iec())
}

/// `an 8 KiB read`, `a 16 KiB read`.
fn one(m: &Measurement) -> String {
    let words = words(m);
    // Eight, eighteen and eleven begin with a vowel as they are spoken.
    let vowel = ["8", "18 ", "11 "].iter().any(|begin| words.starts_with(begin));
    format!("{} {words}", if vowel { "an" } else { "a" })
}

/// What the fabric adds to the operation that matters most, as the answer of the run.
pub(crate) fn sentence(run: &Run) -> Option<String> {
    let m = first(run)?;
    let whole = m.value(metric::SPLIT_LATENCY)?;
    if !adds_up(m) {
        return Some(format!(
            "{} takes {}; its parts do not add up to that, so how much of it the fabric adds is not known.",
            capital(&one(m)),
            time(whole)
        ));
    }
    let commit = if writes(m) { ", and so to each commit that waits for one" } else { "" };
    Some(match (m.value(metric::FABRIC_ADDED), storage(m)) {
        (Some(added), Some((storage, whose))) => {
            let storage = if storage < fabric::MEMORY_NS {
                "behind it is memory".to_string()
            } else {
                format!("with the {whose} {} it takes {}", time(storage), time(whole))
            };
            format!(
                "The fabric adds {} to each {}{commit}{}; {storage}.",
                time(added),
                words(m),
                wake_ups(m)
            )
        }
        _ => format!(
            "{} takes {}{}; how much of it is the storage, this target doesn't tell.",
            capital(&one(m)),
            time(whole),
            wake_ups(m)
        ),
    })
}

/// The storage's part, ns, and whose it is: what the target tells, else what its machine measured of the drive.
fn storage(m: &Measurement) -> Option<(f64, &'static str)> {
    let told = m.value(metric::SPLIT_STORAGE).map(|ns| (ns, "storage's"));
    told.or_else(|| Some((m.value(metric::SPLIT_DEVICE)?, "drive's own")))
}

/// Whether the parts are those of the latency: neither in their rounds nor as they are printed do they miss it by more than may be left
/// unexplained, and none is more than what it is a part of.
fn adds_up(m: &Measurement) -> bool {
    let whole = m.value(metric::SPLIT_LATENCY);
    let each_round = m.value(metric::SPLIT_UNEXPLAINED_SHARE).unwrap_or(0.0).abs();
    let printed = unexplained(m).zip(whole).map_or(0.0, |(missed, whole)| (missed / whole).abs());
    let missed = each_round.max(printed);
    let positive = |metric| m.value(metric).map_or(0.0, |ns| ns.max(0.0));
    let wake_ups = positive(metric::SPLIT_HOST_WAKE_UP) + positive(metric::SPLIT_TARGET_WAKE_UP);
    let within = |part: f64, of: Option<f64>| {
        of.is_none_or(|of| part <= of * (1.0 + fabric::EXPLAINED_SHARE))
    };
    missed <= fabric::EXPLAINED_SHARE
        && within(storage(m).map_or(0.0, |(ns, _)| ns.max(0.0)), whole)
        && within(wake_ups, m.value(metric::FABRIC_ADDED).or(whole))
}

/// `: 22.1 µs of them wake-ups, 13 µs of this host's`.
fn wake_ups(m: &Measurement) -> String {
    let positive = |metric| m.value(metric).map(|ns| ns.max(0.0));
    match (positive(metric::SPLIT_HOST_WAKE_UP), positive(metric::SPLIT_TARGET_WAKE_UP)) {
        (Some(host), Some(target)) if target > 0.0 => format!(
            ": {} of them wake-ups ({} here, {} of the target)",
            time(host + target),
            time(host),
            time(target)
        ),
        (Some(host), _) => format!(": {} of them this host's wake-up", time(host)),
        _ => String::new(),
    }
}

/// The table with what follows from it; what is not to be trusted is marked at the head of its column.
pub(crate) fn views(run: &Run, units: Units, notes: &mut Notes) -> Vec<AnnotatedTable> {
    let all = divided(run);
    let Some(most) = all.iter().map(|m| m.repeats).max() else { return Vec::new() };
    let heads: Vec<String> = all.iter().map(|m| head(run, m, notes)).collect();
    let known = |metric: Metric| all.iter().any(|m| part(m, metric).is_some());
    let rows = LINES.iter().filter(|(_, metric)| known(*metric)).map(|(name, metric)| {
        let cell = |m: &&Measurement| part(m, *metric).map_or_else(|| "-".to_string(), time);
        Row::figures(*name, all.iter().map(cell).collect::<Vec<_>>(), "")
    });
    let title = format!("FABRIC  one operation in flight, middle half, {most} windows each");
    let table = Table::figures(title, heads, rows.collect::<Vec<_>>());
    vec![AnnotatedTable { table, sentences: sentences(run, &all, units) }]
}

/// `read 8k`, `read 8k? [1]`
fn head(run: &Run, m: &Measurement, notes: &mut Notes) -> String {
    let (what, size) = (if writes(m) { "write" } else { "read" }, bytes(m) / 1024.0);
    let doubt = if m.validity == Validity::Suspect { "?" } else { "" };
    let marks = notes.marks(run, &[m.id.as_str()]);
    let marks: String = marks.iter().map(|mark| format!(" [{}]", mark.0)).collect();
    format!("{what} {size}k{doubt}{marks}")
}

/// A figure of a line: what passes between driver and driver is told once, as finely as it is known; what is unexplained is what the
/// lines above miss the latency by.
fn part(m: &Measurement, metric: Metric) -> Option<f64> {
    let divided = m.value(metric::SPLIT_TARGET_WAKE_UP).is_some();
    let told = match metric {
        metric::SPLIT_WIRE => divided,
        metric::SPLIT_NETWORK => !divided,
        metric::SPLIT_UNEXPLAINED => return unexplained(m),
        _ => true,
    };
    m.value(metric).filter(|_| told)
}

/// The latency less its parts, as they are printed; unknown where it was not divided.
fn unexplained(m: &Measurement) -> Option<f64> {
    m.value(metric::SPLIT_UNEXPLAINED)?;
    let parts = PARTS.iter().filter_map(|metric| part(m, *metric));
    Some(m.value(metric::SPLIT_LATENCY)? - parts.sum::<f64>())
}

fn sentences(run: &Run, all: &[&Measurement], units: Units) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(step(all));
    if let Some(m) = first(run) {
        sentences.extend(beyond(m));
        sentences.extend(by_itself(m));
        sentences.extend(echo_wake_up(m));
        sentences.extend(polling(m));
        sentences.extend(work(run, m));
    }
    let missed = all.iter().filter_map(|m| {
        let share = unexplained(m)? / m.value(metric::SPLIT_LATENCY)?;
        (share.abs() > fabric::EXPLAINED_SHARE).then(|| format!("{} of {}", percent(share), one(m)))
    });
    let missed: Vec<String> = missed.collect();
    if !missed.is_empty() {
        sentences.push(format!("Not explained by the parts: {}.", missed.join(", ")));
    }
    sentences.extend(most(run, units));
    sentences
}

/// What a write takes more whose data don't go with its command.
fn step(all: &[&Measurement]) -> Option<String> {
    let inside = |within: bool| {
        move |m: &&&Measurement| m.get(condition::IN_CAPSULE) == Some(within) && writes(m)
    };
    let largest = all.iter().filter(inside(true)).max_by(|a, b| bytes(a).total_cmp(&bytes(b)))?;
    let beyond = all.iter().filter(inside(false)).min_by(|a, b| bytes(a).total_cmp(&bytes(b)))?;
    // Without the storage, where that is known of both.
    let [low, high] = match [largest, beyond].map(|m| m.value(metric::FABRIC_ADDED)) {
        [Some(low), Some(high)] => [Some(low), Some(high)],
        _ => [largest, beyond].map(|m| m.value(metric::SPLIT_LATENCY)),
    };
    let limit = largest.number(condition::IN_CAPSULE_BYTES)?;
    let more = high? - low?;
    let compared = if more >= 0.0 {
        format!("takes {} more than", time(more))
    } else {
        "takes no longer than".to_string()
    };
    Some(format!(
        "{} {compared} one of {}: up to {} go with the command (in-capsule data, IOCCSZ), more waits for the target to ask (R2T).",
        capital(&one(beyond)),
        Bytes(bytes(largest) as u64).iec(),
        Bytes(limit as u64).iec()
    ))
}

/// How much of what passes beyond this host is the network, where the target doesn't tell its time.
fn beyond(m: &Measurement) -> Option<String> {
    let (beyond, echo) = (m.value(metric::SPLIT_BEYOND_HOST)?, m.value(metric::SPLIT_ECHO)?);
    Some(format!(
        "Network and target take {} of {}; an echo of the same sizes that sleeps takes {}: the rest, {}, is the target's with its storage.",
        time(beyond),
        one(m),
        time(echo),
        time(rest(m)?)
    ))
}

/// The drive as its own machine measured it, beside what is known of the storage here.
fn by_itself(m: &Measurement) -> Option<String> {
    let device = m.value(metric::SPLIT_DEVICE)?;
    let run = m.text(condition::DEVICE_RUN).map_or_else(String::new, |run| format!(" (run {run})"));
    let beside = match (m.value(metric::SPLIT_STORAGE), rest(m)) {
        (Some(storage), _) => {
            format!(
                "the target counts {} for its storage, its own wake-up for the answer included",
                time(storage)
            )
        }
        (None, Some(rest)) if rest >= device => {
            format!(
                "so the target itself takes {}, its wake-up for the drive's answer included",
                time(rest - device)
            )
        }
        (None, Some(_)) => "more than is left for it here: the drive was slower then".to_string(),
        (None, None) => "how the rest is divided, no echo tells".to_string(),
    };
    Some(format!(
        "On its own machine{run} the drive takes {} for {}, the median: {beside}.",
        time(device),
        one(m)
    ))
}

/// What is the target's with its storage, where it doesn't tell its time and an echo tells the network's, ns.
fn rest(m: &Measurement) -> Option<f64> {
    let (beyond, echo) = (m.value(metric::SPLIT_BEYOND_HOST)?, m.value(metric::SPLIT_ECHO)?);
    Some((beyond - echo).max(0.0))
}

/// What a wake-up takes on the target's machine by another program, where the target's is another.
fn echo_wake_up(m: &Measurement) -> Option<String> {
    let whole = m.value(metric::SPLIT_LATENCY)?;
    let own = m.value(metric::SPLIT_TARGET_WAKE_UP).filter(|ns| *ns > 0.0)?;
    let echo = m.value(metric::SPLIT_ECHO_WAKE_UP)?;
    ((own - echo).abs() > fabric::EXPLAINED_SHARE * whole).then(|| {
        format!(
            "The target's wake-up is what it takes longer than an echo that polls, {}; the echo's own wake-up takes {}.",
            time(own),
            time(echo)
        )
    })
}

/// What a host that polls would gain.
fn polling(m: &Measurement) -> Option<String> {
    let sleeping = m.value(metric::SPLIT_LATENCY)?;
    let polling = m.value(metric::SPLIT_LATENCY_POLLED)?;
    let share = polling / sleeping;
    (share < 0.95).then(|| {
        format!(
            "A host that polls has {} in {} (× {}), for a whole CPU per queue.",
            one(m),
            time(polling),
            significant(share, 2)
        )
    })
}

/// CPU time on both sides.
fn work(run: &Run, m: &Measurement) -> Option<String> {
    let here = m.value(metric::CPU_PER_OP)?;
    let target = run.measurement("fabric.target").filter(|m| m.validity != Validity::Invalid);
    let there = target.and_then(|target| target.value(metric::TARGET_CPU_PER_OP));
    let polls = m.text(condition::TARGET_WAIT).filter(|wait| wait.starts_with("polls"));
    let there = there.map_or_else(String::new, |ns| match polls {
        Some(_) => format!("; the target polls, which takes {} of its CPUs per command", time(ns)),
        None => format!("; {} in the target, over all commands of this test", time(ns)),
    });
    Some(format!("CPU time of {}: {} on this host{there}.", one(m), time(here)))
}

/// Reads with many in flight.
fn most(run: &Run, units: Units) -> Option<String> {
    let all = run.measurements.iter().filter(|m| m.validity != Validity::Invalid);
    let m = all.clone().find(|m| family::FABRIC_THROUGHPUT.has(&m.id))?;
    let depth = m.number(condition::DEPTH)?;
    let queues = m.number(condition::QUEUES)?;
    let plural = if queues == 1.0 { "" } else { "s" };
    let limit = m
        .limits
        .iter()
        .find(|limit| limit.basis == LimitBasis::Protocol && limit.unit == Unit::BytesPerS);
    let of_link = match limit {
        Some(limit) => format!(
            ", {} of the {} that {} carries ({})",
            percent(limit.share),
            units.bytes_per_s(limit.value),
            limit.id.trim_start_matches("network:"),
            limit.source
        ),
        None => no_limit(m),
    };
    Some(format!(
        "{} reads, {depth:.0} in flight over {queues:.0} queue{plural}: {}{of_link}.",
        Bytes(bytes(m) as u64).iec(),
        units.bytes_per_s(m.value(metric::BANDWIDTH)?)
    ))
}

/// Why there is no limit of a link beside what was carried.
fn no_limit(m: &Measurement) -> String {
    match (m.get(condition::SAME_MACHINE), m.text(condition::INTERFACE)) {
        (Some(true), _) => "; no network is in it, so there is no limit of a link".to_string(),
        (_, Some(port)) => {
            format!("; the limit of {port} is unknown: it reports no speed, or is no hardware port")
        }
        _ => "; the port is unknown, and so is its limit".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Finding, Layer, MetricValue, Plan, Platform, Severity};
    use serde_json::json;

    use super::*;

    fn measurement(direction: &str, bytes: u32, figures: &[(Metric, f64)]) -> Measurement {
        let id = format!("fabric.split.{direction}.{}k", f64::from(bytes) / 1024.0);
        let mut m = Measurement::new(id.as_str(), Layer::Fabric);
        m.repeats = 6;
        m.workload.insert(condition::DIRECTION, json!(direction));
        m.workload.insert(condition::BLOCK_BYTES, json!(bytes));
        if direction == "write" {
            m.workload.insert(condition::IN_CAPSULE, json!(bytes <= 16 << 10));
            m.workload.insert(condition::IN_CAPSULE_BYTES, json!(16 << 10));
        }
        m.metrics = figures
            .iter()
            .map(|(metric, value)| MetricValue::new(*metric, *value, None, vec![*value]))
            .collect();
        m
    }

    fn run(measurements: Vec<Measurement>) -> Run {
        let plan = Plan { layers: vec![Layer::Fabric], ..Plan::default() };
        Run { measurements, ..Run::blank(plan, Platform::default()) }
    }

    const WRITE: [(Metric, f64); 6] = [
        (metric::SPLIT_LATENCY, 61e3),
        (metric::SPLIT_STORAGE, 21e3),
        (metric::FABRIC_ADDED, 40e3),
        (metric::SPLIT_HOST_WAKE_UP, 13e3),
        (metric::SPLIT_TARGET_WAKE_UP, 9e3),
        (metric::SPLIT_WIRE, 8e3),
    ];

    #[test]
    fn the_answer_is_of_what_a_commit_waits_for() {
        let read = measurement("read", 8192, &[(metric::SPLIT_LATENCY, 50e3)]);
        let told = run(vec![read.clone(), measurement("write", 8192, &WRITE)]);
        assert_eq!(
            sentence(&told).unwrap(),
            "The fabric adds 40.0 µs to each 8 KiB durable write, and so to each commit that waits for one: 22.0 µs of them wake-ups (13.0 µs here, 9.00 µs of the target); with the storage's 21.0 µs it takes 61.0 µs."
        );
        let reads = sentence(&run(vec![read])).unwrap();
        assert_eq!(
            reads,
            "An 8 KiB read takes 50.0 µs; how much of it is the storage, this target doesn't tell."
        );
        assert_eq!(sentence(&run(Vec::new())), None);
    }

    #[test]
    fn a_target_that_tells_nothing_is_divided_by_its_drive() {
        let figures = [
            (metric::SPLIT_LATENCY, 90e3),
            (metric::SPLIT_DEVICE, 30e3),
            (metric::FABRIC_ADDED, 60e3),
            (metric::SPLIT_HOST_WAKE_UP, 20e3),
            (metric::SPLIT_BEYOND_HOST, 65e3),
            (metric::SPLIT_ECHO, 25e3),
        ];
        let with = |device: f64| {
            let mut figures = figures.to_vec();
            figures[1].1 = device;
            measurement("write", 8192, &figures)
        };
        let m = with(30e3);
        assert_eq!(
            sentence(&run(vec![m.clone()])).unwrap(),
            "The fabric adds 60.0 µs to each 8 KiB durable write, and so to each commit that waits for one: 20.0 µs of them this host's wake-up; with the drive's own 30.0 µs it takes 90.0 µs."
        );
        let said = by_itself(&m).unwrap();
        assert!(said.contains("so the target itself takes 10.0 µs"), "{said}");
        // A drive that took longer than all of the rest was measured at another time of its life.
        let said = by_itself(&with(45e3)).unwrap();
        assert!(said.contains("the drive was slower then"), "{said}");
        let contradicts = sentence(&run(vec![with(95e3)])).unwrap();
        assert!(contradicts.contains("do not add up"), "{contradicts}");
    }

    #[test]
    fn what_a_link_carries_is_told_or_why_not() {
        let mut m = Measurement::new("fabric.throughput.read.128k", Layer::Fabric);
        m.workload.insert(condition::DEPTH, json!(64));
        m.workload.insert(condition::QUEUES, json!(2));
        m.workload.insert(condition::BLOCK_BYTES, json!(131_072));
        m.metrics = vec![MetricValue::new(metric::BANDWIDTH, 1e9, None, vec![1e9])];
        let said = |m: &Measurement| most(&run(vec![m.clone()]), Units::Si).unwrap();
        assert!(said(&m).contains("the port is unknown"), "{}", said(&m));
        m.conditions.insert(condition::INTERFACE, json!("veth0"));
        m.conditions.insert(condition::SAME_MACHINE, json!(false));
        assert!(said(&m).contains("the limit of veth0 is unknown"), "{}", said(&m));
        m.conditions.insert(condition::SAME_MACHINE, json!(true));
        assert!(said(&m).contains("no network is in it"), "{}", said(&m));
        m.limits.push(narrows_model::LimitShare {
            id: "network:eth0".to_string(),
            basis: LimitBasis::Protocol,
            value: 1.17e9,
            unit: Unit::BytesPerS,
            share: 0.855,
            source: "10 Gb/s Ethernet, MTU 1500".to_string(),
        });
        let told = said(&m);
        assert!(told.contains("of the 1.17 GB/s that eth0 carries (10 Gb/s Ethernet"), "{told}");
    }

    #[test]
    fn parts_that_contradict_the_whole_are_no_answer() {
        let with = |metric: Metric, value: f64| {
            let mut figures = WRITE.to_vec();
            figures.retain(|(other, _)| *other != metric);
            figures.push((metric, value));
            sentence(&run(vec![measurement("write", 8192, &figures)])).unwrap()
        };
        // As a machine gave it that was busy with other things: more wake-ups than was added, more storage than there was in all.
        for (metric, value) in [
            (metric::SPLIT_TARGET_WAKE_UP, 30e3),
            (metric::SPLIT_STORAGE, 65e3),
            (metric::SPLIT_UNEXPLAINED_SHARE, -0.06),
        ] {
            assert_eq!(
                with(metric, value),
                "An 8 KiB durable write takes 61.0 µs; its parts do not add up to that, so how much of it the fabric adds is not known."
            );
        }
        for (metric, value) in [
            (metric::SPLIT_TARGET_WAKE_UP, 28e3),
            (metric::SPLIT_STORAGE, 64e3),
            (metric::SPLIT_UNEXPLAINED_SHARE, 0.04),
        ] {
            assert!(with(metric, value).starts_with("The fabric adds 40.0 µs"), "{metric}");
        }
    }

    #[test]
    fn printed_parts_that_miss_the_whole_are_no_answer_although_each_round_adds_up() {
        let of = |target: f64| {
            let mut figures = WRITE.to_vec();
            figures.extend([
                (metric::SPLIT_TARGET, target),
                (metric::SPLIT_UNEXPLAINED, 0.0),
                (metric::SPLIT_UNEXPLAINED_SHARE, 0.0),
            ]);
            sentence(&run(vec![measurement("write", 8192, &figures)])).unwrap()
        };
        // 51 µs without the target's part, of 61.
        assert!(of(9e3).starts_with("The fabric adds 40.0 µs"), "{}", of(9e3));
        assert!(of(14e3).contains("do not add up"), "{}", of(14e3));
    }

    #[test]
    fn the_step_is_between_the_two_sizes_beside_the_limit() {
        let write = |bytes, ns| measurement("write", bytes, &[(metric::SPLIT_LATENCY, ns)]);
        let all = [write(8192, 60e3), write(16_384, 64e3), write(20_480, 85e3)];
        let said = step(&all.iter().collect::<Vec<_>>()).unwrap();
        assert!(
            said.starts_with(
                "A 20 KiB durable write takes 21.0 µs more than one of 16 KiB: up to 16 KiB go"
            ),
            "{said}"
        );
        assert_eq!(step(&[&all[0]]), None);
    }

    #[test]
    fn what_no_operation_knows_has_no_line_and_what_is_missed_is_said() {
        let mut figures = WRITE.to_vec();
        figures.push((metric::SPLIT_UNEXPLAINED, 0.0));
        figures.push((metric::SPLIT_TARGET, 16e3));
        let told = run(vec![measurement("write", 8192, &figures)]);
        let view = &views(&told, Units::Si, &mut Notes::default())[0];
        let names: Vec<String> = view
            .table
            .rows
            .iter()
            .filter_map(|row| match row {
                Row::Cells(cells, _) => Some(cells[0].text.text()),
                _ => None,
            })
            .collect();
        assert_eq!(
            names,
            [
                "latency",
                "  network and stacks",
                "  target's wake-up",
                "  target",
                "  storage",
                "  this host's wake-up",
                "  unexplained"
            ]
        );
        assert!(
            view.sentences
                .iter()
                .any(|said| said == "Not explained by the parts: -9.8 % of an 8 KiB durable write."),
            "{:?}",
            view.sentences
        );
    }

    #[test]
    fn a_column_that_is_not_to_be_trusted_says_so_and_why() {
        let mut read = measurement("read", 8192, &[(metric::SPLIT_LATENCY, 50e3)]);
        read.validity = Validity::Suspect;
        let mut told = run(vec![read, measurement("write", 8192, &WRITE)]);
        told.findings.push(Finding {
            id: "fabric-blocks-never-written".to_string(),
            severity: Severity::Suspect,
            measurement: Some("fabric.split.read.8k".to_string()),
            summary: "zeros".to_string(),
            evidence: "100 %".to_string(),
            advice: "fill it".to_string(),
            places: Vec::new(),
        });
        let mut notes = Notes::new(&told);
        let view = format!("{:?}", views(&told, Units::Si, &mut notes)[0].table);
        assert!(view.contains("read 8k? [1]") && view.contains("\"write 8k\""), "{view}");
        assert_eq!(notes.numbered[0].id, "fabric-blocks-never-written");
    }
}
