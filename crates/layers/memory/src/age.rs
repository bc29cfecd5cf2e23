//! Whether a machine's memory has aged: what is left of it in large pieces, and what two runs of the same measurements differ by.
//!
//! A machine that ran for weeks has its free memory in small pieces; huge pages that were there after the start are not to be had
//! any more, faults look longer for a page, pools grow on whatever node has room. Published: a scan that took 5 s after the start
//! took 20 s after 14 days, and 5 s again after a restart (published figures, D). The state is read from files that anybody may
//! read; nothing is compacted or dropped.

use narrows_facts::Source;
use narrows_model::{
    Better, Key, Layer, Measurement, MetricValue, Unit, Validity, condition, metric,
};
use narrows_stats::{geometric_mean, ratio};
use serde_json::{Value, json};

use crate::mapping::{HUGE, base_page_bytes};

/// The id of the state.
pub const STATE: &str = "memory.baseline.state";
/// The id of the nodes' counters.
pub const COUNTERS: &str = "memory.baseline.counters";
/// The id of what changed since the baseline.
pub const SINCE: &str = "memory.baseline.since";
/// By so much a figure has to be worse, besides being so beyond its interval: two runs on one machine differ by more than the repeats
/// of each, by where their pages came to lie and by what else ran.
const WORSE: f64 = 0.15;
/// Free memory in pieces of 2 MiB and more: this share of the baseline's is a loss.
const FRAGMENTED: f64 = 0.5;

/// How much of the memory is free, and in what pieces.
pub fn state(source: &dyn Source) -> Measurement {
    let mut m = Measurement::new(STATE, Layer::Memory);
    m.repeats = 1;
    let free = source.text("/proc/buddyinfo").map(|text| pieces(&text, base_page_bytes()));
    let meminfo = source.text("/proc/meminfo").unwrap_or_default();
    let kb = |name: &str| field(&meminfo, name).map(|kb| kb << 10);
    let vmstat = source.text("/proc/vmstat").unwrap_or_default();
    let count = |name: &str| field(&vmstat, name);
    let uptime = source.text("/proc/uptime");
    let uptime = uptime.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let swapped = kb("SwapTotal").zip(kb("SwapFree")).map(|(all, free)| all.saturating_sub(free));
    let facts: [(Key<f64>, Option<Value>); 11] = [
        (condition::UPTIME_S, uptime.map(|s| json!(s))),
        (condition::FREE_BYTES, free.map(|(all, _)| json!(all))),
        (condition::FREE_IN_LARGE_PIECES_BYTES, free.map(|(_, large)| json!(large))),
        (condition::HUGE_PAGES_BYTES, huge(&meminfo, "HugePages_Total").map(|b| json!(b))),
        (condition::HUGE_PAGES_FREE_BYTES, huge(&meminfo, "HugePages_Free").map(|b| json!(b))),
        (condition::TRANSPARENT_HUGE_BYTES, kb("AnonHugePages").map(|b| json!(b))),
        (condition::SWAP_USED_BYTES, swapped.map(|b| json!(b))),
        (condition::HUGE_FAULTS, count("thp_fault_alloc").map(|n| json!(n))),
        (condition::HUGE_FAULTS_REFUSED, count("thp_fault_fallback").map(|n| json!(n))),
        (condition::COMPACTIONS, count("compact_stall").map(|n| json!(n))),
        (condition::COMPACTIONS_FAILED, count("compact_fail").map(|n| json!(n))),
    ];
    for (key, value) in facts {
        if let Some(value) = value {
            m.conditions.insert(key, value);
        }
    }
    m
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text
        .lines()
        .find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', ' '])))?;
    line[name.len()..].trim_start_matches(':').split_whitespace().next()?.parse().ok()
}

/// Huge pages of the default size, bytes.
fn huge(meminfo: &str, name: &str) -> Option<u64> {
    Some(field(meminfo, name)? * (field(meminfo, "Hugepagesize")? << 10))
}

/// Free bytes, and those of them in pieces of 2 MiB and more; of all zones, by the size of the kernel's pages.
fn pieces(buddyinfo: &str, page_bytes: u64) -> (u64, u64) {
    let (mut all, mut large) = (0, 0);
    for line in buddyinfo.lines() {
        // Node 0, zone   Normal      4      5 ...
        let Some((_, rest)) = line.split_once("zone") else { continue };
        let counts = rest.split_whitespace().skip(1).filter_map(|n| n.parse::<u64>().ok());
        for (order, count) in counts.enumerate() {
            let piece = page_bytes << order;
            all += count * piece;
            large += if piece >= HUGE { count * piece } else { 0 };
        }
    }
    (all, large)
}

