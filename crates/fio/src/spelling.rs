//! Small readers that several options share: flags, words, lists of processors, lists of percentiles, triplets.

use crate::grammar::is_space;
use crate::job::{MemoryPolicy, NodeList, PerDirection};
use crate::kind::parts_as_fio;
use crate::number::KbBase;
use crate::options::limits;
use crate::problem::{SettingTreatment, Wrong};
use crate::written::{Counts, Read, Size, size};

/// fio's limits.
const PERCENTILES_MAX: usize = 20;
const CPU_MAX: u32 = 65_535;

/// `0` or `1`.
pub(crate) fn flag(value: &str) -> Result<bool, Wrong> {
    match value.trim_matches(is_space) {
        "0" => Ok(false),
        "1" => Ok(true),
        other => {
            let digits = other.trim_start_matches(['+', '-']);
            let misread = digits.starts_with(|c: char| c.is_ascii_digit());
            let wrong = if misread {
                Wrong::misread(format!("fio reads the digits of `{value}` and no more"))
            } else {
                Wrong::value(format!("`{value}` is neither 0 nor 1"))
            };
            Err(wrong.hint("write 0 or 1"))
        }
    }
}

/// One of some words, and what follows its colon. fio stops reading the word at a comma; that is a mistake here.
pub(crate) fn word<'a>(
    value: &'a str,
    words: &[&str],
) -> Result<(&'a str, Option<&'a str>), Wrong> {
    let value = value.trim_matches(is_space);
    let (word, rest) = match value.split_once(':') {
        Some((word, rest)) => (word, Some(rest)),
        None => (value, None),
    };
    if words.contains(&word) {
        return Ok((word, rest));
    }
    let before_comma = word.split(',').next().unwrap_or_default();
    if words.contains(&before_comma) {
        return Err(Wrong::misread(format!("fio takes `{value}` as `{before_comma}`")));
    }
    Err(Wrong::value(format!("`{value}` is none of {}", words.join(", "))))
}

/// One number without parts.
pub(crate) fn single(value: &str, base: KbBase, counts: Counts) -> Result<Read<Size>, Wrong> {
    let in_parentheses = value.trim_start().starts_with('(');
    if !in_parentheses && parts_as_fio(value).len() > 1 && !value.trim_start().starts_with('-') {
        let reason = format!("fio takes `{value}` apart at the first `,`, `:` or `-`");
        return Err(Wrong::misread(reason).hint("write one number"));
    }
    size(value, base, counts)
}

/// One to three numbers; `None` where the default stays. A value that no comma ends holds for the types after it.
pub(crate) fn triplet(
    value: &str,
    base: KbBase,
    counts: Counts,
) -> Result<Read<PerDirection<Option<u64>>>, Wrong> {
    let trimmed = value.trim_matches(is_space);
    let in_parentheses = trimmed.starts_with('(');
    if !in_parentheses && trimmed.contains([':', '-']) {
        let taken = parts_as_fio(trimmed).join("` for one and `");
        let reason = format!("fio takes `{trimmed}` as `{taken}` for the next kind of operation");
        return Err(Wrong::misread(reason)
            .hint("a range is bsrange; reads, writes and trims have commas between them"));
    }
    let parts: Vec<&str> = trimmed.split(',').collect();
    if parts.len() > 3 {
        return Err(Wrong::value(format!("`{trimmed}` has more than three parts")));
    }
    let mut remark: Option<(SettingTreatment, String)> = None;
    let mut read = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if part.trim().is_empty() {
            read.push(None);
            continue;
        }
        // The blank in front matters to fio, so the first part is read as it stands.
        let number =
            size(if index == 0 && !value.contains(',') { value } else { part }, base, counts)?;
        let Size::Count(count) = number.value else {
            return Err(Wrong::value(format!("`{part}`: a share is not possible here")));
        };
        remark = remark.or(number.remark);
        read.push(Some(count));
    }
    if read.iter().all(Option::is_none) {
        return Err(Wrong::value(format!("`{value}` has no number")));
    }
    let last = read.last().copied().flatten();
    let at = |index: usize| read.get(index).copied().unwrap_or(last);
    Ok(Read { value: PerDirection { read: at(0), write: at(1), trim: at(2) }, remark })
}

