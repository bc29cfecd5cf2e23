//! RESULT: the answer for each workload in a sentence, before anything that it rests on.

use narrows_model::{
    Bottleneck, DatabaseChoice, Grade, Layer, LiveBound, LiveLog, Run, Severity, Validity, Verdict,
};

use crate::notes::absent;
use crate::words::capital;
use crate::{fabric, observed, print, words};

/// What a run that goes on says so far: its answers, without doubts that more time takes away.
pub fn answer_so_far(run: &Run) -> Vec<String> {
    answers(run).0
}

/// What could not be measured, what stands before an answer, then a sentence for each answer; workloads with the same one share it.
pub(crate) fn sentences(run: &Run) -> Vec<String> {
    let (answers, told) = answers(run);
    // Another run would say no more of a server that had nothing to do, or hides what it does, and where something has to be done at once nobody
    // waits for it.
    let mut doubtful = run.measurements.iter().filter(|m| m.validity != Validity::Valid);
    let worth_it = told < run.verdicts.len() && !doubtful.all(|m| observed::is_urgent(run, &m.id));
    let doubt = unreliable(run).filter(|_| worth_it);
    not_measured(run).chain(doubt).chain(answers).collect()
}

/// What stands before an answer and the answers, and how many verdicts are told by the former alone.
fn answers(run: &Run) -> (Vec<String>, usize) {
    let mut answers: Vec<(Vec<String>, String)> = Vec::new();
    let mut first: Vec<String> = Vec::new();
    let mut told = 0;
    let mut takers: Vec<String> = Vec::new();
    for verdict in &run.verdicts {
        let (said, whole) = observed::sentences(run, verdict);
        first.extend(said);
        if whole {
            told += 1;
            continue;
        }
        let workload = words::workload_plural(&verdict.workload, verdict.operating_point.workers);
        let answer = answer(run, verdict);
        let profile =
            observed::profile(run, verdict).filter(|_| !observed::stands_still(run, verdict));
        match observed::is_saturated(verdict) {
            true => takers.extend(profile),
            false => first.extend(profile),
        }
        takers.extend(observed::cause_sentences(run, verdict).1);
        match answers.iter_mut().find(|(_, same)| *same == answer) {
            Some((workloads, _)) => workloads.push(workload),
            None => answers.push((vec![workload], answer)),
        }
    }
    let sentence = |(workloads, answer): (Vec<String>, String)| {
        format!("{}: {answer}.", capital(&listed(&workloads)))
    };
    let logs = run.live_logs.iter().filter_map(of_log);
    let fabric = fabric::sentence(run);
    let answers = answers.into_iter().map(sentence).chain(takers);
    (first.into_iter().chain(answers).chain(logs).chain(fabric).collect(), told)
}

/// Layers that were to be measured and could not, each with the reason and the way out.
fn not_measured(run: &Run) -> impl Iterator<Item = String> {
    const LAYERS: [(Layer, &str); 5] = [
        (Layer::Clock, "The clock was"),
        (Layer::Memory, "The memory was"),
        (Layer::Block, "The drives were"),
        (Layer::Log, "The WAL was"),
        (Layer::Database, "The database was"),
    ];
    LAYERS.into_iter().filter_map(move |(layer, what)| {
        let finding = absent(run, layer.word())?;
        let hint = match finding.advice.trim_end_matches('.') {
            "" => String::new(),
            advice => format!("; hint: {advice}"),
        };
        Some(format!("{what} not measured: {}{hint}.", finding.summary.trim_end_matches('.')))
    })
}

/// What a commit on a server that was observed waits for, and what to do first.
fn of_log(log: &LiveLog) -> Option<String> {
    let verdict = log.verdict.as_ref()?;
    let (what, is) = words::live_bound(verdict.bound);
    let tells = !matches!(verdict.bound, LiveBound::Idle | LiveBound::Unknown);
    let elsewhere = matches!(verdict.bound, LiveBound::NotWaitedFor | LiveBound::NotTheLog);
    let answer = match verdict.grade {
        _ if !tells => what.to_string(),
        _ if verdict.or_cpus => format!("undecided, CPU or {}", what.trim_end_matches(',')),
        Grade::Undecided if !elsewhere => {
            format!("undecided, the figures point to {}", what.trim_end_matches(','))
        }
        grade => format!("{what} {is} ({})", words::grade(grade).to_lowercase()),
    };
    let right = log.unknown.iter().find(|unknown| observed::lacks_right(unknown));
    let first = match (right, verdict.changes.first()) {
        (Some(unknown), _) if !tells => format!(" {}, then observe again.", unknown.needs),
        _ if verdict.or_cpus => " Run narrows observe, which compares all limits.".to_string(),
        (_, Some(change)) => format!(" It would change with {}.", change.trim_end_matches('.')),
        _ => String::new(),
    };
    Some(format!("Commits on the observed server: {answer}.{first}"))
}