/// What has to be the same for two figures to be compared.
const SAME: [Key<Value>; 8] = [
    condition::CPU.any(),
    condition::CPUS.any(),
    condition::THREADS.any(),
    condition::PROCESSES.any(),
    condition::BYTES.any(),
    condition::FOOTPRINT_BYTES.any(),
    condition::METHOD.any(),
    condition::PAGE_BYTES.any(),
];

/// Why two measurements of one id can't be compared.
fn unlike(was: &Measurement, is: &Measurement) -> Option<String> {
    if [was, is].iter().any(|m| m.validity == Validity::Invalid) {
        return Some("one of the two is invalid".to_string());
    }
    let value = |m: &Measurement, key: &Key<Value>| m.get(*key).cloned().unwrap_or(Value::Null);
    let other = SAME.iter().find(|key| value(was, key) != value(is, key))?;
    Some(format!("other {}", other.words()))
}

/// What differs between the measurements of a baseline and those of now, which have been judged, as a measurement; its conditions
/// have the changes, what could not be compared, the states, and whether the memory has aged.
pub fn since(then: &[Measurement], now: &[Measurement]) -> Measurement {
    let mut m = Measurement::new(SINCE, Layer::Memory);
    m.repeats = 1;
    let (mut changes, mut apart) = (Vec::new(), Vec::new());
    let mut aged = false;
    for this in now {
        let Some(before) = then.iter().find(|m| m.id == this.id) else { continue };
        for name in [metric::COST, metric::BANDWIDTH] {
            let both = (before.metric(name), this.metric(name));
            let (Some(was), Some(is)) = both else { continue };
            if let Some(why) = unlike(before, this) {
                apart.push(json!({"id": this.id, "why": why}));
                break;
            }
            let Some(mut change) = change(this, was, is) else { continue };
            // What something disturbed is shown, and proves no age.
            let sure = before.usable() && this.usable();
            change["sure"] = json!(sure);
            aged |= sure && change["worse"] == json!(true);
            changes.push(change);
            // One figure of a measurement is enough: the others follow from it.
            break;
        }
    }
    let compared = |m: &&Measurement| {
        [metric::COST, metric::BANDWIDTH].into_iter().any(|metric| m.metric(metric).is_some())
    };
    let gone = then.iter().filter(compared).filter(|m| !now.iter().any(|this| this.id == m.id));
    let missing: Vec<&str> = gone.map(|m| m.id.as_str()).collect();
    let of = |all: &[Measurement]| all.iter().find(|m| m.id == STATE).cloned();
    let (was, is) = (of(then), of(now));
    let number = |m: &Option<Measurement>, key: Key<f64>| m.as_ref()?.number(key);
    let mut reasons = Vec::new();
    if let (Some(was), Some(is)) = (large_share(was.as_ref()), large_share(is.as_ref()))
        && is < was * FRAGMENTED
    {
        reasons.push("fragmented");
    }
    let less =
        |key: Key<f64>| number(&is, key).zip(number(&was, key)).is_some_and(|(is, was)| is < was);
    if less(condition::HUGE_PAGES_BYTES) {
        reasons.push("huge pages lost");
    }
    if less(condition::HUGE_PAGES_FREE_BYTES) && !less(condition::HUGE_PAGES_BYTES) {
        reasons.push("huge pages taken");
    }
    let more =
        |key: Key<f64>| number(&is, key).zip(number(&was, key)).is_some_and(|(is, was)| is > was);
    if more(condition::SWAP_USED_BYTES) {
        reasons.push("swap used");
    }
    if then.iter().any(|m| m.id == "memory.latency.2m")
        && !now.iter().any(|m| m.id == "memory.latency.2m")
    {
        reasons.push("huge pages not obtained any more");
    }
    let misplaced = |all: &[Measurement]| {
        let counters = all.iter().find(|m| m.id == COUNTERS)?;
        Some((
            counters.value(metric::FULLEST_NODE_SHARE)?,
            counters.text(condition::SHAPE)?.to_string(),
        ))
    };
    if let (Some((was, _)), Some((is, shape))) = (misplaced(then), misplaced(now))
        && shape != "the only node"
        && is > was + 0.1
    {
        reasons.push("shared memory less even");
    }
    let restarted = number(&is, condition::UPTIME_S)
        .zip(number(&was, condition::UPTIME_S))
        .is_some_and(|(is, was)| is < was);
    let conditions = &mut m.conditions;
    conditions.insert(condition::CHANGES, json!(changes));
    conditions.insert(condition::NOT_COMPARED, json!(apart));
    conditions.insert(condition::MISSING, json!(missing));
    conditions.insert(condition::AGED, json!(aged));
    conditions.insert(condition::REASONS, json!(reasons));
    conditions.insert(condition::RESTARTED_SINCE, json!(restarted));
    for (key, state) in [(condition::THEN, was), (condition::NOW, is)] {
        if let Some(state) = state {
            conditions.insert(key, json!(state.conditions));
        }
    }
    m
}

