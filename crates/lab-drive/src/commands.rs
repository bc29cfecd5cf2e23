//! What the drive is told on standard input, one word a line, each answered with `done`.

use std::fs::File;
use std::io::BufRead;
use std::path::Path;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use crate::cache::Cache;
use crate::mounting;
use crate::serve::Shared;

/// Listens in a thread. The end of the input cuts the power: whoever started the drive is gone.
pub(crate) fn listen(cache: Shared, place: &Path) {
    let place = place.to_path_buf();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("lie") => locked(&cache).set_honest(false),
                Some("tell") => locked(&cache).set_honest(true),
                Some("slow") => locked(&cache).set_flush_time(time(words.next())),
                Some("slow-reads") => locked(&cache).set_read_time(time(words.next())),
                Some("cut") => cut(&cache, words.next().and_then(|seed| seed.parse().ok())),
                _ => eprintln!("narrows-lab-drive: not understood: {line}"),
            }
            println!("done");
        }
        end(&place)
    });
}

/// Ends in a thread when the input does: for what takes no commands.
pub(crate) fn end_with_input(place: &Path) {
    let place = place.to_path_buf();
    std::thread::spawn(move || {
        std::io::stdin().lock().lines().map_while(Result::ok).for_each(drop);
        end(&place)
    });
}

/// What the kernel still asks fails first: a file system on the drive that goes with this process would wait for an answer from it.
fn end(place: &Path) -> ! {
    if let Err(error) = mounting::abort(place) {
        eprintln!("narrows-lab-drive: {}: {error}", place.display());
    }
    std::process::exit(0)
}

fn locked(cache: &Shared) -> MutexGuard<'_, Cache> {
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many µs; none where no number follows.
fn time(us: Option<&str>) -> Duration {
    Duration::from_micros(us.and_then(|us| us.parse().ok()).unwrap_or(0))
}

/// Nothing is answered any more once the lock is held: what the kernel still asks fails when the process ends.
fn cut(cache: &Shared, seed: Option<u64>) -> ! {
    let mut held = locked(cache);
    let nothing = File::open("/dev/null").map(Cache::new);
    let done = nothing.and_then(|nothing| std::mem::replace(&mut *held, nothing).cut(seed));
    if let Err(error) = &done {
        eprintln!("narrows-lab-drive: {error}");
    }
    std::process::exit(i32::from(done.is_err()))
}
