//! What binds, by component, in words.

use std::collections::BTreeMap;

use narrows_units::Ratio;

use crate::answer::Binding;

/// Less than this share left is none.
const FULL: f64 = 1e-6;

/// Marks not yet drawn.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    by_component: BTreeMap<String, Vec<Mark>>,
}

/// One limit and the questions in which it binds.
#[derive(Debug, PartialEq)]
struct Mark {
    limit: String,
    slack: f64,
    questions: Vec<String>,
}

impl Marks {
    /// Of all questions, each with what binds it.
    pub fn of<'a>(answers: impl IntoIterator<Item = (&'a str, &'a [Binding])>) -> Marks {
        let mut marks = Marks::default();
        for (question, binding) in answers {
            for bound in binding {
                marks.add(question, bound);
            }
        }
        marks
    }

    fn add(&mut self, question: &str, bound: &Binding) {
        let known = self.by_component.entry(bound.component.clone()).or_default();
        let same =
            |mark: &&mut Mark| mark.limit == bound.limit && mark.is_full() == full(bound.slack);
        match known.iter_mut().find(same) {
            Some(mark) => {
                mark.slack = mark.slack.max(bound.slack);
                mark.questions.push(question.to_string());
            }
            None => known.push(Mark {
                limit: bound.limit.clone(),
                slack: bound.slack,
                questions: vec![question.to_string()],
            }),
        }
    }

    /// Those of one component; they are gone afterwards.
    pub fn take(&mut self, component: &str) -> Vec<String> {
        let marks = self.by_component.remove(component).unwrap_or_default();
        marks.iter().map(Mark::words).collect()
    }

    /// Components `… of OWNER` and `… to OWNER` that nobody took, with their marks.
    pub fn take_of(&mut self, owner: &str) -> Vec<(String, Vec<String>)> {
        let ends = [format!(" of {owner}"), format!(" to {owner}")];
        let short = |name: &String| {
            let short = ends.iter().find_map(|end| name.strip_suffix(end.as_str()));
            Some((name.clone(), short?.to_string()))
        };
        let found: Vec<(String, String)> = self.by_component.keys().filter_map(short).collect();
        found.into_iter().map(|(name, short)| (short, self.take(&name))).collect()
    }

    /// What nobody took.
    pub fn rest(self) -> impl Iterator<Item = (String, Vec<String>)> {
        let words =
            |(name, marks): (String, Vec<Mark>)| (name, marks.iter().map(Mark::words).collect());
        self.by_component.into_iter().map(words)
    }
}

impl Mark {
    fn is_full(&self) -> bool {
        full(self.slack)
    }

    /// `BINDS random read, scan: 8 × nvme-gen5-x4, in`.
    fn words(&self) -> String {
        let questions = self.questions.join(", ");
        match self.is_full() {
            true => format!("BINDS {questions}: {}", self.limit),
            false => {
                format!("NEARLY BINDS {questions}: {}, {} left", self.limit, Ratio(self.slack))
            }
        }
    }
}

fn full(slack: f64) -> bool {
    slack <= FULL
}