/// Of what is free, the share in pieces of 2 MiB and more.
fn large_share(state: Option<&Measurement>) -> Option<f64> {
    let state = state?;
    let (all, large) = (
        state.number(condition::FREE_BYTES)?,
        state.number(condition::FREE_IN_LARGE_PIECES_BYTES)?,
    );
    (all > 0.0).then(|| large / all)
}

fn change(m: &Measurement, was: &MetricValue, is: &MetricValue) -> Option<Value> {
    let ratio = ratio(&is.samples, &was.samples)?;
    let interval = ratio.interval_95?;
    let worse = match is.better {
        Better::Less => interval.low > 1.0 && ratio.value > 1.0 + WORSE,
        Better::More => interval.high < 1.0 && ratio.value < 1.0 / (1.0 + WORSE),
        Better::Neither => false,
    };
    let better = match is.better {
        Better::Less => interval.high < 1.0 && ratio.value < 1.0 / (1.0 + WORSE),
        Better::More => interval.low > 1.0 && ratio.value > 1.0 + WORSE,
        Better::Neither => false,
    };
    Some(json!({
        "id": m.id,
        "unit": if is.unit == Unit::BytesPerS { "bytes_per_s" } else { "ns" },
        // The means whose ratio it is; a median beside it would seem to contradict where one repeat was far off.
        "then": geometric_mean(&was.samples),
        "now": geometric_mean(&is.samples),
        "ratio": ratio.value,
        "low": interval.low,
        "high": interval.high,
        "worse": worse,
        "better": better,
    }))
}

#[cfg(test)]
mod tests {
    use narrows_model::Metric;

    use super::*;

    fn figure(id: &str, metric: Metric, samples: &[f64]) -> Measurement {
        let mut m = Measurement::new(id, Layer::Memory);
        let median = narrows_stats::median(samples).unwrap();
        m.metrics = vec![MetricValue::new(metric, median, None, samples.to_vec())];
        m
    }

    fn state_of(large: u64, huge: u64, uptime_s: f64) -> Measurement {
        let mut m = Measurement::new(STATE, Layer::Memory);
        for (key, value) in [
            (condition::FREE_BYTES, json!(8u64 << 30)),
            (condition::FREE_IN_LARGE_PIECES_BYTES, json!(large)),
            (condition::HUGE_PAGES_BYTES, json!(huge)),
            (condition::UPTIME_S, json!(uptime_s)),
        ] {
            m.conditions.insert(key, value);
        }
        m
    }

    #[test]
    fn free_memory_is_counted_by_the_size_of_its_pieces() {
        let text = "\
Node 0, zone      DMA      1      0      0      0      0      0      0      0      0      0      3
Node 0, zone   Normal      2      1      0      0      0      0      0      0      0      5      0
";
        let small = 4096 * (1 + 2 + 2);
        let large = 3 * (4 << 20) + 5 * (2 << 20);
        assert_eq!(pieces(text, 4096), (small + large, large));
        assert_eq!(pieces("", 4096), (0, 0));
        let larger = 16 * (5 * (2 << 20) + 3 * (4 << 20));
        assert_eq!(pieces(text, 65_536), (16 * (small + large), larger), "order 5 is 2 MiB");
    }

