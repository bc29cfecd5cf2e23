//! What is known about the durability of a path, as one of three words.
//!
//! Flags, mount options, virtualisation and the cost of a flush are listed as evidence and never get past *not shown*:
//! each of them is a promise of somebody on the way, and speed alone convicts nobody. *Shown* and *refuted* take a cut
//! of the power (`narrows log crashtest`). A file system in memory is *not shown* as well: it is not durable by
//! construction, which its sentence says, and nothing had to be refuted.
//!
//! Where the facts come from: Linux `Documentation/block/writeback_cache_control.rst`, `Documentation/filesystems/ext4`,
//! mount(8).

mod cuts;
mod devices;
mod file_system;
mod flush;

use narrows_model::{
    CrashTest, Durability, DurabilityEvidence, DurabilityWord, Layer, Leaning, RolePath, Run,
    metric,
};

pub use flush::FlushCost;

/// Everything that bears on the durability of one role.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The path, from the folder to the drives.
    pub path: &'a RolePath,
    /// The machine's name.
    pub host: Option<&'a str>,
    /// The hypervisor's name, if there is one.
    pub hypervisor: Option<&'a str>,
    /// What a durable write took, where it was measured.
    pub flush: Option<FlushCost>,
    /// Crash tests whose results were brought in, of this path or others.
    pub crash_tests: &'a [CrashTest],
}

/// The word for a path, with everything it rests on.
pub fn durability(known: &Known<'_>) -> Durability {
    let mut evidence = file_system::evidence(&known.path.file_system);
    evidence.extend(devices::evidence(&known.path.devices));
    evidence.extend(known.hypervisor.map(|name| {
        open("hypervisor", format!("{name} stands between this machine and the medium, and may keep what it acknowledges"))
    }));
    evidence.extend(known.flush.map(|cost| flush::evidence(&cost)));
    let cuts = cuts::evidence(known.path, known.host, known.crash_tests);
    let word = cuts.word;
    evidence.extend(cuts.evidence);
    let sentence = match word {
        DurabilityWord::Shown => "a cut of the power was survived".to_string(),
        DurabilityWord::Refuted => {
            "acknowledged records were gone after a cut of the power".to_string()
        }
        DurabilityWord::NotShown => not_shown(known.path, &evidence),
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
                host: platform.hostname.as_deref(),
                hypervisor: platform.hypervisor.as_deref(),
                flush: flush_of(run),
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

fn not_shown(path: &RolePath, evidence: &[DurabilityEvidence]) -> String {
    if path.file_system.volatile {
        return "not durable by construction: the file system is in memory".to_string();
    }
    let against: Vec<&str> = evidence
        .iter()
        .filter(|item| item.leaning == Leaning::Against)
        .map(|item| item.about.as_str())
        .collect();
    match against.as_slice() {
        [] => "nothing seen here speaks against it, and only a cut of the power can show it"
            .to_string(),
        names => {
            format!("{} speaks against it; only a cut of the power refutes it", names.join(", "))
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
