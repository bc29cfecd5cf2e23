//! From a draft to a job: what one setting means in the light of the others, as fio settles it after parsing.

mod atomic_writes;
mod cpu;
mod ending;
mod operation_rules;
mod replay;
mod verify;

use narrows_units::Nanos;

use crate::distribution::Distribution;
use crate::draft::{Draft, EngineName};
use crate::files::{FORMAT, Targets};
use crate::grammar::Section;
use crate::job::{
    Access, Amount, Blocks, BufferContents, Direction, Ending, Engine, Files, Flow, Job, Order,
    PerDirection, Placement, Rate, Region, Think,
};
use crate::options::limits::Limit;
use crate::problem::{Cause, Note, Problem, SettingTreatment};

/// Where notes and problems of one section go.
struct Remarks<'a> {
    section: &'a Section,
    notes: &'a mut Vec<Note>,
    problems: &'a mut Vec<Problem>,
}

impl Remarks<'_> {
    fn note(&mut self, option: &str, taken: SettingTreatment, sentence: impl Into<String>) {
        self.notes.push(Note {
            place: self.section.place.clone(),
            section: self.section.name.clone(),
            option: option.to_string(),
            value: String::new(),
            taken,
            sentence: sentence.into(),
        });
    }

    fn conflict(&mut self, option: &str, reason: impl Into<String>, hint: &str) {
        self.problems.push(Problem {
            place: self.section.place.clone(),
            cause: Cause::Conflict,
            option: Some(option.to_string()),
            reason: format!("[{}]: {}", self.section.name, reason.into()),
            hint: Some(hint.to_string()),
        });
    }

    /// What narrows does not do, though fio does.
    fn limit(&mut self, limit: &Limit) {
        self.problems.push(Problem {
            place: self.section.place.clone(),
            cause: Cause::Refused,
            option: Some(limit.option.to_string()),
            reason: format!("[{}]: {}", self.section.name, limit.why),
            hint: Some(limit.hint.to_string()),
        });
    }
}

pub(crate) fn job(
    draft: Draft,
    section: &Section,
    group: usize,
    notes: &mut Vec<Note>,
    problems: &mut Vec<Problem>,
) -> Job {
    let mut remarks = Remarks { section, notes, problems };
    let blocks = operation_rules::paired(&draft, blocks(&draft), &mut remarks);
    let access = access(&draft, &blocks, &mut remarks);
    let priorities = operation_rules::priorities(&draft, &mut remarks);
    let serialized = operation_rules::serialized(&draft, &mut remarks);
    let atomic_writes = atomic_writes::atomic_writes(&draft, &blocks, &mut remarks);
    let depth = depth(&draft, &mut remarks);
    let targets = targets(&draft, section, &mut remarks);
    let ending = ending(&draft, &mut remarks);
    let engine = engine(&draft, &mut remarks);
    let placement = placement(&draft, &mut remarks);
    let replay = replay::replay(&draft, &mut remarks);
    let verify = verify::verify(&draft, &blocks, &ending, &mut remarks);
    let minimum = ending::minimum(&draft, &mut remarks);
    let steady = ending::steady(&draft, &mut remarks);
    region_checks(&draft, &blocks, &targets, &mut remarks);
    Job {
        name: draft.name.clone().unwrap_or_else(|| section.name.clone()),
        description: draft.description.clone(),
        place: section.place.clone(),
        group,
        waits_for_previous: draft.stonewall,
        waits_for: draft.waits_for.clone(),
        group_reporting: draft.group_reporting,
        clones: draft.clones,
        region: Region {
            offset: draft.offset,
            offset_increment: draft.offset_increment,
            size: draft.size,
            file_size_bytes: draft.file_size_bytes,
            io_size: draft.io_size,
        },
        engine,
        // A file that is read has to be there, whole.
        files: Files {
            overwrite: draft.files.overwrite || draft.work.read,
            // A mapping is of pages of the cache, whatever the flags of its file.
            direct: draft.files.direct && draft.engine != EngineName::Mmap,
            ..draft.files
        },
        rate: draft.rate.map(|(counted, per_second)| Rate {
            per_second,
            counted,
            poisson: draft.poisson,
        }),
        minimum,
        steady,
        latency_target: ending::latency_target(&draft),
        fills: draft.fills,
        think: (draft.think_us > 0).then(|| Think {
            pause: nanos(draft.think_us),
            // fio cuts what is longer than the pause itself.
            spin: nanos(draft.think_spin_us.min(draft.think_us)),
            // With a time and no count only the time counts.
            after: (draft.think_blocks.is_some() || draft.think_iotime_us == 0)
                .then(|| draft.think_blocks.unwrap_or(1)),
            counts_completed: !draft.think_by_issue,
            every: (draft.think_iotime_us > 0).then(|| nanos(draft.think_iotime_us)),
        }),
        data: data(&draft),
        buffer_pattern: draft.buffer_pattern.clone(),
        flow: (draft.flow_weight > 0).then(|| Flow {
            weight: draft.flow_weight,
            group: draft.flow_group,
            sleep: nanos(draft.flow_sleep_us),
        }),
        priorities,
        serialized,
        verify,
        exit: draft.exit_with.then_some(draft.exit),
        targets,
        access,
        blocks,
        depth,
        flushes: draft.flushes,
        atomic_writes,
        ending,
        replay,
        placement,
        report: draft.report,
        written: draft.written,
    }
}

