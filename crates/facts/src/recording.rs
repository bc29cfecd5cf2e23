//! What was asked of a [`Source`] and what it said: kept by [`Recorder`], given back by [`Replay`].
//!
//! Refusals are kept too, so that a replay refuses what the machine refused. A file that changes is kept as it was read
//! first, and every later question gets that answer: what is recorded is one state of the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Call, Source, Trouble};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The system's own number of the error.
    Errno(i32),
    /// A reason that the reader gave itself.
    Reason(String),
}

impl Refusal {
    /// Whether the reader had no right to it.
    pub fn is_denied(&self) -> bool {
        matches!(self, Refusal::Errno(libc::EACCES | libc::EPERM))
    }
}

impl From<&io::Error> for Refusal {
    fn from(error: &io::Error) -> Self {
        error.raw_os_error().map_or_else(|| Refusal::Reason(error.to_string()), Refusal::Errno)
    }
}

impl From<&Refusal> for io::Error {
    fn from(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Errno(number) => io::Error::from_raw_os_error(*number),
            Refusal::Reason(reason) => io::Error::new(io::ErrorKind::InvalidData, reason.clone()),
        }
    }
}

/// An answer, or why there is none.
pub type Answer<T> = Result<T, Refusal>;

/// A file as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// From its start.
    pub bytes: Vec<u8>,
    /// Whether this is all of it.
    pub whole: bool,
}

/// Questions and answers; the keys are absolute paths of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recording {
    /// Files.
    pub files: BTreeMap<String, Answer<Contents>>,
    /// Names in folders, sorted.
    pub folders: BTreeMap<String, Answer<Vec<String>>>,
    /// Texts of symbolic links.
    pub links: BTreeMap<String, Answer<String>>,
    /// Paths with all links resolved.
    pub real_paths: BTreeMap<String, Answer<String>>,
    /// Whether a path leads to something.
    pub present: BTreeMap<String, bool>,
    /// What no file tells, by call and what it was asked of.
    pub calls: BTreeMap<(Call, String), Answer<String>>,
    /// What was met and is no machine's own.
    pub troubles: BTreeSet<Trouble>,
}

impl Recording {
    /// How many questions were asked.
    pub fn len(&self) -> usize {
        self.files.len()
            + self.folders.len()
            + self.links.len()
            + self.real_paths.len()
            + self.present.len()
            + self.calls.len()
    }

    /// Whether nothing was asked.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the reader had no right to: files, folders and links by path, calls as `nvme-write-cache nvme0`.
    pub fn denied(&self) -> BTreeSet<String> {
        fn of<T>(answers: &BTreeMap<String, Answer<T>>) -> impl Iterator<Item = String> + '_ {
            let denied = |answer: &Answer<T>| answer.as_ref().is_err_and(Refusal::is_denied);
            answers.iter().filter(move |(_, answer)| denied(answer)).map(|(path, _)| path.clone())
        }
        let calls = self.calls.iter().filter(|(_, a)| a.as_ref().is_err_and(Refusal::is_denied));
        of(&self.files)
            .chain(of(&self.folders))
            .chain(of(&self.links))
            .chain(of(&self.real_paths))
            .chain(calls.map(|((call, of), _)| format!("{} {of}", call.word())))
            .collect()
    }
}

/// Passes every question on to another source and keeps it with its answer.
pub struct Recorder<'a> {
    source: &'a dyn Source,
    recording: Mutex<Recording>,
}

impl<'a> Recorder<'a> {
    /// Nothing is recorded yet.
    pub fn new(source: &'a dyn Source) -> Self {
        Recorder { source, recording: Mutex::default() }
    }

