//! The page of the book that tells what was planted, what was expected, and what came out.

use std::collections::BTreeMap;

use narrows_model::Grade;
use narrows_stats::share_interval_95;
use narrows_units::{Nanos, significant};

use super::look::{Outcome, PlantLook, Rate};
use super::store::Results;
use super::suite::{LookKind, Plant, Sight, word};

const HEAD: &str = include_str!("page.md");

/// The whole page.
pub(super) fn page(
    suite: &[Plant],
    results: &Results,
    versions: &BTreeMap<u32, Results>,
) -> String {
    let mut text = HEAD.to_string();
    let mut states: Vec<&str> = results.seen.iter().map(|seen| seen.state.as_str()).collect();
    let all = states.len();
    states.retain(|state| !state.is_empty());
    let unrecorded = all - states.len();
    states.sort_unstable();
    states.dedup();
    let states = match (states.as_slice(), unrecorded) {
        ([], _) => "not recorded".to_string(),
        (some, 0) => some.join(", "),
        (some, n) => format!("{}; of {n} looks before, not recorded", some.join(", ")),
    };
    text += &format!(
        "\n## Where\n\n{}, {}. Looks of {} s. States of the program: {states}.\n\n## Counts\n\n",
        results.machine, results.server, results.for_s
    );
    text += &counts(suite, results);
    for (title, own) in [("## A server under pgbench", false), ("## A load of narrows' own", true)]
    {
        text += &format!("\n{title}\n\n");
        text += "| planted | strength | cause | expected before the run | said | grade | |\n";
        text += "| --- | --- | --- | --- | --- | --- | --- |\n";
        for plant in suite.iter().filter(|plant| plant.look.is_own() == own) {
            text += &row(plant, results.of(plant));
        }
    }
    text += &rates(suite, results);
    text += &other_versions(suite, results, versions);
    text += &changed(suite, results);
    text + &why(suite, results)
}

/// How often each kind of answer came, all looks together.
fn counts(suite: &[Plant], results: &Results) -> String {
    let mut text = "| looked at by | plants | looks | right | open | wrong | of these CONFIRMED and wrong | of the named, right (95 %) | open (95 %) |\n\
                    | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n"
        .to_string();
    let looks = [
        ("`--observe`", LookKind::Observe),
        ("`--observe --capacities`", LookKind::Compare),
        ("`narrows run --quick`", LookKind::Sketch),
        ("`narrows run`", LookKind::Full),
    ];
    let line = |name: &str, wanted: &dyn Fn(&Plant) -> bool| {
        let (mut plants, mut all) = (0, Rate::default());
        for plant in suite.iter().filter(|plant| wanted(plant)) {
            plants += u32::from(results.of(plant).is_some());
            results.looks(plant).for_each(|seen| all.add(seen.outcome(plant), seen.grade));
        }
        let Rate { looks, right, open, wrong, sure_and_wrong } = all;
        let (named, opened) = (share(right, right + wrong), share(open, looks));
        format!(
            "| {name} | {plants} | {looks} | {right} | {open} | {wrong} | {sure_and_wrong} | {named} | {opened} |\n"
        )
    };
    for (name, look) in looks {
        text += &line(name, &|plant| plant.look == look);
    }
    text += &line("the cause can be read somewhere", &|plant| plant.sight == Sight::Seen);
    text += &line("only the effect can be seen", &|plant| plant.sight == Sight::Hidden);
    text + &line("**all**", &|_| true)
}

/// The same plants under other major versions, and where the answer is another one.
fn other_versions(suite: &[Plant], own: &Results, versions: &BTreeMap<u32, Results>) -> String {
    if versions.is_empty() {
        return String::new();
    }
    let mut text = "\n## Other versions of PostgreSQL\n\n\
        | server | looks | right | open | wrong | of these CONFIRMED and wrong | of the named, right (95 %) | open (95 %) |\n\
        | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |\n"
        .to_string();
    let mut otherwise = String::new();
    for results in versions.values() {
        let mut all = Rate::default();
        for plant in suite {
            results.looks(plant).for_each(|seen| all.add(seen.outcome(plant), seen.grade));
            let outcome = |results: &Results| results.of(plant).map(|seen| seen.outcome(plant));
            let Some(seen) = results.of(plant).filter(|_| outcome(results) != outcome(own)) else {
                continue;
            };
            let before = outcome(own).map_or("not run", Outcome::word);
            otherwise += &format!(
                "| {} | {} {} | {} | {} | {} | {before} |\n",
                results.server,
                plant.what,
                plant.strength,
                seen.phrase.replace('|', "\\|"),
                grade(seen.grade),
                seen.outcome(plant).word(),
            );
        }
        let Rate { looks, right, open, wrong, sure_and_wrong } = all;
        let (named, opened) = (share(right, right + wrong), share(open, looks));
        text += &format!(
            "| {} | {looks} | {right} | {open} | {wrong} | {sure_and_wrong} | {named} | {opened} |\n",
            results.server
        );
    }
    if !otherwise.is_empty() {
        text += &format!(
            "\nOtherwise than with {}:\n\n| server | planted | said | grade | | there |\n| --- | --- | --- | --- | --- | --- |\n{otherwise}",
            own.server
        );
    }
    text
}

