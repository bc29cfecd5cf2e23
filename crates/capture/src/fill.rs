//! The running machine, with a capture of it to answer what it refuses.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, PoisonError};

use narrows_facts::{Call, Refusal, Replay, Source, Trouble};

/// Answers from the machine first. From the capture only what the machine refuses for lack of a right, or what a container
/// hides, and only of what doesn't change: the firmware's word, the drives' word, never processes or settings.
pub struct Filled<'a> {
    live: &'a dyn Source,
    capture: &'a Replay,
    filled: Mutex<BTreeSet<String>>,
}

impl<'a> Filled<'a> {
    /// `live`, filled in from `capture`.
    pub fn new(live: &'a dyn Source, capture: &'a Replay) -> Self {
        Filled { live, capture, filled: Mutex::default() }
    }

    /// What the capture answered: paths, and calls with what they were asked of.
    pub fn filled(&self) -> BTreeSet<String> {
        self.filled.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn or_captured<T>(
        &self,
        what: &str,
        stands: bool,
        live: io::Result<T>,
        captured: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        let Err(error) = live else { return live };
        let hidden = error.kind() == io::ErrorKind::NotFound && is_firmwares(what);
        if !stands || !(hidden || Refusal::from(&error).is_denied()) {
            return Err(error);
        }
        let Ok(answer) = captured() else { return Err(error) };
        self.filled.lock().unwrap_or_else(PoisonError::into_inner).insert(what.to_string());
        Ok(answer)
    }
}

/// Files that stay as they are while the hardware does.
fn stands(path: &str) -> bool {
    is_firmwares(path) || (path.starts_with("/sys/") && !path.starts_with("/sys/fs/"))
}

/// What the firmware says; containers often hide it.
fn is_firmwares(path: &str) -> bool {
    path.starts_with("/sys/firmware/") || path == "/run/udev/data/+dmi:id"
}

impl Source for Filled<'_> {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.or_captured(path, stands(path), self.live.read(path), || self.capture.read(path))
    }

    fn read_head(&self, path: &str, limit: usize) -> io::Result<Vec<u8>> {
        let live = self.live.read_head(path, limit);
        self.or_captured(path, stands(path), live, || self.capture.read_head(path, limit))
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.or_captured(path, stands(path), self.live.list(path), || self.capture.list(path))
    }

    fn link(&self, path: &str) -> io::Result<String> {
        self.live.link(path)
    }

    fn real_path(&self, path: &str) -> io::Result<String> {
        self.live.real_path(path)
    }

    fn exists(&self, path: &str) -> bool {
        self.live.exists(path) || (is_firmwares(path) && self.capture.exists(path))
    }

    fn call(&self, call: Call, of: &str) -> io::Result<String> {
        let asked = format!("{} {of}", call.word());
        let stands =
            matches!(call, Call::NvmeWriteCache | Call::MapperTargets | Call::PcieFlitMode);
        let live = self.live.call(call, of);
        self.or_captured(&asked, stands, live, || self.capture.call(call, of))
    }

    fn troubles(&self) -> Vec<Trouble> {
        self.live.troubles()
    }

    fn is_live(&self) -> bool {
        self.live.is_live()
    }
}

#[cfg(test)]
mod tests {
    use narrows_facts::{Contents, Recording};

    use super::*;

    const DENIED: Refusal = Refusal::Errno(libc::EACCES);
    const ABSENT: Refusal = Refusal::Errno(libc::ENOENT);

    fn machine(files: &[(&str, Result<&str, Refusal>)]) -> Replay {
        let mut recording = Recording::default();
        for (path, answer) in files {
            let answer = answer.clone();
            let contents =
                answer.map(|text| Contents { bytes: text.as_bytes().to_vec(), whole: true });
            recording.files.insert(path.to_string(), contents);
        }
        Replay::new(recording)
    }

    #[test]
    fn only_what_is_refused_and_stands_is_filled_in() {
        let live = machine(&[
            ("/sys/firmware/dmi/tables/DMI", Err(DENIED)),
            ("/sys/firmware/dmi/entries/17-0/raw", Err(ABSENT)),
            ("/sys/block/sda/secret", Err(DENIED)),
            ("/sys/block/sda/gone", Err(ABSENT)),
            ("/sys/block/sda/model", Ok("now")),
            ("/sys/fs/cgroup/cpu.max", Err(DENIED)),
            ("/proc/12/cmdline", Err(DENIED)),
        ]);
        let then: Vec<(&str, Result<&str, Refusal>)> =
            live.recording().files.keys().map(|path| (path.as_str(), Ok("then"))).collect();
        let capture = machine(&then);
        let filled = Filled::new(&live, &capture);
        let said =
            |path: &str| filled.read(path).map(|bytes| String::from_utf8(bytes).unwrap()).ok();
        assert_eq!(said("/sys/firmware/dmi/tables/DMI").as_deref(), Some("then"));
        assert_eq!(said("/sys/firmware/dmi/entries/17-0/raw").as_deref(), Some("then"));
        assert_eq!(said("/sys/block/sda/secret").as_deref(), Some("then"));
        assert_eq!(said("/sys/block/sda/model").as_deref(), Some("now"));
        for path in ["/sys/block/sda/gone", "/sys/fs/cgroup/cpu.max", "/proc/12/cmdline"] {
            assert_eq!(said(path), None, "{path}");
        }
        assert_eq!(filled.filled().len(), 3);
    }

    #[test]
    fn a_drive_that_may_not_be_asked_answers_from_the_capture() {
        let mut recording = Recording::default();
        let asked = (Call::NvmeWriteCache, "nvme0".to_string());
        recording.calls.insert(asked.clone(), Err(DENIED));
        recording.calls.insert((Call::Root, String::new()), Ok("0".to_string()));
        let live = Replay::new(recording.clone());
        recording.calls.insert(asked, Ok("1 0".to_string()));
        recording.calls.insert((Call::Root, String::new()), Ok("1".to_string()));
        let capture = Replay::new(recording);
        let filled = Filled::new(&live, &capture);
        let source: &dyn Source = &filled;
        assert!(source.nvme_write_cache("nvme0").is_some_and(|cache| !cache.is_volatile()));
        assert!(!source.is_root(), "the rights are those of now");
    }
}
