//! Results of memory tools: Intel's MLC, multiload (of multichase), and SLB's lines.
//!
//! MLC's megabyte has a million bytes. SLB's operation is one store per page in each of its rounds, by one process: a rate of stores, not
//! a latency.

use narrows_model::{Layer, Measurement, condition, metric};

use crate::{ImportError, Imported, measurement, nothing, number, slug};

const MLC: &str = "Intel(R) Memory Latency Checker";
const SLB: &str = "Total ops";
const MULTILOAD: &str = "ChaseNS";

pub(crate) fn is(text: &str) -> bool {
    text.contains(MLC) || is_slb(text) || text.contains(MULTILOAD)
}

fn is_slb(text: &str) -> bool {
    text.contains(SLB) && text.contains("nsec/op")
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let (tool, measurements, left_out) = if text.contains(MLC) {
        ("MLC", mlc(text), Vec::new())
    } else if is_slb(text) {
        let left_out = vec!["stores per process, which is no latency; add the processes up yourself only if they overlapped".to_string()];
        ("SLB", slb(text), left_out)
    } else {
        ("multiload", multiload(text), Vec::new())
    };
    if measurements.is_empty() {
        return Err(nothing(tool, "no figure in it"));
    }
    let version = text.lines().find_map(|line| line.split_once(MLC)?.1.split_once("- "));
    let tool = match version {
        Some((_, version)) => format!("{tool} {}", version.trim()),
        None => tool.to_string(),
    };
    Ok(Imported { tool, at_unix_s: None, measurements, observation: None, left_out })
}

fn mlc(text: &str) -> Vec<Measurement> {
    let mut found = Vec::new();
    let mut section = "";
    for line in text.lines() {
        if line.starts_with("Measuring") {
            section = line;
        }
        let peak =
            line.split_once(':').filter(|_| section.contains("Peak") || section.contains("peak"));
        if let Some((name, value)) = peak.and_then(|(name, rest)| Some((name, number(rest)?))) {
            let id = format!("memory.import.mlc.bandwidth.{}", slug(name));
            found.push(measurement(id, Layer::Memory, &[(metric::BANDWIDTH, Some(value * 1e6))]));
        }
        if section.contains("idle latencies") || section.contains("Memory Bandwidths between nodes")
        {
            found.extend(matrix(section, line));
        }
    }
    found
}

/// A line of a matrix of nodes: the node, then a figure for each.
fn matrix(section: &str, line: &str) -> Vec<Measurement> {
    let cells: Option<Vec<f64>> = line.split_whitespace().map(|cell| cell.parse().ok()).collect();
    let Some(cells) = cells.filter(|cells| cells.len() > 1) else { return Vec::new() };
    // The line of the heads has nodes only.
    let is_head = cells.iter().enumerate().all(|(at, cell)| *cell == at as f64);
    let idle = section.contains("idle latencies");
    let one = |(to, value): (usize, &f64)| {
        let (word, metric, value) = match idle {
            true => ("latency", metric::LATENCY_MEAN, *value),
            false => ("bandwidth", metric::BANDWIDTH, value * 1e6),
        };
        let id = format!("memory.import.mlc.{word}.node{}_to_node{to}", cells[0]);
        measurement(id, Layer::Memory, &[(metric, Some(value))])
    };
    if is_head { Vec::new() } else { cells[1..].iter().enumerate().map(one).collect() }
}

fn slb(text: &str) -> Vec<Measurement> {
    let lines = text.lines().filter(|line| line.contains(SLB));
    let one = |(at, line): (usize, &str)| {
        let after = |label: &str| number(line.split_once(label)?.1);
        let id = format!("memory.import.slb.{}", at + 1);
        let mut found = measurement(
            id,
            Layer::Memory,
            &[
                (metric::OPERATIONS, after(SLB)),
                (metric::WINDOW, after("gettimeofday usec").map(|us| us * 1e3)),
                (metric::THROUGHPUT, after("TPUT ops/sec")),
            ],
        );
        found.workload.insert(condition::OF, "stores, one per page, of one process");
        found
    };
    lines.enumerate().map(one).filter(|found| !found.metrics.is_empty()).collect()
}

