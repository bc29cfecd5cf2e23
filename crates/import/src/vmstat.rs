//! What `vmstat SECONDS` prints (procps): CPUs, run queue, and what all block devices did together.
//!
//! The first line is of the time since the machine started, and is left out where others follow.

use narrows_model::{Layer, Measurement, condition, metric};

use crate::host::{SINCE_START, add, busy, counted};
use crate::{ImportError, Imported, nothing};

const TOOL: &str = "vmstat";
/// Where no `-S` says otherwise; `bi` and `bo` are in KiB whatever it says (procps 3 and 4).
const KIB: f64 = 1024.0;
/// Columns without steal and guests, which older versions lack.
const LEAST_COLUMNS: usize = 16;

pub(crate) fn is(text: &str) -> bool {
    text.lines().any(|line| heads(line).is_some())
}

fn heads(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.split_whitespace().collect();
    let of_vmstat = ["r", "b", "bi", "bo", "us", "sy", "id"];
    of_vmstat.iter().all(|name| names.contains(name)).then_some(names)
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let mut names: Vec<&str> = Vec::new();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for line in text.lines() {
        if let Some(found) = heads(line) {
            // Once a page of a terminal.
            names = found;
            continue;
        }
        // Times of `-t` stand behind the last column.
        let cells: Vec<f64> = line.split_whitespace().map_while(counted).collect();
        if !names.is_empty() && cells.len() >= names.len().min(LEAST_COLUMNS) {
            rows.push(cells);
        }
    }
    let mut left_out = Vec::new();
    match rows.len() {
        0 => return Err(nothing(TOOL, "no line below its heading")),
        1 => left_out.push(format!("nothing, but {SINCE_START}")),
        _ => {
            rows.remove(0);
            left_out.push(
                "the first line, which without -y is of the time since the machine started"
                    .to_string(),
            );
        }
    }
    let column = |name: &str| -> Option<Vec<f64>> {
        let at = names.iter().position(|known| *known == name)?;
        rows.iter().map(|row| row.get(at).copied()).collect()
    };
    let swapped: f64 = ["si", "so"].iter().filter_map(|name| column(name)).flatten().sum::<f64>();
    if swapped > 0.0 {
        left_out.push("the machine swapped (si, so): whatever ran was slower for it".to_string());
    }
    let busy = column("id").and_then(|idle| busy(&idle, column("wa"), column("st")));
    let steal = column("st").map(|st| st.iter().map(|percent| percent / 100.0).collect());
    let mut host = Measurement::new("database.import.vmstat.host", Layer::Database);
    host.repeats = rows.len() as u32;
    add(&mut host, metric::CPU_BUSY, busy);
    add(&mut host, metric::STEAL, steal);
    // Those that run are counted among those that are ready.
    add(&mut host, metric::READY_PROCESSES, column("r"));
    add(&mut host, metric::CONTEXT_SWITCHES, column("cs"));
    let mut measurements = vec![host];
    for (direction, name) in [("read", "bi"), ("write", "bo")] {
        let bytes = column(name).map(|kib| kib.iter().map(|kib| kib * KIB).collect());
        let id = format!("block.import.vmstat.all.{direction}");
        let mut drives = Measurement::new(id, Layer::Block);
        drives.repeats = rows.len() as u32;
        add(&mut drives, metric::BANDWIDTH, bytes);
        drives.workload.insert(condition::DIRECTION, direction);
        measurements.push(drives);
    }
    for measurement in &mut measurements {
        measurement.workload.insert(condition::OF, "whatever ran on the machine");
    }
    Ok(Imported { tool: TOOL.to_string(), measurements, left_out, ..Imported::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = "\
procs -----------memory---------- ---swap-- -----io---- -system-- -------cpu-------
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st gu
 9  0      0 900000   1000  50000    0    0  9999  9999  999  999 90  9  1  0  0  0
 3  0      0 900000   1000  50000    0    0   100     0  500 1000 40 10 45  5  0  0
procs -----------memory---------- ---swap-- -----io---- -system-- -------cpu-------
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st gu
 5  1      0 900000   1000  50000    0    8   300  2048  500 3000 60 10 20  8  2  0
";

    #[test]
    fn lines_are_the_host_and_all_devices() {
        let found = read(RESULT).unwrap();
        let [host, reads, writes] = found.measurements.as_slice() else { panic!("{found:?}") };
        let close = |value: Option<f64>, wanted: f64| (value.unwrap() - wanted).abs() < 1e-9;
        assert!(close(host.value(metric::CPU_BUSY), (0.5 + 0.7) / 2.0), "waiting for I/O is idle");
        assert!(close(host.value(metric::STEAL), 0.01));
        assert_eq!(host.value(metric::READY_PROCESSES), Some(4.0));
        assert_eq!(host.value(metric::CONTEXT_SWITCHES), Some(2000.0));
        assert_eq!(reads.value(metric::BANDWIDTH), Some(200.0 * 1024.0));
        assert_eq!(writes.value(metric::BANDWIDTH), Some(1024.0 * 1024.0));
        assert_eq!(host.repeats, 2);
        assert!(found.left_out[0].contains("since the machine started"));
        assert!(found.left_out[1].contains("swapped"), "{:?}", found.left_out);
    }

    #[test]
    fn one_line_and_none() {
        let three: Vec<&str> = RESULT.lines().take(3).collect();
        let found = read(&three.join("\n")).unwrap();
        assert!(found.left_out[0].contains("only report"), "{:?}", found.left_out);
        assert_eq!(found.measurements[0].value(metric::READY_PROCESSES), Some(9.0));
        assert!(read(&three[..2].join("\n")).is_err());
        let odd = RESULT.replace(" 100     0", " nan   inf").replace(" 300  2048", " -3  1e999");
        assert!(read(&odd).unwrap().measurements.iter().all(|m| {
            m.metrics.iter().all(|metric| metric.value.is_finite() && metric.value >= 0.0)
        }));
    }
}
