//! What is printed.

use super::Value;
use crate::draft::Draft;
use crate::job::Unified;
use crate::number::KbBase;
use crate::problem::Wrong;
use crate::spelling::{percentiles, word};

pub(super) fn apply(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    match name {
        "clat_percentiles" => draft.report.completion = value.flag()?,
        "lat_percentiles" => draft.report.total = value.flag()?,
        "slat_percentiles" => draft.report.submission = value.flag()?,
        "percentile_list" => draft.report.percentiles = percentiles(value.text()?)?,
        "unified_rw_reporting" => {
            let words = ["none", "mixed", "both", "0", "1", "2"];
            draft.report.unified = match word(value.text()?, &words)?.0 {
                "mixed" | "1" => Unified::Mixed,
                "both" | "2" => Unified::Both,
                _ => Unified::None,
            }
        }
        "kb_base" => {
            draft.base = match word(value.text()?, &["1024", "1000"])?.0 {
                "1000" => KbBase::Decimal,
                _ => KbBase::Binary,
            }
        }
        "unit_base" => {
            word(value.text()?, &["0", "8", "1"])?;
        }
        "significant_figures"
        | "disable_lat"
        | "disable_clat"
        | "disable_slat"
        | "disable_bw_measurement"
        | "stats"
        | "disk_util"
        | "per_job_logs"
        | "write_bw_log"
        | "write_lat_log"
        | "write_iops_log"
        | "write_hist_log"
        | "write_iolog"
        | "log_entries"
        | "log_avg_msec"
        | "log_hist_msec"
        | "log_hist_coarseness"
        | "log_window_value"
        | "log_offset"
        | "log_prio"
        | "log_issue_time"
        | "log_compression"
        | "log_compression_cpus"
        | "log_store_compressed"
        | "log_alternate_epoch"
        | "log_alternate_epoch_clock_id"
        | "job_start_clock_id"
        | "bwavgtime"
        | "iopsavgtime" => value.checked()?,
        _ => return Ok(false),
    }
    Ok(true)
}
