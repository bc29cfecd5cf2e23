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

pub(super) fn evidence(path: &RolePath, host: Option<&str>, tests: &[CrashTest]) -> Cuts {
    let mut word = DurabilityWord::NotShown;
    let mut evidence = Vec::new();
    for test in tests {
        let name: String = test.id.chars().take(12).collect();
        if let Err(why) = concerns(path, host, test) {
            evidence.push(open(ABOUT, format!("test {name} was of {}, {why}", test.target)));
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

/// Whether a test wrote to this path, a file on its file system or one of its devices, or why it decides nothing. Machines
/// of one fleet have the same paths, so machine and mount point must be known and the same.
fn concerns(path: &RolePath, host: Option<&str>, test: &CrashTest) -> Result<(), String> {
    match (host, test.host.as_deref()) {
        (Some(here), Some(there)) if here == there => {}
        (Some(_), Some(there)) => return Err(format!("on {there}, another machine")),
        _ => return Err("and it is not known whether on this machine".to_string()),
    }
    let device = test.target.strip_prefix("/dev/").filter(|_| test.mount_point.is_none());
    if let Some(name) = device {
        let ours = path.devices.iter().any(|device| device.name == name);
        return ours.then_some(()).ok_or_else(|| "another device".to_string());
    }
    match test.mount_point.as_deref() {
        Some(place) if place == path.file_system.mount_point => Ok(()),
        Some(_) => Err("another place".to_string()),
        None => Err("and it is not known on which file system".to_string()),
    }
}
