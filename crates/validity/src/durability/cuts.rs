//! Crash tests: the only evidence that decides.

use narrows_model::{
    CrashTest, CrashTestOutcome, DurabilityEvidence, DurabilityWord, Leaning, RolePath,
};

use super::{Identity, Known, item, open};

/// What the crash tests say.
pub(super) struct Cuts {
    pub(super) word: DurabilityWord,
    pub(super) evidence: Vec<DurabilityEvidence>,
    /// That it was survived rests on the word of whoever cut, in every test that showed it.
    pub(super) told: bool,
}

const ABOUT: &str = "power cut";

/// `elsewhere` says why the boot of this machine is no cut of the medium, if so.
pub(super) fn evidence(known: &Known<'_>, elsewhere: Option<&str>) -> Cuts {
    let mut word = DurabilityWord::NotShown;
    let mut evidence = Vec::new();
    let mut told = true;
    for test in known.crash_tests {
        let name: String = test.id.chars().take(12).collect();
        if let Err(why) = concerns(known.path, known.machine, test) {
            evidence.push(open(ABOUT, format!("test {name} was of {}, {why}", test.target)));
            continue;
        }
        if !test.flushes {
            evidence.push(open(
                ABOUT,
                format!("test {name} flushed nothing, and so says nothing about flushes"),
            ));
            continue;
        }
        if let Some(why) = elsewhere.filter(|_| test.told.is_none()) {
            evidence.push(open(
                ABOUT,
                format!("test {name} rests on a boot of this machine, and decides nothing: {why}"),
            ));
            continue;
        }
        let cut = test.told.as_ref();
        let cut = cut
            .map(|what| format!("; the person who cut the power says that it was {what}"))
            .unwrap_or_default();
        let counts = format!(
            "test {name}: of {} acknowledged records {} missing and {} torn{cut}",
            test.checked, test.missing, test.torn
        );
        let leaning = match test.outcome {
            CrashTestOutcome::Refuted => {
                word = DurabilityWord::Refuted;
                Leaning::Against
            }
            CrashTestOutcome::Shown => {
                told &= test.told.is_some();
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
    Cuts { word, evidence, told }
}

/// Whether a test wrote to this path, a file on its file system or one of its devices, or why it decides nothing. Machines
/// of one fleet have the same paths, so machine and mount point must be known and the same.
fn concerns(path: &RolePath, here: Identity<'_>, test: &CrashTest) -> Result<(), String> {
    same_machine(here, test)?;
    let device = test.target.strip_prefix("/dev/").filter(|_| test.mount_point.is_none());
    if let Some(name) = device {
        let ours = path.devices.iter().any(|device| device.name == name);
        return ours.then_some(()).ok_or_else(|| "another device".to_string());
    }
    match test.mount_point.as_deref() {
        Some(place) if place == path.file_system.mount_point => Ok(()),
        Some(_) => Err("another place".to_string()),
        None => Err("on an unknown file system".to_string()),
    }
}

/// By name, and by machine id or boot: a name alone is given twice too easily.
fn same_machine(here: Identity<'_>, test: &CrashTest) -> Result<(), String> {
    let equal = |a: Option<&str>, b: Option<&str>| Some(a? == b?);
    match (here.host, test.host.as_deref()) {
        (Some(here), Some(there)) if here == there => {}
        (Some(_), Some(there)) => return Err(format!("on {there}, another machine")),
        _ => return Err("on an unknown machine".to_string()),
    }
    let machine = equal(here.machine, test.machine.as_deref());
    let boot = equal(here.boot_id, test.boot_id.as_deref());
    let name = test.host.as_deref().unwrap_or_default();
    match (machine, boot) {
        (_, Some(true)) | (Some(true), _) => Ok(()),
        (Some(false), _) => Err(format!("on another machine that is called {name} too")),
        (None, _) => Err("and only its name says that it was on this machine".to_string()),
    }
}
