//! SLB's lines, as `memhammer` prints them, and what they mean, from what the run keeps of its loop.

use narrows_model::{Cache, Measurement, Run, condition, family, metric};
use narrows_units::{Bytes, significant};
use serde_json::Value;

use crate::words::counted;

/// Bytes of a page of the kit, and lines of it that loops go through one after the other.
const PAGE: u64 = 4096;
const LINES: u64 = 64;

/// What is said of one run of the loop.
pub(crate) struct SlbView {
    /// SLB's own lines, one for each process.
    pub lines: String,
    /// What they mean, in sentences.
    pub sentences: Vec<String>,
}

/// One process.
struct Process {
    operations: f64,
    us: f64,
    /// The CPU it was bound to, and those it was on before and after.
    bound: u64,
    seen: Vec<u64>,
}

/// The loop of a run that has one.
pub(crate) fn slb(run: &Run) -> Option<SlbView> {
    let measured = run.measurements.iter().find(|m| family::MEMORY_SLB.has(&m.id))?;
    let processes = processes(measured)?;
    let lines = processes.iter().map(line).collect();
    let mut sentences = together(measured, &processes);
    sentences.push(independent(measured));
    let cache = last_level_bytes(run.platform().map_or(&[], |platform| &platform.caches));
    sentences.extend(cache.map(|cache| touched(measured, cache)));
    let latency = run.measurements.iter().find(|m| family::MEMORY_LATENCY.has(&m.id));
    sentences.extend(latency.and_then(|latency| beside(measured, latency, &processes, cache)));
    let missing = measured.text(condition::LATENCY_NOT_MEASURED);
    sentences.extend(
        missing.map(|why| format!("The latency of as much memory was not measured: {why}.")),
    );
    Some(SlbView { lines, sentences })
}

fn processes(measured: &Measurement) -> Option<Vec<Process>> {
    let numbers = |list: &[Value]| -> Vec<u64> { list.iter().filter_map(Value::as_u64).collect() };
    let bound = numbers(measured.workload.get(condition::CPUS)?);
    let each = measured.conditions.get(condition::EACH)?;
    let one = |(one, bound): (&Value, &u64)| {
        Some(Process {
            operations: one.get("operations")?.as_f64()?,
            us: one.get("us")?.as_f64()?,
            bound: *bound,
            seen: numbers(one.get("cpus")?.as_array()?),
        })
    };
    each.iter().zip(&bound).map(one).collect()
}

/// As `memhammer` prints it.
fn line(process: &Process) -> String {
    let Process { operations, us, .. } = process;
    format!(
        "Total ops {operations} Avg nsec/op {:.1} gettimeofday usec {us:.0} TPUT ops/sec {:.1}\n",
        us * 1e3 / operations,
        operations / us * 1e6
    )
}

fn together(measured: &Measurement, processes: &[Process]) -> Vec<String> {
    let wrong = misplaced(processes);
    let cpus: Vec<String> = processes.iter().map(|process| process.bound.to_string()).collect();
    let rate = processes.iter().map(|process| process.operations / process.us * 1e6).sum();
    let verified = if wrong.is_empty() { ", verified before and after" } else { "" };
    let all_ran = measured.number(condition::ALL_RAN_SHARE).unwrap_or_default();
    let all = format!(
        "{} on CPU {}{verified}; together {} accesses/s; all ran in {} % of the time from the first start to the last end.",
        process_count(processes.len()),
        cpus.join(", "),
        significant(rate, 4),
        significant(all_ran * 100.0, 3)
    );
    let warnings = wrong.iter().map(|sentence| format!("warning: {sentence}"));
    std::iter::once(all).chain(warnings).collect()
}

fn process_count(n: usize) -> String {
    if n == 1 { "1 process".to_string() } else { format!("{n} processes") }
}

