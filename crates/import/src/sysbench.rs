//! What sysbench prints at the end of an OLTP test (versions 1.0 and 0.5).

use narrows_model::{Layer, condition, metric};

use crate::{ImportError, Imported, measurement, nothing, number};

const TOOL: &str = "sysbench";

pub(crate) fn is(text: &str) -> bool {
    text.contains("transactions:")
        && text.contains(" per sec.)")
        && text.contains("queries performed:")
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let after = |label: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(label))?;
        Some(line.trim_start())
    };
    let per_s = |label: &str| number(after(label)?.split_once('(')?.1);
    let rate = per_s("transactions:").ok_or_else(|| nothing(TOOL, "no rate of transactions"))?;
    // Latencies stand below their heading; `min:` alone occurs elsewhere too.
    let latencies = text.split_once("Latency (ms)").map_or("", |(_, below)| below);
    let ms = |label: &str| {
        let line = latencies.lines().find_map(|line| line.trim().strip_prefix(label))?;
        number(line).map(|ms| ms * 1e6)
    };
    let mut found = measurement(
        "database.import.sysbench.oltp".to_string(),
        Layer::Database,
        &[
            (metric::THROUGHPUT, Some(rate)),
            (metric::LATENCY_MEAN, ms("avg:")),
            (metric::LATENCY_MAX, ms("max:")),
            (metric::OPERATIONS, after("transactions:").and_then(number)),
            (metric::WINDOW, after("total time:").and_then(number).map(|s| s * 1e9)),
        ],
    );
    if let Some(threads) = after("Number of threads:").and_then(number) {
        found.workload.insert(condition::SESSIONS, threads);
    }
    let open = text.contains("Target transaction rate");
    found.workload.insert(condition::LOOP, if open { "open" } else { "closed" });
    let mut left_out = Vec::new();
    if let Some(percentile) =
        latencies.lines().map(str::trim).find(|line| line.contains("th percentile"))
    {
        left_out.push(format!("{percentile} ms: the run file has p50, p99 and p99.9"));
    }
    let version = text.lines().find_map(|line| line.strip_prefix("sysbench ")?.split(' ').next());
    Ok(Imported {
        tool: version.map_or(TOOL.to_string(), |version| format!("{TOOL} {version}")),
        measurements: vec![found],
        left_out,
        ..Imported::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 8
Initializing random number generator from current time

SQL statistics:
    queries performed:
        read:                            140000
        write:                           40000
        other:                           20000
        total:                           200000
    transactions:                        10000  (999.50 per sec.)
    queries:                             200000 (19990.00 per sec.)

General statistics:
    total time:                          10.0050s
    total number of events:              10000

Latency (ms):
         min:                                    2.10
         avg:                                    8.00
         max:                                   45.20
         95th percentile:                       11.04
         sum:                                80000.00
";

    #[test]
    fn the_end_of_an_oltp_test_is_read() {
        let found = read(RESULT).unwrap();
        assert_eq!(found.tool, "sysbench 1.0.20");
        let m = &found.measurements[0];
        assert_eq!(
            (m.value(metric::THROUGHPUT), m.value(metric::LATENCY_MEAN)),
            (Some(999.5), Some(8e6))
        );
        assert_eq!(m.number(condition::SESSIONS), Some(8.0));
        assert!(found.left_out[0].contains("95th percentile"), "{:?}", found.left_out);
    }
}
