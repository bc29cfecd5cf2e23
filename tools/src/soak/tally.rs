//! Which test failed how often, on which machine.

use std::collections::BTreeMap;

use super::machine::State;

#[derive(Debug, Default)]
pub(super) struct Tally {
    passed: BTreeMap<State, u64>,
    /// By program and test.
    failed: BTreeMap<(String, String), BTreeMap<State, u64>>,
}

impl Tally {
    /// Takes what a test program printed; whether a test failed in it.
    pub(super) fn add(&mut self, state: State, program: &str, said: &str) -> bool {
        let mut failed = false;
        for line in said.lines() {
            // Output of a test that was not captured may stand before the word.
            let Some(line) = line.strip_prefix("test ") else { continue };
            let Some((test, outcome)) = line.split_once(" ... ") else { continue };
            if outcome.ends_with("FAILED") {
                failed = true;
                let name = (program.to_string(), test.to_string());
                *self.failed.entry(name).or_default().entry(state).or_default() += 1;
            } else if outcome.ends_with("ok") {
                *self.passed.entry(state).or_default() += 1;
            }
        }
        failed
    }

    pub(super) fn is_clean(&self) -> bool {
        self.failed.is_empty()
    }

    fn failures(&self, state: State) -> u64 {
        self.failed.values().filter_map(|of| of.get(&state)).sum()
    }

    /// How it stands on that machine.
    pub(super) fn line(&self, state: State) -> String {
        let passed = self.passed.get(&state).copied().unwrap_or(0);
        format!("{state}: {passed} passed, {} failed, in runs", self.failures(state))
    }

    /// All that failed, with how often on each machine.
    pub(super) fn table(&self, states: &[State]) -> String {
        let mut text = String::new();
        for state in states {
            let passed = self.passed.get(state).copied().unwrap_or(0);
            text += &format!("{state:5} {passed} passed, {} failed\n", self.failures(*state));
        }
        for ((program, test), of) in &self.failed {
            let often: Vec<String> =
                of.iter().map(|(state, times)| format!("{state} {times}")).collect();
            text += &format!("{program} {test}: {}\n", often.join(", "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_named_with_how_often_and_where() {
        let mut tally = Tally::default();
        let bad =
            "running 2 tests\ntest a::b ... ok\ntest a::c ... FAILED\n\ntest result: FAILED. 1\n";
        assert!(!tally.add(State::Quiet, "io-faults", "test a::b ... ok\n"));
        assert!(tally.is_clean());
        assert!(
            tally.add(State::Half, "io-faults", bad) && tally.add(State::Half, "io-faults", bad)
        );
        let table = tally.table(&State::ALL);
        assert!(table.contains("half  2 passed, 2 failed\n"), "{table}");
        assert!(table.ends_with("io-faults a::c: half 2\n"), "{table}");
    }
}
