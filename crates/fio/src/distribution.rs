//! `random_distribution`: where random offsets fall.

use crate::grammar::is_space;
use crate::job::{Amount, PerDirection};
use crate::number::KbBase;
use crate::problem::Wrong;
use crate::spelling::{decimal, word};
use crate::split::per_direction;
use crate::written::{Counts, Size, size};

/// fio's defaults and limits.
const ZIPF_THETA: f64 = 1.1;
const PARETO_H: f64 = 0.2;
const ZONES_MAX: usize = 256;
const SEQUENCE_MAX: usize = 64;

/// Where random offsets fall.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// Everywhere alike.
    Uniform,
    /// Zipf's law over the blocks, scattered over the region.
    Zipf {
        /// The exponent.
        theta: f64,
    },
    /// Pareto's, scattered over the region.
    Pareto {
        /// fio's `h`: 0.2 sends 80 % of the operations to 20 % of the blocks.
        h: f64,
    },
    /// These blocks by number, over and over.
    Sequence {
        /// Their numbers.
        blocks: Vec<u32>,
        /// Whether each turn begins so many blocks further as there are numbers.
        moves_on: bool,
    },
    /// Shares of the operations to parts of the region, in order from its start.
    Zoned(PerDirection<Vec<Zone>>),
}

/// A part of the region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zone {
    /// Its share of the operations.
    pub access_percent: u8,
    /// How much of the region it is.
    pub size: Amount,
}

pub(crate) fn distribution(value: &str, base: KbBase) -> Result<Distribution, Wrong> {
    let words = ["random", "zipf", "pareto", "normal", "zoned", "zoned_abs", "sequence"];
    let (kind, rest) = word(value, &words)?;
    let parameter = |default: f64| match rest {
        None => Ok(default),
        Some(text) if text.contains(':') => {
            Err(Wrong::refused(format!("`{value}`: a centre of its own is not done"))
                .hint("leave out what follows the second colon"))
        }
        Some(text) => decimal(text),
    };
    match kind {
        "random" if rest.is_none() => Ok(Distribution::Uniform),
        "zipf" => match parameter(ZIPF_THETA)? {
            theta if theta > 0.0 && theta != 1.0 => Ok(Distribution::Zipf { theta }),
            _ => Err(Wrong::value("zipf's theta is above 0 and not 1")),
        },
        "pareto" => match parameter(PARETO_H)? {
            h if h > 0.0 && h < 1.0 => Ok(Distribution::Pareto { h }),
            _ => Err(Wrong::value("pareto's h is between 0 and 1")),
        },
        "zoned" => per_direction(rest.unwrap_or_default(), |list| zones(list, false, base))
            .map(Distribution::Zoned),
        "zoned_abs" => per_direction(rest.unwrap_or_default(), |list| zones(list, true, base))
            .map(Distribution::Zoned),
        "sequence" => sequence(rest.unwrap_or_default()),
        "normal" => Err(Wrong::refused(format!("{kind} is not done"))
            .hint("random, zipf, pareto, zoned, zoned_abs and sequence are")),
        _ => Err(Wrong::misread(format!("fio ignores what follows the colon of `{value}`"))),
    }
}

/// `2,0,1`: block numbers.
fn sequence(list: &str) -> Result<Distribution, Wrong> {
    let number = |text: &str| {
        let digits = text.trim_matches(is_space);
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u32>().ok().filter(|_| plain)
    };
    let blocks: Option<Vec<u32>> = list.split(',').map(number).collect();
    match blocks {
        Some(blocks) if blocks.len() <= SEQUENCE_MAX => {
            Ok(Distribution::Sequence { blocks, moves_on: false })
        }
        Some(_) => Err(Wrong::value(format!("fio reads at most {SEQUENCE_MAX} block numbers"))),
        None => Err(Wrong::value(format!("`{list}` is no list of block numbers"))
            .hint("write sequence:2,0,1")),
    }
}

