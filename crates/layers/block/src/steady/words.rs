//! The word and its reason in one sentence.

use narrows_engine::steady_state::{Because, MOST_ROUNDS, SteadyVerdict};
use narrows_stats::steady::SNIA_ROUNDS;
use narrows_units::{Bytes, OpsPerSecond};

/// How the rounds ended.
pub(super) fn sentence(verdict: &SteadyVerdict, rounds: usize) -> String {
    let rate = verdict.value.map_or("no rate".to_string(), |v| OpsPerSecond(v).to_string());
    let share = verdict
        .written_share
        .map(|share| format!(", after {share:.2} times the capacity was written"))
        .unwrap_or_default();
    let last = verdict.windows.last();
    let drift = last.map_or(String::new(), |window| {
        format!(
            "range {:.0} % and slope {:.0} % over the last {SNIA_ROUNDS} rounds",
            window.steady.range_share * 100.0,
            window.steady.slope_share * 100.0
        )
    });
    match verdict.because {
        Because::Shown => format!("{rate}, sustained: {drift}{share}{}", over(verdict)),
        Because::PartOfCapacity => format!(
            "{rate}, steady{} ({drift}), the rest empty or unknown: possibly a burst rate, a full drive is slower",
            over(verdict)
        ),
        Because::TooFewRounds => {
            format!(
                "{rate}, possibly a burst rate: only {rounds} of {SNIA_ROUNDS} rounds were possible"
            )
        }
        Because::NotSteady if rounds >= MOST_ROUNDS => {
            format!("{rate}, not steady after {rounds} rounds: {drift}")
        }
        Because::NotSteady => format!("{rate}, not steady: {drift}"),
        Because::MayDrift => {
            let trend = last.and_then(|window| window.trend);
            let trend = trend.map_or(String::new(), |(share, (low, high))| {
                format!(
                    ", and second by second {:+.0} % ({:+.0} to {:+.0} %)",
                    share * 100.0,
                    low * 100.0,
                    high * 100.0
                )
            });
            format!("{rate}, not shown to be steady: {drift}{trend}")
        }
        Because::NotWrittenFull => {
            format!(
                "{rate}, steady for now ({drift}), but possibly a burst rate{share}: the medium was not written full twice"
            )
        }
        Because::NotKnown => {
            format!(
                "{rate}, steady ({drift}), but the capacity of the medium, or how much of it was written, is unknown"
            )
        }
    }
}

/// ` over 4.29 GB of 60.0 GB (7 %)`: SNIA's ActiveRange.
fn over(verdict: &SteadyVerdict) -> String {
    verdict.range_of_bytes.map_or(String::new(), |(range, capacity)| {
        let percent = range as f64 / capacity as f64 * 100.0;
        format!(" over {} of {} ({percent:.0} %)", Bytes(range), Bytes(capacity))
    })
}
