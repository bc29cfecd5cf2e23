//! `bssplit`: several block sizes with their shares, `4k/50:8k/:16k/`.
//!
//! fio takes a share of 0 as a blank, cuts more than 100, gives what is missing to the largest share, and lets more than
//! 100 % in sum pass as long as no more than one is blank. All of these stop here.

use crate::job::PerDirection;
use crate::number::KbBase;
use crate::problem::{SettingTreatment, Wrong};
use crate::written::{Counts, Size, size};

/// fio's limit for one kind of operation.
const SHARES_MAX: usize = 64;

/// A block size and how often it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Bytes.
    pub bytes: u64,
    /// Per cent of the operations.
    pub percent: u8,
}

/// A list of shares, and whatever is to be said about one.
pub(crate) type Shares = (Vec<Share>, Option<(SettingTreatment, String)>);

/// Up to three lists with commas between them; the last one named holds for what follows.
pub(crate) fn per_direction<T: Clone>(
    value: &str,
    one: impl Fn(&str) -> Result<T, Wrong>,
) -> Result<PerDirection<T>, Wrong> {
    let parts: Vec<&str> = value.split(',').collect();
    let lists = parts.iter().map(|part| one(part)).collect::<Result<Vec<T>, Wrong>>()?;
    match lists.as_slice() {
        [all] => Ok(PerDirection { read: all.clone(), write: all.clone(), trim: all.clone() }),
        // fio has trims as writes where only two are given.
        [read, write] => {
            Ok(PerDirection { read: read.clone(), write: write.clone(), trim: write.clone() })
        }
        [read, write, trim] => {
            Ok(PerDirection { read: read.clone(), write: write.clone(), trim: trim.clone() })
        }
        _ => Err(Wrong::value(format!("`{value}` has more than three parts"))),
    }
}

/// A block size per share.
pub(crate) fn shares(list: &str, base: KbBase) -> Result<Shares, Wrong> {
    let mut remark = None;
    let mut sizes = Vec::new();
    let mut percents = Vec::new();
    for (text, percent) in entries(list)? {
        let read = size(text, base, Counts::Bytes)?;
        let Size::Count(bytes) = read.value else {
            return Err(Wrong::value(format!("`{text}`: a share is not possible here")));
        };
        if bytes == 0 {
            return Err(Wrong::value("a block of no bytes"));
        }
        remark = remark.or(read.remark);
        sizes.push(bytes);
        percents.push(percent);
    }
    let percents = filled(list, &percents)?;
    let shares = sizes.into_iter().zip(percents);
    Ok((shares.map(|(bytes, percent)| Share { bytes, percent }).collect(), remark))
}

/// `size/percent` pairs; a blank percentage is `None`.
fn entries(list: &str) -> Result<Vec<(&str, Option<u8>)>, Wrong> {
    let mut entries = Vec::new();
    for entry in list.trim().split(':') {
        if entry.is_empty() {
            return Err(Wrong::misread(format!("fio reads `{list}` up to the empty entry")));
        }
        let (size, percent) = entry.split_once('/').unwrap_or((entry, ""));
        entries.push((size, percentage(percent, entry)?));
    }
    if entries.len() > SHARES_MAX {
        return Err(Wrong::value(format!("fio reads at most {SHARES_MAX} entries")));
    }
    Ok(entries)
}

fn percentage(text: &str, entry: &str) -> Result<Option<u8>, Wrong> {
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<u8>() {
        Ok(0) => Err(Wrong::misread(format!(
            "fio takes `{entry}` as a blank and shares the rest with it"
        ))
        .hint("leave the entry out")),
        Ok(percent @ 1..=100) => Ok(Some(percent)),
        _ if text.starts_with(|c: char| c.is_ascii_digit()) => {
            let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let taken: u64 = text[..text.len() - digits.len()].parse().unwrap_or(u64::MAX);
            Err(Wrong::misread(format!("fio takes `{entry}` as {} %", taken.min(100))))
        }
        _ => Err(Wrong::value(format!("`{text}` is no percentage"))),
    }
}

/// Blanks get equal parts of what is left, in whole per cent as fio has it; a remainder goes to the last blank.
fn filled(list: &str, percents: &[Option<u8>]) -> Result<Vec<u8>, Wrong> {
    let given: u32 = percents.iter().flatten().map(|p| u32::from(*p)).sum();
    let blanks = percents.iter().filter(|p| p.is_none()).count() as u32;
    if given > 100 {
        return Err(Wrong::misread(format!(
            "the shares of `{list}` add up to {given} %; fio lets the largest have what is left"
        )));
    }
    let left = 100 - given;
    if blanks == 0 && left > 0 {
        return Err(Wrong::misread(format!(
            "the shares of `{list}` add up to {given} %; fio gives the rest to the largest"
        ))
        .hint("leave the percentage of one entry blank"));
    }
    let (mut seen, mut filled) = (0, Vec::new());
    for percent in percents {
        filled.push(match percent {
            Some(percent) => *percent,
            None => {
                seen += 1;
                (left / blanks + if seen == blanks { left % blanks } else { 0 }) as u8
            }
        });
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &str) -> Result<Vec<(u64, u8)>, Wrong> {
        let (shares, _) = shares(list, KbBase::Binary)?;
        Ok(shares.into_iter().map(|share| (share.bytes, share.percent)).collect())
    }

    #[test]
    fn blanks_share_the_rest() {
        assert_eq!(of("4k/50:8k/50"), Ok(vec![(4096, 50), (8192, 50)]));
        assert_eq!(of("4k/10:64k/50:32k/40").map(|s| s.len()), Ok(3));
        assert_eq!(of("4k/50:8k/"), Ok(vec![(4096, 50), (8192, 50)]));
        assert_eq!(of("4k:8k:16k"), Ok(vec![(4096, 33), (8192, 33), (16384, 34)]));
    }

    #[test]
    fn sums_that_fio_bends_stop() {
        for list in ["4k/60:8k/50", "4k/50:8k/30", "4k/0:8k/", "4k/101", "4k/50.5:8k/", "4k/50:"] {
            let stopped = of(list).expect_err(list);
            assert_eq!(stopped.cause, crate::problem::Cause::Misread, "{list}");
        }
    }
}