/// Two sizes with a hyphen.
pub(crate) fn range(value: &str, base: KbBase) -> Result<Read<(u64, u64)>, Wrong> {
    let trimmed = value.trim_matches(is_space);
    let (a, b) = trimmed
        .split_once('-')
        .or_else(|| trimmed.split_once(':'))
        .ok_or_else(|| Wrong::value(format!("`{trimmed}` is no range")).hint("write 4k-16k"))?;
    let (a, b) = (size(a, base, Counts::Bytes)?, size(b, base, Counts::Bytes)?);
    match (a.value, b.value) {
        (Size::Count(x), Size::Count(y)) => {
            Ok(Read { value: (x.min(y), x.max(y)), remark: a.remark.or(b.remark) })
        }
        _ => Err(Wrong::value(format!("`{trimmed}`: a share is not possible here"))),
    }
}

/// `0,5,8-15`.
pub(crate) fn processors(value: &str) -> Result<Vec<u32>, Wrong> {
    let wrong = || Wrong::value(format!("`{value}` is no list of CPUs")).hint("write 0,5,8-15");
    let number = |text: &str| -> Result<u32, Wrong> {
        let cpu: u32 = text.trim_matches(is_space).parse().map_err(|_| wrong())?;
        if cpu > CPU_MAX { Err(wrong()) } else { Ok(cpu) }
    };
    let mut cpus = Vec::new();
    for part in value.split(',') {
        match part.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first > last {
                    return Err(wrong());
                }
                cpus.extend(first..=last);
            }
            None => cpus.push(number(part)?),
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

/// Nodes as libnuma's `numa_parse_nodestring` reads them, which fio calls: `0,2-3`, `all`, `!1`.
pub(crate) fn nodes(value: &str) -> Result<NodeList, Wrong> {
    let text = value.trim_matches(is_space);
    let (except, list) = match text.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if list.starts_with('+') || list.contains(':') || list == "same" {
        return Err(Wrong::limit(&limits::NODES_BY_OTHER_WORDS));
    }
    if list == "all" && !except {
        return Ok(NodeList::All);
    }
    let wrong =
        || Wrong::value(format!("`{value}` is no list of nodes")).hint("write 0,2-3 or all");
    let listed = processors(list).map_err(|_| wrong())?;
    Ok(if except { NodeList::Except(listed) } else { NodeList::These(listed) })
}

/// `default`, `local`, `prefer:0`, `bind:0-1`, `interleave`, `interleave:0-1`.
pub(crate) fn memory_policy(value: &str) -> Result<Option<MemoryPolicy>, Wrong> {
    let (mode, list) = match value.split_once(':') {
        Some((mode, list)) => (mode, Some(list)),
        None => (value, None),
    };
    let wrong = |reason: &str| Wrong::value(format!("`{value}`: {reason}"));
    match (mode, list) {
        ("default", None) => Ok(None),
        ("local", None) => Ok(Some(MemoryPolicy::Local)),
        ("default" | "local", Some(_)) => Err(wrong("no nodes follow default and local")),
        ("prefer", Some(node)) => match node.parse() {
            Ok(node) => Ok(Some(MemoryPolicy::Prefer(node))),
            Err(_) => Err(wrong("prefer takes one node").hint("write prefer:0")),
        },
        ("prefer", None) => Err(wrong("prefer takes a node").hint("write prefer:0")),
        ("bind", Some(list)) => Ok(Some(MemoryPolicy::Bind(nodes(list)?))),
        ("bind", None) => Err(wrong("bind takes nodes").hint("write bind:0")),
        ("interleave", Some(list)) => Ok(Some(MemoryPolicy::Interleave(nodes(list)?))),
        ("interleave", None) => Ok(Some(MemoryPolicy::Interleave(NodeList::All))),
        _ => Err(wrong("no such policy").hint("write default, local, prefer, bind or interleave")),
    }
}

/// `50:99:99.9`.
pub(crate) fn percentiles(value: &str) -> Result<Vec<f64>, Wrong> {
    let parts: Vec<&str> = value.split(':').collect();
    if parts.len() > PERCENTILES_MAX {
        return Err(Wrong::value(format!("fio has at most {PERCENTILES_MAX} percentiles")));
    }
    let one = |part: &&str| -> Result<f64, Wrong> {
        let wrong = || Wrong::value(format!("`{part}` is no percentile")).hint("write 50:99:99.9");
        let plain = !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == '.');
        let number: f64 = plain.then(|| part.parse().ok()).flatten().ok_or_else(wrong)?;
        if (0.0..=100.0).contains(&number) { Ok(number) } else { Err(wrong()) }
    };
    parts.iter().map(one).collect()
}

/// A decimal number and nothing after it.
pub(crate) fn decimal(value: &str) -> Result<f64, Wrong> {
    let plain = !value.is_empty() && value.chars().all(|c| c.is_ascii_digit() || c == '.');
    let number = plain.then(|| value.parse().ok()).flatten();
    number.ok_or_else(|| Wrong::value(format!("`{value}` is no decimal number")))
}
