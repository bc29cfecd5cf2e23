//! The page of the book: what each experiment is, what was foretold, what came out, and what that says.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use narrows_model::{Grade, Metric, metric};
use narrows_stats::{median, share_interval_95};

use super::Results;
use super::trial::{READ_DELAYS_US, READERS, SHORT_US};
use super::trial_result::TrialResult;
use crate::experiment_arguments::Program;
use crate::provenance::{self, Taken};

const HEAD: &str = include_str!("page.md");

/// One experiment, in words.
struct Experiment {
    number: u32,
    title: &'static str,
    /// What is done.
    how: &'static str,
    /// What the attack said that narrows would say.
    foretold: &'static str,
    /// What it called an honest answer.
    honest: &'static str,
    /// What came out, computed from what is stored.
    says: fn(&[&TrialResult]) -> String,
}

const EXPERIMENTS: [Experiment; 7] = [
    Experiment {
        number: 2,
        title: "A hot row through a slow flush",
        how: "Eight sessions update one row. Each flush takes 2 ms more, then 1 ms more.",
        foretold: "“locks inside the server”, and that hardware will not help, while the rate doubles with the faster flush",
        honest: "a commit wait under a lock, or undecided",
        says: hot_row,
    },
    Experiment {
        number: 3,
        title: "A device that slows down",
        how: "Each flush takes 1 ms more, of narrows as of the server, from the moment at which the log layer is done and the updates begin.",
        foretold: "“commit wait inside the server”, so that the device is excused",
        honest: "the device is slower than when it was measured; or a commit wait; or undecided",
        says: nothing_more,
    },
    Experiment {
        number: 4,
        title: "Large flushes",
        how: "64 sessions update whole rows. Nothing is planted: a flush is large.",
        foretold: "the server is accused where its flush takes twice that of 8 KiB",
        honest: "a flush of that size is no slower inside the server",
        says: large_flushes,
    },
    Experiment {
        number: 5,
        title: "Slope of the parts",
        how: "Lookups from the drive. Each read takes 0 to 3,200 µs more, under 2, 8 and 32 sessions, so that the server's CPU is idle, busy and full; and under 64 sessions that think for longer than a read takes, \
              so that it is about as busy under each delay: sessions that go on at once do less under a longer one, and with the CPU's load changes what a read takes beside its sleep. The \
              read part of an operation's time is held against what was planted in the same repeats: the slope should be 1. Each slope is over the delays of 100 µs and more, and once up to 800 µs, with a 95 % interval: without a delay nothing sleeps, and most of a read is a copy from the page cache. A \
              delayed read sleeps; the library counts what its sleeps took, without the wait for a CPU after each, and that is what was planted. The server's \
              own read times have the copying and the wait for a CPU after each read too. So they are a second reference only where CPUs are idle. Rows on two machines have their longest delay from another one than the rest: a read that takes 50 µs more there beside its sleep moves such a slope by 0.02.",
        foretold: "0.6 to 0.8 where the CPU is nearly full",
        honest: "1 ± 0.05 everywhere",
        says: slopes,
    },
    Experiment {
        number: 6,
        title: "Power of the sum",
        how: "Each answer of the server takes 200 µs longer, in a sleep that no wait event names.",
        foretold: "the time is printed as the client's, the sum agrees because it can't fail, and twice the sessions confirm it",
        honest: "undecided: 200 µs that nobody names",
        says: nothing_more,
    },
    Experiment {
        number: 8,
        title: "CPU time that is saved when nobody waits for commits",
        how: "Updates by 3 to 8 sessions, with the test by `synchronous_commit = off`.",
        foretold: "gains above the predicted range with 4 to 6 sessions, because the CPU time of an operation falls as well",
        honest: "the range holds what the test gains",
        says: predictions,
    },
    Experiment {
        number: 10,
        title: "Do the intervals hold?",
        how: "Twelve servers made one after the other, under lookups and under updates, three short repeats each. How many of the 95 % intervals hold the \
              median of all twelve?",
        foretold: "30 to 70 %, not 95, because windows of one server are no fresh servers",
        honest: "the interval is told as that between windows, and `--starts` shows the other",
        says: coverage,
    },
];

