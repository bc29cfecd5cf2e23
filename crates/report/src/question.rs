//! What commands that ask one question of a drive came to: writers to one file, a rate of writes that lasts or doesn't.

use narrows_model::{
    FileSharing, FileSharingOutcome, Measurement, Run, Validity, condition, family, metric,
};
use narrows_units::{Bytes, significant};

use crate::document::{AnnotatedTable, Row, Table};
use crate::print::rate;

/// Writers together and apart; `None` where they weren't measured, or a figure is invalid.
pub(crate) fn file_sharing(run: &Run) -> Option<AnnotatedTable> {
    let valid = |id| run.measurement(id).filter(|m| m.validity != Validity::Invalid);
    let together = valid("block.writers.together")?;
    let apart = valid("block.writers.apart")?;
    let number = |key| together.number(key).unwrap_or_default() as u64;
    let writers = number(condition::WRITERS);
    let table = Table::figures(
        format!(
            "{writers} WRITERS  {} blocks, QD{} each, {} pairs of windows",
            Bytes(number(condition::BLOCK_BYTES)).iec(),
            number(condition::DEPTH) / writers.max(1),
            together.repeats
        ),
        ["rate", "95 % from", "to"],
        [row("one file together", together), row(&format!("{writers} files, one each"), apart)],
    );
    // A run of before it was judged says so by itself.
    let sentence = run.file_sharing.as_ref().map(sentence);
    let sentence = sentence.or_else(|| together.text(condition::SENTENCE).map(str::to_string));
    Some(AnnotatedTable { table, sentences: sentence.into_iter().collect() })
}

fn row(name: &str, m: &Measurement) -> Row {
    let metric = m.metric(metric::THROUGHPUT);
    let range = metric.and_then(|metric| metric.interval_95.as_ref());
    let cell = |value: Option<f64>| value.map_or_else(|| "-".to_string(), rate);
    Row::figures(
        name,
        [
            cell(metric.map(|metric| metric.value)),
            cell(range.map(|range| range.low)),
            cell(range.map(|range| range.high)),
        ],
        "",
    )
}

fn sentence(found: &FileSharing) -> String {
    let n = found.writers;
    let through = match &found.direct_refused {
        None => "direct I/O".to_string(),
        Some(why) => format!("writing through the page cache (direct I/O is not possible: {why})"),
    };
    let Some(value) = found.share else {
        return format!("No answer for {through}: a window was empty.");
    };
    let share = |value: f64| significant(value * 100.0, 2);
    let between = found.interval_95.as_ref().map_or(String::new(), |range| {
        format!(" (95 %: {} to {} %)", share(range.low), share(range.high))
    });
    let figure =
        format!("together they reach {} % of what they reach apart{between}", share(value));
    match found.outcome {
        FileSharingOutcome::HeldUp => format!(
            "One file holds {n} writers up with {through}: {figure}. A lock of the file (its inode's) admits few at a time."
        ),
        FileSharingOutcome::Concurrent => {
            format!("One file takes {n} writers at the same time with {through}: {figure}.")
        }
        FileSharingOutcome::Open => format!("Undecided for {through}: {figure}."),
    }
}

/// Whether rates of writes last, in the words of the rounds; invalid ones say nothing.
pub(crate) fn steady(run: &Run) -> Vec<String> {
    let rounds = run
        .measurements
        .iter()
        .filter(|m| family::BLOCK_STEADY.has(&m.id) && m.validity != Validity::Invalid);
    rounds.filter_map(|m| m.text(condition::SENTENCE).map(str::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_has_its_sentence() {
        let of = |outcome, direct_refused: Option<&str>| {
            sentence(&FileSharing {
                writers: 4,
                outcome,
                share: Some(0.3),
                interval_95: None,
                direct_refused: direct_refused.map(str::to_string),
            })
        };
        assert!(of(FileSharingOutcome::HeldUp, None).contains("holds 4 writers up"));
        assert!(of(FileSharingOutcome::Concurrent, None).contains("at the same time"));
        assert!(of(FileSharingOutcome::Open, Some("tmpfs")).contains("page cache"));
    }
}