    #[test]
    fn the_published_machine_has_aged_and_the_restarted_one_has_not() {
        // 5 s, 20 s after 14 days, 5 s after a restart: the same scan, by its rate.
        let scan = |s: f64| {
            let rates: Vec<f64> = [0.99, 1.0, 1.01].iter().map(|noise| 750e9 / s * noise).collect();
            figure("memory.touch.4k.all", metric::BANDWIDTH, &rates)
        };
        let young = [scan(5.0), state_of(7 << 30, 4 << 30, 3600.0)];
        let old = [scan(20.0), state_of(1 << 30, 4 << 30, 14.0 * 86_400.0)];
        let found = since(&young, &old);
        assert_eq!(found.conditions[condition::AGED], json!(true));
        assert_eq!(found.conditions[condition::REASONS], json!(["fragmented"]));
        let ratio = found.conditions[condition::CHANGES][0]["ratio"].as_f64().unwrap();
        assert!((ratio - 0.25).abs() < 0.01, "{ratio}");
        let again = since(&young, &[scan(5.0), state_of(7 << 30, 4 << 30, 60.0)]);
        assert_eq!(again.conditions[condition::AGED], json!(false));
        assert_eq!(again.conditions[condition::RESTARTED_SINCE], json!(true));
        assert_eq!(again.conditions[condition::REASONS], json!([]));
    }

    #[test]
    fn noise_is_no_age_and_lost_pages_are_named() {
        let cost = |ns: [f64; 4]| figure("memory.latency.4k", metric::COST, &ns);
        let then = [cost([100.0, 104.0, 98.0, 101.0]), state_of(1 << 30, 4 << 30, 5.0)];
        let now = [cost([112.0, 95.0, 99.0, 118.0]), state_of(1 << 30, 2 << 30, 9.0)];
        let found = since(&then, &now);
        assert_eq!(found.conditions[condition::AGED], json!(false), "within its interval");
        assert_eq!(found.conditions[condition::REASONS], json!(["huge pages lost"]));
        let slower = since(&then, &[cost([131.0, 128.0, 133.0, 130.0])]);
        assert_eq!(slower.conditions[condition::AGED], json!(true));
        assert_eq!(slower.conditions[condition::CHANGES][0]["worse"], json!(true));
        assert_eq!(slower.conditions[condition::MISSING], json!([]));
        let nothing = since(&then, &[state_of(1 << 30, 4 << 30, 9.0)]);
        assert_eq!(nothing.conditions[condition::MISSING], json!(["memory.latency.4k"]));
    }

    #[test]
    fn only_what_is_alike_is_compared_and_what_was_disturbed_proves_nothing() {
        let figure = |cpus: &[u32], validity| {
            let mut m = figure("memory.touch.4k.all", metric::BANDWIDTH, &[9e9, 10e9, 11e9]);
            m.workload.insert(condition::CPUS, json!(cpus));
            m.validity = validity;
            m
        };
        let slower = |m: Measurement| {
            let mut m = m;
            m.metrics[0].samples.iter_mut().for_each(|sample| *sample /= 3.0);
            m
        };
        let then = [figure(&[0, 1], Validity::Valid)];
        let other = since(&then, &[slower(figure(&[0], Validity::Valid))]);
        assert_eq!(other.conditions[condition::AGED], json!(false));
        assert_eq!(other.conditions[condition::NOT_COMPARED][0]["why"], json!("other cpus"));
        let disturbed = since(&then, &[slower(figure(&[0, 1], Validity::Suspect))]);
        assert_eq!(disturbed.conditions[condition::AGED], json!(false));
        assert_eq!(
            disturbed.conditions[condition::CHANGES][0]["worse"],
            json!(true),
            "and is shown"
        );
        let sure = since(&then, &[slower(figure(&[0, 1], Validity::Valid))]);
        assert_eq!(sure.conditions[condition::AGED], json!(true));
        let broken = since(&then, &[slower(figure(&[0, 1], Validity::Invalid))]);
        assert_eq!(broken.conditions[condition::CHANGES], json!([]));
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "HugePages_Total:       8\nHugepagesize:       2048 kB\nHugePages_Free:   3\nthp_fault_alloc 7\nthp_fault_alloc_x 9\n";
        assert_eq!(huge(text, "HugePages_Total"), Some(16 << 20));
        assert_eq!(field(text, "thp_fault_alloc"), Some(7));
        assert_eq!(field(text, "nothing"), None);
    }
}
