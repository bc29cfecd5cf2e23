//! What others took of the machine while we measured, and who they were.

use narrows_model::{OtherProgram, Run, metric};

use crate::print::{self, Units};

/// Of fewer bytes per second a program's reads or writes are not worth telling.
const TOLD_BYTES_PER_S: f64 = 1e6;
/// Of less CPU time, as a share of all CPUs, nor is a program that moves nothing.
const TOLD_SHARE: f64 = 0.01;

/// `Other programs: median 2.0 % of all CPUs, at most 10 %`, over the measurements that saw it, and the programs that used most.
pub(super) fn line(run: &Run, units: Units) -> String {
    let all =
        |name| -> Vec<f64> { run.measurements.iter().filter_map(|m| m.value(name)).collect() };
    let mut parts = Vec::new();
    let cpus = all(metric::OTHER_CPUS);
    if let Some(median) = narrows_stats::median(&cpus) {
        let share = Share::of(run);
        let (median, most) = (share.text(median), share.text(cpus.into_iter().fold(0.0, f64::max)));
        let of = share.of_what();
        parts.push(if median == most {
            format!("{median} {of}")
        } else {
            format!("median {median} {of}, at most {most}")
        });
    }
    let steal = all(metric::STEAL).into_iter().fold(0.0, f64::max);
    if steal > 0.0 {
        parts.push(format!("steal up to {}", print::percent(steal)));
    }
    if parts.is_empty() {
        return String::new();
    }
    let named = named(run, units);
    let whole = if named.is_empty() { named } else { format!("; over the whole run {named}") };
    format!("Other programs: {}{whole}", parts.join(", "))
}

/// CPUs in the screen's words.
struct Share {
    threads: Option<f64>,
}

impl Share {
    fn of(run: &Run) -> Share {
        let threads = run.platform().map(|p| p.cpu.threads).filter(|threads| *threads > 0);
        Share { threads: threads.map(f64::from) }
    }

    fn text(&self, cpus: f64) -> String {
        match self.threads {
            Some(threads) => print::percent(cpus / threads),
            None => print::count(cpus),
        }
    }

    fn of_what(&self) -> &'static str {
        if self.threads.is_some() { "of all CPUs" } else { "CPUs" }
    }
}

/// `backup 4.0 % (writes 12.0 MB/s), kernel threads kdamond.0 3.0 %`; empty where none is worth its name.
fn named(run: &Run, units: Units) -> String {
    let share = Share::of(run);
    let of_kernel = |kernel| {
        let programs = run.other_programs.iter().filter(|program| program.kernel == kernel);
        let words: Vec<String> =
            programs.filter_map(|program| named_one(program, &share, units)).collect();
        words.join(", ")
    };
    let (programs, threads) = (of_kernel(false), of_kernel(true));
    let threads = if threads.is_empty() { threads } else { format!("kernel threads {threads}") };
    let mut both = vec![programs, threads];
    both.retain(|words| !words.is_empty());
    both.join(", ")
}

fn named_one(program: &OtherProgram, share: &Share, units: Units) -> Option<String> {
    let moves = |verb: &str, bytes: Option<f64>| {
        let bytes = bytes.filter(|bytes| *bytes >= TOLD_BYTES_PER_S)?;
        Some(format!("{verb} {}", units.bytes_per_s(bytes)))
    };
    let moved =
        [moves("reads", program.read_bytes_per_s), moves("writes", program.write_bytes_per_s)];
    let moved: Vec<String> = moved.into_iter().flatten().collect();
    let part = program.cpus / share.threads.unwrap_or(1.0);
    if part < TOLD_SHARE && moved.is_empty() {
        return None;
    }
    let moved = if moved.is_empty() { String::new() } else { format!(" ({})", moved.join(", ")) };
    Some(format!("{} {}{moved}", program.name, share.text(program.cpus)))
}

#[cfg(test)]
mod tests {
    use narrows_model::{Plan, Platform};

    use super::*;

    fn program(name: &str, kernel: bool, cpus: f64, written: Option<f64>) -> OtherProgram {
        OtherProgram {
            name: name.into(),
            kernel,
            cpus,
            read_bytes_per_s: written.map(|_| 0.0),
            write_bytes_per_s: written,
        }
    }

    #[test]
    fn programs_have_their_share_and_what_they_write_and_small_ones_no_name() {
        let mut platform = Platform::default();
        platform.cpu.threads = 4;
        let mut run = Run::blank(Plan::default(), platform);
        run.other_programs = vec![
            program("backup", false, 0.4, Some(12e6)),
            program("kdamond.0", true, 0.2, None),
            program("sshd", false, 0.03, Some(2e5)),
            program("rsync", false, 0.001, Some(3e6)),
        ];
        let words = named(&run, Units::Si);
        assert_eq!(
            words,
            "backup 10 % (writes 12.0 MB/s), rsync <0.1 % (writes 3.00 MB/s), kernel threads kdamond.0 5.0 %"
        );
        run.other_programs.clear();
        assert_eq!(named(&run, Units::Si), "");
        assert_eq!(line(&run, Units::Si), "", "nobody counted");
    }
}
