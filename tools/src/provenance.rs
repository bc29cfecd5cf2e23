//! On which machines stored results were taken, and by which states of the program: a suite is looked at in many sessions, seldom on one machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Of one result.
pub(crate) struct Taken<'a> {
    /// The machine, and the server where there is one, in words.
    pub machine: &'a str,
    /// `before` or `now`.
    pub program: &'static str,
    /// Of the program, as git names it.
    pub state: &'a str,
}

/// A line for each machine: who was asked there.
pub(crate) fn lines<'a>(results: impl Iterator<Item = Taken<'a>>) -> String {
    let mut machines: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for taken in results {
        let programs = machines.entry(taken.machine).or_default();
        programs.entry(taken.program).or_default().insert(taken.state);
    }
    let mut text = String::new();
    for (machine, programs) in machines {
        let states = |(program, states): (&str, BTreeSet<&str>)| {
            format!("{program} {}", states.into_iter().collect::<Vec<_>>().join(", "))
        };
        let programs: Vec<String> = programs.into_iter().map(states).collect();
        let _ = writeln!(text, "- {machine}: states {}.", programs.join("; "));
    }
    text
}

/// Keeps what stood there: some results are from there.
pub(crate) fn also(stored: &mut String, here: String) {
    if stored.is_empty() {
        *stored = here;
    } else if !stored.split("; ").any(|there| there == here) {
        let _ = write!(stored, "; {here}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_machine_has_a_line_and_states_are_told_once() {
        let taken = |machine, program, state| Taken { machine, program, state };
        let all = [
            taken("B", "now", "2"),
            taken("A", "now", "1"),
            taken("A", "before", "0"),
            taken("B", "now", "2"),
        ];
        let text = lines(all.into_iter());
        assert_eq!(text, "- A: states before 0; now 1.\n- B: states now 2.\n");
    }

    #[test]
    fn a_machine_is_added_once_and_takes_no_others_place() {
        let mut stored = String::new();
        for here in ["A, 2 CPUs", "B", "A, 2 CPUs"] {
            also(&mut stored, here.to_string());
        }
        assert_eq!(stored, "A, 2 CPUs; B");
    }
}
