//! Zones, priorities of single operations, and those that wait for others.

use super::Value;
use crate::draft::Draft;
use crate::job::IoPriority;
use crate::number::KbBase;
use crate::operation_rules::{LengthPriority, PriorityDraft};
use crate::options::limits;
use crate::problem::Wrong;
use crate::spelling::word;
use crate::split::per_direction;
use crate::written::{Counts, Size, size};

/// fio's limit for one kind of operation.
const ENTRIES_MAX: usize = 64;
const CLASS_MAX: u64 = 3;
const LEVEL_MAX: u64 = 7;
const HINT_MAX: u64 = 1023;

pub(super) fn apply(name: &str, value: &mut Value, draft: &mut Draft) -> Result<bool, Wrong> {
    let rules = &mut draft.operation_rules;
    match name {
        "zonemode" => match word(value.text()?, &["none", "strided", "zbd"])?.0 {
            "zbd" => return Err(Wrong::limit(&limits::ZONED_DEVICES)),
            mode => rules.strided = mode == "strided",
        },
        "zonesize" => rules.zone_size_bytes = value.count(0, u64::MAX)?,
        "zonerange" => rules.zone_range_bytes = value.count(0, u64::MAX)?,
        "zoneskip" => rules.zone_skip_bytes = value.count(0, u64::MAX)?,
        "random_sequence_stride" => rules.sequence_moves_on = value.flag()?,
        "serialize_overlap" => rules.serialized = value.flag()?,
        "cmdprio_percentage" => {
            each(value, (0, 100), &mut rules.priorities, |one, share| one.percent = share as u8)?;
        }
        "cmdprio_class" => {
            rules.priority_given = true;
            let of = &mut rules.priorities;
            each(value, (1, CLASS_MAX), of, |one, class| one.class = class as u8)?;
        }
        "cmdprio" => {
            rules.priority_given = true;
            let of = &mut rules.priorities;
            each(value, (0, LEVEL_MAX), of, |one, level| one.level = level as u8)?;
        }
        "cmdprio_hint" => {
            rules.priority_given = true;
            let of = &mut rules.priorities;
            each(value, (0, HINT_MAX), of, |one, hint| one.hint = hint as u16)?;
        }
        "cmdprio_bssplit" => {
            let base = value.base;
            let lists = per_direction(value.text()?, |list| by_length(list, base))?;
            rules.priorities[0].by_length = lists.read;
            rules.priorities[1].by_length = lists.write;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// One number for reads and one for writes, or one for both.
fn each(
    value: &mut Value,
    (least, most): (u64, u64),
    of: &mut [PriorityDraft; 2],
    set: impl Fn(&mut PriorityDraft, u64),
) -> Result<(), Wrong> {
    let numbers = value.triplet()?;
    if value.text()?.matches(',').count() > 1 {
        return Err(Wrong::value("it has a value for reads and one for writes"));
    }
    for (one, number) in of.iter_mut().zip([numbers.read, numbers.write]) {
        match number {
            Some(number) if number < least => {
                return Err(Wrong::value(format!("{number} is less than {least}")));
            }
            Some(number) if number > most => {
                return Err(Wrong::value(format!("{number} is more than {most}")));
            }
            Some(number) => set(one, number),
            None => {}
        }
    }
    Ok(())
}

/// `64k/100:1m/0`, `64k/25/1/1:64k/75/3/2`: length, share, class, level, hint. As in fio, entries of 0 % say nothing.
fn by_length(list: &str, base: KbBase) -> Result<Vec<LengthPriority>, Wrong> {
    let mut all: Vec<LengthPriority> = Vec::new();
    for text in list.trim().split(':') {
        if text.is_empty() {
            return Err(Wrong::misread(format!("fio reads `{list}` up to the empty entry")));
        }
        let entry = entry(text, base)?;
        if entry.percent > 0 {
            all.push(entry);
        }
        let same = all.iter().filter(|other| other.bytes == entry.bytes);
        if same.map(|other| u32::from(other.percent)).sum::<u32>() > 100 {
            return Err(Wrong::value(format!("`{list}`: the shares of one length are over 100 %")));
        }
    }
    if all.len() > ENTRIES_MAX {
        return Err(Wrong::value(format!("fio reads at most {ENTRIES_MAX} entries")));
    }
    Ok(all)
}

fn entry(text: &str, base: KbBase) -> Result<LengthPriority, Wrong> {
    let parts: Vec<&str> = text.split('/').collect();
    let [length, percent, own @ ..] = parts.as_slice() else {
        return Err(Wrong::value(format!("`{text}` has no share")).hint("write 64k/50"));
    };
    let Size::Count(bytes) = size(length, base, Counts::Bytes)?.value else {
        return Err(Wrong::value(format!("`{length}`: a share is not possible here")));
    };
    let number = |text: &str, most: u64| match text.parse::<u64>() {
        Ok(number) if number <= most => Ok(number),
        Ok(_) => Err(Wrong::misread(format!("fio takes `{text}` as {most}"))),
        Err(_) => Err(Wrong::value(format!("`{text}` is no number"))),
    };
    let percent = number(percent, 100)? as u8;
    let priority = match own {
        [] => None,
        [class, level, rest @ ..] if rest.len() <= 1 => Some(IoPriority {
            class: number(class, CLASS_MAX)? as u8,
            level: number(level, LEVEL_MAX)? as u8,
            hint: rest.first().map_or(Ok(0), |hint| number(hint, HINT_MAX))? as u16,
        }),
        _ => {
            return Err(Wrong::value(format!("`{text}` is no entry"))
                .hint("write length/share, length/share/class/level or with a hint behind"));
        }
    };
    Ok(LengthPriority { bytes, percent, priority })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &str) -> Option<Vec<(u64, u8, Option<u16>)>> {
        let entries = by_length(list, KbBase::Binary).ok()?;
        let one = |entry: LengthPriority| {
            (entry.bytes, entry.percent, entry.priority.map(IoPriority::value))
        };
        Some(entries.into_iter().map(one).collect())
    }

    #[test]
    fn entries_have_lengths_shares_and_priorities() {
        assert_eq!(of("64k/100:1024k/0"), Some(vec![(65_536, 100, None)]));
        assert_eq!(
            of("64k/25/1/1:64k/75/3/2"),
            Some(vec![(65_536, 25, Some(1 << 13 | 1)), (65_536, 75, Some(3 << 13 | 2))])
        );
        assert_eq!(of("2M/10/2/0/3"), Some(vec![(2 << 20, 10, Some(2 << 13 | 3 << 3))]));
        for wrong in
            ["64k", "64k/x", "64k/60:64k/50", "64k/10/1", "64k/101", "64k/1/4/0", "a/1", ""]
        {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
