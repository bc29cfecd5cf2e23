//! The page of the book: what each experiment is, what was foretold, and what was said.

use std::fmt::Write as _;

use narrows_model::OtherProgram;
use narrows_stats::share_interval_95;

use super::Results;
use super::answer::{Answer, Worst};
use super::experiments::{CLEAN, all};
use crate::provenance::{self, Taken};

const HEAD: &str = include_str!("page.md");
/// Longest sentence in a table, characters.
const SENTENCE: usize = 260;

/// One experiment, in words.
struct Experiment {
    number: u32,
    title: &'static str,
    /// What is done.
    how: &'static str,
    /// What the attack said that narrows would say.
    foretold: &'static str,
    honest: &'static str,
}

const EXPERIMENTS: [Experiment; 10] = [
    Experiment {
        number: 1,
        title: "Memory as a drive",
        how: "A calibration on ext4 on zram of 2 GiB.",
        foretold: "valid, exit 0",
        honest: "suspect or invalid: memory",
    },
    Experiment {
        number: 2,
        title: "Memory recommended for the log",
        how: "Two places for WAL: the machine's drive, and ext4 on a loop device on a file in tmpfs.",
        foretold: "put the log there",
        honest: "that place is memory",
    },
    Experiment {
        number: 3,
        title: "File systems on a loop device whose file is cached",
        how: "Calibrations on btrfs and xfs, 3 GiB, on a loop device that reads its file through the page cache.",
        foretold: "btrfs valid, xfs invalid",
        honest: "both invalid",
    },
    Experiment {
        number: 4,
        title: "Honest fio jobs",
        how: "Random reads that pause for 1 ms after each eight; random writes with fdatasync after each 16. fio runs the same file behind narrows.",
        foretold: "invalid: `depth-not-reached`",
        honest: "not invalid, and within a tenth of fio's rate",
    },
    Experiment {
        number: 5,
        title: "Depth that isn't",
        how: "256 reads in flight on a loop device whose queue takes 4; raw reads of zram, which the kernel's threads execute.",
        foretold: "256 in flight, valid",
        honest: "the depth was not had; memory",
    },
    Experiment {
        number: 6,
        title: "Who stands still",
        how: "The drive's process is stopped for 20 ms in each second; then narrows itself is, in a frozen group.",
        foretold: "the machine stood still, in both",
        honest: "of the first: few reads within 5 ms, and nobody else's fault; of the second: it was stopped",
    },
    Experiment {
        number: 7,
        title: "Sustained over an eighth of the drive",
        how: "`block steady` in a file of 256 MiB on a file system of 2 GiB.",
        foretold: "sustained",
        honest: "steady over 256 MiB of 2 GiB",
    },
    Experiment {
        number: 8,
        title: "Throttles",
        how: "20,000 reads per second are asked in a control group that allows 5,000; in one whose limit changes from 2,000 to 6,000 after five seconds; in one that can't be seen from a control group namespace.",
        foretold: "invalid, overload; not noticed; not noticed",
        honest: "5,000 per second, limit named; invalid; no valid figure above the limit without a word",
    },
    Experiment {
        number: 10,
        title: "A device that is open where it can't be seen",
        how: "A process outside of the process namespace has a loop device open for writing.",
        foretold: "nothing stands against writing to it",
        honest: "that it can't be seen; refused",
    },
    Experiment {
        number: 11,
        title: "One byte's value",
        how: "A calibration on a loop device, past the page cache, all of whose bytes are 0xFF. And reads of a file in the page cache, while another program reads as many bytes from the drive, so that the drive's counters agree.",
        foretold: "valid",
        honest: "its contents are doubted; memory answered",
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
        program: if said.before { "before" } else { "now" },
        state: &said.state,
    }));
    for experiment in &EXPERIMENTS {
        let Experiment { number, title, how, foretold, honest } = experiment;
        let _ = write!(
            text,
            "\n## {number}: {title}\n\n{how}\n\nForetold: {foretold}. Honest: {honest}.\n\n"
        );
        text += &table(results, *number);
    }
    text += "\n## 12: Memory and company\n\n`memory --quick` in a control group of 256 MiB, beside caches of which its working set is too small a multiple; and a calibration on one CPU of which another program uses 9 ms of each 100 ms.\n\nForetold: valid, and not said for the second. Honest: suspect; the windows are marked or dropped.\n\n";
    text += &table(results, 12);
    text + &clean(results)
}

