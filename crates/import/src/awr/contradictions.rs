//! Figures of a report that contradict each other.
//!
//! What is said twice must be the same as far as it is printed, and what is a part can't be more than the whole.

use narrows_units::{Ratio, significant};

use super::report::{Report, Waits};

/// Two figures of one thing that differ by more are not one.
const SAME: f64 = 0.02;
/// Time that is counted may exceed the account by so much: a wait is counted when it ends, with what lies before the interval.
const BEYOND: f64 = 0.05;

/// A sentence for each.
pub(super) fn contradictions(report: &Report) -> Vec<String> {
    let all = [
        elapsed(report),
        db_time(report),
        per_second(report, "dbtime", "DB time", report.db_time_s()),
        per_second(report, "redosize", "redo size", report.count("redo size")),
        per_second(report, "physicalread", "physical reads", report.count("physical reads")),
        per_second(report, "transaction", "transactions", report.transactions()),
        beyond(report),
        processors(report),
    ];
    all.into_iter().flatten().chain(means(report)).collect()
}

fn differ(a: f64, b: f64, printed_to: f64) -> bool {
    (a - b).abs() > (a.abs().max(b.abs()) * SAME).max(printed_to)
}

fn few(value: f64) -> String {
    significant(value, 4)
}

fn elapsed(report: &Report) -> Option<String> {
    let (from, to) = report.began_unix_s.zip(report.ended_unix_s)?;
    let (between, said) = ((to - from) as f64, report.elapsed_s?);
    differ(between, said, 1.0).then(|| {
        format!("its snapshots are {} s apart, and Elapsed says {} s", few(between), few(said))
    })
}

fn db_time(report: &Report) -> Option<String> {
    let (model, head) = (*report.time_model.get("dbtime")?, report.head_db_time_s?);
    differ(model, head, 1.0).then(|| {
        format!("DB time is {} s in the time model and {} s in the head", few(model), few(head))
    })
}

/// A rate of the load profile against the total over the interval.
fn per_second(report: &Report, key: &str, name: &str, total: Option<f64>) -> Option<String> {
    let printed = *report.per_second.get(key)?;
    let counted = total? / report.interval_s()?;
    // Rates are printed with one decimal.
    differ(printed, counted, 0.06).then(|| {
        format!(
            "{name}: {} per second in the load profile, {} by its total over the interval",
            few(printed),
            few(counted)
        )
    })
}

/// CPU and waits that are more than DB time.
fn beyond(report: &Report) -> Option<String> {
    let all = report.db_time_s()?;
    let cpu = report.time_model.get("dbcpu").copied().unwrap_or(0.0);
    let counted = cpu + report.waited_s();
    (counted > all * (1.0 + BEYOND)).then(|| {
        format!(
            "CPU and waits of sessions are {} s, {} of the DB time of {} s",
            few(counted),
            Ratio(counted / all),
            few(all)
        )
    })
}

/// CPU time of the instance that is more than the host was busy.
fn processors(report: &Report) -> Option<String> {
    let busy = report.system.get("BUSY_TIME")? / 100.0;
    let own = report.time_model.get("dbcpu")?
        + report.time_model.get("backgroundcputime").copied().unwrap_or(0.0);
    (own > busy * (1.0 + BEYOND)).then(|| {
        format!(
            "the instance used {} s of CPU, and the host's CPUs were busy for {} s",
            few(own),
            few(busy)
        )
    })
}

/// Means that are printed otherwise than total over count, the one of the longest waits.
fn means(report: &Report) -> Vec<String> {
    let weighty = report.foreground.iter().chain(&report.background).filter(|waits| !waits.idle);
    let mut wrong: Vec<(&Waits, f64, f64)> = weighty.filter_map(rounded_away).collect();
    wrong.sort_by(|a, b| b.0.total_s.total_cmp(&a.0.total_s));
    let Some((waits, printed, mean)) = wrong.first() else { return Vec::new() };
    let more = match wrong.len() - 1 {
        0 => String::new(),
        n => format!("; the same for {n} more"),
    };
    let ms = |s: f64| format!("{} ms", significant(s * 1e3, 3));
    vec![format!(
        "{}: a mean wait of {} is printed, {} s over {} waits are {}{more}",
        waits.event,
        ms(*printed),
        few(waits.total_s),
        few(waits.count),
        ms(*mean)
    )]
}

/// The event with the printed mean and that of its total, where these differ by more than an eighth and the total is known well enough.
fn rounded_away(waits: &Waits) -> Option<(&Waits, f64, f64)> {
    let printed = waits.printed_mean_s?;
    let known = waits.count > 0.0 && waits.total_s >= 20.0;
    let mean = waits.total_s / waits.count;
    // Whole milliseconds are rounded and no contradiction.
    let rounded = waits.mean_in_ms && (printed - mean).abs() <= 0.0005 + 1e-9;
    (known && !rounded && (printed - mean).abs() > mean / 8.0).then_some((waits, printed, mean))
}
