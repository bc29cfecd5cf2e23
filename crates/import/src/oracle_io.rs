//! What Oracle's I/O calibration prints, what pgio prints, and the table of SLOB's `awr_info.sh`.
//!
//! CALIBRATE_IO reads only, gives whole numbers, and has no distribution. pgio's RIOPS are blocks that the buffer pool missed: the page
//! cache may have had them. SLOB's table has a report's means in a line for each.

use narrows_model::{Layer, Measurement, Metric, condition, metric};

use crate::{ImportError, Imported, measurement, nothing, number, slug};

const CALIBRATE: &str = "CALIBRATE_IO";
const PGIO: &str = "pgio";
const SLOB: &str = "SLOB";
const SLOB_TABLE: &str = "FILE|SESSIONS|ELAPSED|";

pub(crate) fn is(text: &str) -> bool {
    is_calibration(text) || is_pgio(text) || text.contains(SLOB_TABLE)
}

fn is_calibration(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("max_iops") && text.contains("max_mbps")
}

fn is_pgio(text: &str) -> bool {
    text.contains("RIOPS >") && text.contains("CACHE_HITS/s >")
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    if text.contains(SLOB_TABLE) {
        slob(text)
    } else if is_pgio(text) {
        pgio(text)
    } else {
        calibration(text)
    }
}

fn imported(tool: &str, measurements: Vec<Measurement>, left_out: Vec<String>) -> Imported {
    Imported { tool: tool.to_string(), at_unix_s: None, measurements, observation: None, left_out }
}

fn calibration(text: &str) -> Result<Imported, ImportError> {
    let after = |label: &str| {
        let line = text
            .lines()
            .map(str::to_lowercase)
            .find(|line| line.trim_start().starts_with(label))?;
        number(line.split_once(['=', ':'])?.1)
    };
    let iops = after("max_iops").ok_or_else(|| nothing(CALIBRATE, "no value of max_iops"))?;
    let latency = after("latency").or_else(|| after("actual_latency"));
    let mut random = measurement(
        "block.import.calibrate_io.random_read".to_string(),
        Layer::Block,
        &[
            (metric::THROUGHPUT, Some(iops)),
            // Whole milliseconds: on flash they are 0, which is no time.
            (metric::LATENCY_MEAN, latency.filter(|ms| *ms > 0.0).map(|ms| ms * 1e6)),
        ],
    );
    random.workload.insert(condition::DIRECTION, "read");
    random.workload.insert(condition::PATTERN, "random");
    let mut large = measurement(
        "block.import.calibrate_io.large_read".to_string(),
        Layer::Block,
        &[(metric::BANDWIDTH, after("max_mbps").map(|mb| mb * 1024.0 * 1024.0))],
    );
    large.workload.insert(condition::DIRECTION, "read");
    large.workload.insert(condition::BLOCK_BYTES, 1_048_576.0);
    let mut left_out =
        vec!["reads only, one figure of each: no writes, no redo, no percentiles".to_string()];
    if latency == Some(0.0) {
        left_out.push("a latency of 0 ms: it is below what whole milliseconds can say".to_string());
    }
    Ok(imported(CALIBRATE, vec![random, large], left_out))
}

fn pgio(text: &str) -> Result<Imported, ImportError> {
    let between = |line: &str, label: &str| number(line.split_once(label)?.1);
    let lines = text.lines().filter(|line| line.contains("RIOPS >"));
    let measurements: Vec<Measurement> = lines
        .enumerate()
        .filter_map(|(at, line)| {
            let (misses, hits) = (between(line, "RIOPS >")?, between(line, "CACHE_HITS/s >")?);
            let id = match at {
                0 => "database.import.pgio".to_string(),
                n => format!("database.import.pgio.{}", n + 1),
            };
            let seconds = between(line, "Run time: ");
            let values: [(Metric, Option<f64>); 3] = [
                (metric::THROUGHPUT, Some(misses + hits)),
                (metric::BLOCK_READS_PER_OP, Some(misses / (misses + hits))),
                (metric::WINDOW, seconds.map(|s| s * 1e9)),
            ];
            let mut found = measurement(id, Layer::Database, &values);
            found.workload.insert(condition::OF, "blocks that sessions asked for");
            let tables = line
                .split(" schemas")
                .next()
                .and_then(|before| before.split_whitespace().next_back());
            let threads = between(line, "schemas, ");
            if let Some(sessions) =
                tables.and_then(number).zip(threads).map(|(tables, each)| tables * each)
            {
                found.workload.insert(condition::SESSIONS, sessions);
            }
            Some(found)
        })
        .collect();
    if measurements.is_empty() {
        return Err(nothing(PGIO, "no line with RIOPS and CACHE_HITS/s"));
    }
    let left_out = vec![
        "RIOPS are blocks that the buffer pool missed: the page cache may have had them"
            .to_string(),
    ];
    Ok(imported(PGIO, measurements, left_out))
}

