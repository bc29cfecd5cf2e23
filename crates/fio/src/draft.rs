//! A job while its settings come in: every field has fio's default.

use crate::calls::{CallEngine, StatCall};
use crate::distribution::Distribution;
use crate::ending_rules::SteadyValue;
use crate::job::{
    Amount, Blocks, BufferContents, Counted, Exit, Fallocate, Files, Flushes, PerDirection,
    Placement, Report, Seed, Skipped, Unified,
};
use crate::number::KbBase;
use crate::operation_rules::OperationRulesDraft;
use crate::verify::{Method, PatternPart};

/// fio's word for the engine, before it is known which of its options are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EngineName {
    Psync,
    Pvsync2,
    Posixaio,
    Mmap,
    IoUring,
    IoUringCmd,
    Libaio,
    Null,
    Cpuio,
    Calls(CallEngine),
}

impl EngineName {
    pub fn fio_name(self) -> &'static str {
        match self {
            EngineName::Psync => "psync",
            EngineName::Pvsync2 => "pvsync2",
            EngineName::Posixaio => "posixaio",
            EngineName::Mmap => "mmap",
            EngineName::IoUring => "io_uring",
            EngineName::IoUringCmd => "io_uring_cmd",
            EngineName::Libaio => "libaio",
            EngineName::Null => "null",
            EngineName::Cpuio => "cpuio",
            EngineName::Calls(engine) => engine.fio_name(),
        }
    }
}

/// fio's word for the operations and their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Work {
    pub read: bool,
    pub write: bool,
    pub trim: bool,
    pub random: bool,
    /// What follows the colon.
    pub suffix: Option<i64>,
}

impl Work {
    /// Whether each trim is followed by a write of its place.
    pub fn pairs(self) -> bool {
        self.trim && self.write
    }
}

/// What was said of verification.
#[derive(Debug, Clone)]
pub(crate) struct VerifyDraft {
    pub method: Option<Method>,
    pub method_given: bool,
    pub read_back: bool,
    pub only: bool,
    pub unit_bytes: Option<u32>,
    pub header_at: Option<u32>,
    pub pattern: Vec<PatternPart>,
    pub pattern_interval_bytes: u32,
    pub fatal: bool,
    pub backlog: u64,
    pub batch: u32,
    pub compares_number: Option<bool>,
    pub compares_seed: Option<bool>,
    pub saves_state: bool,
    pub loads_state: bool,
}

impl Default for VerifyDraft {
    fn default() -> Self {
        VerifyDraft {
            method: None,
            method_given: false,
            read_back: true,
            only: false,
            unit_bytes: None,
            header_at: None,
            pattern: Vec::new(),
            pattern_interval_bytes: 0,
            fatal: false,
            backlog: 0,
            batch: 0,
            compares_number: None,
            compares_seed: None,
            saves_state: false,
            loads_state: false,
        }
    }
}

/// What was said of a figure that becomes steady.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SteadyDraft {
    pub value: SteadyValue,
    pub slope: bool,
    pub percent: bool,
    pub limit: f64,
}

/// What was said of what ends a job by what it does.
#[derive(Debug, Clone)]
pub(crate) struct EndingRulesDraft {
    pub minimum_bytes: Option<PerDirection<Option<u64>>>,
    pub minimum_operations: Option<PerDirection<Option<u64>>>,
    pub rate_cycle_ms: u64,
    pub latency_target_us: u64,
    pub latency_window_us: u64,
    pub latency_percent: f64,
    pub latency_goes_on: bool,
    pub steady: Option<SteadyDraft>,
    pub steady_duration_us: u64,
    pub steady_ramp_us: u64,
    pub steady_interval_us: u64,
}

impl Default for EndingRulesDraft {
    fn default() -> Self {
        EndingRulesDraft {
            minimum_bytes: None,
            minimum_operations: None,
            rate_cycle_ms: 1000,
            latency_target_us: 0,
            latency_window_us: 0,
            latency_percent: 100.0,
            latency_goes_on: false,
            steady: None,
            steady_duration_us: 0,
            steady_ramp_us: 0,
            steady_interval_us: 1_000_000,
        }
    }
}

/// What was said of keeping processors busy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CpuDraft {
    pub load_percent: u32,
    pub chunk_us: u64,
    pub sorts: bool,
    pub ends_with_others: bool,
}

impl Default for CpuDraft {
    fn default() -> Self {
        CpuDraft { load_percent: 0, chunk_us: 50_000, sorts: false, ends_with_others: false }
    }
}

/// What was said of a log to be done again.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplayDraft {
    pub logs: Vec<String>,
    pub no_stall: bool,
    pub redirect: Option<String>,
    pub scale: Option<u64>,
    pub align_bytes: Option<u64>,
    pub time_percent: Option<u32>,
    pub skip: Skipped,
}

