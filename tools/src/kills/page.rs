//! The page of the book: how many of how many trials left something or ended wrongly, with what that says.

use std::collections::BTreeMap;

use narrows_stats::share_interval_95;

use super::record::Record;
use super::store::Results;

const HEAD: &str = include_str!("page.md");

/// The whole page.
pub(super) fn page(results: &Results) -> String {
    let mut text = HEAD.to_string();
    if results.trials.is_empty() {
        return text + "\n## Results\n\nNo trials are stored.\n";
    }
    text += &format!("\n## Where\n\n{}. Seed {}.\n", results.machine, results.seed);
    text += &format!("\n## Results\n\n{}\n\n", sentence(&results.trials));
    for (title, of) in [
        ("command", (|r| &r.command) as fn(&Record) -> &String),
        ("signals", |r| &r.signals),
        ("to", |r| &r.to),
        ("user", |r| &r.user),
        ("file system", |r| &r.file_system),
    ] {
        text += &table(title, &results.trials, of);
        text += "\n";
    }
    text += &wrong(&results.trials);
    text
}

/// All of it in a sentence or two.
pub(super) fn sentence(trials: &[Record]) -> String {
    let met: Vec<&Record> = trials.iter().filter(|trial| trial.met()).collect();
    let (n, k) = (met.len() as u64, met.iter().filter(|t| !t.wrong.is_empty()).count() as u64);
    let slowest = met
        .iter()
        .filter(|trial| trial.status == "130")
        .map(|trial| trial.to_exit_ms / 1e3)
        .fold(0.0, f64::max);
    format!(
        "{k} of {n} strikes left something or ended wrongly ({}). {} more came after the command had ended. Commands that handled \
         the signal ended within {slowest:.1} s.",
        share(k, n),
        trials.len() as u64 - n
    )
}

/// What k of n says of all strikes: an interval at 95 %, or, where there was none, the bound that 19 of 20 such series stay below.
fn share(k: u64, n: u64) -> String {
    if n == 0 {
        return "nothing was met".to_string();
    }
    if k == 0 {
        return format!("below {:.1} % at 95 %", 100.0 * (1.0 - 0.05_f64.powf(1.0 / n as f64)));
    }
    let (low, high) = share_interval_95(k, n);
    format!("{:.1} to {:.1} % at 95 %", 100.0 * low, 100.0 * high)
}

fn table(title: &str, trials: &[Record], of: fn(&Record) -> &String) -> String {
    let mut rows: BTreeMap<&String, (u64, u64)> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.met()) {
        let row = rows.entry(of(trial)).or_default();
        row.0 += 1;
        row.1 += u64::from(!trial.wrong.is_empty());
    }
    let mut text = format!("| {title} | strikes | wrong | share |\n| --- | ---: | ---: | --- |\n");
    for (name, (n, k)) in rows {
        text += &format!("| {name} | {n} | {k} | {} |\n", share(k, n));
    }
    text
}

fn wrong(trials: &[Record]) -> String {
    let mut text = "## What was wrong\n\n".to_string();
    let bad: Vec<&Record> = trials.iter().filter(|trial| !trial.wrong.is_empty()).collect();
    if bad.is_empty() {
        return text + "Nothing.\n";
    }
    for trial in bad {
        let at = trial.moment_ms.map_or("after its end".to_string(), |ms| format!("at {ms:.0} ms"));
        text += &format!(
            "- trial {}, `{}`, {}, {}, {} to the {} {at}: {}\n",
            trial.number,
            trial.command,
            trial.user,
            trial.file_system,
            trial.signals,
            trial.to,
            trial.wrong.join("; ")
        );
    }
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::kills) fn record(number: u64, wrong: &[&str]) -> Record {
        Record {
            number,
            command: "log".into(),
            user: "root".into(),
            file_system: "xfs".into(),
            signals: "INT".into(),
            to: "group".into(),
            moment_ms: Some(12.0),
            status: "130".into(),
            to_exit_ms: 1500.0,
            runs: 1,
            next: "130".into(),
            wrong: wrong.iter().map(|wrong| wrong.to_string()).collect(),
        }
    }

    #[test]
    fn none_has_a_bound_and_some_an_interval() {
        let fine: Vec<Record> = (0..400).map(|number| record(number, &[])).collect();
        let said = sentence(&fine);
        assert!(
            said.starts_with("0 of 400 strikes") && said.contains("below 0.7 % at 95 %"),
            "{said}"
        );
        assert!(said.contains("within 1.5 s"), "{said}");
        let mut some = fine.clone();
        some[3] = record(3, &["file a"]);
        some[4].moment_ms = None;
        let said = sentence(&some);
        assert!(said.starts_with("1 of 399 strikes"), "{said}");
        assert!(said.contains("0.0 to 1.4 % at 95 %") && said.contains("1 more came"), "{said}");
        let page = page(&Results { seed: 5, machine: "M".into(), trials: some });
        assert!(page.contains("| log | 399 | 1 |"), "{page}");
        assert!(page.contains("- trial 3, `log`, root, xfs, INT to the group at 12 ms: file a\n"));
    }
}
