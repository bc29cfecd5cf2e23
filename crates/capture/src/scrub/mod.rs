//! Takes out of a recording what names a machine, its owner and its neighbours, before anything is written.
//!
//! Two ways, one after the other. By path ([`rules`]): files that hold a secret, and files of which only some lines may be
//! kept; what stands outside of the folders that are known is left out. By form ([`patterns`]): ids and addresses wherever
//! they stand, in texts, paths and links. A secret found by its path is also replaced where it stands in another text. One
//! value has one pseudonym ([`tokens`]), so that whatever was the same drive, port or host still is.

mod known;
mod patterns;
mod process;
mod rules;
mod smbios;
mod tokens;

use std::collections::BTreeMap;

use narrows_facts::{Answer, Contents, Recording, Refusal, Trouble};

use crate::{LeftOut, MachineDigest};
use known::Known;
use rules::Rule;
use tokens::{TokenKind, Tokens};

/// A recording that names nobody.
#[derive(Debug)]
pub struct Scrubbed {
    /// What is left.
    pub recording: Recording,
    /// How many values of each kind were replaced.
    pub replaced: BTreeMap<String, u64>,
    /// What was read and is left out.
    pub left_out: Vec<LeftOut>,
    /// By what the machine can be recognised; `None` where it has no id.
    pub machine: Option<MachineDigest>,
    /// Scrubbed forms of `paths`, in their order.
    pub paths: Vec<String>,
}

/// Scrubs. `salt` is random and of this capture alone; `paths` are scrubbed with it, as the folders of roles.
pub fn scrub(mut recording: Recording, salt: &str, paths: &[String]) -> Scrubbed {
    let mut left_out: BTreeMap<String, u64> = BTreeMap::new();
    let processes = process::drop_others(&mut recording);
    if processes > 0 {
        left_out.insert("processes that are no database's".to_string(), processes);
    }
    let machine = recording.files.get("/etc/machine-id").and_then(|id| {
        let id = String::from_utf8_lossy(&id.as_ref().ok()?.bytes).trim().to_string();
        (!id.is_empty()).then(|| MachineDigest::of(salt, &id))
    });
    let known = Known::collect(&recording);
    let mut scrubber = Scrubber { known, tokens: Tokens::default(), salt, left_out };
    let recording = scrubber.recording(&recording);
    let paths = paths.iter().map(|path| scrubber.path(path)).collect();
    let left_out = scrubber.left_out.into_iter().map(|(what, count)| LeftOut { what, count });
    Scrubbed {
        recording,
        replaced: scrubber.tokens.counted(),
        left_out: left_out.collect(),
        machine,
        paths,
    }
}

struct Scrubber<'a> {
    known: Known,
    tokens: Tokens,
    salt: &'a str,
    left_out: BTreeMap<String, u64>,
}