    /// What was asked so far, with what the source met.
    pub fn finish(self) -> Recording {
        let troubles = self.source.troubles().into_iter().collect();
        let recording = self.recording.into_inner().unwrap_or_else(PoisonError::into_inner);
        Recording { troubles, ..recording }
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer kept in `map`, or a new one from `ask`.
    fn ask<K: Ord, T: Clone>(
        &self,
        map: impl Fn(&mut Recording) -> &mut BTreeMap<K, Answer<T>>,
        key: K,
        ask: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        if let Some(known) = map(&mut self.recording()).get(&key) {
            return known.clone().map_err(|refusal| (&refusal).into());
        }
        let answer = ask();
        let kept = answer.as_ref().map(T::clone).map_err(Refusal::from);
        map(&mut self.recording()).insert(key, kept);
        answer
    }
}

impl Source for Recorder<'_> {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let mut recording = self.recording();
        if matches!(recording.files.get(path), Some(Ok(kept)) if !kept.whole) {
            recording.files.remove(path);
        }
        drop(recording);
        let whole = || self.source.read(path).map(|bytes| Contents { bytes, whole: true });
        self.ask(|r| &mut r.files, path.to_string(), whole).map(|kept| kept.bytes)
    }

    fn read_head(&self, path: &str, limit: usize) -> io::Result<Vec<u8>> {
        let mut recording = self.recording();
        if matches!(recording.files.get(path), Some(Ok(kept)) if kept.reaches(limit).is_none()) {
            recording.files.remove(path);
        }
        drop(recording);
        let head = || {
            let bytes = self.source.read_head(path, limit)?;
            // Shorter than was asked for, so it ended.
            let whole = bytes.len() < limit;
            Ok(Contents { bytes, whole })
        };
        let mut bytes = self.ask(|r| &mut r.files, path.to_string(), head)?.bytes;
        bytes.truncate(limit);
        Ok(bytes)
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.ask(|r| &mut r.folders, path.to_string(), || self.source.list(path))
    }

    fn link(&self, path: &str) -> io::Result<String> {
        self.ask(|r| &mut r.links, path.to_string(), || self.source.link(path))
    }

    fn real_path(&self, path: &str) -> io::Result<String> {
        self.ask(|r| &mut r.real_paths, path.to_string(), || self.source.real_path(path))
    }

    fn exists(&self, path: &str) -> bool {
        if let Some(known) = self.recording().present.get(path) {
            return *known;
        }
        let exists = self.source.exists(path);
        self.recording().present.insert(path.to_string(), exists);
        exists
    }

    fn call(&self, call: Call, of: &str) -> io::Result<String> {
        self.ask(|r| &mut r.calls, (call, of.to_string()), || self.source.call(call, of))
    }

    fn troubles(&self) -> Vec<Trouble> {
        self.source.troubles()
    }

    fn is_live(&self) -> bool {
        self.source.is_live()
    }
}

impl Contents {
    /// The first `limit` bytes, if that many were read or there are no more.
    fn reaches(&self, limit: usize) -> Option<&[u8]> {
        let enough = self.whole || self.bytes.len() >= limit;
        enough.then(|| &self.bytes[..limit.min(self.bytes.len())])
    }
}

/// Answers from a recording. What was never asked is absent, and counted.
pub struct Replay {
    recording: Recording,
    unasked: Mutex<BTreeSet<String>>,
}

impl Replay {
    /// A machine as it was recorded.
    pub fn new(recording: Recording) -> Self {
        Replay { recording, unasked: Mutex::default() }
    }

    /// What it answers from.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Paths and calls that the recording holds no answer to, neither good nor bad.
    pub fn unasked(&self) -> BTreeSet<String> {
        self.unasked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn answer<T: Clone>(&self, answer: Option<&Answer<T>>, asked: &str) -> io::Result<T> {
        match answer {
            Some(Ok(answer)) => Ok(answer.clone()),
            Some(Err(refusal)) => Err(refusal.into()),
            None => Err(self.never_asked(asked)),
        }
    }

    fn never_asked(&self, asked: &str) -> io::Error {
        self.unasked.lock().unwrap_or_else(PoisonError::into_inner).insert(asked.to_string());
        io::Error::from_raw_os_error(libc::ENOENT)
    }
}

impl Source for Replay {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let kept = self.answer(self.recording.files.get(path), path)?;
        if kept.whole { Ok(kept.bytes) } else { Err(self.never_asked(path)) }
    }

    fn read_head(&self, path: &str, limit: usize) -> io::Result<Vec<u8>> {
        let kept = self.answer(self.recording.files.get(path), path)?;
        kept.reaches(limit).map(<[u8]>::to_vec).ok_or_else(|| self.never_asked(path))
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.answer(self.recording.folders.get(path), path)
    }

    fn link(&self, path: &str) -> io::Result<String> {
        self.answer(self.recording.links.get(path), path)
    }

    fn real_path(&self, path: &str) -> io::Result<String> {
        self.answer(self.recording.real_paths.get(path), path)
    }

    fn exists(&self, path: &str) -> bool {
        let r = &self.recording;
        // What was read or listed is there, whether or not that was asked.
        let shown = matches!(r.files.get(path), Some(Ok(_)))
            || matches!(r.folders.get(path), Some(Ok(_)))
            || matches!(r.real_paths.get(path), Some(Ok(_)));
        r.present.get(path).copied().unwrap_or_else(|| {
            if !shown {
                self.never_asked(path);
            }
            shown
        })
    }

