//! The page of the book: what was wrong, what was expected, what was named.

use narrows_stats::share_interval_95;

use super::Results;
use super::outcome::{Outcome, SituationLook};
use super::suite::Situation;

const HEAD: &str = include_str!("page.md");

pub(super) fn page(suite: &[Situation], results: &Results) -> String {
    let mut text = HEAD.to_string();
    let names = |of: fn(&SituationLook) -> &str| {
        let names: std::collections::BTreeSet<&str> = results.seen.iter().map(of).collect();
        names.into_iter().collect::<Vec<&str>>().join(", ")
    };
    text += &format!(
        "\n## Where\n\n{}, PostgreSQL {}. Looks of {} s. States of the program: {}.\n\n## Counts\n\n{}",
        results.machine,
        names(|seen| &seen.server),
        results.for_s,
        names(|seen| &seen.state),
        counts(suite, results)
    );
    text += &lines_to_the_answer(results);
    text += "\n## Situations\n\n| what is wrong | strength | expected first | looks | right | named first, last look | verdict beside it |\n| --- | --- | --- | ---: | ---: | --- | --- |\n";
    for situation in suite {
        text += &row(situation, &looks(results, situation));
    }
    text += &gains(suite, results);
    text += &changed(suite);
    text + &beside(suite)
}

fn looks<'r>(results: &'r Results, situation: &Situation) -> Vec<&'r SituationLook> {
    results.seen.iter().filter(|seen| seen.name == situation.name).collect()
}

fn counts(suite: &[Situation], results: &Results) -> String {
    let mut text = "| | situations | looks | right | silent | wrong | right (95 %) |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |\n".to_string();
    let line = |name: &str, wanted: &dyn Fn(&Situation) -> bool| {
        let (mut situations, mut of) = (0, [0u32; 3]);
        for situation in suite.iter().filter(|situation| wanted(situation)) {
            let looks = looks(results, situation);
            situations += u32::from(!looks.is_empty());
            for seen in looks {
                of[match seen.outcome(situation) {
                    Outcome::Right => 0,
                    Outcome::Silent => 1,
                    Outcome::Wrong => 2,
                }] += 1;
            }
        }
        let all: u32 = of.iter().sum();
        let share = match all {
            0 => "-".to_string(),
            _ => {
                let (low, high) = share_interval_95(of[0].into(), all.into());
                let percent = 100.0 * f64::from(of[0]) / f64::from(all);
                format!("{percent:.0} % ({:.0} to {:.0} %)", low * 100.0, high * 100.0)
            }
        };
        let [right, silent, wrong] = of;
        format!("| {name} | {situations} | {all} | {right} | {silent} | {wrong} | {share} |\n")
    };
    text += &line("something is wrong", &|situation| !situation.right.is_empty());
    text += &line("nothing is wrong", &|situation| situation.right.is_empty());
    text
}

/// How far down the screen what to do ends.
fn lines_to_the_answer(results: &Results) -> String {
    let named: Vec<&SituationLook> =
        results.seen.iter().filter(|seen| seen.first.is_some()).collect();
    let mut lines: Vec<usize> = named.iter().filter_map(|seen| seen.answer_line).collect();
    lines.sort_unstable();
    let Some(last) = lines.last() else { return String::new() };
    format!(
        "\nOn the screen the first cause's statement (what to do, where there is none) ends on line {} at the median and on line {last} at most, in {} of {} looks that name one.\n",
        lines[lines.len() / 2],
        lines.len(),
        named.len()
    )
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn row(situation: &Situation, looks: &[&SituationLook]) -> String {
    let right = looks.iter().filter(|seen| seen.outcome(situation) == Outcome::Right).count();
    let last = looks.last();
    let (named, phrase) = match last {
        None => ("not looked at".to_string(), String::new()),
        Some(seen) => {
            let said = match &seen.first {
                None => "nothing".to_string(),
                Some(first) => format!("`{first}`: {}", seen.said),
            };
            let outcome = seen.outcome(situation);
            let mark = match outcome {
                Outcome::Right => String::new(),
                _ => format!("{}: ", outcome.word()),
            };
            (format!("{mark}{}", cell(&said)), cell(&seen.phrase))
        }
    };
    format!(
        "| {} | {} | {} | {} | {right} | {named} | {phrase} |\n",
        cell(&situation.what),
        cell(&situation.strength),
        cell(&situation.expectation()),
        looks.len()
    )
}

/// What doing it gained, beside the bound.
fn gains(suite: &[Situation], results: &Results) -> String {
    let mut text = String::new();
    for situation in suite.iter().filter(|situation| !situation.fix.is_empty()) {
        for seen in looks(results, situation) {
            let Some(gained) = seen.gained else { continue };
            let percent = |share: f64| format!("{:+.0} %", share * 100.0);
            let bound = match (seen.gain_at_most, seen.share) {
                (Some(gain), _) => percent(gain),
                (None, Some((of, share))) => format!("{:.0} % {}", share * 100.0, of.words()),
                (None, None) => "none".to_string(),
            };
            let within = match seen.within_its_bound() {
                Some(true) => "within",
                Some(false) => "**beyond**",
                None => "no bound of the rate",
            };
            text += &format!(
                "| {}, {} | `{}` | {bound} | {} | {within} |\n",
                cell(&situation.what),
                cell(&situation.strength),
                cell(&situation.fix.join("; ")),
                percent(gained)
            );
        }
    }
    if text.is_empty() {
        return text;
    }
    format!(
        "\n## What doing it gained\n\n| situation | done | at most, by the law | gained | |\n| --- | --- | ---: | ---: | --- |\n{text}"
    )
}

fn changed(suite: &[Situation]) -> String {
    let lines = suite.iter().filter_map(|situation| {
        let why = situation.changed.as_ref()?;
        Some(format!("- {}, {}: {why}\n", situation.what, situation.strength))
    });
    let lines: String = lines.collect();
    if lines.is_empty() {
        return lines;
    }
    format!("\n## Expectations that were changed\n\n{lines}")
}

fn beside(suite: &[Situation]) -> String {
    let lines = suite.iter().filter(|situation| !situation.pghero.is_empty());
    let lines = lines.map(|situation| {
        format!(
            "| {} | {} | {} |\n",
            cell(&situation.what),
            cell(&situation.pghero),
            cell(&situation.checkup)
        )
    });
    let lines: String = lines.collect();
    format!(
        "\n## Beside PgHero and postgres-checkup\n\n| what is wrong | PgHero | postgres-checkup |\n| --- | --- | --- |\n{lines}"
    )
}