impl Scrubber<'_> {
    fn recording(&mut self, from: &Recording) -> Recording {
        let mut to = Recording::default();
        for (path, answer) in &from.files {
            let answer = match answer {
                Ok(contents) => self.file(path, contents),
                Err(refusal) => Err(refusal.clone()),
            };
            to.files.insert(self.path(path), answer);
        }
        for (path, answer) in &from.folders {
            let names = answer.as_ref().map_err(Refusal::clone);
            let names = names.map(|names| names.iter().map(|name| self.name(path, name)).collect());
            let names: Answer<Vec<String>> = names;
            to.folders.insert(self.path(path), names);
        }
        for (path, answer) in &from.links {
            let answer = answer.as_ref().map(|to| self.path(to)).map_err(Refusal::clone);
            to.links.insert(self.path(path), answer);
        }
        for (path, answer) in &from.real_paths {
            let answer = answer.as_ref().map(|to| self.path(to)).map_err(Refusal::clone);
            to.real_paths.insert(self.path(path), answer);
        }
        for (path, yes) in &from.present {
            to.present.insert(self.path(path), *yes);
        }
        for ((call, of), answer) in &from.calls {
            to.calls.insert((*call, self.path(of)), answer.clone());
        }
        for trouble in &from.troubles {
            let (path, reason) = (self.path(&trouble.path), self.text(&trouble.reason));
            to.troubles.insert(Trouble { path, reason });
        }
        to
    }

    /// A path. Of the kernel's own folders only ids and addresses go: its names are words that discovery knows.
    fn path(&mut self, path: &str) -> String {
        if is_kernels(path) {
            patterns::replace(path, true, &mut self.tokens).into_owned()
        } else {
            self.text(path)
        }
    }

    /// A name in a folder, as it stands in the paths below that.
    fn name(&mut self, folder: &str, name: &str) -> String {
        let folder = folder.trim_end_matches('/');
        let path = self.path(&format!("{folder}/{name}"));
        path.rsplit('/').next().unwrap_or_default().to_string()
    }

    fn text(&mut self, text: &str) -> String {
        let text = self.known.replace(text, &mut self.tokens);
        patterns::replace(&text, true, &mut self.tokens).into_owned()
    }

    fn file(&mut self, path: &str, contents: &Contents) -> Answer<Contents> {
        let rule = rules::of(path);
        let whole = contents.whole;
        match rule {
            Rule::Never(what) => return Err(self.leave(what)),
            Rule::Smbios => return Ok(Contents { bytes: smbios::scrub(&contents.bytes), whole }),
            Rule::Arguments => {
                let kept = self.text(&process::arguments(&contents.bytes));
                return Ok(Contents { bytes: kept.into_bytes(), whole });
            }
            _ => {}
        }
        let Some(text) = as_text(contents) else {
            return Err(self.leave("files that are no text"));
        };
        let text = match rule {
            Rule::Secret(kind) => self.secret(text, kind),
            Rule::OwnId => MachineDigest::of(self.salt, text.trim()).digest,
            Rule::Pairs => self.lines(text, Scrubber::pair),
            Rule::Mounts => {
                let text = self.lines(text, Scrubber::mount);
                self.text(&text)
            }
            Rule::Lines(kept) => {
                let kept = |line: &&str| kept.iter().any(|start| line.starts_with(start));
                let kept: Vec<&str> = text.lines().filter(kept).collect();
                self.text(&kept.join("\n"))
            }
            Rule::KernelArguments => self.text(&process::kernel_arguments(text)),
            Rule::Version => {
                let text = self.known.replace(text, &mut self.tokens);
                // Who built the kernel, and where.
                let text = known::builders(&text, &mut self.tokens);
                patterns::replace(&text, false, &mut self.tokens).into_owned()
            }
            _ if path.ends_with("/cpuinfo") => self.lines(text, Scrubber::processor),
            _ => self.text(text),
        };
        Ok(Contents { bytes: text.into_bytes(), whole })
    }

    fn leave(&mut self, what: &str) -> Refusal {
        *self.left_out.entry(what.to_string()).or_default() += 1;
        Refusal::Reason("left out of the capture".to_string())
    }

    /// What stands for a whole file; the word before it that says whose kind of id it is stays.
    fn secret(&mut self, text: &str, kind: TokenKind) -> String {
        let value = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        if value.is_empty() {
            return text.to_string();
        }
        let id = matches!(kind, TokenKind::Id);
        let prefix = value.find(['.', '-']).filter(|end| id && is_word(&value[..*end]));
        let (prefix, secret) = prefix.map_or(("", value), |end| value.split_at(end + 1));
        format!("{prefix}{}\n", self.tokens.token(kind, secret))
    }

    fn lines(&mut self, text: &str, each: fn(&mut Self, &str) -> Option<String>) -> String {
        let lines: Vec<String> = text.lines().filter_map(|line| each(self, line)).collect();
        lines.join("\n") + "\n"
    }

    /// `E:MEMORY_DEVICE_0_SERIAL_NUMBER=x`; names of links, which are made of serial numbers, are left out.
    fn pair(&mut self, line: &str) -> Option<String> {
        let Some((key, value)) = line.split_once('=') else {
            return (!line.starts_with(['S', 'L', 'G', 'Q', 'V'])).then(|| self.text(line));
        };
        if key.ends_with("DEVLINKS") || key.ends_with("TAGS") {
            return None;
        }
        Some(match known::secret_key(key) {
            Some(_) if value.is_empty() => line.to_string(),
            Some(kind) => format!("{key}={}", self.tokens.token(kind, value)),
            None => format!("{key}={}", self.text(value)),
        })
    }

    /// A line of a table of mounts: hosts before a colon or after two slashes, and credentials among the options.
    fn mount(&mut self, line: &str) -> Option<String> {
        Some(known::mount(line, &mut self.tokens))
    }

    /// A line of `/proc/cpuinfo`, which on some machines has the processor's serial number.
    fn processor(&mut self, line: &str) -> Option<String> {
        (!line.to_ascii_lowercase().starts_with("serial")).then(|| self.text(line))
    }
}

/// Text without NULs but at its end, where strings of a device tree have one. A head may end within a character.
fn as_text(contents: &Contents) -> Option<&str> {
    let bytes = &contents.bytes;
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if !contents.whole && error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let text = text.trim_end_matches('\0');
    (!text.contains('\0')).then_some(text)
}

/// Folders whose names the kernel gives; control groups and mapped devices have names that people give.
fn is_kernels(path: &str) -> bool {
    // A link within them is often relative.
    let kernels = ["/sys/", "/proc/", "../"].iter().any(|start| path.starts_with(start));
    (kernels && !path.starts_with("/sys/fs/cgroup/")) || !path.contains('/')
}

fn is_word(text: &str) -> bool {
    (2..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) && {
        // `naa`, `eui`, `t10`, `LVM`, `CRYPT`, `mpath`, `part1`: begins with a letter, which few serial numbers do without
        // more digits behind it.
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        text.as_bytes()[0].is_ascii_alphabetic() && digits <= 2
    }
}