/// The whole page.
pub(super) fn page(results: &Results) -> String {
    let mut text = HEAD.to_string();
    if results.said.is_empty() {
        return text + "\n## Results\n\nNothing is stored.\n";
    }
    text += "\n## Where\n\n";
    text += &provenance::lines(results.said.iter().map(|said| Taken {
        machine: &said.machine,
        program: word(said.program),
        state: &said.state,
    }));
    for experiment in &EXPERIMENTS {
        let said: Vec<&TrialResult> =
            results.said.iter().filter(|said| said.experiment == experiment.number).collect();
        let Experiment { number, title, how, foretold, honest, says } = experiment;
        let _ = write!(
            text,
            "\n## {number}: {title}\n\n{how}\n\nForetold: {foretold}. Honest: {honest}.\n\n"
        );
        if said.is_empty() {
            text += "Not made yet.\n";
            continue;
        }
        text += &says(&said);
    }
    text
}

/// A column of its own: its head, and what a trial has there.
type ExtraColumn<'a> = (&'a str, &'a dyn Fn(&TrialResult) -> String);

/// What each said, in a table; a line per trial.
fn table(said: &[&TrialResult], more: &[ExtraColumn<'_>]) -> String {
    let mut text = "| planted | program | said | grade | rate (1/s) |".to_string();
    more.iter().for_each(|(head, _)| text += &format!(" {head} |"));
    text += "\n| --- | --- | --- | --- | ---: |";
    more.iter().for_each(|_| text += " --- |");
    text += "\n";
    for said in said {
        let program = word(said.program);
        let grade = match said.grade {
            Grade::Confirmed => "CONFIRMED",
            Grade::Likely => "LIKELY",
            Grade::Undecided => "UNDECIDED",
        };
        let TrialResult { variant, phrase, rate_per_s, .. } = said;
        let _ = write!(text, "| {variant} | {program} | {phrase} | {grade} | {rate_per_s:.0} |");
        more.iter().for_each(|(_, of)| text += &format!(" {} |", of(said)));
        text += "\n";
    }
    text
}

fn word(program: Program) -> &'static str {
    match program {
        Program::Before => "before",
        Program::Now => "now",
    }
}

fn nothing_more(said: &[&TrialResult]) -> String {
    table(said, &[("test", &tested)])
}

fn tested(said: &TrialResult) -> String {
    said.test.as_ref().map_or("none".to_string(), |test| {
        let confirms = if test.confirms { "confirms" } else { "does not confirm" };
        format!(
            "{}: {:+.0} % ({:+.0} to {:+.0} predicted), {confirms}",
            test.intervention,
            100.0 * test.effect,
            100.0 * test.expected[0],
            100.0 * test.expected[1]
        )
    })
}

fn hot_row(said: &[&TrialResult]) -> String {
    let mut text = nothing_more(said);
    for program in [Program::Before, Program::Now] {
        let rate = |variant: &str| {
            let of = said.iter().find(|s| s.program == program && s.variant == variant);
            of.map(|said| said.rate_per_s)
        };
        if let (Some(slow), Some(fast)) = (rate("flush + 2 ms"), rate("flush + 1 ms")) {
            let _ = write!(
                text,
                "\nThe flush that is 1 ms shorter makes the rate × {:.2} (as measured by the program {}).\n",
                fast / slow,
                word(program)
            );
        }
    }
    text
}

fn large_flushes(said: &[&TrialResult]) -> String {
    let bytes = |said: &TrialResult| {
        let of = |metric| said.value(metric);
        match (of(metric::WAL_BYTES_PER_OP), of(metric::FLUSHES_PER_OP)) {
            (Some(bytes), Some(flushes)) if flushes > 0.0 => {
                format!("{:.0} KiB", bytes / flushes / 1024.0)
            }
            _ => "not known".to_string(),
        }
    };
    let time = |said: &TrialResult| {
        let ns = said.value(metric::SERVER_FLUSH_TIME);
        ns.map_or("not known".to_string(), |ns| format!("{:.0} µs", ns / 1000.0))
    };
    table(said, &[("a flush", &bytes), ("takes", &time), ("test", &tested)])
}

