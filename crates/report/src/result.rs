//! RESULT: the answer for each workload in a sentence, before anything that it rests on.

use narrows_model::{Grade, Narrow, Run, Validity, Verdict};

use crate::words;

/// A sentence for each answer; workloads with the same one share it. None where no workload was judged.
pub(crate) fn sentences(run: &Run) -> Vec<String> {
    let mut answers: Vec<(Vec<String>, String)> = Vec::new();
    for verdict in &run.verdicts {
        let workload = words::workload_plural(&verdict.workload, verdict.operating_point.workers);
        let answer = answer(run, verdict);
        match answers.iter_mut().find(|(_, same)| *same == answer) {
            Some((workloads, _)) => workloads.push(workload),
            None => answers.push((vec![workload], answer)),
        }
    }
    let sentence = |(workloads, answer): (Vec<String>, String)| {
        format!("{}: {answer}.", capital(&listed(&workloads)))
    };
    answers.into_iter().map(sentence).collect()
}

fn answer(run: &Run, verdict: &Verdict) -> String {
    let measured = run.measurement(&verdict.measurement);
    if measured.is_some_and(|m| m.validity == Validity::Invalid) {
        return "no answer, the measurement is invalid".to_string();
    }
    let (what, is) = words::bottleneck(verdict.narrow);
    match (verdict.grade, verdict.or) {
        (_, Some(rival)) => format!("undecided, {what} or {}", words::bottleneck(rival).0),
        (Grade::Undecided, None) if verdict.narrow == Narrow::Unknown => {
            "undecided, nothing that was measured explains the rate".to_string()
        }
        (Grade::Undecided, None) => format!("undecided, the figures point to {what}"),
        (grade, None) => format!("{what} {is} ({})", words::grade(grade).to_lowercase()),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(of: &[String]) -> String {
    match of {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
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
