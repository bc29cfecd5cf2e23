//! What the drive is told on standard input, one word a line, each answered with `done`.

use std::fs::File;
use std::io::BufRead;
use std::time::Duration;

use crate::cache::Cache;
use crate::serve::Shared;

/// Listens in a thread. The end of the input cuts the power: whoever started the drive is gone.
pub(crate) fn listen(cache: Shared) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("lie") => set_honest(&cache, false),
                Some("tell") => set_honest(&cache, true),
                Some("slow") => set_slow(&cache, words.next().and_then(|us| us.parse().ok())),
                Some("cut") => cut(&cache, words.next().and_then(|seed| seed.parse().ok())),
                _ => eprintln!("narrows-lab-drive: not understood: {line}"),
            }
            println!("done");
        }
        std::process::exit(0)
    });
}

fn set_honest(cache: &Shared, honest: bool) {
    cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).set_honest(honest);
}

/// So many µs more for each flush; none where no number follows.
fn set_slow(cache: &Shared, us: Option<u64>) {
    let takes = Duration::from_micros(us.unwrap_or(0));
    cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).set_flush_time(takes);
}

/// Nothing is answered any more once the lock is held: what the kernel still asks fails when the process ends.
fn cut(cache: &Shared, seed: Option<u64>) -> ! {
    let mut held = cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let nothing = File::open("/dev/null").map(Cache::new);
    let done = nothing.and_then(|nothing| std::mem::replace(&mut *held, nothing).cut(seed));
    if let Err(error) = &done {
        eprintln!("narrows-lab-drive: {error}");
    }
    std::process::exit(i32::from(done.is_err()))
}