fn blocks(draft: &Draft) -> PerDirection<Blocks> {
    let one = |mix: &Option<Blocks>, bytes: u64| mix.clone().unwrap_or(Blocks::Fixed(bytes));
    PerDirection {
        read: one(&draft.block_mix.read, draft.block_bytes.read),
        write: one(&draft.block_mix.write, draft.block_bytes.write),
        trim: one(&draft.block_mix.trim, draft.block_bytes.trim),
    }
}

fn access(draft: &Draft, blocks: &PerDirection<Blocks>, remarks: &mut Remarks) -> Access {
    let work = draft.work;
    if draft.files.read_only && (work.write || work.trim) {
        remarks.conflict("rw", "readonly, and the job writes", "write rw=read or rw=randread");
    }
    let direction = match (work.read, work.write) {
        (true, true) => Direction::Mixed { read_percent: draft.read_percent },
        (true, false) => Direction::Read,
        (false, true) if work.pairs() => Direction::TrimThenWrite,
        (false, true) => Direction::Write,
        (false, false) => Direction::Trim,
    };
    let order = if work.random {
        let run = work.suffix.unwrap_or(1) as u32;
        Order::Random { run, random_percent: draft.random_percent }
    } else {
        Order::Sequential { gap_bytes: work.suffix.unwrap_or(0) }
    };
    let align_bytes = draft.align_bytes.filter(|align| {
        let smallest = [&blocks.read, &blocks.write, &blocks.trim].map(Blocks::smallest_bytes);
        work.random && smallest != [align.read, align.write, align.trim]
    });
    let mut once_each = !work.random || !draft.no_random_map;
    if work.random && align_bytes.is_some() && once_each {
        once_each = false;
        remarks.note(
            "blockalign",
            SettingTreatment::AsFio,
            "turns norandommap on: blocks may come twice",
        );
    }
    if work.random && draft.distribution != Distribution::Uniform {
        once_each = false;
    }
    let (distribution, seed) = (operation_rules::sequence(draft, remarks), draft.seed);
    let zones = None;
    let mut access = Access { direction, order, distribution, once_each, seed, align_bytes, zones };
    access.zones = operation_rules::zones(draft, &access, blocks, remarks);
    access
}

fn engine(draft: &Draft, remarks: &mut Remarks) -> Engine {
    match draft.engine {
        EngineName::Psync | EngineName::Pvsync2 | EngineName::Posixaio | EngineName::Mmap => {
            Engine::Psync
        }
        EngineName::Libaio => Engine::Libaio,
        EngineName::Null => Engine::Null,
        EngineName::Cpuio => Engine::Cpu(cpu::burn(draft, remarks)),
        EngineName::Calls(engine) => Engine::Calls(engine.with_stat(draft.stat_call)),
        EngineName::IoUringCmd => Engine::Passthrough {
            registered_files: draft.registered_files,
            registered_buffers: draft.registered_buffers,
            polled: draft.polled,
        },
        EngineName::IoUring => Engine::IoUring {
            registered_files: draft.registered_files,
            registered_buffers: draft.registered_buffers,
            polled: draft.polled,
        },
    }
}

fn placement(draft: &Draft, remarks: &mut Remarks) -> Placement {
    let placement = draft.placement.clone();
    if placement.cpu_nodes.is_some() && placement.cpus.is_some() {
        let sentence = "numa_cpu_nodes wins over cpus_allowed";
        remarks.note("cpus_allowed", SettingTreatment::AsFio, sentence);
    }
    placement
}

