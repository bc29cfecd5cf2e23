//! Reads again what a cache had before a restart: in the background, one read at a time, and most of the time none.
//!
//! A page comes in by the rules of every other page that is read: what was written since its read began keeps it out, and what a log holds
//! is laid over it. Nobody leaves for it. So what is warmed is what a host would read, and a host is never worse off but for the reads
//! themselves: they take a quarter of the time at most, and 64 MiB/s.

use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use narrows_read_cache::SavedPage;

use crate::backing::logged::lay_over;
use crate::backing::{CacheIndex, FileDisk, MemoryCache, WarmUp};
use crate::buffer::{Buffer, LARGEST};
use crate::journal;
use crate::namespace::Namespace;
use crate::reading::Reader;

/// Most that is read in a second, bytes.
const BYTES_PER_SECOND: u64 = 64 << 20;
/// Of the time in which somebody reads, so many times as long nobody does.
const PAUSES: u32 = 3;
/// Pages that are put in the order of the file before they are read: the order of worth holds between such groups.
const GROUP: usize = 4096;
const PAGE: u64 = MemoryCache::PAGE_BYTES as u64;
/// Pages of one read.
const RUN: usize = LARGEST / MemoryCache::PAGE_BYTES as usize;

/// Pages that are to be read again.
#[derive(Debug, Default)]
pub(crate) struct PagesToWarm {
    /// Pages that follow each other, each of one read; the next last.
    runs: Vec<Vec<SavedPage>>,
    /// Those that are worth most last.
    rest: Vec<SavedPage>,
}

impl PagesToWarm {
    /// These, of which those that are worth most come first.
    pub(crate) fn new(mut pages: Vec<SavedPage>) -> PagesToWarm {
        pages.reverse();
        PagesToWarm { runs: Vec::new(), rest: pages }
    }

    /// The pages of the next read.
    fn next_run(&mut self) -> Option<Vec<SavedPage>> {
        if self.runs.is_empty() {
            let mut group = self.rest.split_off(self.rest.len().saturating_sub(GROUP));
            group.sort_unstable_by_key(SavedPage::page);
            let follows = |a: &SavedPage, b: &SavedPage| a.page().0 + 1 == b.page().0;
            let runs = group.chunk_by(follows).flat_map(|run| run.chunks(RUN));
            self.runs = runs.map(<[SavedPage]>::to_vec).collect();
            self.runs.reverse();
        }
        self.runs.pop()
    }

    /// What was not read yet, those that are worth most first.
    pub(crate) fn left(self) -> Vec<SavedPage> {
        let runs = self.runs.into_iter().rev().flatten();
        runs.chain(self.rest.into_iter().rev()).collect()
    }
}

impl Namespace {
    /// Reads some of these pages again; how many bytes were read, or `None` once there is nothing left to read.
    ///
    /// # Errors
    /// What the file or device said.
    pub(crate) fn warm_some(
        &self,
        pages: &mut PagesToWarm,
        bounce: &mut Buffer,
    ) -> io::Result<Option<u64>> {
        let parts = (&self.cache, &self.cache_index, self.backing.file());
        let (Some(cache), Some(index), Some(disk)) = parts else { return Ok(None) };
        while let Some(run) = pages.next_run() {
            if index.is_stopped() {
                *pages = PagesToWarm::default();
                return Ok(None);
            }
            let wanted = |saved: &SavedPage| cache.has_room_for(saved.page());
            let (Some(first), Some(last)) =
                (run.iter().position(wanted), run.iter().rposition(wanted))
            else {
                continue;
            };
            let run = &run[first..=last];
            let admitted = self.warm_run(cache, disk, run, bounce)?;
            index.count_warmed(admitted);
            return Ok(Some(run.len() as u64 * PAGE));
        }
        Ok(None)
    }

    /// Reads pages that follow each other; how many found room.
    fn warm_run(
        &self,
        cache: &MemoryCache,
        disk: &FileDisk,
        run: &[SavedPage],
        bounce: &mut Buffer,
    ) -> io::Result<u64> {
        let (offset, bytes) = (run[0].page().0 * PAGE, run.len() * PAGE as usize);
        let begun = self.begin_reading(offset, bytes as u32, Reader::WarmUp);
        let read = bounce.bytes_mut(bytes);
        disk.file.read_exact_at(read, offset)?;
        lay_over(&begun.overlay, read);
        Ok(begun.cache.map_or(0, |begun| cache.warm(begun, run, read)))
    }
}

