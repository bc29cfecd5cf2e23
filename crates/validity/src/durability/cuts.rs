//! Crash tests: the only evidence that decides.

use narrows_model::{
    CrashTest, CrashTestOutcome, DurabilityEvidence, DurabilityWord, Leaning, RolePath,
};

use super::{item, open};

/// What the crash tests say.
pub(super) struct Cuts {
    pub(super) word: DurabilityWord,
    pub(super) evidence: Vec<DurabilityEvidence>,
}

const ABOUT: &str = "power cut";

pub(super) fn evidence(path: &RolePath, tests: &[CrashTest]) -> Cuts {
    let mut word = DurabilityWord::NotShown;
    let mut evidence = Vec::new();
    for test in tests {
        let name: String = test.id.chars().take(12).collect();
        if !concerns(path, test) {
            evidence
                .push(open(ABOUT, format!("test {name} was of {}, another place", test.target)));
            continue;
        }
        if !test.flushes {
            evidence.push(open(
                ABOUT,
                format!("test {name} flushed nothing, and so says nothing of flushes"),
            ));
            continue;
        }
        let counts = format!(
            "test {name}: of {} acknowledged records {} missing and {} torn",
            test.checked, test.missing, test.torn
        );
        let leaning = match test.outcome {
            CrashTestOutcome::Refuted => {
                word = DurabilityWord::Refuted;
                Leaning::Against
            }
            CrashTestOutcome::Shown => {
                // One loss outweighs any number of survivals.
                if word == DurabilityWord::NotShown {
                    word = DurabilityWord::Shown;
                }
                Leaning::For
            }
            CrashTestOutcome::Inconclusive => Leaning::Open,
        };
        let doubt = if leaning == Leaning::Open { "; inconclusive" } else { "" };
        evidence.push(item(ABOUT, leaning, format!("{counts}{doubt}")));
    }
    Cuts { word, evidence }
}

/// Whether a test wrote to this path: a file on its file system, or one of its devices.
fn concerns(path: &RolePath, test: &CrashTest) -> bool {
    let place = path.file_system.mount_point.trim_end_matches('/');
    let on_file_system = test
        .target
        .strip_prefix(place)
        .is_some_and(|rest| rest.starts_with('/') && !test.target.starts_with("/dev/"));
    // Nothing says which of several mounts below the root a path without a longer one is on.
    let under_folder = test.target.strip_prefix(path.path.trim_end_matches('/'));
    let in_folder = under_folder.is_some_and(|rest| rest.starts_with('/'));
    let on_device = test
        .target
        .strip_prefix("/dev/")
        .is_some_and(|name| path.devices.iter().any(|device| device.name == name));
    in_folder || on_device || (on_file_system && !place.is_empty())
}
