//! What narrows said of a situation, and whether that is right.

use narrows_model::{Cause, CauseShare, Run, Urgency};
use serde::{Deserialize, Serialize};

use super::suite::Situation;

/// What a look brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SituationLook {
    pub name: String,
    /// What was expected when it was measured.
    pub expectation: String,
    /// The first cause's id; none: no cause above a risk was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// What it says, its statement with it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// The other causes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// The verdict beside it.
    pub phrase: String,
    /// What goes at most of what the first takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<(CauseShare, f64)>,
    /// The relative gain that the law allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_at_most: Option<f64>,
    /// The relative gain that doing it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gained: Option<f64>,
    /// CPUs that looking took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_cpus: Option<f64>,
    /// The line of the screen on which the first one's statement ends, or what to do where there is no statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_line: Option<usize>,
    /// The server's version.
    pub server: String,
    /// The state of the program, as git names it.
    pub state: String,
}

/// Whether it is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Right,
    /// Nothing is named where something is wrong.
    Silent,
    Wrong,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Right => "right",
            Outcome::Silent => "silent",
            Outcome::Wrong => "**wrong**",
        }
    }
}

impl SituationLook {
    /// What that run says of it; the last two are the state of the program and the server's version.
    pub fn of(situation: &Situation, run: &Run, (state, server): (&str, &str)) -> SituationLook {
        let first = first(run);
        let seen = run.observations.first();
        SituationLook {
            name: situation.name.clone(),
            expectation: situation.expectation(),
            first: first.map(|cause| cause.id.clone()),
            said: first.map_or(String::new(), said),
            others: felt(run).skip(1).map(|cause| cause.id.clone()).collect(),
            phrase: run.verdicts.first().map_or(String::new(), |verdict| verdict.phrase.clone()),
            share: first.and_then(|cause| cause.share),
            gain_at_most: first.and_then(|cause| cause.gain_at_most),
            gained: None,
            cost_cpus: seen.and_then(|seen| seen.cost.processors),
            answer_line: None,
            server: server.to_string(),
            state: state.to_string(),
        }
    }

    pub fn outcome(&self, situation: &Situation) -> Outcome {
        match &self.first {
            None if situation.right.is_empty() => Outcome::Right,
            None => Outcome::Silent,
            Some(first) if !situation.right.contains(first) => Outcome::Wrong,
            Some(_) if situation.names.iter().all(|name| self.said.contains(name)) => {
                Outcome::Right
            }
            Some(_) => Outcome::Wrong,
        }
    }

    /// Whether doing it gained no more than was said; `None` where no bound or no gain is known.
    pub fn within_its_bound(&self) -> Option<bool> {
        /// Rates of windows of some seconds differ by so much.
        const SCATTER: f64 = 0.1;
        Some(self.gained? <= (1.0 + self.gain_at_most?) * (1.0 + SCATTER) - 1.0)
    }
}

fn felt(run: &Run) -> impl Iterator<Item = &Cause> {
    run.causes.iter().filter(|cause| cause.urgency != Urgency::Risk)
}

/// The first cause that is more than a risk.
pub(super) fn first(run: &Run) -> Option<&Cause> {
    felt(run).next()
}

/// The line, from 1, on which that text ends on a screen that breaks and indents its lines.
pub(super) fn line_of(text: &str, screen: &str) -> Option<usize> {
    let text: String = text.split_whitespace().collect();
    let mut seen = String::new();
    screen
        .lines()
        .position(|line| {
            seen.extend(line.split_whitespace());
            seen.contains(&text)
        })
        .map(|at| at + 1)
}

fn said(cause: &Cause) -> String {
    let statement = cause.statement.as_ref().map_or(String::new(), |sql| format!(" {sql}"));
    format!("{}: {}.{statement}", cause.summary, cause.action)
}

#[cfg(test)]
mod tests {
    use super::super::suite;
    use super::*;

    #[test]
    fn a_cause_is_right_by_its_id_and_by_what_it_names() {
        let all = suite::read().unwrap();
        let of = |name: &str| all.iter().find(|situation| situation.name == name).unwrap();
        let (missing, healthy) = (of("index-missing"), of("healthy-lookups"));
        let look = |first: Option<&str>, said: &str| SituationLook {
            name: String::new(),
            expectation: String::new(),
            first: first.map(str::to_string),
            said: said.to_string(),
            others: Vec::new(),
            phrase: String::new(),
            share: None,
            gain_at_most: Some(1.0),
            gained: Some(0.9),
            cost_cpus: None,
            answer_line: None,
            server: String::new(),
            state: String::new(),
        };
        let named = look(Some("index-missing"), "CREATE INDEX ON public.orders (customer)");
        assert_eq!(named.outcome(missing), Outcome::Right);
        assert_eq!(look(Some("index-missing"), "public.t").outcome(missing), Outcome::Wrong);
        assert_eq!(look(Some("hot-row"), "orders (customer)").outcome(missing), Outcome::Wrong);
        assert_eq!(look(None, "").outcome(missing), Outcome::Silent);
        assert_eq!(look(None, "").outcome(healthy), Outcome::Right);
        assert_eq!(named.outcome(healthy), Outcome::Wrong);
        assert_eq!(named.within_its_bound(), Some(true));
        assert_eq!(SituationLook { gained: Some(2.0), ..named }.within_its_bound(), Some(false));
    }

    #[test]
    fn a_statement_is_found_where_the_screen_breaks_it() {
        let screen = "RESULT\n  CPU\nWHAT TO DO\n  CREATE INDEX\n    ON t (c)\n";
        assert_eq!(line_of("CREATE INDEX ON t (c)", screen), Some(5));
        assert_eq!(line_of("DROP INDEX", screen), None);
    }
}