/// Where most of it is in doubt, that first, with what most of the doubts are.
fn unreliable(run: &Run) -> Option<String> {
    let doubtful = run.measurements.iter().filter(|m| m.validity != Validity::Valid);
    let (doubtful, all) = (doubtful.count(), run.measurements.len());
    if run.verdicts.is_empty() || 2 * doubtful <= all {
        return None;
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for finding in run.findings.iter().filter(|f| f.severity > Severity::Note) {
        match reasons.iter_mut().find(|(summary, _)| *summary == finding.summary) {
            Some((_, times)) => *times += 1,
            None => reasons.push((&finding.summary, 1)),
        }
    }
    let most = reasons.iter().max_by_key(|(_, times)| *times);
    let why = most.map_or(String::new(), |(summary, _)| format!(", mostly: {summary}"));
    Some(format!(
        "Run it again before you rely on it: {doubtful} of {all} measurements are in doubt{why}."
    ))
}

fn answer(run: &Run, verdict: &Verdict) -> String {
    let measured = run.measurement(&verdict.measurement);
    if measured.is_some_and(|m| m.validity == Validity::Invalid) {
        return "no answer, the measurement is invalid".to_string();
    }
    let (what, is) = words::bottleneck(verdict.narrow);
    match (verdict.grade, verdict.or) {
        (_, Some(rival)) => format!("undecided, {what} or {}", words::bottleneck(rival).0),
        (Grade::Undecided, None) if verdict.narrow != Bottleneck::Unknown => {
            format!("undecided, the figures point to {what}")
        }
        (Grade::Undecided, None) => largest(verdict).map_or_else(
            || "undecided, nothing that was measured explains it".to_string(),
            |largest| format!("undecided; most of its time: {largest}"),
        ),
        (grade, None) => {
            let grade = words::grade(grade).to_lowercase();
            format!("{what} {is}{} ({grade})", part_of_cpus(run, verdict))
        }
    }
}

/// Of a server of ours that had a part of the machine's CPUs: that is what binds, and not the machine.
fn part_of_cpus(run: &Run, verdict: &Verdict) -> String {
    let had = run.plan.server_cpus.len();
    let all = run.platform().map_or(0, |platform| platform.cpu.threads as usize);
    let observed = run.observations.iter().any(|seen| seen.measurement == verdict.measurement);
    let managed = run.plan.database == DatabaseChoice::Managed && !observed;
    let ours = managed && verdict.narrow == Bottleneck::Cpu;
    if ours && had > 0 && had < all {
        format!(" with {had} of the machine's {all} CPUs for the server")
    } else {
        String::new()
    }
}

/// `CPU 39 %, flush 36 %`: the two largest parts of an operation's time, where it has several.
fn largest(verdict: &Verdict) -> Option<String> {
    let mut terms: Vec<_> = verdict.sum.as_ref()?.terms.iter().collect();
    terms.sort_by(|a, b| b.ns_per_op.total_cmp(&a.ns_per_op));
    let whole: f64 = terms.iter().map(|term| term.ns_per_op.max(0.0)).sum();
    let [first, second, ..] = terms.as_slice() else { return None };
    let said = [first, second]
        .map(|term| format!("{} {}", term.name, print::percent(term.ns_per_op / whole)));
    (whole > 0.0).then(|| said.join(", "))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(of: &[String]) -> String {
    match of {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_are_listed_as_in_a_sentence() {
        let of = |words: &[&str]| listed(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>());
        assert_eq!(of(&["a"]), "a");
        assert_eq!(of(&["a", "b"]), "a and b");
        assert_eq!(of(&["a", "b", "c"]), "a, b and c");
        assert_eq!(capital("scans"), "Scans");
    }
}