/// A line of heads, and below it one of figures for each setting.
fn multiload(text: &str) -> Vec<Measurement> {
    let mut lines = text.lines().skip_while(|line| !line.contains(MULTILOAD));
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').map(str::trim).collect();
    let one = |(at, line): (usize, &str)| {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let of = |name: &str| {
            let at = names.iter().position(|known| *known == name)?;
            number(cells.get(at)?).filter(|value| *value > 0.0)
        };
        let id = format!("memory.import.multiload.{}", at + 1);
        let mut found = measurement(
            id,
            Layer::Memory,
            &[
                (metric::LATENCY_MEAN, of("ChaseNS")),
                (metric::BANDWIDTH, of("LdAvgMibs").map(|mib| mib * 1_048_576.0)),
            ],
        );
        for name in ["ChaseArg", "MemLdArg"] {
            let at = names.iter().position(|known| *known == name);
            if let Some(value) = at.and_then(|at| cells.get(at)).filter(|value| !value.is_empty()) {
                found.workload.add_setting(&slug(name), value);
            }
        }
        found
    };
    lines
        .filter(|line| line.contains(','))
        .enumerate()
        .map(one)
        .filter(|found| !found.metrics.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mlcs_matrices_and_peaks_are_read() {
        let text = "Intel(R) Memory Latency Checker - v3.11b\nMeasuring idle latencies for random access (in ns)...\n\
                    \t\tNuma node\nNuma node\t     0\t     1\n       0\t  81.2\t 139.5\n       1\t 138.9\t  80.7\n\
                    Measuring Peak Injection Memory Bandwidths for the system\nALL Reads        :\t233245.1\n1:1 Reads-Writes :\t197000.0\n\
                    Measuring Memory Bandwidths between nodes within system\nNuma node\t     0\t     1\n       0\t116000.5\t34000.0\n";
        let found = read(text).unwrap();
        assert_eq!(found.tool, "MLC v3.11b");
        let value = |id: &str, metric| {
            found.measurements.iter().find(|m| m.id == id).unwrap().value(metric)
        };
        assert_eq!(
            value("memory.import.mlc.latency.node0_to_node1", metric::LATENCY_MEAN),
            Some(139.5)
        );
        assert_eq!(
            value("memory.import.mlc.bandwidth.all_reads", metric::BANDWIDTH),
            Some(233_245.1e6)
        );
        assert_eq!(
            value("memory.import.mlc.bandwidth.node0_to_node0", metric::BANDWIDTH),
            Some(116_000.5e6)
        );
    }

    #[test]
    fn slbs_lines_are_rates_of_stores() {
        let text = "Total ops 786432000  Avg nsec/op    131.3  gettimeofday usec 103240338 TPUT ops/sec 7617487.7\n";
        let found = read(text).unwrap();
        assert_eq!(found.measurements[0].value(metric::THROUGHPUT), Some(7_617_487.7));
        assert_eq!(found.measurements[0].value(metric::LATENCY_MEAN), None);
    }

    #[test]
    fn multiloads_table_is_read() {
        let text = "Samples\t, Byte/thd\t, ChaseThds\t, ChaseNS\t, ChaseMib\t, ChDeviate\t, LoadThds\t, LdMaxMibs\t, LdAvgMibs\t, LdDeviate\t, ChaseArg\t, MemLdArg\n\
                    5\t, 268435456\t, 1\t, 98.123\t, 77\t, 0.001\t, 3\t, 21000\t, 20500\t, 0.01\t, simple\t, stream-sum\n";
        let found = read(text).unwrap();
        assert_eq!(found.measurements[0].value(metric::LATENCY_MEAN), Some(98.123));
        assert_eq!(found.measurements[0].value(metric::BANDWIDTH), Some(20_500.0 * 1_048_576.0));
        assert!(read("ChaseNS\n").is_err());
    }
}