/// `access/size` pairs; a blank size shares what is left.
fn zones(list: &str, absolute: bool, base: KbBase) -> Result<Vec<Zone>, Wrong> {
    let wrong = |why: &str| Wrong::value(format!("`{list}`: {why}"));
    let mut zones = Vec::new();
    for entry in list.trim().split(':') {
        let (access, part) = entry.split_once('/').unwrap_or((entry, ""));
        let access: u8 = access.parse().map_err(|_| wrong("a share is missing"))?;
        let part = match (part, absolute) {
            ("", _) => None,
            ("0", _) => {
                return Err(Wrong::misread(format!(
                    "fio takes the size 0 in `{entry}` as a blank"
                )));
            }
            (text, true) => match size(text, base, Counts::Bytes)?.value {
                Size::Count(bytes) => Some(Amount::Bytes(bytes)),
                Size::Percent(_) => return Err(wrong("zoned_abs has sizes")),
            },
            (text, false) => {
                let percent: u8 = text.parse().map_err(|_| wrong("zoned has shares"))?;
                Some(Amount::Percent(percent))
            }
        };
        zones.push((access, part));
    }
    if zones.len() > ZONES_MAX {
        return Err(wrong("fio reads at most 256 zones"));
    }
    let accesses: u32 = zones.iter().map(|(access, _)| u32::from(*access)).sum();
    if accesses != 100 {
        return Err(wrong("the shares of the operations add up to something else than 100 %"));
    }
    let mut given = 0u32;
    for (_, part) in &zones {
        match part {
            Some(Amount::Percent(percent)) => given += u32::from(*percent),
            None if absolute => return Err(wrong("a zone without a size")),
            _ => {}
        }
    }
    let blanks = zones.iter().filter(|(_, part)| part.is_none()).count() as u32;
    if given > 100 || (!absolute && blanks > 0 && (100 - given) / blanks == 0) {
        return Err(wrong("the zones are larger than the region"));
    }
    let left = (100 - given) / blanks.max(1);
    let zone = |(access_percent, part): (u8, Option<Amount>)| Zone {
        access_percent,
        size: part.unwrap_or(Amount::Percent(left as u8)),
    };
    Ok(zones.into_iter().map(zone).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: &str) -> Option<Distribution> {
        distribution(value, KbBase::Binary).ok()
    }

    #[test]
    fn names_with_their_parameters() {
        assert_eq!(of("random"), Some(Distribution::Uniform));
        assert_eq!(of("zipf"), Some(Distribution::Zipf { theta: 1.1 }));
        assert_eq!(of("zipf:0.9"), Some(Distribution::Zipf { theta: 0.9 }));
        assert_eq!(of("pareto:0.3"), Some(Distribution::Pareto { h: 0.3 }));
        for value in
            ["zipf:1.0", "zipf:1.2:0.3", "pareto:2", "normal:5", "Zipf", "random:5", "zipf:x"]
        {
            assert_eq!(of(value), None, "{value}");
        }
    }

    #[test]
    fn a_sequence_is_a_list_of_numbers() {
        let blocks = vec![2, 0, 1];
        assert_eq!(of("sequence:2,0, 1"), Some(Distribution::Sequence { blocks, moves_on: false }));
        for value in ["sequence", "sequence:", "sequence:1,,2", "sequence:-1", "sequence:1k"] {
            assert_eq!(of(value), None, "{value}");
        }
        assert_eq!(of(&format!("sequence:{}", vec!["1"; 65].join(","))), None);
    }

    #[test]
    fn zones_share_the_region() {
        let Some(Distribution::Zoned(zones)) = of("zoned:60/10:30/20:8/30:2/40") else {
            panic!("zones");
        };
        assert_eq!(zones.read.len(), 4);
        assert_eq!(zones.write, zones.read);
        let Some(Distribution::Zoned(zones)) = of("zoned:60/10:40/") else { panic!("zones") };
        assert_eq!(zones.read[1], Zone { access_percent: 40, size: Amount::Percent(90) });
        for value in ["zoned:60/10:30/20", "zoned:60/90:40/20", "zoned:", "zoned_abs:100/"] {
            assert_eq!(of(value), None, "{value}");
        }
        assert!(of("zoned_abs:60/20G:40/100G").is_some());
    }
}