/// Asks a thread to end, and wakes it from its pause.
#[derive(Debug, Default)]
struct End {
    wanted: Mutex<bool>,
    bell: Condvar,
}

impl End {
    /// Waits for so long; whether the end is wanted.
    fn wait(&self, pause: Duration) -> bool {
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.bell.wait_timeout_while(wanted, pause, |wanted| !*wanted);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The thread that warms a namespace.
#[derive(Debug)]
pub(crate) struct Warmer {
    namespace: Arc<Namespace>,
    end: Arc<End>,
    handle: JoinHandle<PagesToWarm>,
}

impl Warmer {
    /// Starts it, where the index of a namespace's cache names pages.
    ///
    /// # Errors
    /// Where there is no thread to be had.
    pub(crate) fn start(namespace: &Arc<Namespace>) -> io::Result<Option<Warmer>> {
        let found = namespace.cache_index.as_ref().map(CacheIndex::take_found).unwrap_or_default();
        if found.is_empty() {
            return Ok(None);
        }
        let end = Arc::<End>::default();
        let (its, its_end) = (Arc::clone(namespace), Arc::clone(&end));
        let builder = thread::Builder::new().name("target-warmer".to_string());
        let handle = builder.spawn(move || warm(&its, PagesToWarm::new(found), &its_end))?;
        Ok(Some(Warmer { namespace: Arc::clone(namespace), end, handle }))
    }

    /// Ends it; the namespace, and the pages that were not read yet.
    pub(crate) fn stop(self) -> (Arc<Namespace>, Vec<SavedPage>) {
        *self.end.wanted.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.end.bell.notify_all();
        // A thread that panicked read nothing more; the cache goes on without.
        let left = self.handle.join().unwrap_or_default();
        (self.namespace, left.left())
    }
}

fn warm(namespace: &Namespace, mut pages: PagesToWarm, end: &End) -> PagesToWarm {
    let Some(index) = &namespace.cache_index else { return pages };
    let mut bounce = Buffer::largest();
    let begun = Instant::now();
    let state = loop {
        let asked = Instant::now();
        match namespace.warm_some(&mut pages, &mut bounce) {
            Ok(Some(bytes)) => {
                if end.wait(pause_after(bytes, asked.elapsed())) {
                    return pages;
                }
            }
            Ok(None) if index.is_stopped() => break WarmUp::Stopped("it was evicted".to_string()),
            Ok(None) => break WarmUp::Warm,
            Err(error) => {
                pages = PagesToWarm::default();
                break WarmUp::Stopped(error.to_string());
            }
        }
    };
    let (named, warmed) = index.counts();
    let (_, reason) = state.words();
    let ended = matches!(state, WarmUp::Stopped(_));
    journal::line(
        if ended { "cache-warm-up-stopped" } else { "cache-warm" },
        &[
            ("nsid", &namespace.number),
            ("pages", &warmed),
            ("named", &named),
            ("seconds", &format!("{:.1}", begun.elapsed().as_secs_f64())),
            ("reason", &reason.unwrap_or("-")),
        ],
    );
    index.set_warm_up(state);
    pages
}

/// How long nothing is read after so many bytes, which took so long.
fn pause_after(bytes: u64, took: Duration) -> Duration {
    let least = Duration::from_nanos(bytes * 1_000_000_000 / BYTES_PER_SECOND).saturating_sub(took);
    least.max(took * PAUSES)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use narrows_read_cache::{Page, PageRange, ReadCache};

    use super::*;
    use crate::backing::open;
    use crate::restart::save_index;
    use crate::spec::namespace_of;

    /// Entries of an index with these pages, in the order in which they came.
    fn saved(pages: &[u64]) -> Vec<SavedPage> {
        let mut cache = ReadCache::new(pages.len() as u32, MemoryCache::PAGE_BYTES, None);
        for page in pages {
            let start = cache.begin_read(PageRange::one(Page(*page)));
            cache.admit(start, Page(*page));
        }
        cache.saved_pages(|_| 0)
    }

    #[test]
    fn pages_that_follow_each_other_are_read_at_once_and_nothing_is_left_out() {
        let numbers: Vec<u64> = (0..600).chain([1000, 1002, 1001, 5000]).collect();
        let mut pages = PagesToWarm::new(saved(&numbers));
        let of = |run: &[SavedPage]| (run[0].page().0, run.len());
        let mut runs = Vec::new();
        while let Some(run) = pages.next_run() {
            runs.push(of(&run));
        }
        assert_eq!(runs, [(0, 256), (256, 256), (512, 88), (1000, 3), (5000, 1)]);
        assert_eq!(pages.left(), []);
    }

    #[test]
    fn those_that_are_worth_most_are_read_first_and_the_others_are_left_in_order() {
        let numbers: Vec<u64> = (0..10_000).map(|page| page * 2).collect();
        let by_worth = saved(&numbers);
        let mut pages = PagesToWarm::new(by_worth.clone());
        for page in 0..GROUP as u64 {
            assert_eq!(pages.next_run().unwrap()[0].page(), Page(page * 2));
        }
        assert_eq!(pages.next_run().unwrap()[0].page(), Page(GROUP as u64 * 2));
        assert_eq!(pages.left(), by_worth[GROUP + 1..]);
    }

    #[test]
    fn a_drive_that_is_slow_is_left_alone_for_longer() {
        let ms = Duration::from_millis;
        assert_eq!(pause_after(1 << 20, Duration::ZERO), Duration::from_nanos(15_625_000));
        assert_eq!(pause_after(1 << 20, ms(2)), Duration::from_nanos(13_625_000));
        assert_eq!(pause_after(4096, ms(10)), ms(30));
    }

    /// A namespace, as it is opened and marked.
    fn namespace(text: &str) -> Namespace {
        let spec = namespace_of(text).unwrap();
        let nqn = "nqn.2026-11.org.example:a".parse().unwrap();
        let namespace = Namespace::new(1, &nqn, &spec, open(&spec).unwrap());
        namespace.cache_index.as_ref().unwrap().mark().unwrap();
        namespace
    }

    fn pages_of(namespace: &Namespace) -> PagesToWarm {
        PagesToWarm::new(namespace.cache_index.as_ref().unwrap().take_found())
    }

    fn state_of(namespace: &Namespace) -> WarmUp {
        namespace.cache_index.as_ref().unwrap().warm_up()
    }

    /// Each page of the first half of the file is of its own number.
    fn file_of(folder: &Path, pages: usize) -> (PathBuf, String) {
        let file = folder.join("disk");
        let content: Vec<u8> = (0..pages).flat_map(|page| vec![page as u8; 4096]).collect();
        std::fs::write(&file, content).unwrap();
        let text =
            format!("{},cache=ram:2MiB,cache-index={}/index", file.display(), folder.display());
        (file, text)
    }

    /// Has the cache read these pages.
    fn read(namespace: &Namespace, pages: std::ops::Range<u64>) {
        let cache = namespace.cache.as_ref().unwrap();
        for page in pages {
            let read = cache.begin_read(page * PAGE, PAGE as u32).unwrap();
            cache.fill(read, page * PAGE, &[page as u8; PAGE as usize]);
        }
    }

    #[test]
    fn an_index_of_a_warm_up_that_was_cut_short_names_the_rest_too() {
        let folder = tempfile::tempdir().unwrap();
        let (_file, text) = file_of(folder.path(), 1024);
        let first = namespace(&text);
        assert_eq!(state_of(&first), WarmUp::Cold("nothing was saved yet".to_string()));
        // Two runs, far from each other.
        read(&first, 0..100);
        read(&first, 500..600);
        save_index(&first, Vec::new());
        drop(first);
        for round in 0..3 {
            let again = namespace(&text);
            assert_eq!(state_of(&again), WarmUp::Warming, "round {round}");
            let mut pages = pages_of(&again);
            let bytes = again.warm_some(&mut pages, &mut Buffer::largest()).unwrap();
            assert_eq!(bytes, Some(100 * PAGE));
            let used = again.cache.as_ref().unwrap().shards().total().used_pages;
            assert_eq!((used, again.cache_index.as_ref().unwrap().counts()), (100, (200, 100)));
            save_index(&again, pages.left());
        }
        let last = namespace(&text);
        let mut pages = pages_of(&last);
        let mut bounce = Buffer::largest();
        while last.warm_some(&mut pages, &mut bounce).unwrap().is_some() {}
        let cache = last.cache.as_ref().unwrap();
        assert_eq!(
            (cache.shards().total().used_pages, cache.shards().total().asked.reads),
            (200, 0)
        );
        for page in (0..100).chain(500..600) {
            let mut found = [0; PAGE as usize];
            cache.hit(page * PAGE, PAGE as u32).expect("it was warmed").copy_to(&mut found);
            assert_eq!(found, [page as u8; PAGE as usize], "page {page}");
        }
    }

    #[test]
    fn who_empties_a_cache_ends_its_warm_up_and_a_file_that_was_cut_does_too() {
        let folder = tempfile::tempdir().unwrap();
        let (file, text) = file_of(folder.path(), 1024);
        let first = namespace(&text);
        read(&first, 0..100);
        read(&first, 500..600);
        save_index(&first, Vec::new());
        drop(first);
        let again = namespace(&text);
        let (mut pages, mut bounce) = (pages_of(&again), Buffer::largest());
        assert!(again.warm_some(&mut pages, &mut bounce).unwrap().is_some());
        again.cache_index.as_ref().unwrap().stop_warming();
        assert_eq!(again.warm_some(&mut pages, &mut bounce).unwrap(), None);
        assert_eq!(pages.left(), []);
        save_index(&again, Vec::new());
        drop(again);
        let third = namespace(&text);
        let mut pages = pages_of(&third);
        std::fs::File::options().write(true).open(&file).unwrap().set_len(PAGE).unwrap();
        assert!(third.warm_some(&mut pages, &mut bounce).is_err());
        assert_eq!(third.cache.as_ref().unwrap().shards().total().used_pages, 0);
    }

    #[test]
    fn an_index_is_believed_once_and_by_what_it_is_of() {
        let folder = tempfile::tempdir().unwrap();
        let (file, text) = file_of(folder.path(), 1024);
        let reason = |text: &str| match state_of(&namespace(text)) {
            WarmUp::Cold(reason) => reason,
            other => panic!("{other:?}"),
        };
        let save = |text: &str| {
            let namespace = namespace(text);
            read(&namespace, 0..10);
            save_index(&namespace, Vec::new());
        };
        save(&text);
        assert_eq!(state_of(&namespace(&text)), WarmUp::Warming);
        // That one did not end in order, and neither does the next.
        assert!(reason(&text).contains("did not end in order"));
        save(&text);
        // Of the same length, and written long ago as far as its time says.
        let modified = std::fs::metadata(&file).unwrap().modified().unwrap();
        std::fs::write(&file, vec![9; 4 << 20]).unwrap();
        let times = std::fs::FileTimes::new().set_modified(modified);
        std::fs::File::options().write(true).open(&file).unwrap().set_times(times).unwrap();
        assert!(reason(&text).contains("changed since by somebody else"));
        save(&text);
        let copy = folder.path().join("copy");
        std::fs::copy(&file, &copy).unwrap();
        let other = text.replacen("/disk,", "/copy,", 1);
        assert!(reason(&other).contains("of another namespace"));
        save(&text);
        // A larger cache, with other shards, takes it up; so does a smaller one, as far as it has room.
        let larger = text.replace("ram:2MiB", "ram:64MiB");
        assert_eq!(state_of(&namespace(&larger)), WarmUp::Warming);
        // A flush that failed: nobody knows what is in the file.
        let lost = namespace(&text);
        lost.lost_writes.store(true, std::sync::atomic::Ordering::Release);
        save_index(&lost, Vec::new());
        drop(lost);
        assert!(reason(&text).contains("did not end in order"));
    }

    #[test]
    fn an_index_is_nothing_else_and_one_cache_s_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (file, text) = file_of(folder.path(), 1024);
        let why = |text: &str| match open(&namespace_of(text).unwrap()) {
            Ok(_) => panic!("{text} is opened"),
            Err(error) => format!("{error} {}", error.hint().unwrap_or("-")),
        };
        let index = folder.path().join("index");
        for content in [&b"my only copy"[..], &[0; 513], &[7; 4096]] {
            std::fs::write(&index, content).unwrap();
            let said = why(&text);
            assert!(
                said.contains("named as the index of a cache, and holds something else"),
                "{said}"
            );
            assert_eq!(std::fs::read(&index).unwrap(), content);
        }
        std::fs::remove_file(&index).unwrap();
        let own = format!("{},cache=ram:1MiB,cache-index={}", file.display(), file.display());
        let said = why(&own);
        assert!(said.contains("named twice") && said.contains("of their own"), "{said}");
        let held = namespace(&text);
        let other = folder.path().join("other");
        std::fs::write(&other, [0; 8192]).unwrap();
        let said = why(&text.replacen("/disk,", "/other,", 1));
        assert!(said.contains("holds its lock") && said.contains("index of its own"), "{said}");
        drop(held);
    }
}
