//! One question with its answer as a line of JSON.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use narrows_facts::{Answer, Call, Contents, Recording, Refusal, Trouble};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Linux's longest path.
const MAX_PATH_BYTES: usize = 4096;

/// Names in all folders together: a name of one letter takes sixteen times its size in memory, so bytes alone bound nothing.
/// Machines have some ten thousand, and one for each process.
pub(super) const MAX_NAMES: usize = 1 << 20;

/// A question by its kind and what it was asked of, and what was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArchiveLine {
    /// `file`, `folder`, `link`, `real_path`, `exists`, `trouble`, or `call:` and a word of [`Call`].
    ask: String,
    of: String,
    said: StoredAnswer,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredAnswer {
    /// A text: of a file, a link, a call.
    Text(String),
    /// The beginning of a text file.
    HeadText(String),
    /// A file that is no text, in base64.
    Bytes(String),
    /// The beginning of such a file.
    HeadBytes(String),
    Names(#[serde(deserialize_with = "few_names")] Vec<String>),
    Yes(bool),
    /// The system's number of the error.
    Errno(i32),
    Refused(String),
}

/// All lines of a recording, in a fixed order.
pub(super) fn lines(recording: &Recording) -> impl Iterator<Item = ArchiveLine> + '_ {
    let line =
        |ask: &str, of: &str, said| ArchiveLine { ask: ask.to_string(), of: of.to_string(), said };
    fn said<T>(answer: &Answer<T>, good: impl FnOnce(&T) -> StoredAnswer) -> StoredAnswer {
        match answer {
            Ok(answer) => good(answer),
            Err(Refusal::Errno(number)) => StoredAnswer::Errno(*number),
            Err(Refusal::Reason(reason)) => StoredAnswer::Refused(reason.clone()),
        }
    }
    let text = |answer: &Answer<String>| said(answer, |text| StoredAnswer::Text(text.clone()));
    let r = recording;
    let files = r.files.iter().map(move |(of, a)| line("file", of, said(a, contents)));
    let names = |names: &Vec<String>| StoredAnswer::Names(names.clone());
    let folders = r.folders.iter().map(move |(of, a)| line("folder", of, said(a, names)));
    let links = r.links.iter().map(move |(of, a)| line("link", of, text(a)));
    let real = r.real_paths.iter().map(move |(of, a)| line("real_path", of, text(a)));
    let present =
        r.present.iter().map(move |(of, yes)| line("exists", of, StoredAnswer::Yes(*yes)));
    let calls = r.calls.iter();
    let calls = calls.map(move |((c, of), a)| line(&format!("call:{}", c.word()), of, text(a)));
    let troubles = r.troubles.iter();
    let troubles =
        troubles.map(move |t| line("trouble", &t.path, StoredAnswer::Text(t.reason.clone())));
    files.chain(folders).chain(links).chain(real).chain(present).chain(calls).chain(troubles)
}

fn contents(contents: &Contents) -> StoredAnswer {
    match (std::str::from_utf8(&contents.bytes), contents.whole) {
        (Ok(text), true) => StoredAnswer::Text(text.to_string()),
        (Ok(text), false) => StoredAnswer::HeadText(text.to_string()),
        (Err(_), true) => StoredAnswer::Bytes(BASE64_STANDARD.encode(&contents.bytes)),
        (Err(_), false) => StoredAnswer::HeadBytes(BASE64_STANDARD.encode(&contents.bytes)),
    }
}

impl ArchiveLine {
    /// How many names it brings.
    pub(super) fn names(&self) -> usize {
        if let StoredAnswer::Names(names) = &self.said { names.len() } else { 0 }
    }
}

/// Names of a folder, read no further than [`MAX_NAMES`].
fn few_names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    struct Few;
    impl<'de> Visitor<'de> for Few {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of names")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
            let mut names = Vec::new();
            while let Some(name) = list.next_element()? {
                if names.len() == MAX_NAMES {
                    return Err(A::Error::custom(format!("more than {MAX_NAMES} names")));
                }
                names.push(name);
            }
            Ok(names)
        }
    }
    from.deserialize_seq(Few)
}