    fn call(&self, call: Call, of: &str) -> io::Result<String> {
        let asked = format!("{} {of}", call.word());
        self.answer(self.recording.calls.get(&(call, of.to_string())), &asked)
    }

    fn troubles(&self) -> Vec<Trouble> {
        self.recording.troubles.iter().cloned().collect()
    }

    fn is_live(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;

    fn tree() -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("sys/a")).unwrap();
        std::fs::write(folder.path().join("sys/a/size"), "12345678\n").unwrap();
        std::os::unix::fs::symlink("a", folder.path().join("sys/b")).unwrap();
        std::os::unix::fs::symlink("c", folder.path().join("sys/c")).unwrap();
        let tree = Tree::new(folder.path());
        (folder, tree)
    }

    /// Everything that can be asked of these paths, as text.
    fn answers(source: &dyn Source) -> Vec<String> {
        fn said<T: std::fmt::Debug>(answer: io::Result<T>) -> String {
            format!("{:?}", answer.map_err(|error| error.to_string()))
        }
        let mut answers = Vec::new();
        for path in ["/sys/a/size", "/sys/a", "/sys/b", "/sys/c", "/sys/none"] {
            answers.extend([said(source.read_head(path, 3)), said(source.read(path))]);
            answers.extend([said(source.list(path)), said(source.link(path))]);
            answers.extend([said(source.real_path(path)), said(source.call(Call::Mount, path))]);
            answers.push(format!("{path} {}", source.exists(path)));
        }
        answers
    }

    #[test]
    fn a_replay_says_what_the_source_said_and_refuses_what_it_refused() {
        let (_folder, tree) = tree();
        let plain = answers(&tree);
        let recorder = Recorder::new(&tree);
        assert_eq!(answers(&recorder), plain);
        let recording = recorder.finish();
        assert_eq!(recording.troubles.len(), 1, "{:?}", recording.troubles);
        let replay = Replay::new(recording);
        assert_eq!(answers(&replay), plain);
        assert_eq!(replay.troubles(), tree.troubles());
        assert!(replay.unasked().is_empty());
    }

    #[test]
    fn a_file_that_changes_keeps_its_first_answer_and_grows_where_more_is_asked() {
        let (folder, tree) = tree();
        let recorder = Recorder::new(&tree);
        assert_eq!(recorder.read_head("/sys/a/size", 4).unwrap(), b"1234");
        assert_eq!(recorder.read_head("/sys/a/size", 2).unwrap(), b"12");
        assert_eq!(recorder.read("/sys/a/size").unwrap(), b"12345678\n");
        std::fs::write(folder.path().join("sys/a/size"), "9\n").unwrap();
        assert_eq!(recorder.read("/sys/a/size").unwrap(), b"12345678\n");
        assert_eq!(recorder.read_head("/sys/a/size", 100).unwrap(), b"12345678\n");
        let contents = Contents { bytes: b"12345678\n".to_vec(), whole: true };
        assert_eq!(recorder.finish().files["/sys/a/size"], Ok(contents));
    }

    #[test]
    fn what_was_never_asked_is_absent_and_counted() {
        let (_folder, tree) = tree();
        let recorder = Recorder::new(&tree);
        recorder.read_head("/sys/a/size", 4).unwrap();
        let replay = Replay::new(recorder.finish());
        assert!(replay.exists("/sys/a/size"), "it was read, so it is there");
        assert!(!replay.exists("/sys/new") && replay.list("/sys/a").is_err());
        // Only its head is known.
        assert!(replay.read("/sys/a/size").is_err());
        let unasked: Vec<String> = replay.unasked().into_iter().collect();
        assert_eq!(unasked, ["/sys/a", "/sys/a/size", "/sys/new"]);
    }

    #[test]
    fn what_may_not_be_read_is_told_apart_from_what_is_not_there() {
        let denied = |number| Err(Refusal::Errno(number));
        let mut recording = Recording::default();
        recording.files.insert("/sys/secret".into(), denied(libc::EACCES));
        recording.files.insert("/sys/none".into(), denied(libc::ENOENT));
        recording
            .calls
            .insert((Call::NvmeWriteCache, "nvme0".into()), Err(Refusal::Errno(libc::EPERM)));
        let denied: Vec<String> = recording.denied().into_iter().collect();
        assert_eq!(denied, ["/sys/secret", "nvme-write-cache nvme0"]);
    }
}
