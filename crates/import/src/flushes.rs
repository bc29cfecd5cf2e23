//! What pg_test_fsync prints: each way to make a write durable, with its rate.

use narrows_model::{Layer, Measurement, condition, metric};

use crate::{ImportError, Imported, measurement, nothing, number, slug};

const TOOL: &str = "pg_test_fsync";

pub(crate) fn is(text: &str) -> bool {
    text.contains("Compare file sync methods using") && text.contains("ops/sec")
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let mut measurements: Vec<Measurement> = Vec::new();
    let mut heading = String::new();
    for line in text.lines() {
        let is_heading = !line.starts_with(char::is_whitespace) && line.trim_end().ends_with(':');
        if is_heading {
            heading = line.trim_end().trim_end_matches(':').to_string();
            continue;
        }
        let Some((before, _)) = line.split_once(" ops/sec") else { continue };
        let Some((name, rate)) = before.trim().rsplit_once(char::is_whitespace) else { continue };
        let Some(rate) = number(rate).filter(|rate| *rate > 0.0) else { continue };
        let name = name.trim();
        let id = format!("log.import.pg_test_fsync.{}.{}", slug(&heading), slug(name));
        let values = [
            (metric::THROUGHPUT, Some(rate)),
            // Its own time has whole microseconds.
            (metric::LATENCY_MEAN, Some(1e9 / rate)),
        ];
        let mut found = measurement(id, Layer::Log, &values);
        found.workload.insert(condition::METHOD, name);
        found.workload.insert(condition::OF, heading.as_str());
        measurements.push(found);
    }
    if measurements.is_empty() {
        return Err(nothing(TOOL, "no rate in it"));
    }
    Ok(Imported {
        tool: TOOL.to_string(),
        measurements,
        left_out: Vec::new(),
        ..Imported::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = "5 seconds per test
O_DIRECT supported on this platform for open_datasync and open_sync.

Compare file sync methods using one 8kB write:
(in wal_sync_method preference order, except fdatasync is Linux's default)
        open_datasync                      8000.000 ops/sec     125 usecs/op
        fdatasync                          4000.000 ops/sec     250 usecs/op
        fsync_writethrough                              n/a

Non-sync'ed 8kB writes:
        write                            250000.000 ops/sec       4 usecs/op
";

    #[test]
    fn each_method_is_a_measurement_under_its_heading() {
        let found = read(RESULT).unwrap();
        let ids: Vec<&str> = found.measurements.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "log.import.pg_test_fsync.compare_file_sync_methods_using_one_8kb_write.open_datasync",
                "log.import.pg_test_fsync.compare_file_sync_methods_using_one_8kb_write.fdatasync",
                "log.import.pg_test_fsync.non_sync_ed_8kb_writes.write",
            ]
        );
        assert_eq!(found.measurements[1].value(metric::LATENCY_MEAN), Some(250e3));
        assert!(read("Compare file sync methods using one\n ops/sec\n").is_err());
    }
}