fn table(results: &Results, number: u32) -> String {
    let said: Vec<&Answer> = results.said.iter().filter(|said| said.experiment == number).collect();
    if said.is_empty() {
        return "Not made yet.\n".to_string();
    }
    let mut text =
        "| made | program | figures | found | said | |\n| --- | --- | --- | --- | --- | --- |\n"
            .to_string();
    for said in said {
        let program = if said.before { "before" } else { "now" };
        let verdict = if said.honest { "honest" } else { "**not honest**" };
        let _ = writeln!(
            text,
            "| {} | {program} | {} | {} | {} | {verdict} |",
            said.variant,
            figures(said),
            found(said),
            sentence(said)
        );
    }
    text
}

fn figures(said: &Answer) -> String {
    let of = |validity| said.rates.get(&validity).copied().unwrap_or(0);
    let counts =
        [(Worst::Valid, "valid"), (Worst::Suspect, "suspect"), (Worst::Invalid, "invalid")];
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(validity, _)| of(*validity) > 0)
        .map(|(validity, word)| format!("{} {word}", of(validity)))
        .collect();
    let counts = if counts.is_empty() { "none".to_string() } else { counts.join(", ") };
    let fio = said.over_fio.map_or(String::new(), |over| format!("; × {over:.2} of fio's rate"));
    format!("{counts}{fio}; exit {}", said.exit)
}

fn found(said: &Answer) -> String {
    let marks: Vec<String> = ["invalid", "suspect"]
        .into_iter()
        .filter_map(|severity| Some((severity, said.findings.get(severity)?)))
        .map(|(severity, ids)| format!("{severity}: {}", ids.join(", ")))
        .collect();
    if marks.is_empty() { "-".to_string() } else { marks.join("; ") }
}

/// Words of the lines that answer, where a whole screen is kept.
const ANSWERS: [&str; 3] = ["None of the other locations", "cannot be seen", "Put "];

fn sentence(said: &Answer) -> String {
    let answers = |line: &&String| ANSWERS.iter().any(|words| line.contains(words));
    let line = said.says.iter().find(answers).or(said.says.first());
    let Some(line) = line else { return "-".to_string() };
    let short: String = line.chars().take(SENTENCE).collect();
    let cut = if short.len() < line.len() { " …" } else { "" };
    short.replace('|', "/") + cut
}

