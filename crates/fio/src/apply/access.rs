//! Files, regions, sizes, order, data.

use super::Value;
use crate::distribution::distribution;
use crate::draft::{Draft, Work};
use crate::files::names;
use crate::job::{Amount, Blocks, Fallocate, OpenFlag, PerDirection, Seed};
use crate::options::limits;
use crate::problem::{SettingTreatment, Wrong};
use crate::spelling::{range, word};
use crate::split::{per_direction, shares};
use crate::written::{Counts, Size, size};

/// Largest multiple that offsets may be kept at, bytes.
const MOST_ALIGN: u64 = 2 << 30;

pub(super) fn apply(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    Ok(files(name, value, draft)? || order(name, value, draft)? || data(name, value, draft)?)
}

fn files(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    match name {
        "filename" => {
            if !draft.filenames.is_empty() {
                let all = draft.filenames.join(", ");
                return Err(Wrong::misread(format!(
                    "fio keeps every filename it meets, so the job would use {all} as well"
                ))
                .hint("name files once; to use several, `filename=a:b`"));
            }
            let names = names(value.text()?)?;
            let folders = &draft.directories;
            draft.filenames = match folders.first() {
                Some(folder) => names.iter().map(|name| format!("{folder}/{name}")).collect(),
                None => names,
            };
        }
        "directory" => draft.directories = names(value.text()?)?,
        "filename_format" => {
            let format = value.text()?;
            if format.contains("$clientuid") {
                return Err(Wrong::refused("there are no clients"));
            }
            draft.filename_format = format.to_string();
        }
        "nrfiles" => draft.file_count = value.small(1, 1 << 20)?,
        "size" => {
            draft.size = match value.amount()? {
                Amount::Bytes(0) => None,
                amount => Some(amount),
            }
        }
        "filesize" => {
            let text = value.text()?;
            if text.contains(['-', ':', ',']) && !text.starts_with('(') {
                return Err(Wrong::limit(&limits::RANDOM_FILE_SIZES));
            }
            draft.file_size_bytes = Some(value.count(1, u64::MAX)?);
        }
        "io_size" => {
            draft.io_size = match value.amount()? {
                Amount::Bytes(0) => None,
                amount => Some(amount),
            }
        }
        "offset" => draft.offset = value.amount()?,
        "offset_increment" => draft.offset_increment = value.amount()?,
        "direct" => draft.files.direct = value.flag()?,
        "buffered" => draft.files.direct = !value.flag()?,
        "atomic" => draft.atomic = value.flag()?,
        "invalidate" => draft.files.invalidate = value.flag()?,
        "overwrite" => draft.files.overwrite = value.flag()?,
        "unlink" => draft.files.unlink = value.flag()?,
        "create_on_open" => draft.files.create_on_open = value.flag()?,
        "readonly" => draft.files.read_only = value.flag()?,
        "openfiles" | "create_serialize" | "create_fsync" => value.checked()?,
        "fallocate" => {
            let words = ["none", "native", "posix", "keep", "truncate", "0", "1"];
            draft.files.fallocate = match word(value.text()?, &words)?.0 {
                "none" | "0" => Fallocate::None,
                "posix" | "1" => Fallocate::Posix,
                "keep" => Fallocate::Keep,
                "truncate" => Fallocate::Truncate,
                _ => Fallocate::Native,
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn order(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    match name {
        "rw" => draft.work = work(value)?,
        "rwmixread" => draft.read_percent = value.percent()?,
        "rwmixwrite" => draft.read_percent = 100 - value.percent()?,
        "percentage_random" => {
            let read = value.triplet()?;
            let percent = |share: Option<u64>, before: u8| match share {
                Some(share @ 0..=100) => Ok(share as u8),
                Some(share) => Err(Wrong::value(format!("{share} is more than 100"))),
                None => Ok(before),
            };
            let before = draft.random_percent;
            draft.random_percent = PerDirection {
                read: percent(read.read, before.read)?,
                write: percent(read.write, before.write)?,
                trim: percent(read.trim, before.trim)?,
            };
        }
        "bs" => draft.block_bytes = sizes(value, draft.block_bytes)?,
        "blockalign" => {
            let zero = PerDirection { read: 1, write: 1, trim: 1 };
            let aligns = sizes(value, draft.align_bytes.unwrap_or(zero))?;
            if [aligns.read, aligns.write, aligns.trim].iter().any(|bytes| *bytes > MOST_ALIGN) {
                return Err(Wrong::value("offsets that are multiples of more than 2 GiB"));
            }
            draft.align_bytes = Some(aligns);
        }
        "bsrange" => {
            let base = value.base;
            let ranges = per_direction(value.text()?, |list| {
                if list.trim().is_empty() { Ok(None) } else { range(list, base).map(Some) }
            })?;
            let remarks = [&ranges.read, &ranges.write, &ranges.trim];
            let remark = remarks.into_iter().flatten().find_map(|r| r.remark.clone());
            value.remarks.extend(remark);
            let blocks =
                |read: Option<crate::written::Read<(u64, u64)>>| match read.map(|r| r.value) {
                    Some((0, _)) => Err(Wrong::value("a block of no bytes")),
                    Some((smallest_bytes, largest_bytes)) => {
                        Ok(Some(Blocks::Range { smallest_bytes, largest_bytes }))
                    }
                    None => Ok(None),
                };
            draft.block_mix = PerDirection {
                read: blocks(ranges.read)?,
                write: blocks(ranges.write)?,
                trim: blocks(ranges.trim)?,
            };
        }
        "bssplit" => {
            let base = value.base;
            let lists = per_direction(value.text()?, |list| {
                if list.trim().is_empty() { Ok(None) } else { shares(list, base).map(Some) }
            })?;
            let remarks = [&lists.read, &lists.write, &lists.trim];
            let remark = remarks.into_iter().flatten().find_map(|(_, remark)| remark.clone());
            value.remarks.extend(remark);
            let blocks = |list: Option<crate::split::Shares>| list.map(|(l, _)| Blocks::Split(l));
            draft.block_mix = PerDirection {
                read: blocks(lists.read),
                write: blocks(lists.write),
                trim: blocks(lists.trim),
            };
        }
        "random_generator" => {
            word(value.text()?, &["tausworthe", "lfsr", "tausworthe64"])?;
        }
        "norandommap" => draft.no_random_map = value.flag()?,
        "softrandommap" => value.checked()?,
        "randrepeat" => {
            let repeated = value.flag()?;
            if !matches!(draft.seed, Seed::Given(_)) {
                draft.seed = if repeated { Seed::Repeated } else { Seed::Fresh };
            }
        }
        "randseed" => draft.seed = Seed::Given(value.count(0, u64::MAX)?),
        "random_distribution" => {
            draft.distribution = distribution(value.text()?, value.base)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn data(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    match name {
        "sync" => {
            draft.flushes.open = match word(value.text()?, &["none", "0", "sync", "1", "dsync"])?.0
            {
                "sync" | "1" => OpenFlag::Sync,
                "dsync" => OpenFlag::Dsync,
                _ => OpenFlag::None,
            }
        }
        "fsync" => draft.flushes.fsync_every = value.small(0, i32::MAX as u32)?,
        "fdatasync" => draft.flushes.fdatasync_every = value.small(0, i32::MAX as u32)?,
        "end_fsync" => draft.flushes.fsync_at_end = value.flag()?,
        "fsync_on_close" => draft.flushes.fsync_on_close = value.flag()?,
        "zero_buffers" => {
            draft.data.zeros = value.flag()?;
            if draft.data.zeros {
                draft.buffer_pattern.clear();
            }
        }
        "buffer_pattern" => {
            draft.buffer_pattern = super::verify::pattern(value, false)?;
            draft.data.zeros = false;
        }
        "dedupe_mode" => {
            word(value.text()?, &["repeat", "working_set"])?;
        }
        "dedupe_working_set_percentage" => {
            value.percent()?;
        }
        "dedupe_global" => value.checked()?,
        "refill_buffers" => {
            draft.data.refill = value.flag()?;
            draft.refill_given = true;
        }
        "scramble_buffers" | "buffer_compress_chunk" => value.checked()?,
        "buffer_compress_percentage" => draft.data.compress_percent = value.percent()?,
        "dedupe_percentage" => {
            draft.data.dedupe_percent = value.percent()?;
            draft.data.refill = true;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn sizes(value: &mut Value, before: PerDirection<u64>) -> Result<PerDirection<u64>, Wrong> {
    let read = value.triplet()?;
    let sizes = PerDirection {
        read: read.read.unwrap_or(before.read),
        write: read.write.unwrap_or(before.write),
        trim: read.trim.unwrap_or(before.trim),
    };
    if sizes.read == 0 || sizes.write == 0 || sizes.trim == 0 {
        return Err(Wrong::value("a block of no bytes"));
    }
    Ok(sizes)
}

fn work(value: &mut Value) -> Result<Work, Wrong> {
    let words = [
        "read",
        "write",
        "trim",
        "randread",
        "randwrite",
        "randtrim",
        "rw",
        "readwrite",
        "randrw",
        "trimwrite",
        "randtrimwrite",
    ];
    let (kind, rest) = word(value.text()?, &words)?;
    let random = kind.starts_with("rand");
    let pairs = kind.ends_with("trimwrite");
    let suffix = match rest {
        None => None,
        Some(text) => {
            // A sequential job may step back.
            let (sign, digits) = match text.strip_prefix('-').filter(|_| !random) {
                Some(digits) => (-1, digits),
                None => (1, text),
            };
            let read = size(digits, value.base, Counts::Bytes)?;
            if let Some((taken, sentence)) = read.remark {
                value.remark(taken, sentence);
            }
            match read.value {
                Size::Count(count) if count > 0 || !random => {
                    Some(sign * i64::try_from(count).unwrap_or(i64::MAX))
                }
                _ => return Err(Wrong::value(format!("`{text}` can't follow the colon"))),
            }
        }
    };
    if pairs && random && suffix.is_some_and(|run| run > 1) {
        return Err(Wrong::limit(&limits::PAIRS_IN_RUNS));
    }
    if random && suffix.is_some_and(|run| run > i64::from(u32::MAX)) {
        return Err(Wrong::value("the run between two jumps is too long"));
    }
    if random && suffix.is_some_and(|run| run > 1) {
        value.remark(
            SettingTreatment::Warned,
            "fio's first run is one operation shorter than the others",
        );
    }
    let kind = kind.strip_prefix("rand").unwrap_or(kind);
    let mixed = matches!(kind, "rw" | "readwrite");
    Ok(Work {
        read: mixed || kind == "read",
        write: mixed || pairs || kind == "write",
        trim: pairs || kind == "trim",
        random,
        suffix,
    })
}
