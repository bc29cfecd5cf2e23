//! Before a file or device is read: what its cache, in memory or on another device, and its log are asked first, in the one order in which
//! nothing old stays in the cache.
//!
//! The cache comes first. What the log takes after that was begun after that, and then the cache refuses what was read. What the log took
//! before is in what it is asked for next, or was moved by then and is in the file. `tests/it/log_and_cache.rs` goes through all orders.

use crate::backing::logged::Overlay;
use crate::backing::{Backing, CacheRead};
use crate::namespace::Namespace;

/// For whom is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// For a host: it is counted.
    Host,
    /// For a cache that is warmed.
    WarmUp,
}

/// What is known before a file or device is read.
#[derive(Debug)]
pub(crate) struct ReadBeginning {
    /// What the cache is to be shown with what was read.
    pub(crate) cache: Option<CacheRead>,
    /// The same for a cache on another device.
    pub(crate) device_cache: Option<CacheRead>,
    /// What the log holds, to be laid over what is read.
    pub(crate) overlay: Vec<Overlay>,
}

impl Namespace {
    /// Before bytes are read that the cache does not have.
    pub(crate) fn begin_reading(&self, offset: u64, bytes: u32, reader: Reader) -> ReadBeginning {
        self.begin_reading_with(offset, bytes, reader, || {})
    }

    /// The same, with what others do `between` the two.
    fn begin_reading_with(
        &self,
        offset: u64,
        bytes: u32,
        reader: Reader,
        between: impl FnOnce(),
    ) -> ReadBeginning {
        let cache = self.cache.as_ref().and_then(|cache| match reader {
            Reader::Host => cache.begin_read(offset, bytes),
            Reader::WarmUp => cache.begin_warming(offset, bytes),
        });
        // It begins empty and is never warmed.
        let device_cache = self.device_cache.as_ref().filter(|_| reader == Reader::Host);
        let device_cache = device_cache.and_then(|cache| cache.begin_read(offset, bytes));
        between();
        let overlay = match &self.backing {
            Backing::Logged(disk) => disk.overlay(offset, bytes),
            Backing::Null | Backing::Ram(_) | Backing::File(_) => Vec::new(),
        };
        ReadBeginning { cache, device_cache, overlay }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clap::Parser;
    use narrows_log_tier::{Action, Change};

    use super::*;
    use crate::backing::logged::{Outcome, Owner, Waiter, lay_over};
    use crate::backing::open;
    use crate::log_command::{self, LogVerb};
    use crate::reactor::Inbox;
    use crate::spec::namespace_of;

    #[derive(Parser)]
    struct LogArguments {
        #[command(subcommand)]
        verb: LogVerb,
    }

    /// A write of the first page that is done from its begin to its end.
    fn write(namespace: &Namespace, inbox: &Arc<Inbox>, content: u8) {
        let Backing::Logged(disk) = &namespace.backing else { panic!("it has a log") };
        let data = [content; 4096];
        let cached = namespace.begins([(0, 4096)]).unwrap();
        let change = Change { action: Action::Write, offset: 0, bytes: 4096, data: &data };
        let owner = Owner { inbox: Arc::clone(inbox), peer: 0, serial: 0 };
        let outcome = disk.append(&change, Waiter { owner, slot: 0 }, false);
        assert!(matches!(outcome, Outcome::Appended(_)), "{outcome:?}");
        cached.written(0, &data);
    }

    #[test]
    fn a_write_between_cache_and_log_leaves_no_old_page() {
        let folder = tempfile::tempdir().unwrap();
        let (file, log) = (folder.path().join("disk"), folder.path().join("log"));
        std::fs::write(&file, [1; 8192]).unwrap();
        std::fs::File::create(&log).unwrap().set_len((4 << 20) + (8 << 10)).unwrap();
        let (file, log) = (file.to_str().unwrap(), log.to_str().unwrap());
        let made = LogArguments::parse_from(["log", "make", "--for", file, "--log", log]);
        log_command::run(made.verb).unwrap();
        let spec = namespace_of(&format!("{file},log={log},cache=ram:1MiB")).unwrap();
        let nqn = "nqn.2026-11.org.example:a".parse().unwrap();
        let namespace = Namespace::new(1, &nqn, &spec, open(&spec).unwrap());
        let (cache, inbox) = (namespace.cache.clone().unwrap(), Arc::new(Inbox::new().unwrap()));
        for (reader, content) in [(Reader::Host, 2), (Reader::WarmUp, 3)] {
            let others = || write(&namespace, &inbox, content);
            let begun = namespace.begin_reading_with(0, 4096, reader, others);
            // The file is as old as it was: nothing was moved.
            let mut read = [1; 4096];
            lay_over(&begun.overlay, &mut read);
            assert_eq!(read, [content; 4096], "{reader:?}");
            cache.fill(begun.cache.unwrap(), 0, &read);
            assert!(cache.hit(0, 4096).is_none(), "{reader:?}: it was overtaken");
            // And without anybody between it stays, as it is now.
            let begun = namespace.begin_reading(0, 4096, reader);
            let mut read = [1; 4096];
            lay_over(&begun.overlay, &mut read);
            cache.fill(begun.cache.unwrap(), 0, &read);
            let mut found = [0; 4096];
            cache.hit(0, 4096).expect("it was read").copy_to(&mut found);
            assert_eq!(found, [content; 4096], "{reader:?}");
            cache.clear();
        }
        assert_eq!(cache.shards().total().asked.misses, 2, "hosts are counted, and nobody else");
    }
}
