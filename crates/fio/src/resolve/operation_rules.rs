//! Zones, priorities of single operations, pairs of a trim and a write: what one setting means in the light of the others.

use super::Remarks;
use crate::distribution::Distribution;
use crate::draft::{Draft, EngineName};
use crate::job::{Access, Blocks, Direction, IoPriority, Order, PerDirection};
use crate::operation_rules::{PriorityShare, SerializedOverlap, StridedZones};
use crate::options::limits;
use crate::problem::SettingTreatment;

const REAL_TIME: u8 = 1;

/// The sizes of all kinds: where a write follows each trim, those of trims.
pub(super) fn paired(
    draft: &Draft,
    blocks: PerDirection<Blocks>,
    remarks: &mut Remarks,
) -> PerDirection<Blocks> {
    if !draft.work.pairs() {
        return blocks;
    }
    if !draft.work.random && blocks.write != blocks.trim {
        remarks.limit(&limits::UNLIKE_PAIRS);
    }
    if draft.depth > 1 {
        let sentence = "with more than one operation in flight a write does not wait for its trim: either may come first";
        remarks.note("rw", SettingTreatment::AsFio, sentence);
    }
    if draft.verify.method.is_some() {
        remarks.limit(&limits::PAIRS_VERIFIED);
    }
    if let EngineName::Calls(engine) = draft.engine {
        let reason = format!("{} moves no data, and a write follows each trim", engine.fio_name());
        remarks.conflict("rw", reason, "write rw=trim or rw=write");
    }
    let all = blocks.trim;
    PerDirection { read: all.clone(), write: all.clone(), trim: all }
}

/// The zones that operations keep to, if any.
pub(super) fn zones(
    draft: &Draft,
    access: &Access,
    blocks: &PerDirection<Blocks>,
    remarks: &mut Remarks,
) -> Option<StridedZones> {
    let rules = &draft.operation_rules;
    if !rules.strided {
        for (name, bytes) in
            [("zonesize", rules.zone_size_bytes), ("zonerange", rules.zone_range_bytes)]
        {
            if bytes > 0 {
                let reason = format!("{name} is given, and zonemode is not strided");
                remarks.conflict(name, reason, "write zonemode=strided, or leave it out");
            }
        }
        return None;
    }
    if rules.zone_size_bytes == 0 {
        remarks.conflict("zonemode", "zonemode=strided needs zonesize", "write zonesize, as 256m");
        return None;
    }
    let range_bytes =
        if rules.zone_range_bytes == 0 { rules.zone_size_bytes } else { rules.zone_range_bytes };
    let plain = match access.order {
        Order::Sequential { gap_bytes } => gap_bytes == 0,
        Order::Random { run, random_percent } => {
            let all = [random_percent.read, random_percent.write, random_percent.trim];
            run <= 1 && all == [100; 3] && access.distribution == Distribution::Uniform
        }
    };
    let pairs = access.direction == Direction::TrimThenWrite;
    let verified = draft.verify.method.is_some();
    if !plain || pairs || verified || access.align_bytes.is_some() {
        remarks.limit(&limits::STRIDED_ALONE);
    }
    let used = match access.direction {
        Direction::Read => vec![&blocks.read],
        Direction::Write => vec![&blocks.write],
        Direction::Trim | Direction::TrimThenWrite => vec![&blocks.trim],
        Direction::Mixed { .. } => vec![&blocks.read, &blocks.write],
    };
    let fits = match used[0] {
        Blocks::Fixed(bytes) => range_bytes.is_multiple_of(*bytes),
        Blocks::Range { .. } | Blocks::Split(_) => false,
    };
    let one_size = used.iter().all(|other| *other == used[0]);
    let once_each = access.once_each && matches!(access.order, Order::Random { .. });
    if once_each && !(fits && one_size) {
        remarks.limit(&limits::STRIDED_ONCE);
    }
    Some(StridedZones {
        range_bytes,
        size_bytes: rules.zone_size_bytes,
        skip_bytes: rules.zone_skip_bytes,
    })
}

/// A list of blocks that moves on, or not.
pub(super) fn sequence(draft: &Draft, remarks: &mut Remarks) -> Distribution {
    let moves = draft.operation_rules.sequence_moves_on;
    match &draft.distribution {
        Distribution::Sequence { blocks, .. } => {
            Distribution::Sequence { blocks: blocks.clone(), moves_on: moves }
        }
        other => {
            if moves {
                let sentence = "it belongs to random_distribution=sequence";
                remarks.note("random_sequence_stride", SettingTreatment::AsFio, sentence);
            }
            other.clone()
        }
    }
}

/// The shares of reads and writes that have a priority of their own.
pub(super) fn priorities(draft: &Draft, remarks: &mut Remarks) -> Vec<PriorityShare> {
    let rules = &draft.operation_rules;
    let percent = rules.priorities.iter().any(|one| one.percent > 0);
    let by_length = rules.priorities.iter().any(|one| !one.by_length.is_empty());
    if percent && by_length {
        remarks.conflict(
            "cmdprio_bssplit",
            "cmdprio_percentage and cmdprio_bssplit exclude each other",
            "leave one of them out",
        );
    }
    if !percent && !by_length {
        if rules.priority_given {
            let sentence = "without cmdprio_percentage or cmdprio_bssplit no operation has it";
            remarks.note("cmdprio_class", SettingTreatment::AsFio, sentence);
        }
        return Vec::new();
    }
    if !draft.files.direct {
        remarks.limit(&limits::BUFFERED_PRIORITIES);
    }
    let used = [draft.work.read, draft.work.write];
    let mut shares = Vec::new();
    for (writes, of) in [false, true].into_iter().zip(&rules.priorities) {
        if !used[usize::from(writes)] {
            continue;
        }
        // As in fio: without a class, the highest.
        let class = if of.class == 0 { REAL_TIME } else { of.class };
        let given = IoPriority { class, level: of.level, hint: of.hint };
        if of.percent > 0 {
            let percent = of.percent;
            shares.push(PriorityShare { writes, bytes: None, percent, priority: given });
        }
        for entry in &of.by_length {
            let priority = entry.priority.unwrap_or(given);
            let (bytes, percent) = (Some(entry.bytes), entry.percent);
            shares.push(PriorityShare { writes, bytes, percent, priority });
        }
    }
    shares
}

/// Which operations wait for others.
pub(super) fn serialized(draft: &Draft, remarks: &mut Remarks) -> Option<SerializedOverlap> {
    if !draft.operation_rules.serialized {
        return None;
    }
    if draft.flow_weight > 0 || draft.verify.backlog > 0 {
        remarks.limit(&limits::SERIALIZED_BESIDE);
    }
    let all = draft.offload;
    Some(if all { SerializedOverlap::OfAll } else { SerializedOverlap::OfClone })
}