#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub base: KbBase,
    pub name: Option<String>,
    pub description: Option<String>,
    pub filenames: Vec<String>,
    pub directories: Vec<String>,
    pub filename_format: String,
    pub file_count: u32,
    pub work: Work,
    pub read_percent: u8,
    pub random_percent: PerDirection<u8>,
    pub block_bytes: PerDirection<u64>,
    /// From `bsrange` or `bssplit`, which win over `bs`.
    pub block_mix: PerDirection<Option<Blocks>>,
    pub align_bytes: Option<PerDirection<u64>>,
    pub size: Option<Amount>,
    pub file_size_bytes: Option<u64>,
    pub io_size: Option<Amount>,
    pub offset: Amount,
    pub offset_increment: Amount,
    pub engine: EngineName,
    pub stat_call: StatCall,
    pub registered_files: bool,
    pub registered_buffers: bool,
    pub polled: bool,
    pub depth: u32,
    /// Whether threads of their own submit.
    pub offload: bool,
    pub clones: u32,
    pub files: Files,
    pub flushes: Flushes,
    pub atomic: bool,
    pub runtime_us: u64,
    pub time_based: bool,
    pub ramp_us: u64,
    pub start_delay_us: u64,
    pub loops: u64,
    pub operations: u64,
    pub stonewall: bool,
    pub waits_for: Option<String>,
    pub fills: bool,
    pub ending: EndingRulesDraft,
    pub new_group: bool,
    pub group_reporting: bool,
    pub exit_with: bool,
    pub exit: Exit,
    pub no_random_map: bool,
    pub seed: Seed,
    pub distribution: Distribution,
    pub operation_rules: OperationRulesDraft,
    pub think_us: u64,
    pub think_spin_us: u64,
    pub think_blocks: Option<u32>,
    pub think_by_issue: bool,
    pub think_iotime_us: u64,
    pub rate: Option<(Counted, PerDirection<Option<u64>>)>,
    pub both_rates: bool,
    pub poisson: bool,
    pub data: BufferContents,
    pub buffer_pattern: Vec<PatternPart>,
    pub refill_given: bool,
    pub verify: VerifyDraft,
    pub flow_weight: u32,
    pub flow_group: u32,
    pub flow_sleep_us: u64,
    pub cpu: CpuDraft,
    pub replay: ReplayDraft,
    pub placement: Placement,
    pub report: Report,
    pub written: Vec<(String, String)>,
}

/// fio's percentiles where none are given.
const PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

impl Default for Draft {
    fn default() -> Self {
        Draft {
            base: KbBase::Binary,
            name: None,
            description: None,
            filenames: Vec::new(),
            directories: Vec::new(),
            filename_format: crate::files::FORMAT.to_string(),
            file_count: 1,
            work: Work { read: true, write: false, trim: false, random: false, suffix: None },
            read_percent: 50,
            random_percent: PerDirection { read: 100, write: 100, trim: 100 },
            block_bytes: PerDirection { read: 4096, write: 4096, trim: 4096 },
            block_mix: PerDirection::default(),
            align_bytes: None,
            size: None,
            file_size_bytes: None,
            io_size: None,
            offset: Amount::Bytes(0),
            offset_increment: Amount::Bytes(0),
            engine: EngineName::Psync,
            stat_call: StatCall::default(),
            registered_files: false,
            registered_buffers: false,
            polled: false,
            depth: 1,
            offload: false,
            clones: 1,
            files: Files {
                direct: false,
                invalidate: true,
                overwrite: false,
                fallocate: Fallocate::Native,
                unlink: false,
                create_on_open: false,
                read_only: false,
            },
            flushes: Flushes::default(),
            atomic: false,
            runtime_us: 0,
            time_based: false,
            ramp_us: 0,
            start_delay_us: 0,
            loops: 1,
            operations: 0,
            stonewall: false,
            waits_for: None,
            fills: false,
            ending: EndingRulesDraft::default(),
            new_group: false,
            group_reporting: false,
            exit_with: false,
            exit: Exit::Group,
            no_random_map: false,
            seed: Seed::Repeated,
            distribution: Distribution::Uniform,
            operation_rules: OperationRulesDraft::default(),
            think_us: 0,
            think_spin_us: 0,
            think_blocks: None,
            think_by_issue: false,
            think_iotime_us: 0,
            rate: None,
            both_rates: false,
            poisson: false,
            data: BufferContents {
                zeros: false,
                refill: false,
                compress_percent: 0,
                dedupe_percent: 0,
            },
            buffer_pattern: Vec::new(),
            refill_given: false,
            verify: VerifyDraft::default(),
            flow_weight: 0,
            flow_group: 0,
            flow_sleep_us: 0,
            cpu: CpuDraft::default(),
            replay: ReplayDraft::default(),
            placement: Placement::default(),
            report: Report {
                percentiles: PERCENTILES.to_vec(),
                completion: true,
                total: false,
                submission: false,
                unified: Unified::None,
            },
            written: Vec::new(),
        }
    }
}