/// A share with its interval, in percent; nothing of nothing.
fn share(of: u32, all: u32) -> String {
    if all == 0 {
        return "-".to_string();
    }
    let (low, high) = share_interval_95(of.into(), all.into());
    let percent = 100.0 * f64::from(of) / f64::from(all);
    format!("{percent:.0} % ({:.0} to {:.0} %)", low * 100.0, high * 100.0)
}

fn row(plant: &Plant, seen: Option<&PlantLook>) -> String {
    let sight = match plant.sight {
        Sight::Seen => "seen",
        Sight::Hidden => "hidden",
    };
    let (said, grade, outcome) = match seen {
        Some(seen) => {
            let gain = seen.gain.map_or(String::new(), |gain| {
                let by = plant.decided.as_ref().map_or("the change", |decided| decided.by.words());
                let cpu = seen.less_cpu.map_or(String::new(), |less| {
                    format!(", CPU time of a transaction × {:.2}", 1.0 / less)
                });
                format!("; {by}: {:+.0} %{cpu}", gain * 100.0)
            });
            let said = format!("{}{gain}", seen.phrase.replace('|', "\\|"));
            (said, grade(seen.grade), seen.outcome(plant).word())
        }
        None => ("-".to_string(), "-", "not run"),
    };
    let strength = if plant.strength.is_empty() { "-" } else { &plant.strength };
    format!(
        "| {} | {strength} | {sight} | {} | {said} | {grade} | {outcome} |\n",
        plant.what,
        plant.expectation()
    )
}

fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Undecided => "UNDECIDED",
        Grade::Likely => "LIKELY",
        Grade::Confirmed => "CONFIRMED",
    }
}

/// Expectations that are not those of the first run.
fn changed(suite: &[Plant], results: &Results) -> String {
    let mut text = String::new();
    for plant in suite {
        if let Some(why) = &plant.changed {
            text += &format!("- {} ({}): {why}\n", plant.what, plant.strength);
        } else if let Some(seen) = results.of(plant)
            && seen.expectation != plant.expectation()
        {
            text += &format!(
                "- {} ({}): expected was “{}” when it was measured\n",
                plant.what, plant.strength, seen.expectation
            );
        }
    }
    if text.is_empty() {
        return "\nNo expectation was changed after a run.\n".to_string();
    }
    format!("\n## Expectations changed after a run\n\n{text}")
}

/// How often each was named, of those that were looked at several times.
fn rates(suite: &[Plant], results: &Results) -> String {
    let line = |plant: &Plant| {
        let rate = Rate::of(plant, results.looks(plant));
        let Rate { looks, right, open, wrong, sure_and_wrong } = rate;
        let strength = if plant.strength.is_empty() { "-" } else { &plant.strength };
        let right = share(right, looks);
        (looks > 1).then(|| {
            format!(
                "| {} | {strength} | {looks} | {right} | {open} | {wrong} | {sure_and_wrong} |\n",
                plant.what
            )
        })
    };
    let lines: String = suite.iter().filter_map(line).collect();
    if lines.is_empty() {
        return lines;
    }
    format!(
        "\n## How often\n\n| planted | strength | looks | right (95 %) | open | wrong | of these CONFIRMED and wrong |\n\
         | --- | --- | ---: | --- | ---: | ---: | ---: |\n{lines}"
    )
}

