//! The page of the book.

use super::trial::End;
use super::{Record, Results};

const HEAD: &str = include_str!("page.md");

pub(super) fn page(results: &Results) -> String {
    let mut text = HEAD.to_string();
    if results.trials.is_empty() {
        return text + "\n## Results\n\nNo trials are stored.\n";
    }
    text += &format!("\n## Where\n\n{}. Seed {}.\n", results.machine, results.seed);
    text += &format!("\n## Results\n\n{}\n\n", sentences(&results.trials));
    text += "| end | log | trials | other sizes meanwhile | writes acknowledged | records moved after it | trials that lost a block | torn |\n";
    text += "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for end in [End::Kill, End::Cut, End::LyingCut] {
        let logs = [(1, "all"), (2, "all"), (2, "first")].into_iter();
        for ((media, acknowledge), resized) in logs.flat_map(|log| [(log, false), (log, true)]) {
            let its = |trial: &&Record| {
                let log = (trial.media, trial.acknowledge.as_str());
                trial.end == end && log == (media, acknowledge) && trial.resized == resized
            };
            let trials: Vec<&Record> = results.trials.iter().filter(its).collect();
            if trials.is_empty() {
                continue;
            }
            let sum =
                |figure: fn(&Record) -> u64| trials.iter().map(|trial| figure(trial)).sum::<u64>();
            text += &format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                word(end),
                log_word(media, acknowledge),
                trials.len(),
                if resized { sum(|trial| trial.sizes).to_string() } else { "-".to_string() },
                sum(|trial| trial.acknowledged),
                sum(|trial| trial.records),
                sum(|trial| u64::from(trial.outcome.lost > 0)),
                sum(|trial| u64::from(trial.outcome.torn > 0)),
            );
        }
    }
    text
}

fn word(end: End) -> &'static str {
    match end {
        End::Kill => "SIGKILL",
        End::Cut => "power of the drives",
        End::LyingCut => "power, and drives that lie",
    }
}

fn log_word(media: u8, acknowledge: &str) -> &'static str {
    match (media, acknowledge) {
        (1, _) => "one medium",
        (_, "all") => "two, both acknowledge",
        _ => "two, the first acknowledges",
    }
}

/// All of it in a sentence or two.
pub(super) fn sentences(trials: &[Record]) -> String {
    let of = |honest: bool| {
        let its = trials.iter().filter(|trial| (trial.end != End::LyingCut) == honest);
        let its: Vec<&Record> = its.collect();
        let wrong = its.iter().filter(|its| its.outcome.lost + its.outcome.torn > 0).count();
        (its.len(), wrong, its.iter().map(|trial| trial.acknowledged).sum::<u64>())
    };
    let ((honest, wrong, writes), (lying, caught, _)) = (of(true), of(false));
    let bound = match (wrong, honest) {
        (0, 1..) => {
            format!(" (below {:.1} % at 95 %)", 100.0 * (1.0 - 0.05_f64.powf(1.0 / honest as f64)))
        }
        _ => String::new(),
    };
    format!(
        "{wrong} of {honest} ends lost or tore something that was acknowledged{bound}; {writes} writes had been. The control: of {lying} cuts of drives that lie, {caught} lost something."
    )
}
