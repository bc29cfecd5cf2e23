//! What is known about the durability of a path, as one of three words.
//!
//! Flags, mount options, virtualisation and the cost of a flush are listed as evidence and never get past *not proven*:
//! each of them is a promise of somebody on the way, and speed alone convicts nobody. *Shown* and *refuted* take a cut
//! of the power (`narrows log crashtest`). A file system in memory is *not proven* as well: it is not durable by
//! construction, which its sentence says, and nothing had to be refuted.
//!
//! Where the facts come from: Linux `Documentation/block/writeback_cache_control.rst`, `Documentation/filesystems/ext4`,
//! mount(8).

mod cuts;
mod devices;
mod file_system;
mod flush;
mod switched_off;

use narrows_model::{
    CrashTest, Durability, DurabilityEvidence, DurabilityWord, Finding, Layer, Leaning, Medium,
    RolePath, RuleId, Run, metric,
};

pub use flush::FlushCost;
pub(crate) use switched_off::{SwitchedOff, switched_off};

/// Rules that compare a server's flushes and log with what its drives saw.
const UNFLUSHED: [RuleId; 5] = [
    RuleId::COMMITS_NOT_FLUSHED,
    RuleId::COMMITS_NOT_WRITTEN,
    RuleId::OBSERVED_NOT_FLUSHED,
    RuleId::OBSERVED_NOT_WRITTEN,
    RuleId::LIVE_NOT_FLUSHED,
];

/// Which machine a path is on. Names repeat in a fleet, and machine ids in machines that were copied; a boot is unique.
#[derive(Debug, Clone, Copy, Default)]
pub struct Identity<'a> {
    /// Host name.
    pub host: Option<&'a str>,
    /// Digest of its machine id.
    pub machine: Option<&'a str>,
    /// The boot in which it was examined.
    pub boot_id: Option<&'a str>,
}

/// Everything that bears on the durability of one role.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The path, from the folder to the drives.
    pub path: &'a RolePath,
    /// Which machine it is.
    pub machine: Identity<'a>,
    /// The hypervisor's name, if there is one.
    pub hypervisor: Option<&'a str>,
    /// What a durable write took, where it was measured.
    pub flush: Option<FlushCost>,
    /// What was found of a server's flushes that its drives never saw.
    pub unflushed: Option<&'a Finding>,
    /// Crash tests whose results were brought in, of this path or others.
    pub crash_tests: &'a [CrashTest],
}

/// The word for a path, with everything it rests on.
pub fn durability(known: &Known<'_>) -> Durability {
    let mut evidence = file_system::evidence(&known.path.file_system);
    evidence.extend(devices::evidence(&known.path.devices, known.hypervisor));
    evidence.extend(known.hypervisor.map(|name| {
        open("hypervisor", format!(
            "{name} stands between this machine and the medium, and may hold back what it acknowledges; ending this machine cuts no drive's power: cut the power of its host"
        ))
    }));
    evidence.extend(known.flush.map(|cost| flush::evidence(&cost)));
    evidence.extend(
        known
            .unflushed
            .map(|found| against("the server", format!("{}: {}", found.summary, found.evidence))),
    );
    let elsewhere = elsewhere(known);
    let cuts = cuts::evidence(known, elsewhere.as_deref());
    let word = cuts.word;
    evidence.extend(cuts.evidence);
    let sentence = match word {
        DurabilityWord::Shown if cuts.told => {
            "a power cut was survived, according to the person who cut it".to_string()
        }
        DurabilityWord::Shown => "a power cut was survived".to_string(),
        DurabilityWord::Refuted => {
            "acknowledged records were missing after a power cut".to_string()
        }
        DurabilityWord::NotShown => not_shown(known.path, elsewhere.is_some(), &evidence),
    };
    Durability { role: known.path.role, word, sentence, evidence }
}

/// The same for every role of a run's server that has a measured log or block layer, or a crash test.
pub fn of_run(run: &Run) -> Vec<Durability> {
    let Some(platform) = run.platform() else { return Vec::new() };
    let log = run.measurements.iter().any(|m| m.layer == Layer::Log);
    if !log && run.crash_tests.is_empty() {
        return Vec::new();
    }
    let roles = platform.roles.iter().filter(|path| path.role == narrows_model::Role::Wal);
    roles
        .map(|path| {
            durability(&Known {
                path,
                machine: Identity {
                    host: platform.hostname.as_deref(),
                    machine: platform.machine.as_deref(),
                    boot_id: platform.boot_id.as_deref(),
                },
                hypervisor: platform.hypervisor.as_deref(),
                flush: flush_of(run),
                unflushed: run
                    .findings
                    .iter()
                    .find(|f| UNFLUSHED.iter().any(|rule| rule.is(&f.id))),
                crash_tests: &run.crash_tests,
            })
        })
        .collect()
}

/// The log's durable write, where a usable measurement has it.
fn flush_of(run: &Run) -> Option<FlushCost> {
    const DURABLE: [&str; 2] =
        ["log.ladder.write.fdatasync.overwrite.8k.alone", "log.append.fdatasync.idle"];
    let measurement = DURABLE.iter().find_map(|id| run.measurement(id)).filter(|m| m.usable())?;
    Some(FlushCost {
        durable_ns: measurement.value(metric::LATENCY_P50)?,
        plain_ns: None,
        device_flushes: measurement.value(metric::DEVICE_FLUSHES),
    })
}

/// Why a cut of this machine's power says nothing of the medium, if so.
fn elsewhere(known: &Known<'_>) -> Option<String> {
    if let Medium::Elsewhere(why) = known.path.medium() {
        return Some(why);
    }
    known.hypervisor.map(|name| format!("{name} is between this machine and the drive"))
}

fn not_shown(path: &RolePath, elsewhere: bool, evidence: &[DurabilityEvidence]) -> String {
    if path.file_system.volatile {
        return "not durable by construction: the file system is in memory".to_string();
    }
    if let Some(why) = path.in_memory() {
        return format!("not durable by construction: {why}");
    }
    let against: Vec<&str> = evidence
        .iter()
        .filter(|item| item.leaning == Leaning::Against)
        .map(|item| item.about.as_str())
        .collect();
    match against.as_slice() {
        [] if elsewhere => "not tested, no warning signs; only a power cut of the machine that has the drive can prove it"
            .to_string(),
        [] => "not tested, no warning signs; only a power cut can prove it"
            .to_string(),
        names => {
            format!("{} speaks against it; only a power cut can refute that", names.join(", "))
        }
    }
}

fn item(about: &str, leaning: Leaning, sentence: String) -> DurabilityEvidence {
    DurabilityEvidence { about: about.to_string(), leaning, sentence }
}

fn against(about: &str, sentence: impl Into<String>) -> DurabilityEvidence {
    item(about, Leaning::Against, sentence.into())
}

fn open(about: &str, sentence: impl Into<String>) -> DurabilityEvidence {
    item(about, Leaning::Open, sentence.into())
}

fn speaks_for(about: &str, sentence: impl Into<String>) -> DurabilityEvidence {
    item(about, Leaning::For, sentence.into())
}