/// What narrows itself says about those that are open, and what was wrong.
fn why(suite: &[Plant], results: &Results) -> String {
    let mut text = String::new();
    for plant in suite {
        for seen in results.looks(plant) {
            let outcome = seen.outcome(plant);
            if outcome == Outcome::Right {
                continue;
            }
            let reasons = if seen.reasons.is_empty() {
                format!("it named {}", word(seen.narrow))
            } else {
                seen.reasons.join("; ")
            };
            text +=
                &format!("- {} ({}), {}: {reasons}\n", plant.what, plant.strength, outcome.word());
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("\n## Reasons given where it is not right\n\n{text}")
    }
}

/// What an observation costs and how its sum compares with the server's account, for the page on observed servers.
pub(super) fn looks(suite: &[Plant], results: &Results) -> String {
    let mut text = "| server | transactions/s | samples per second | share of one CPU | time in statements, server's \
                    account | sum less between | ratio |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_string();
    for plant in suite {
        let Some(seen) = results.of(plant) else { continue };
        let (Some(cost), Some(account)) = (seen.cost_cpus, seen.account_ns) else { continue };
        let ns = |ns: f64| Nanos(ns.max(0.0) as u64).to_string();
        let strength =
            if plant.strength.is_empty() { String::new() } else { format!(", {}", plant.strength) };
        text += &format!(
            "| {}{strength} | {} | {} | {:.2} % | {} | {} | {} |\n",
            plant.what,
            significant(seen.rate_per_s, 3),
            seen.questions_per_s.map_or("-".to_string(), |n| format!("{n:.0}")),
            cost * 100.0,
            ns(account),
            seen.summed_ns.map_or("-".to_string(), ns),
            seen.summed_ns.map_or("-".to_string(), |summed| format!("{:.2}", summed / account)),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use narrows_model::Bottleneck;

    use super::super::look::tests::seen;
    use super::super::suite;
    use super::*;

    #[test]
    fn right_open_and_wrong_are_counted_and_told_with_their_reasons() {
        let suite = suite::read().unwrap();
        let plant = |name: &str| suite.iter().find(|plant| plant.name == name).unwrap();
        let right =
            seen(plant("quota-half"), Bottleneck::CpuQuota, Grade::Likely, "CPU quota of 0.5");
        let mut open =
            seen(plant("hot-row"), Bottleneck::Lock, Grade::Undecided, "locks inside the server");
        open.reasons = vec!["the sum is off".to_string()];
        open.expectation = "client".to_string();
        let wrong = seen(plant("own-nothing"), Bottleneck::Lock, Grade::Confirmed, "locks");
        let results = Results { seen: vec![right, open, wrong], ..Results::default() };
        let text = page(&suite, &results, &BTreeMap::new());
        assert!(
            text.contains("| `--observe` | 1 | 1 | 1 | 0 | 0 | 0 | 100 % (2 to 100 %) |"),
            "{text}"
        );
        assert!(
            text.contains(
                "| **all** | 3 | 3 | 1 | 1 | 1 | 1 | 50 % (1 to 99 %) | 33 % (1 to 91 %) |"
            ),
            "{text}"
        );
        assert!(text.contains("one statement each), open: the sum is off\n"));
        assert!(text.contains("expected was “client” when it was measured"));
        assert!(text.contains("**wrong**: it named lock\n"));
        assert_eq!(text.matches("| not run |").count(), suite.len() - 3);
    }

    #[test]
    fn several_looks_give_a_rate_with_its_interval() {
        let suite = suite::read().unwrap();
        let one = seen(&suite[0], Bottleneck::Cpu, Grade::Likely, "CPU");
        let stored = |seen: Vec<PlantLook>| Results { seen, ..Results::default() };
        assert!(!page(&suite, &stored(vec![one.clone()]), &BTreeMap::new()).contains("How often"));
        let mut looks = vec![one.clone(); 39];
        looks.push(PlantLook { narrow: Bottleneck::Lock, grade: Grade::Confirmed, ..one });
        let results = stored(looks);
        assert_eq!(
            Rate::of(&suite[0], results.looks(&suite[0])).to_string(),
            "of 40 looks 39 right, 0 open, 1 wrong (1 of them CONFIRMED)"
        );
        let text = page(&suite, &results, &BTreeMap::new());
        assert!(text.contains("| - | 40 | 98 % (87 to 100 %) | 0 | 1 | 1 |\n"), "{text}");
    }

    #[test]
    fn a_look_stands_with_its_cost_and_its_sum() {
        let suite = suite::read().unwrap();
        let one = seen(&suite[0], Bottleneck::Cpu, Grade::Likely, "CPU");
        let text = looks(&suite, &Results { seen: vec![one], ..Results::default() });
        assert!(text.ends_with("| 14 | 0.87 % | 200 µs | 190 µs | 0.95 |\n"), "{text}");
    }

    #[test]
    fn another_version_is_counted_apart_and_told_where_it_answers_otherwise() {
        let suite = suite::read().unwrap();
        let of = |plant: &str, narrow, grade, phrase| {
            seen(suite.iter().find(|of| of.name == plant).unwrap(), narrow, grade, phrase)
        };
        let right = of("quota-half", Bottleneck::CpuQuota, Grade::Likely, "CPU quota");
        let open = of("hot-row", Bottleneck::Lock, Grade::Undecided, "locks");
        let named = |server: &str, seen: Vec<PlantLook>| Results {
            server: server.to_string(),
            seen,
            ..Results::default()
        };
        let own = named("PostgreSQL 15", vec![right.clone()]);
        let versions = BTreeMap::from([(18, named("PostgreSQL 18", vec![right, open]))]);
        let text = page(&suite, &own, &versions);
        assert!(text.contains("| PostgreSQL 18 | 2 | 1 | 1 | 0 | 0 |"), "{text}");
        assert!(text.contains("| locks | UNDECIDED | open | not run |\n"), "{text}");
        let (_, other) = text.split_once("Otherwise than with PostgreSQL 15:").unwrap();
        let (other, _) = other.split_once("\n## ").unwrap();
        assert!(!other.contains("CPU quota"), "{other}");
    }
}
