//! Applies one setting to a job under construction.
//!
//! The table in [`crate::options`] decides what comes here; a setting that the table calls the same or approximated and
//! that nothing here takes is a mistake of ours, and a test looks for it.

mod access;
mod cpu;
mod ending;
mod engine;
mod operation_rules;
mod replay;
mod report;
mod running;
mod verify;

use crate::draft::Draft;
use crate::grammar::is_space;
use crate::job::{Amount, PerDirection};
use crate::kind::OptionType;
use crate::number::KbBase;
use crate::options::FioOption;
use crate::problem::{SettingTreatment, Wrong};
use crate::spelling::{flag, single, triplet};
use crate::written::{Counts, Read, Size, time_us};

/// A setting's value, and what reading it brought up.
pub(crate) struct Value<'a> {
    /// `None` for a bare key.
    pub raw: Option<&'a str>,
    pub kind: OptionType,
    pub base: KbBase,
    pub counts: Counts,
    pub remarks: Vec<(SettingTreatment, String)>,
}

/// The options whose numbers are bytes, or bytes per second.
const IN_BYTES: &[&str] = &[
    "bs",
    "blockalign",
    "size",
    "filesize",
    "io_size",
    "offset",
    "offset_increment",
    "rate",
    "rate_min",
    "iomem_align",
    "replay_align",
    "verify_interval",
    "verify_offset",
    "verify_pattern_interval",
    "zonerange",
    "zonesize",
    "zoneskip",
];

/// What the numbers of an option count.
pub(crate) fn counts(option: &FioOption) -> Counts {
    if IN_BYTES.contains(&option.name) { Counts::Bytes } else { Counts::Things }
}

/// Takes the setting into the draft; `false` if no one here knows the option.
pub(crate) fn apply(
    option: &FioOption,
    value: &mut Value,
    draft: &mut Draft,
) -> Result<bool, Wrong> {
    Ok(access::apply(option.name, value, draft)?
        || running::apply(option.name, value, draft)?
        || operation_rules::apply(option.name, value, draft)?
        || ending::apply(option.name, value, draft)?
        || engine::apply(option.name, value, draft)?
        || report::apply(option.name, value, draft)?
        || replay::apply(option.name, value, draft)?
        || cpu::apply(option.name, value, draft)?
        || verify::apply(option.name, value, draft)?)
}

impl<'a> Value<'a> {
    /// The text, its blanks at the ends cut.
    pub fn text(&mut self) -> Result<&'a str, Wrong> {
        let raw = self.raw.ok_or_else(|| Wrong::value("a value is missing"))?;
        let text = raw.trim_matches(is_space);
        if text.is_empty() {
            return Err(Wrong::value("a value is missing"));
        }
        if raw.starts_with(is_space) && !self.kind.is_integer() {
            self.remark(
                SettingTreatment::AsWritten,
                format!("fio does not accept the blank in `= {text}`"),
            );
        }
        Ok(text)
    }

    pub fn remark(&mut self, taken: SettingTreatment, sentence: impl Into<String>) {
        self.remarks.push((taken, sentence.into()));
    }

    fn value_with_remark<T>(&mut self, read: Read<T>) -> T {
        self.remarks.extend(read.remark);
        read.value
    }

    fn raw(&self) -> Result<&'a str, Wrong> {
        self.raw.ok_or_else(|| Wrong::value("a value is missing"))
    }

    /// `0`, `1`, or nothing where the option may stand alone.
    pub fn flag(&mut self) -> Result<bool, Wrong> {
        if self.raw.is_none() && self.kind == OptionType::Set {
            return Ok(true);
        }
        let text = self.text()?;
        flag(text)
    }

    /// A number in a range.
    pub fn count(&mut self, least: u64, most: u64) -> Result<u64, Wrong> {
        let read = single(self.raw()?, self.base, self.counts)?;
        match self.value_with_remark(read) {
            Size::Count(count) if (least..=most).contains(&count) => Ok(count),
            Size::Count(count) if count < least => {
                Err(Wrong::value(format!("{count} is less than {least}")))
            }
            Size::Count(count) => Err(Wrong::value(format!("{count} is more than {most}"))),
            Size::Percent(_) => Err(Wrong::value("a share is not possible here")),
        }
    }

    /// As [`Self::count`], for fio's 32-bit options.
    pub fn small(&mut self, least: u32, most: u32) -> Result<u32, Wrong> {
        Ok(self.count(u64::from(least), u64::from(most))? as u32)
    }

    /// A share in whole per cent without its sign.
    pub fn percent(&mut self) -> Result<u8, Wrong> {
        Ok(self.count(0, 100)? as u8)
    }

    /// Bytes, or a share of the file.
    pub fn amount(&mut self) -> Result<Amount, Wrong> {
        let text = self.raw()?;
        if text.trim_matches(is_space).ends_with('z') {
            return Err(Wrong::refused("sizes in zones belong to zoned devices"));
        }
        let read = single(text, self.base, self.counts)?;
        match self.value_with_remark(read) {
            Size::Count(bytes) => Ok(Amount::Bytes(bytes)),
            Size::Percent(percent) if percent <= 100 => Ok(Amount::Percent(percent as u8)),
            Size::Percent(percent) => {
                Err(Wrong::misread(format!("fio takes {percent}% as a size near 2^64")))
            }
        }
    }

    /// Numbers per kind of operation.
    pub fn triplet(&mut self) -> Result<PerDirection<Option<u64>>, Wrong> {
        let read = triplet(self.raw()?, self.base, self.counts)?;
        Ok(self.value_with_remark(read))
    }

    /// Microseconds.
    pub fn time_us(&mut self) -> Result<u64, Wrong> {
        let raw = self.raw()?;
        if !raw.trim_start().starts_with('(') && raw.contains([',', ':']) {
            return Err(Wrong::misread(format!("fio takes `{raw}` apart at the `,` or `:`")));
        }
        let read = time_us(raw, self.kind == OptionType::Seconds)?;
        Ok(self.value_with_remark(read))
    }

    /// Passes if the value can be read at all; for approximated options without effect.
    pub fn checked(&mut self) -> Result<(), Wrong> {
        match self.kind {
            OptionType::Bool | OptionType::Set => self.flag().map(drop),
            OptionType::Number => self.count(0, u64::MAX).map(drop),
            OptionType::PerDirection => self.triplet().map(drop),
            OptionType::Seconds | OptionType::Microseconds => self.time_us().map(drop),
            // fio lets most of these stand alone, with a value of its own.
            OptionType::Choice => Ok(()),
            OptionType::Text | OptionType::Floats | OptionType::Range => self.text().map(drop),
        }
    }
}
