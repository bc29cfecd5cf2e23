//! pgbench's log of transactions (`pgbench -l`): each with its time, so that percentiles are exact.
//!
//! A line is `client transaction latency_us script epoch_s epoch_us`, then a lag with `--rate`, retries with `--max-tries`. Latencies of
//! scheduled transactions contain their lag. Transactions that failed or were skipped have a word in place of a time.

use narrows_model::{Layer, condition, metric};

use crate::{ImportError, Imported, measurement, nothing};

const TOOL: &str = "pgbench log";
/// Lines that show what a file is.
const SHOWN: usize = 20;

pub(crate) fn is(text: &str) -> bool {
    let mut lines = text.lines().take(SHOWN).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| LoggedTransaction::read(line).is_some())
}

/// A line of it.
struct LoggedTransaction {
    client: u64,
    /// `None` for what failed or was skipped.
    latency_us: Option<f64>,
    ended_us: f64,
    /// With the lag of a schedule.
    scheduled: bool,
}

impl LoggedTransaction {
    fn read(line: &str) -> Option<LoggedTransaction> {
        let cells: Vec<&str> = line.split_ascii_whitespace().collect();
        if !(6..=8).contains(&cells.len()) {
            return None;
        }
        let number = |at: usize| cells[at].parse::<u64>().ok();
        let latency_us = match cells[2] {
            "failed" | "skipped" | "serialization" | "deadlock" => None,
            _ => Some(number(2)? as f64),
        };
        let (_, _) = (number(1)?, number(3)?);
        let micros = number(5).filter(|us| *us < 1_000_000)?;
        let ended_us = number(4).filter(|s| *s > 1_000_000_000)? as f64 * 1e6 + micros as f64;
        Some(LoggedTransaction {
            client: number(0)?,
            latency_us,
            ended_us,
            scheduled: cells.len() > 6,
        })
    }
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let (mut latencies, mut clients) = (Vec::new(), std::collections::BTreeSet::new());
    let (mut first_us, mut last_us) = (f64::INFINITY, 0.0_f64);
    let (mut failed, mut unread, mut scheduled) = (0_u64, 0_u64, false);
    for line in text.lines().filter(|line| !line.is_empty()) {
        let Some(line) = LoggedTransaction::read(line) else {
            unread += 1;
            continue;
        };
        scheduled |= line.scheduled;
        match line.latency_us {
            Some(us) => {
                clients.insert(line.client);
                first_us = first_us.min(line.ended_us - us);
                last_us = last_us.max(line.ended_us);
                latencies.push(us);
            }
            None => failed += 1,
        }
    }
    let window_us = last_us - first_us;
    if latencies.is_empty() || window_us <= 0.0 {
        return Err(nothing(TOOL, "no transaction that ended"));
    }
    latencies.sort_by(f64::total_cmp);
    let count = latencies.len() as f64;
    // The least value that at least that share of all does not exceed.
    let at = |share: f64| {
        let rank = ((count * share).ceil() as usize).clamp(1, latencies.len());
        Some(latencies[rank - 1] * 1e3)
    };
    let mut found = measurement(
        "database.import.pgbench_log".to_string(),
        Layer::Database,
        &[
            (metric::THROUGHPUT, Some(count / window_us * 1e6)),
            (metric::LATENCY_MEAN, Some(latencies.iter().sum::<f64>() / count * 1e3)),
            (metric::LATENCY_P50, at(0.5)),
            (metric::LATENCY_P99, at(0.99)),
            (metric::LATENCY_P999, at(0.999)),
            (metric::LATENCY_MAX, at(1.0)),
            (metric::OPERATIONS, Some(count)),
            (metric::WINDOW, Some(window_us * 1e3)),
        ],
    );
    found.workload.insert(condition::SESSIONS, clients.len() as f64);
    found.workload.insert(condition::LOOP, if scheduled { "open" } else { "closed" });
    let mut left_out = Vec::new();
    if failed > 0 {
        left_out
            .push(format!("{failed} transactions failed or were skipped and are not in the rate"));
    }
    if unread > 0 {
        left_out.push(format!("{unread} lines are no transaction's"));
    }
    Ok(Imported {
        tool: TOOL.to_string(),
        at_unix_s: Some((first_us / 1e6) as i64),
        measurements: vec![found],
        left_out,
        ..Imported::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_all_transactions() {
        let line =
            |n: u64| format!("{} {n} {} 0 1795161983 {}\n", n % 4, n * 10, 100_000 + n * 1_000);
        let text: String =
            (1..=100).map(line).collect::<String>() + "0 101 skipped 0 1795161983 300000\n";
        assert!(is(&text));
        let found = read(&text).unwrap();
        let m = &found.measurements[0];
        assert_eq!(m.value(metric::LATENCY_P50), Some(500e3));
        assert_eq!(m.value(metric::LATENCY_P99), Some(990e3));
        assert_eq!(m.value(metric::LATENCY_MAX), Some(1e6));
        assert_eq!(
            (m.number(condition::SESSIONS), m.value(metric::OPERATIONS)),
            (Some(4.0), Some(100.0))
        );
        // From the start of the first, 10 us before it ended, to the end of the last.
        assert_eq!(m.value(metric::WINDOW), Some(99_010e3));
        assert!(found.left_out[0].starts_with("1 transactions failed or were skipped"));
    }

    #[test]
    fn other_columns_of_numbers_are_none() {
        for text in [
            "",
            "1 2 3\n",
            "1 2 3 4 5 6\n",
            "0 1 1785 0 1795161983 107353 95 0 7\n",
            "a b c d e f\n",
        ] {
            assert!(!is(text), "{text}");
        }
    }
}