/// What they led to, and what they still say.
const CLEAN_RUNS_SAID: &str = "
- **Mended by them:** `other-load`, which marked most calibrations, ladders and commits, where nobody else was at work. What other programs used was the time that CPUs were not idle, less narrows' own and the kernel's threads. But leaving idleness and interrupts that no timer tick met are in that time: 0.12 to 0.25 of a CPU in windows that flush a log back to back, while by `/proc/PID/stat` of all processes nobody but threads of the kernel ran. Others have no more now than the control groups of the machine count for tasks. Before that, a wait for a CPU was all held against others, and is no more than they ran.
- **Mended by them:** `device-saw-less`, `memory-answered` and `others-read-the-drives` in windows of a rate above the one that was kept. Their queue grows, so that in one window 34 MB more were read than requested, and in the next 45 MB less.
- **Mended by them:** `not-steady` from repeat to repeat asked for p < 0.05, which by chance one of three ladders has somewhere. It is 0.01 now.
- **`generator-late`** was looked into on a guest with Intel CPUs, and is right there. A thread submits one read at a time, and a submission takes 31 µs, 110 µs at p99 (fio's `slat` of the same job): what falls due meanwhile waits. Taken out operation by operation, that is 6 to 20 % of a p99 of 0.3 ms; with two or four threads on the two CPUs the p99 was two to three times as long. Timers were a part of it, late by 0.13 to 0.26 ms at p99: the load generator learns how late its own sleeps end, and wakes so much earlier: 54 to 92 µs of lateness at p99 in place of 88 to 112, four rounds in turn. Up to a tenth of a percentile is a note (`generator-slightly-late`) since. The commits and the interference have generators beside each other, and the threads of the kernel that complete their flushes and writes, on two CPUs.
- **`latency-grows-with-footprint`** of the memory: 208 to 233 ns over 1.13 GB against 149 to 163 over the half of it, in a guest whose last-level cache is said to have 275 MB. A quick run takes no more.
- **`not-steady` of jobs** is within their window, always upwards by a fifth and more, and begins when a gigabyte was just laid out: the host has it still to write. **`settled-lower`** and **`overload`**: the drive is the host's, with limits and neighbours that are not seen from here; reads of 1 MiB in order fall from 1,470 to 1,170 per second after 0.4 GB in two calibrations of four.
- Not looked into: `not-steady` of the log's ceiling before the interference, which rises by 58 to 66 % within its windows in three runs of four.
";

/// Of each kind how many were silent.
fn clean(results: &Results) -> String {
    let mut text = "\n## Clean runs\n\nTen kinds, four runs each, on the machine's drive with nothing planted. A run is silent if no figure is marked, but for what is true of every short run (a burst of writes, few repeats, a part of the drive).\n\n".to_string();
    let of_now: Vec<&Answer> =
        results.said.iter().filter(|said| said.experiment == CLEAN && !said.before).collect();
    if of_now.is_empty() {
        return text + "Not made yet.\n";
    }
    text += "| kind | silent | marked by |\n| --- | ---: | --- |\n";
    let kind = |variant: &str| variant.split(", run ").next().unwrap_or_default().to_string();
    let mut kinds: Vec<String> = Vec::new();
    for trial in all("8:0").iter().filter(|trial| trial.experiment == CLEAN) {
        let name = kind(&trial.variant);
        if !kinds.contains(&name) {
            kinds.push(name);
        }
    }
    for name in kinds {
        let of: Vec<&&Answer> = of_now.iter().filter(|said| kind(&said.variant) == name).collect();
        let silent = of.iter().filter(|said| said.is_silent()).count();
        let mut marks: Vec<&str> = of.iter().flat_map(|said| said.marked()).collect();
        marks.sort_unstable();
        marks.dedup();
        let marks = if marks.is_empty() { "-".to_string() } else { marks.join(", ") };
        let _ = writeln!(text, "| {name} | {silent} of {} | {marks} |", of.len());
    }
    let silent = of_now.iter().filter(|said| said.is_silent()).count() as u64;
    let (low, high) = share_interval_95(silent, of_now.len() as u64);
    let _ = writeln!(
        text,
        "\nSilent: {silent} of {} ({:.0} to {:.0} % with 95 % confidence).",
        of_now.len(),
        100.0 * low,
        100.0 * high
    );
    text += &marked_runs(&of_now);
    text += CLEAN_RUNS_SAID;
    text
}

/// Of each run that was not silent what marked it, beside what the kernel says of others.
fn marked_runs(runs: &[&Answer]) -> String {
    let mut text = String::new();
    for run in runs.iter().filter(|run| !run.marks.is_empty()) {
        let used = |other: &OtherProgram| format!("{} {:.1} %", other.name, 100.0 * other.cpus);
        let others: Vec<String> = run.others.iter().map(used).collect();
        let _ =
            writeln!(text, "- {} ({}): {}", run.variant, others.join(", "), run.marks.join("; "));
    }
    match text.is_empty() {
        true => text,
        false => format!(
            "\nWhat marked the others, and who else used a hundredth of a CPU and more over the whole run, threads of the kernel that complete its I/O included, by `/proc/PID/stat` of all processes (in per cent of one CPU):\n\n{text}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn what_was_said_stands_in_its_section_and_the_rest_was_not_made() {
        let said = Answer {
            experiment: 1,
            variant: "block on zram".to_string(),
            honest: true,
            exit: 3,
            worst: Worst::Invalid,
            findings: BTreeMap::from([(
                "invalid".to_string(),
                vec!["block-in-memory".to_string()],
            )]),
            ..Answer::default()
        };
        let silent =
            Answer { experiment: CLEAN, variant: "memory, run 1".to_string(), ..Answer::default() };
        let marked = Answer {
            variant: "memory, run 2".to_string(),
            findings: BTreeMap::from([("suspect".to_string(), vec!["steal".to_string()])]),
            ..silent.clone()
        };
        let page = page(&Results { said: vec![said, silent, marked] });
        let row = "| block on zram | now | none; exit 3 | invalid: block-in-memory | - | honest |";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("| memory | 1 of 2 | steal |"), "{page}");
        assert_eq!(page.matches("Not made yet.").count(), EXPERIMENTS.len());
    }
}
