//! What pgbench prints at its end (versions 10 to 18).

use narrows_model::{Layer, condition, metric};

use crate::{ImportError, Imported, measurement, nothing, number, slug};

const TOOL: &str = "pgbench";

pub(crate) fn is(text: &str) -> bool {
    text.contains("\ntps = ") && text.contains("number of clients:")
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let after = |label: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(label))?;
        Some(line.trim_start_matches([':', '=', ' ']))
    };
    let rate = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("tps = "))
        // Before version 14 there were two: connecting is no transaction.
        .filter(|rest| !rest.contains("including"))
        .find_map(number)
        .ok_or_else(|| nothing(TOOL, "no rate of transactions"))?;
    let kind = after("transaction type").unwrap_or("transactions");
    let ms = |label: &str| after(label).and_then(number).map(|ms| ms * 1e6);
    let mut found = measurement(
        format!("database.import.pgbench.{}", slug(kind)),
        Layer::Database,
        &[
            (metric::THROUGHPUT, Some(rate)),
            (metric::LATENCY_MEAN, ms("latency average")),
            (
                metric::OPERATIONS,
                after("number of transactions actually processed").and_then(number),
            ),
            (metric::WINDOW, after("duration").and_then(number).map(|s| s * 1e9)),
        ],
    );
    let scheduled = text.contains("rate limit schedule lag");
    found.workload.insert(condition::LOOP, if scheduled { "open" } else { "closed" });
    for (label, key) in
        [("number of clients", condition::SESSIONS), ("number of threads", condition::THREADS)]
    {
        if let Some(value) = after(label).and_then(number) {
            found.workload.insert(key, value);
        }
    }
    for (label, name) in [("scaling factor", "scaling_factor"), ("query mode", "query_mode")] {
        if let Some(value) = after(label) {
            found.workload.add_setting(name, value);
        }
    }
    let mut left_out = Vec::new();
    if let Some(failed) =
        after("number of failed transactions").and_then(number).filter(|n| *n > 0.0)
    {
        left_out.push(format!("{failed:.0} transactions failed and are not in the rate"));
    }
    let version =
        text.lines().find_map(|line| line.strip_prefix("pgbench (")?.split([' ', ')']).next());
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

    const NEW: &str = "pgbench (15.4 (Debian 15.4-1))
starting vacuum...end.
transaction type: <builtin: select only>
scaling factor: 10
query mode: prepared
number of clients: 8
number of threads: 2
maximum number of tries: 1
duration: 30 s
number of transactions actually processed: 1800000
number of failed transactions: 3 (0.000%)
latency average = 0.133 ms
initial connection time = 9.812 ms
tps = 60012.345678 (without initial connection time)
";
    const OLD: &str = "transaction type: <builtin: TPC-B (sort of)>
scaling factor: 1
query mode: simple
number of clients: 1
number of threads: 1
duration: 5 s
number of transactions actually processed: 500
latency average = 10.000 ms
tps = 99.000000 (including connections establishing)
tps = 100.000000 (excluding connections establishing)
";

    #[test]
    fn what_it_prints_is_read_in_its_versions() {
        let found = read(NEW).unwrap();
        assert_eq!(found.tool, "pgbench 15.4");
        let m = &found.measurements[0];
        assert_eq!(m.id, "database.import.pgbench.builtin_select_only");
        assert_eq!(m.value(metric::THROUGHPUT), Some(60_012.345_678));
        assert_eq!(m.value(metric::LATENCY_MEAN), Some(133_000.0));
        assert_eq!(
            (m.number(condition::SESSIONS), m.number(condition::THREADS)),
            (Some(8.0), Some(2.0))
        );
        assert_eq!(found.left_out, ["3 transactions failed and are not in the rate"]);
        let old = read(OLD).unwrap();
        assert_eq!(old.measurements[0].value(metric::THROUGHPUT), Some(100.0));
        assert_eq!(old.tool, "pgbench");
    }
}