/// Whether each stayed on a CPU of its own.
fn misplaced(processes: &[Process]) -> Vec<String> {
    let moved = processes.iter().filter(|p| p.seen.iter().any(|cpu| *cpu != p.bound));
    let mut said: Vec<String> = moved
        .map(|process| {
            let seen: Vec<String> = process.seen.iter().map(u64::to_string).collect();
            let (bound, seen) = (process.bound, seen.join(" and "));
            format!("one was bound to CPU {bound}, and ran on {seen}")
        })
        .collect();
    let mut cpus: Vec<u64> = processes.iter().map(|process| process.bound).collect();
    cpus.sort_unstable();
    cpus.dedup();
    if cpus.len() < processes.len() {
        said.push(format!(
            "{} processes share {}: their lines are those of shared CPUs, and not of memory",
            processes.len(),
            counted(cpus.len(), "CPU")
        ));
    }
    said
}

fn independent(measured: &Measurement) -> String {
    let verb = if measured.id.ends_with("2007") { "stores" } else { "loads" };
    format!(
        "The {verb} are independent: the next begins before the last one has ended. nsec/op is one process's reciprocal throughput, and not a latency."
    )
}

fn touched(measured: &Measurement, cache: u64) -> String {
    let number = |key| measured.number(key).unwrap_or_default() as u64;
    let each = number(condition::PAGES) * PAGE / LINES;
    // Another line of a page in every loop, until all have had their turn.
    let touched = each * number(condition::LOOPS).min(LINES) * number(condition::PROCESSES);
    let so = if touched < 2 * cache { ": a figure of caches as much as of memory" } else { "" };
    format!(
        "A loop touches one line of each page, and all loops together {} of memory; the last-level caches hold {}{so}.",
        Bytes(touched),
        Bytes(cache)
    )
}

fn beside(
    measured: &Measurement,
    latency: &Measurement,
    processes: &[Process],
    cache: Option<u64>,
) -> Option<String> {
    let ns = latency.value(metric::COST)?;
    let each = processes.iter().map(|process| process.us * 1e3 / process.operations);
    let mean = each.sum::<f64>() / processes.len().max(1) as f64;
    let small = measured.number(condition::PAGE_BYTES).is_none_or(|bytes| bytes <= PAGE as f64);
    let pages = if small { "4 KiB" } else { "2 MiB" };
    let cached = match (cache, latency.number(condition::FOOTPRINT_BYTES)) {
        (Some(cache), Some(bytes)) if bytes < 4.0 * cache as f64 => {
            "; a part of it comes from the last-level caches, which hold a quarter of it or more"
        }
        _ => "",
    };
    Some(format!(
        "Latency of as much memory, by dependent loads over all its lines on {pages} pages, one process alone: {} ns, × {} of nsec/op{cached}.",
        significant(ns, 3),
        significant(ns / mean, 2)
    ))
}

/// All instances of the outermost cache level together, bytes.
fn last_level_bytes(caches: &[Cache]) -> Option<u64> {
    let data = || caches.iter().filter(|cache| cache.kind != "Instruction");
    let level = data().map(|cache| cache.level).max()?;
    let bytes = data()
        .filter(|cache| cache.level == level)
        .map(|cache| cache.size_bytes * u64::from(cache.instances.max(1)))
        .sum();
    (bytes > 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(operations: f64, us: f64, bound: u64, seen: &[u64]) -> Process {
        Process { operations, us, bound, seen: seen.to_vec() }
    }

    #[test]
    fn the_line_is_slbs() {
        // The published line of a Xeon E5320: 131072 pages, 6000 loops.
        assert_eq!(
            line(&process(786_432_000.0, 103_240_338.0, 0, &[0, 0])),
            "Total ops 786432000 Avg nsec/op 131.3 gettimeofday usec 103240338 TPUT ops/sec 7617487.7\n"
        );
    }

    #[test]
    fn shared_and_missed_cpus_are_said() {
        let on = |bound| process(1.0, 1.0, bound, &[0, 0]);
        assert!(misplaced(&[on(0)]).is_empty());
        let said = misplaced(&[on(0), on(0)]);
        assert!(said[0].contains("2 processes share 1 CPU"), "{said:?}");
        let said = misplaced(&[on(3)]);
        assert!(said[0].contains("CPU 3, and ran on 0 and 0"), "{said:?}");
    }
}