/// A measurement of reads and one of writes for each line.
fn slob(text: &str) -> Result<Imported, ImportError> {
    let mut lines = text.lines().skip_while(|line| !line.contains(SLOB_TABLE));
    let names: Vec<&str> = lines.next().unwrap_or_default().split('|').map(str::trim).collect();
    let mut measurements = Vec::new();
    for line in lines.filter(|line| line.contains('|')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let of = |name: &str| {
            let at = names.iter().position(|known| known.eq_ignore_ascii_case(name))?;
            number(cells.get(at)?)
        };
        let name = slug(cells.first().copied().unwrap_or_default());
        let window = of("ELAPSED").map(|s| s * 1e9);
        for (direction, rate, mb, latency) in [
            ("read", "PREADS", "READ_MBS", "DFSR_LAT"),
            ("write", "PWRITES", "WRITE_MBS", "DFPW_LAT"),
        ] {
            let Some(per_s) = of(rate) else { continue };
            let mut found = measurement(
                format!("block.import.slob.{name}.{direction}"),
                Layer::Block,
                &[
                    (metric::THROUGHPUT, Some(per_s)),
                    (metric::BANDWIDTH, of(mb).map(|mb| mb * 1024.0 * 1024.0)),
                    (metric::LATENCY_MEAN, of(latency).map(|us| us * 1e3)),
                    (metric::WINDOW, window),
                ],
            );
            found.workload.insert(condition::DIRECTION, direction);
            if let Some(sessions) = of("SESSIONS") {
                found.workload.insert(condition::SESSIONS, sessions);
            }
            measurements.push(found);
        }
    }
    if measurements.is_empty() {
        return Err(nothing(SLOB, "no line below the head of its table"));
    }
    Ok(imported(SLOB, measurements, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calibration_has_two_figures_and_their_doubt() {
        let found = read("max_iops = 1353418\nlatency  = 0\nmax_mbps = 30084\n").unwrap();
        assert_eq!(found.measurements[0].value(metric::THROUGHPUT), Some(1_353_418.0));
        assert_eq!(found.measurements[0].value(metric::LATENCY_MEAN), None, "0 ms is no time");
        assert_eq!(found.measurements[1].value(metric::BANDWIDTH), Some(30_084.0 * 1_048_576.0));
        assert_eq!(found.left_out.len(), 2);
        assert!(read("max_iops: x\nmax_mbps: 1\n").is_err());
    }

    #[test]
    fn pgio_counts_blocks_that_were_asked_for() {
        let text = "DBNAME:  pg10. 16 schemas, 8 threads(each). Run time: 120 seconds. RIOPS >492306< CACHE_HITS/s >8989<\n";
        let found = read(text).unwrap();
        let m = &found.measurements[0];
        assert_eq!(m.value(metric::THROUGHPUT), Some(501_295.0));
        assert_eq!(
            (m.number(condition::SESSIONS), m.value(metric::WINDOW)),
            (Some(128.0), Some(120e9))
        );
    }

    #[test]
    fn each_line_of_slobs_table_is_reads_and_writes() {
        let text = "FILE|SESSIONS|ELAPSED|DB CPU|PREADS|READ_MBS|PWRITES|WRITE_MBS|DFSR_LAT|DFPW_LAT|TOP WAIT|\n\
                    awr.txt.32|32|300|5.1|71554.1|551.5|0|0|455|0|db file sequential read|\n";
        let found = read(text).unwrap();
        let read_part = &found.measurements[0];
        assert_eq!(read_part.id, "block.import.slob.awr_txt_32.read");
        assert_eq!(read_part.value(metric::THROUGHPUT), Some(71_554.1));
        assert_eq!(read_part.value(metric::LATENCY_MEAN), Some(455e3));
        assert!(read("FILE|SESSIONS|ELAPSED|\n").is_err());
    }
}