/// Slope of the part on what was planted, per program and sessions.
fn slopes(said: &[&TrialResult]) -> String {
    let mut text = format!(
        "| program | readers | the server's CPUs used, with no delay and the longest | read part without a delay | slope of the read part | \
         up to {SHORT_US} µs | of the server's own read times | delays |\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
    );
    for program in [Program::Before, Program::Now] {
        for readers in READERS {
            let at = |us: u32| {
                let variant = readers.variant(us);
                said.iter().find(|s| s.program == program && s.variant == variant)
            };
            let trials: Vec<(u32, &TrialResult)> =
                READ_DELAYS_US.iter().filter_map(|us| Some((*us, *at(*us)?))).collect();
            if trials.len() < 2 {
                continue;
            }
            let used = |said: &TrialResult| {
                let per_op = said.value(metric::SERVER_CPU_PER_OP);
                let used =
                    per_op.zip(said.value(metric::THROUGHPUT)).map(|(ns, rate)| ns * rate / 1e9);
                match used.zip(said.value(metric::SERVER_CPUS_AVAILABLE)) {
                    Some((used, there)) if there > 0.0 => format!("{:.0} %", 100.0 * used / there),
                    _ => "not known".to_string(),
                }
            };
            // Without a delay nothing sleeps, and most of a read is a copy from the page cache.
            // Where sleeps were counted, a trial from before that says less of what was planted.
            let counted = trials.iter().any(|(_, said)| said.slept_ns.is_some());
            let sleeps = |(us, said): &&(u32, &TrialResult)| {
                *us > 0 && (!counted || said.slept_ns.is_some())
            };
            let mut delayed: Vec<&(u32, &TrialResult)> = trials.iter().filter(sleeps).collect();
            if delayed.len() < 2 {
                // The program of before was asked with one delay: its slope is from none.
                delayed = trials.iter().collect();
            }
            let slope = |metric: Metric, longest_us: u32| {
                let taken = delayed.iter().filter(|(us, _)| *us <= longest_us);
                let points: Vec<(f64, f64)> =
                    taken.filter_map(|(us, said)| point(*us, said, metric)).collect();
                slope_in_words(&points)
            };
            let without = trials.iter().find(|(us, _)| *us == 0).and_then(|(_, said)| {
                Some(format!("{:.0} µs", said.value(metric::WAIT_READ_PER_OP)? / 1000.0))
            });
            let _ = writeln!(
                text,
                "| {} | {readers} | {}, {} | {} | {} | {} | {} | {} |",
                word(program),
                used(trials[0].1),
                used(trials[trials.len() - 1].1),
                without.unwrap_or_else(|| "not known".to_string()),
                slope(metric::WAIT_READ_PER_OP, u32::MAX),
                slope(metric::WAIT_READ_PER_OP, SHORT_US),
                slope(metric::SERVER_READ_TIME_PER_OP, u32::MAX),
                of_delays(&delayed)
            );
        }
    }
    text
}

/// How many, and whether another machine made some of them: what a read takes beside its sleep is another there.
fn of_delays(delayed: &[&(u32, &TrialResult)]) -> String {
    let machines: BTreeSet<&str> = delayed.iter().map(|(_, said)| said.machine.as_str()).collect();
    match machines.len() {
        0 | 1 => delayed.len().to_string(),
        several => format!("{}, on {several} machines", delayed.len()),
    }
}

/// What was planted per operation and what was found, ns: means over the same repeats. A sleep takes what was asked for and the way out of it;
/// trials from before that was counted have what was asked for.
fn point(us: u32, said: &TrialResult, metric: Metric) -> Option<(f64, f64)> {
    let pairs = said.pairs(metric::BLOCK_READS_PER_OP, metric);
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let planted_ns = said.slept_ns.unwrap_or(f64::from(us) * 1000.0);
    (n > 0.0).then(|| (planted_ns * mean(|pair| pair.0), mean(|pair| pair.1)))
}

/// Student's t of 97.5 % for 1, 2 … degrees of freedom; the last for more.
const STUDENT_T: [f64; 4] = [12.71, 4.30, 3.18, 2.78];

/// A slope by least squares, and half of its 95 % interval where there are more than two points.
fn slope_of(points: &[(f64, f64)]) -> Option<(f64, Option<f64>)> {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let (of_both, of_x) = points.iter().fold((0.0, 0.0), |(both, own), point| {
        (both + (point.0 - x) * (point.1 - y), own + (point.0 - x).powi(2))
    });
    if points.len() < 2 || of_x <= 0.0 {
        return None;
    }
    let slope = of_both / of_x;
    let rest = |point: &(f64, f64)| (point.1 - y - slope * (point.0 - x)).powi(2);
    let freedom = points.len() - 2;
    let half = (freedom > 0).then(|| {
        let t = STUDENT_T[(freedom - 1).min(STUDENT_T.len() - 1)];
        t * (points.iter().map(rest).sum::<f64>() / freedom as f64 / of_x).sqrt()
    });
    Some((slope, half))
}