/// Takes a line into the recording.
pub(super) fn take(line: ArchiveLine, recording: &mut Recording) -> Result<(), String> {
    let ArchiveLine { ask, of, said } = line;
    if of.len() > MAX_PATH_BYTES {
        return Err(format!("a path of {} bytes", of.len()));
    }
    let call = ask.strip_prefix("call:");
    if call.is_none() && !is_path(&of) {
        return Err(format!("{of:?} is no absolute path"));
    }
    match (ask.as_str(), call) {
        ("file", _) => put(&mut recording.files, of, answer(said, file)?),
        ("folder", _) => put(&mut recording.folders, of, answer(said, names)?),
        ("link", _) => put(&mut recording.links, of, answer(said, text)?),
        ("real_path", _) => put(&mut recording.real_paths, of, answer(said, path)?),
        ("exists", _) => match said {
            StoredAnswer::Yes(yes) => put(&mut recording.present, of, yes),
            other => Err(wrong(&other, "yes or no")),
        },
        ("trouble", _) => {
            recording.troubles.insert(Trouble { path: of, reason: text(said)? });
            Ok(())
        }
        (_, Some(word)) => {
            let call = Call::of_word(word).ok_or_else(|| format!("unknown call {word:?}"))?;
            put(&mut recording.calls, (call, of), answer(said, text)?)
        }
        _ => Err(format!("unknown question {ask:?}")),
    }
}

fn is_path(text: &str) -> bool {
    text.starts_with('/') && !text.contains('\0')
}

/// One question has one answer.
fn put<K: Ord + std::fmt::Debug, T>(
    map: &mut BTreeMap<K, T>,
    key: K,
    value: T,
) -> Result<(), String> {
    match map.entry(key) {
        Entry::Occupied(entry) => Err(format!("a second answer for {:?}", entry.key())),
        Entry::Vacant(entry) => {
            entry.insert(value);
            Ok(())
        }
    }
}

fn answer<T>(
    said: StoredAnswer,
    good: impl FnOnce(StoredAnswer) -> Result<T, String>,
) -> Result<Answer<T>, String> {
    match said {
        StoredAnswer::Errno(number) if (1..4096).contains(&number) => {
            Ok(Err(Refusal::Errno(number)))
        }
        StoredAnswer::Errno(number) => Err(format!("{number} is no number of an error")),
        StoredAnswer::Refused(reason) => Ok(Err(Refusal::Reason(reason))),
        said => good(said).map(Ok),
    }
}

fn file(said: StoredAnswer) -> Result<Contents, String> {
    let decode = |text: String| BASE64_STANDARD.decode(text).map_err(|error| error.to_string());
    Ok(match said {
        StoredAnswer::Text(text) => Contents { bytes: text.into_bytes(), whole: true },
        StoredAnswer::HeadText(text) => Contents { bytes: text.into_bytes(), whole: false },
        StoredAnswer::Bytes(text) => Contents { bytes: decode(text)?, whole: true },
        StoredAnswer::HeadBytes(text) => Contents { bytes: decode(text)?, whole: false },
        other => return Err(wrong(&other, "the contents of a file")),
    })
}

fn names(said: StoredAnswer) -> Result<Vec<String>, String> {
    let StoredAnswer::Names(mut names) = said else { return Err(wrong(&said, "names")) };
    let odd = |name: &&String| {
        name.is_empty() || name.contains(['/', '\0']) || *name == "." || *name == ".."
    };
    if let Some(name) = names.iter().find(odd) {
        return Err(format!("{name:?} is no name in a folder"));
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

fn text(said: StoredAnswer) -> Result<String, String> {
    let StoredAnswer::Text(text) = said else { return Err(wrong(&said, "a text")) };
    Ok(text)
}

fn path(said: StoredAnswer) -> Result<String, String> {
    let path = text(said)?;
    if is_path(&path) { Ok(path) } else { Err(format!("{path:?} is no absolute path")) }
}

fn wrong(said: &StoredAnswer, wanted: &str) -> String {
    let got = match said {
        StoredAnswer::Text(_) | StoredAnswer::HeadText(_) => "a text",
        StoredAnswer::Bytes(_) | StoredAnswer::HeadBytes(_) => "bytes",
        StoredAnswer::Names(_) => "names",
        StoredAnswer::Yes(_) => "yes or no",
        StoredAnswer::Errno(_) | StoredAnswer::Refused(_) => "a refusal",
    };
    format!("{got} where {wanted} should be")
}