fn depth(draft: &Draft, remarks: &mut Remarks) -> u32 {
    let threads = [EngineName::Psync, EngineName::Pvsync2, EngineName::Posixaio, EngineName::Mmap];
    let waits = threads.contains(&draft.engine) || matches!(draft.engine, EngineName::Calls(_));
    // Threads that submit wait in the job's place: as many as iodepth.
    if draft.offload && waits {
        return draft.depth;
    }
    if draft.engine == EngineName::Posixaio && draft.depth > 1 {
        let sentence = "one operation in flight: latency is without the wait for those before it, \
                        which fio's has";
        remarks.note("iodepth", SettingTreatment::Approximated, sentence);
        return 1;
    }
    if waits && draft.depth > 1 {
        let sentence = format!(
            "{} has one operation in flight, whatever iodepth says",
            draft.engine.fio_name()
        );
        remarks.note("iodepth", SettingTreatment::AsFio, sentence);
        return 1;
    }
    if draft.engine == EngineName::Libaio && !draft.files.direct && draft.depth > 1 {
        let sentence = "buffered Linux AIO waits in the submission; the depth is not reached";
        remarks.note("iodepth", SettingTreatment::Warned, sentence);
    }
    let by_cache = draft.engine != EngineName::IoUringCmd && !draft.files.direct;
    if draft.polled && by_cache {
        remarks.note("hipri", SettingTreatment::Warned, "the kernel polls direct I/O only");
    }
    draft.depth
}

fn targets(draft: &Draft, section: &Section, remarks: &mut Remarks) -> Targets {
    if !draft.filenames.is_empty() {
        if draft.filename_format != FORMAT {
            remarks.note(
                "filename_format",
                SettingTreatment::AsFio,
                "filename wins over filename_format",
            );
        }
        if draft.file_count as usize > draft.filenames.len() {
            remarks.note("nrfiles", SettingTreatment::AsFio, "the files named are all there are");
        }
        return Targets::Named(draft.filenames.clone());
    }
    if section.name.starts_with("/dev/") && draft.file_count == 1 {
        let sentence = "fio takes the section's name as the device, since no filename is given";
        remarks.note("filename", SettingTreatment::AsFio, sentence);
        return Targets::Named(vec![section.name.clone()]);
    }
    Targets::Made {
        directories: draft.directories.clone(),
        format: draft.filename_format.clone(),
        section: section.name.clone(),
        count: draft.file_count,
    }
}

fn nanos(us: u64) -> Nanos {
    Nanos(us.saturating_mul(1000))
}

fn ending(draft: &Draft, remarks: &mut Remarks) -> Ending {
    let time_based = draft.time_based && draft.runtime_us > 0;
    if draft.time_based && !time_based {
        let sentence = "without a runtime fio ignores it";
        remarks.note("time_based", SettingTreatment::AsFio, sentence);
    }
    if !time_based && draft.runtime_us > 0 && draft.size.is_some() {
        let sentence = "runtime is a cap; without time_based the job ends when size is done";
        remarks.note("runtime", SettingTreatment::Warned, sentence);
    }
    Ending {
        runtime: (draft.runtime_us > 0).then(|| nanos(draft.runtime_us)),
        time_based,
        loops: draft.loops,
        operations: (draft.operations > 0).then_some(draft.operations),
        ramp: nanos(draft.ramp_us),
        start_delay: nanos(draft.start_delay_us),
    }
}

fn region_checks(
    draft: &Draft,
    blocks: &PerDirection<Blocks>,
    targets: &Targets,
    remarks: &mut Remarks,
) {
    if draft.both_rates {
        remarks.conflict("rate", "rate and rate_iops exclude each other", "leave one of them out");
    }
    let smallest = [&blocks.read, &blocks.write, &blocks.trim].map(Blocks::smallest_bytes);
    let smallest_bytes = smallest.into_iter().min().unwrap_or_default();
    if let Some(Amount::Bytes(bytes)) = draft.size
        && bytes < smallest_bytes
    {
        let reason = format!("size is {bytes} bytes and a block {smallest_bytes}");
        remarks.conflict("size", reason, "make size at least one block");
    }
    let shared = matches!(targets, Targets::Named(_)) && draft.clones > 1;
    let reads = !matches!(draft.engine, EngineName::Calls(_));
    if shared && reads && !draft.work.random && draft.offset_increment == Amount::Bytes(0) {
        let sentence = "all clones go over the same blocks in order, so most reads hit a cache; \
                        offset_increment sets them apart";
        remarks.note("numjobs", SettingTreatment::Warned, sentence);
    }
}

fn data(draft: &Draft) -> BufferContents {
    let asked = draft.data;
    // Fully compressible data is zeros.
    if asked.compress_percent == 100 {
        return BufferContents { zeros: true, compress_percent: 0, ..asked };
    }
    let refill = asked.refill || (asked.compress_percent > 0 && !draft.refill_given);
    BufferContents { refill, ..asked }
}