/// `1.14 ± 0.11`
fn slope_in_words(points: &[(f64, f64)]) -> String {
    match slope_of(points) {
        Some((slope, Some(half))) => format!("{slope:.2} ± {half:.2}"),
        Some((slope, None)) => format!("{slope:.2}"),
        None => "not known".to_string(),
    }
}

fn predictions(said: &[&TrialResult]) -> String {
    let less_cpu = |said: &TrialResult| {
        let test =
            said.test.as_ref().filter(|test| test.intervention.contains("synchronous_commit"));
        let of_test = test.and_then(|test| test.server_cpu_per_op);
        match (of_test, said.value(metric::SERVER_CPU_PER_OP)) {
            (Some(test), Some(base)) if base > 0.0 => format!("× {:.2}", test / base),
            _ => "-".to_string(),
        }
    };
    let mut text = table(said, &[("test", &tested), ("CPU time of an operation in it", &less_cpu)]);
    for program in [Program::Before, Program::Now] {
        let tests: Vec<_> = said
            .iter()
            .filter(|said| said.program == program)
            .filter_map(|said| said.test.as_ref())
            .filter(|test| test.intervention.contains("synchronous_commit"))
            .collect();
        let held = |test: &&&super::trial_result::Tested| {
            (test.expected[0]..=test.expected[1]).contains(&test.effect)
        };
        if !tests.is_empty() {
            let _ = write!(
                text,
                "\n{}: {} of {} such tests gained what was predicted.\n",
                word(program),
                tests.iter().filter(held).count(),
                tests.len()
            );
        }
    }
    text
}

fn coverage(said: &[&TrialResult]) -> String {
    let mut text = "| workload | servers | median (1/s) | smallest to largest | intervals that hold the median | expected |\n\
                    | --- | ---: | ---: | --- | --- | --- |\n"
        .to_string();
    for verb in ["lookup", "update"] {
        let of: Vec<&TrialResult> =
            said.iter().filter(|said| said.variant.starts_with(verb)).copied().collect();
        let mut rates: Vec<f64> = of.iter().map(|said| said.rate_per_s).collect();
        rates.sort_by(f64::total_cmp);
        let (Some(middle), [least, .., most]) = (median(&rates), rates.as_slice()) else {
            continue;
        };
        let intervals: Vec<_> = of.iter().filter_map(|said| said.interval_95.as_ref()).collect();
        let held = intervals.iter().filter(|i| (i.low..=i.high).contains(&middle)).count() as u64;
        let (low, high) = share_interval_95(held, intervals.len() as u64);
        let _ = writeln!(
            text,
            "| {verb} | {} | {middle:.0} | {least:.0} to {most:.0} | {held} of {}: {:.0} to {:.0} % | 95 % |",
            of.len(),
            intervals.len(),
            100.0 * low,
            100.0 * high
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::trial_result::tests::said;
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_line() {
        let line: Vec<(f64, f64)> = [0.0, 1.0, 2.0, 8.0].map(|x| (x, 3.0 + 0.7 * x)).to_vec();
        let (slope, half) = slope_of(&line).unwrap();
        assert!((slope - 0.7).abs() < 1e-12 && half.unwrap() < 1e-9);
        assert_eq!(slope_in_words(&[(0.0, 0.0), (1.0, 2.0)]), "2.00");
        assert_eq!(slope_of(&line[..1]), None);
        assert_eq!(slope_of(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }

    #[test]
    fn each_experiment_has_its_section_with_what_was_said_or_that_it_was_not_made() {
        let page = page(&Results { said: vec![said(6, "answer + 200 µs")] });
        assert!(
            page.contains("| answer + 200 µs | now | CPU, 97 % busy | LIKELY | 1000 | none |"),
            "{page}"
        );
        assert_eq!(page.matches("Not made yet.").count(), EXPERIMENTS.len() - 1);
    }

    #[test]
    fn intervals_that_hold_the_median_are_counted() {
        use narrows_model::{Interval, IntervalMethod};
        let one = |fresh: u32, rate_per_s: f64, low, high| TrialResult {
            rate_per_s,
            interval_95: Some(Interval { low, high, method: IntervalMethod::LogT }),
            ..said(10, &format!("lookup, server {fresh}"))
        };
        let all =
            [one(1, 90.0, 85.0, 95.0), one(2, 100.0, 95.0, 105.0), one(3, 110.0, 99.0, 112.0)];
        let text = coverage(&all.iter().collect::<Vec<_>>());
        assert!(text.contains("| lookup | 3 | 100 | 90 to 110 | 2 of 3:"), "{text}");
    }
}
