//! HammerDB's result (versions 3 to 6): the lines of its virtual users, and its time profile.
//!
//! Its rates are the server's counters over the minutes that were asked for, not measured ones. NOPM are new orders per minute; TPM counts
//! every commit and rollback of the instance and is not taken.

use narrows_model::{Layer, Measurement, condition, metric};

use crate::{ImportError, Imported, measurement, nothing, number, slug};

const TOOL: &str = "HammerDB";
const RESULT: &str = "TEST RESULT : System achieved ";

pub(crate) fn is(text: &str) -> bool {
    text.contains(RESULT) || text.contains(">>>>> PROC: ")
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let results: Vec<f64> = text.split(RESULT).skip(1).filter_map(new_orders_per_minute).collect();
    let users = text
        .lines()
        .find_map(|line| {
            line.split("Active Virtual Users").next().filter(|before| before.len() < line.len())
        })
        .and_then(|before| before.rsplit([':', ' ']).find_map(number));
    let mut measurements: Vec<Measurement> = results
        .iter()
        .enumerate()
        .map(|(at, per_minute)| {
            let id = match at {
                0 => "database.import.hammerdb.new_order".to_string(),
                n => format!("database.import.hammerdb.new_order.{}", n + 1),
            };
            let values = [(metric::THROUGHPUT, Some(per_minute / 60.0))];
            let mut found = measurement(id, Layer::Database, &values);
            found.workload.insert(condition::LOOP, "closed");
            if let Some(users) = users {
                found.workload.insert(condition::SESSIONS, users);
            }
            found
        })
        .collect();
    measurements.extend(profile(text));
    if measurements.is_empty() {
        return Err(nothing(
            TOOL,
            "no result in it: the test did not end, or its log is of one virtual user",
        ));
    }
    let mut left_out = Vec::new();
    if !results.is_empty() {
        left_out.push(
            "rates are per nominal minute: HammerDB does not measure how long its minutes were"
                .to_string(),
        );
    }
    Ok(Imported { tool: TOOL.to_string(), measurements, left_out, ..Imported::default() })
}

/// `53 NOPM from 399 PostgreSQL TPM`, or before version 4 `399 PostgreSQL TPM at 53 NOPM`.
fn new_orders_per_minute(rest: &str) -> Option<f64> {
    let line = rest.lines().next()?;
    let before = line.split("NOPM").next().filter(|before| before.len() < line.len())?;
    before.split_whitespace().next_back().and_then(number)
}

/// The procedures of the time profile, all virtual users together where it has that.
fn profile(text: &str) -> Vec<Measurement> {
    let mut found: Vec<Measurement> = Vec::new();
    for block in text.split(">>>>> PROC: ").skip(1) {
        let name = block.lines().next().unwrap_or_default();
        let block = block.split(">>>>>").next().unwrap_or_default();
        let after = |label: &str| {
            let rest = block.split(label).nth(1)?;
            number(rest)
        };
        let ns = |label: &str| after(label).map(|ms| ms * 1e6);
        let id = format!("database.import.hammerdb.{}", slug(name));
        // The first block of a procedure is that of the summary, or of the first virtual user.
        if found.iter().any(|known| known.id == id) {
            continue;
        }
        found.push(measurement(
            id,
            Layer::Database,
            &[
                (metric::OPERATIONS, after("CALLS: ")),
                (metric::LATENCY_MEAN, ns("AVG: ")),
                (metric::LATENCY_P50, ns("P50: ")),
                (metric::LATENCY_P99, ns("P99: ")),
                (metric::LATENCY_MAX, ns("MAX: ")),
            ],
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_all_versions_are_new_orders() {
        for text in [
            "Vuser 1:4 Active Virtual Users configured\nVuser 1:TEST RESULT : System achieved 600 NOPM from 1399 PostgreSQL TPM\n",
            "Vuser 1:4 Active Virtual Users configured\nVuser 1:TEST RESULT : System achieved 1399 Oracle TPM at 600 NOPM\n",
            "{\"0\": \"Vuser 1:4 Active Virtual Users configured\",\n \"1\": \"TEST RESULT : System achieved 600 NOPM from 1399 MySQL TPM\"}",
        ] {
            let found = read(text).unwrap();
            let m = &found.measurements[0];
            assert_eq!(m.value(metric::THROUGHPUT), Some(10.0), "{text}");
            assert_eq!(m.number(condition::SESSIONS), Some(4.0), "{text}");
            assert!(found.left_out[0].contains("nominal minute"));
        }
    }

    #[test]
    fn the_time_profile_is_read_by_procedure() {
        let text = ">>>>> SUMMARY OF 4 ACTIVE VIRTUAL USERS\n>>>>> PROC: NEWORD\nCALLS: 1200 MIN: 0.500ms AVG: 4.250ms MAX: 90.125ms TOTAL: 5100.0ms\n\
                    P99: 20.500ms P95: 12.0ms P75: 5.0ms P50: 3.125ms P25: 2.0ms SD: 3.0 RATIO: 50.1%\n+---+\n>>>>> PROC: PAYMENT\nCALLS: 1100 MIN: 0.1ms AVG: 2.0ms\n";
        let found = read(text).unwrap();
        assert_eq!(found.measurements.len(), 2);
        let m = &found.measurements[0];
        assert_eq!(m.id, "database.import.hammerdb.neword");
        assert_eq!(m.value(metric::LATENCY_MEAN), Some(4.25e6));
        assert_eq!(m.value(metric::LATENCY_P99), Some(20.5e6));
        assert_eq!(m.value(metric::OPERATIONS), Some(1200.0));
        assert!(found.measurements[1].value(metric::LATENCY_P99).is_none());
        assert!(read("TEST RESULT : System achieved nothing\n").is_err());
    }
}
