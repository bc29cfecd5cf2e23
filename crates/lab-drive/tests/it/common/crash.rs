//! A crash test in the laboratory: list, writer, cut.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use narrows_crashtest::{Acknowledged, Collector, Counts, Cut, Machine, Written, conclude};
use narrows_engine::Stop;
use narrows_model::CrashTest;

use crate::common::until;

/// Fewer records than a real test asks for: these tests know when they cut.
pub const LEAST: u64 = 200;

/// A list that is being kept on this machine.
pub struct Listening {
    pub path: PathBuf,
    pub address: String,
    thread: JoinHandle<Acknowledged>,
}

impl Listening {
    pub fn start(path: PathBuf) -> Listening {
        let collector = Collector::bind("127.0.0.1:0").unwrap();
        let address = collector.address().unwrap().to_string();
        let list = path.clone();
        let thread = std::thread::spawn(move || {
            collector.collect(&list, None, &Stop::new(), &mut |_| {}).unwrap()
        });
        Listening { path, address, thread }
    }

    /// Waits until so many records are in the list.
    pub fn wait_for(&self, records: u64) {
        let total = || Acknowledged::read(&self.path).map_or(0, |list| list.total());
        assert!(until(|| total() >= records), "only {} records came", total());
    }

    /// Waits until so many more records are in the list than now.
    pub fn wait_for_more(&self, records: u64) {
        self.wait_for(Acknowledged::read(&self.path).map_or(0, |list| list.total()) + records);
    }

    /// The list, once the writer has ended.
    pub fn end(self) -> Acknowledged {
        self.thread.join().unwrap()
    }
}

/// A writer in a thread, stopped and joined by [`Writing::stop`].
pub struct Writing {
    stop: Stop,
    thread: JoinHandle<Written>,
}

impl Writing {
    pub fn start(write: impl FnOnce(&Stop) -> Written + Send + 'static) -> Writing {
        let stop = Stop::new();
        let token = stop.clone();
        Writing { stop, thread: std::thread::spawn(move || write(&token)) }
    }

    pub fn stop(self) -> Written {
        self.stop.set();
        self.end()
    }

    /// Waits until the drive's end ends it.
    pub fn end(self) -> Written {
        self.thread.join().unwrap()
    }
}

/// The checker's word, told that the drive's power was cut.
pub fn judged(list: &Acknowledged, counts: Counts) -> CrashTest {
    let cut = Cut::of(list, &Machine::this(), Some("the power of the laboratory's drive"));
    conclude(&list.terms, counts, &cut, LEAST)
}

/// A path for the list.
pub fn list_in(folder: &Path) -> PathBuf {
    folder.join("acknowledged")
}
