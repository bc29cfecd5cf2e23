//! What a test program printed, apart: what is shown, what was skipped, how it ended.

/// Of one program, run with `--show-output`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TestOutput {
    /// Without what tests that passed printed.
    pub shown: String,
    /// Lines that say what was not tested, each behind its test's name.
    pub skipped: Vec<String>,
}

impl TestOutput {
    pub(super) fn read(text: &str) -> TestOutput {
        let mut said = TestOutput::default();
        let (mut in_successes, mut test) = (false, String::new());
        for line in text.lines() {
            match line {
                "successes:" => in_successes = true,
                "failures:" => in_successes = false,
                line if line.starts_with("test result: ") => in_successes = false,
                _ => {}
            }
            if let Some(rest) = line.strip_prefix("---- ") {
                test = rest.split(' ').next().unwrap_or_default().to_string();
            }
            if line.contains("SKIPPED") {
                said.skipped.push(format!("{test}: {}", line.trim()));
            }
            let further_blank = line.is_empty() && said.shown.ends_with("\n\n");
            if !in_successes && !further_blank {
                said.shown += line;
                said.shown.push('\n');
            }
        }
        said
    }

    /// Its closing line; a program that was killed has none.
    pub(super) fn result(&self) -> &str {
        self.shown.lines().rfind(|line| line.starts_with("test result: ")).unwrap_or_default()
    }

    /// The number before a word of the closing line.
    pub(super) fn counted(&self, word: &str) -> u64 {
        let words: Vec<&str> = self.result().split([' ', ';']).collect();
        let number =
            words.iter().position(|w| *w == word).and_then(|at| words.get(at.checked_sub(1)?));
        number.and_then(|number| number.parse().ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\nrunning 2 tests\ntest a::b ... ok\ntest c ... ok\n\nsuccesses:\n\n---- a::b stdout ----\nSKIPPED: no fio\nmore\n\n\n\
                           successes:\n    a::b\n    c\n\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; finished in 0.1s\n";

    #[test]
    fn what_passed_is_not_shown_and_what_was_skipped_is_kept_with_its_test() {
        let said = TestOutput::read(PRINTED);
        assert_eq!(said.skipped, ["a::b: SKIPPED: no fio"]);
        assert!(
            !said.shown.contains("more") && !said.shown.contains("successes"),
            "{}",
            said.shown
        );
        assert!(said.shown.contains("test a::b ... ok\n"), "{}", said.shown);
        assert_eq!(["passed", "failed", "ignored"].map(|word| said.counted(word)), [2, 0, 1]);
    }

    #[test]
    fn what_failed_is_shown() {
        let said = TestOutput::read(
            "successes:\n---- a stdout ----\nx\nfailures:\n---- b stdout ----\nwhy\ntest result: FAILED. 1 passed; 1 failed\n",
        );
        assert!(said.shown.contains("why") && !said.shown.contains("\nx\n"), "{}", said.shown);
        assert_eq!(said.counted("failed"), 1);
    }
}
