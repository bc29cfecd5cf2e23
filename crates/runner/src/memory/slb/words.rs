//! SLB's line, and what stands below it.

use narrows_layer_memory::slb::{Hammer, Hammered, Kit};
use narrows_model::{Measurement, metric};
use narrows_units::{Bytes, significant};

use crate::paragraph::paragraph;
use crate::request::memory::SlbRequest;

/// How long it took, µs.
pub fn micros(done: &Hammered) -> f64 {
    (done.to_ns - done.from_ns) as f64 / 1e3
}

/// As `memhammer` prints it.
pub fn slb_line(done: &Hammered) -> String {
    let (operations, micros) = (done.operations as f64, micros(done));
    format!(
        "Total ops {} Avg nsec/op {:.1} gettimeofday usec {:.0} TPUT ops/sec {:.1}\n",
        done.operations,
        micros * 1e3 / operations,
        micros,
        operations / micros * 1e6
    )
}

/// Of the time from the first start to the last end, the share in which all ran.
pub fn overlap(done: &[Hammered]) -> f64 {
    let first = done.iter().map(|done| done.from_ns).min().unwrap_or(0);
    let last = done.iter().map(|done| done.to_ns).max().unwrap_or(0);
    let from = done.iter().map(|done| done.from_ns).max().unwrap_or(0);
    let to = done.iter().map(|done| done.to_ns).min().unwrap_or(0);
    to.saturating_sub(from) as f64 / (last - first).max(1) as f64
}

/// Whether each stayed on a CPU of its own.
fn misplaced(hammers: &[Hammer], done: &[Hammered]) -> Vec<String> {
    let mut said = Vec::new();
    for (hammer, done) in hammers.iter().zip(done) {
        if done.cpus != (hammer.cpu, hammer.cpu) {
            said.push(format!(
                "one was to stay on CPU {}, and was on {} and {}",
                hammer.cpu, done.cpus.0, done.cpus.1
            ));
        }
    }
    let mut cpus: Vec<u32> = hammers.iter().map(|hammer| hammer.cpu).collect();
    cpus.sort_unstable();
    let processes = cpus.len();
    cpus.dedup();
    if cpus.len() < processes {
        said.push(format!(
            "{processes} processes share {}: their lines are of shared CPUs, and not of memory",
            counted(cpus.len(), "CPU", "CPUs")
        ));
    }
    said
}

/// What the lines mean, in sentences.
pub fn meaning(
    request: &SlbRequest,
    hammers: &[Hammer],
    done: &[Hammered],
    cache: Option<u64>,
    beside: Option<&Measurement>,
) -> String {
    let each: Vec<f64> = done.iter().map(|d| d.operations as f64 / micros(d) * 1e6).collect();
    let cpus: Vec<String> = hammers.iter().map(|hammer| hammer.cpu.to_string()).collect();
    let mut text = "\n".to_string();
    let wrong = misplaced(hammers, done);
    let verified = if wrong.is_empty() { ", verified before and after" } else { "" };
    text += &paragraph(&format!(
        "{} on CPU {}{verified}; together {} accesses/s; all ran in {} of the time from the first start to the \
         last end.",
        counted(done.len(), "process", "processes"),
        cpus.join(", "),
        significant(each.iter().sum(), 4),
        percent(overlap(done))
    ));
    for sentence in wrong {
        text += &paragraph(&format!("warning: {sentence}"));
    }
    let verb = match request.kit {
        Kit::Writes2007 => "stores",
        Kit::Reads2010 => "loads",
    };
    text += &paragraph(&format!(
        "The {verb} are independent: the next begins before the last one ended. nsec/op is one process's reciprocal \
         throughput, and not a latency."
    ));
    // Another line of a page in every loop, until its 64 have had their turn.
    let touched: u64 = hammers.iter().map(|h| h.bytes_a_loop() * h.loops.min(64)).sum();
    if let Some(cache) = cache {
        let so = if touched < 2 * cache { ": a figure of caches as much as of memory" } else { "" };
        text += &paragraph(&format!(
            "A loop touches one line of each page, and all loops together {} of memory; the last caches hold {}{so}.",
            Bytes(touched),
            Bytes(cache)
        ));
    }
    if let Some(m) = beside
        && let Some(ns) = m.value(metric::COST)
    {
        let mean = done.iter().map(|d| micros(d) * 1e3 / d.operations as f64).sum::<f64>()
            / done.len().max(1) as f64;
        let pages = if request.huge { "2 MiB" } else { "4 KiB" };
        let cached = match (cache, m.number("footprint_bytes")) {
            (Some(cache), Some(bytes)) if bytes < 4.0 * cache as f64 => {
                "; a part of it comes from the last caches, which hold a quarter of it and more"
            }
            _ => "",
        };
        text += &paragraph(&format!(
            "Latency of as much memory, by loads that wait for each other over all its lines on {pages} pages, one process \
             alone: {} ns, × {} of nsec/op{cached}.",
            significant(ns, 3),
            significant(ns / mean, 2)
        ));
    }
    text
}

/// `1 process`, `2 processes`.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(operations: u64, from_us: u64, to_us: u64) -> Hammered {
        Hammered {
            operations,
            from_ns: from_us * 1000,
            to_ns: to_us * 1000,
            cpus: (0, 0),
            wrong: 0,
        }
    }

    #[test]
    fn the_line_is_slbs() {
        // The published line of a Xeon E5320: 131072 pages, 6000 loops.
        let line = slb_line(&done(786_432_000, 0, 103_240_338));
        assert_eq!(
            line,
            "Total ops 786432000 Avg nsec/op 131.3 gettimeofday usec 103240338 TPUT ops/sec 7617487.7\n"
        );
    }

    #[test]
    fn what_ran_alone_is_no_overlap() {
        assert_eq!(overlap(&[done(1, 0, 100), done(1, 0, 100)]), 1.0);
        assert_eq!(overlap(&[done(1, 0, 100), done(1, 50, 150)]), 50.0 / 150.0);
        assert_eq!(overlap(&[done(1, 0, 100), done(1, 100, 200)]), 0.0);
    }

    #[test]
    fn shared_and_missed_cpus_are_said() {
        let hammer =
            |cpu| Hammer { pages: 1, loops: 1, kit: Kit::Reads2010, cpu, huge: false, seed: 0 };
        assert!(misplaced(&[hammer(0)], &[done(1, 0, 1)]).is_empty());
        let said = misplaced(&[hammer(0), hammer(0)], &[done(1, 0, 1), done(1, 0, 1)]);
        assert!(said[0].contains("2 processes share 1 CPU"), "{said:?}");
        let said = misplaced(&[hammer(3)], &[done(1, 0, 1)]);
        assert!(said[0].contains("CPU 3"), "{said:?}");
    }
}
