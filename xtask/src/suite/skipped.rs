//! What was skipped beside what is expected to be: a test that is silently not run is no test.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Reasons that are expected, one a line: part of what a test says.
const LIST: &str = ".ci/skipped";

/// The reasons of this environment.
pub(super) fn expected(root: &Path) -> Result<Vec<String>> {
    let path = root.join(LIST);
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_string).collect())
}

/// The table that is printed: how often each expected reason was given, also not at all, so that nothing is expected for ever; then what
/// nobody expected.
pub(super) fn compared(expected: &[String], skipped: &[String]) -> String {
    let mut times: BTreeMap<&str, u32> =
        expected.iter().map(|reason| (reason.as_str(), 0)).collect();
    let mut others = Vec::new();
    for line in skipped {
        match expected.iter().find(|reason| line.contains(reason.as_str())) {
            Some(reason) => *times.entry(reason).or_default() += 1,
            None => others.push(line),
        }
    }
    let all = skipped.len();
    let mut text =
        format!("SKIPPED: {all}, of which {} are not expected here ({LIST})\n", others.len());
    for (reason, times) in times {
        text += &format!("  {times:3} {reason}\n");
    }
    for line in others {
        text += &format!("  NOT EXPECTED: {line}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_expected_is_named_with_its_test() {
        let expected = ["no fio".to_string(), "one CPU".to_string()];
        let skipped =
            ["io-it a: SKIPPED: no fio here", "io-it b: SKIPPED: no drive", "x c: SKIPPED: no fio"];
        let text = compared(&expected, &skipped.map(str::to_string));
        let wanted = "SKIPPED: 3, of which 1 are not expected here (.ci/skipped)\n    2 no fio\n    0 one CPU\n  NOT EXPECTED: io-it b: SKIPPED: no drive\n";
        assert_eq!(text, wanted);
    }
}
