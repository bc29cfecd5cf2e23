//! Ctrl-C, termination, a closed terminal: the stop token is set, the work in hand ends within a moment, what was made is
//! removed, and the partial run is kept.
//!
//! - A signal that was ignored when we were started stays ignored, as POSIX shells and `nohup` mean it: a job in the
//!   background of a script doesn't end with the terminal's Ctrl-C.
//! - `SIGQUIT` is one more way to ask: files that nobody removes help no one. `SIGXCPU` (`ulimit -t`) comes before the kernel
//!   ends the process, and is taken as its last word.
//! - A file that grows over its limit (`ulimit -f`, `SIGXFSZ`) would end the process on the spot; it becomes the error of the
//!   write instead.
//! - A `SIGCONT` after a stop is counted and changes nothing else: a window in which the program stood still then says that it was stopped.
//!   The one thread that waits for signals takes it, so that no system call of a measurement is interrupted.
//! - A second Ctrl-C changes nothing, because cleaning up is what it waits for. Where that takes longer than [`PATIENCE`],
//!   something doesn't answer (a drive, a file server, a hung process): this is said, and from then on a further one ends the
//!   process at once. What was made is found and removed by the next start.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use libc::c_int;
use narrows_engine::Stop;
use narrows_facts::process;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::{flag, low_level};

use crate::exit::CUT_SHORT;

const STOPS: [c_int; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
/// How long an orderly end may take before it may be cut short.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was made of the signals.
pub struct Signals {
    told: Arc<SignalState>,
    say: fn(&str),
}

impl Signals {
    /// Says why it stopped where that takes a word, once: a busy machine may end the work before the thread that waits for
    /// signals has had a turn.
    pub fn explain(&self) {
        self.told.explain(self.say);
    }
}

/// Makes the signals set `stop`; `say` tells people what takes long meanwhile.
///
/// # Errors
/// A handler can't be installed.
pub fn install(stop: &Stop, say: fn(&str)) -> anyhow::Result<Signals> {
    let told = Arc::new(SignalState::default());
    let wake = Wake::new();
    for signal in STOPS.into_iter().filter(|signal| !ignored(*signal)) {
        // First, so that the signal that asks is none that cuts short.
        flag::register_conditional_shutdown(signal, CUT_SHORT, told.cut.clone())?;
        asks(signal, stop, wake.as_ref())?;
    }
    if !ignored(SIGXCPU) {
        flag::register(SIGXCPU, told.spent.clone())?;
        asks(SIGXCPU, stop, wake.as_ref())?;
    }
    // Handled rather than ignored: a server that we start gets the system's default back.
    flag::register(SIGXFSZ, Arc::default())?;
    if let Some(wake) = wake {
        // Without a thread of its own it can't be said; the stop works all the same.
        let watcher = std::thread::Builder::new().name("narrows-stop".into());
        // The handlers have its number, so that it is not closed where the thread can't be had either.
        let counter = std::mem::ManuallyDrop::new(wake.0);
        let told = Arc::clone(&told);
        let counts = !ignored(SIGCONT) && count_stops();
        let watcher = watcher.stack_size(64 << 10).spawn(move || {
            if counts {
                take_stops(true);
                process::count_continued();
            }
            watch(&counter, &told, say);
        });
        if counts && watcher.is_err() {
            take_stops(true);
        }
    }
    Ok(Signals { told, say })
}

#[derive(Default)]
struct SignalState {
    /// The time on processors that was allowed is used up.
    spent: Arc<AtomicBool>,
    /// That was said.
    explained: AtomicBool,
    /// The next signal ends the process at once.
    cut: Arc<AtomicBool>,
}

impl SignalState {
    fn explain(&self, say: fn(&str)) {
        if self.spent.load(Ordering::SeqCst) && !self.explained.swap(true, Ordering::SeqCst) {
            say(
                "stopping: the CPU time limit of this process is used up\nhint: ulimit -t unlimited",
            );
        }
    }
}

fn asks(signal: c_int, stop: &Stop, wake: Option<&Wake>) -> anyhow::Result<()> {
    flag::register(signal, stop.flag())?;
    if let Some(wake) = wake {
        let counter = wake.0.as_raw_fd();
        let add = move || {
            let one = 1u64;
            // SAFETY: write(2) may be called by a signal's handler; it reads the eight bytes of `one`. The counter is never
            // closed.
            unsafe { libc::write(counter, (&raw const one).cast(), size_of::<u64>()) };
        };
        // SAFETY: the action is one system call, which allocates nothing and takes no lock.
        unsafe { low_level::register(signal, add)? };
    }
    Ok(())
}

/// Has the ends of stops counted, by threads that take them; this one and those that it starts don't. Whether that can be had.
fn count_stops() -> bool {
    // SAFETY: the action adds to a number, which a signal's handler may do.
    let registered = unsafe { low_level::register(SIGCONT, process::was_continued) };
    registered.is_ok() && take_stops(false)
}

/// Whether this thread takes the signal that ends a stop from now on; whether that could be set.
fn take_stops(takes: bool) -> bool {
    let how = if takes { libc::SIG_UNBLOCK } else { libc::SIG_BLOCK };
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: `set` is filled before it is read, and the last argument may be null.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), SIGCONT);
        libc::pthread_sigmask(how, set.as_ptr(), std::ptr::null_mut()) == 0
    }
}

/// Something to wait for without waking up in between, which would be seen in what is measured (eventfd(2)).
struct Wake(File);

impl Wake {
    fn new() -> Option<Wake> {
        // SAFETY: no memory is involved.
        let counter = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
        // SAFETY: the descriptor is new and nobody else's.
        (counter >= 0).then(|| Wake(unsafe { File::from_raw_fd(counter) }))
    }
}

fn watch(mut counter: &File, told: &SignalState, say: fn(&str)) {
    while counter.read_exact(&mut [0; size_of::<u64>()]).is_err() {}
    told.explain(say);
    std::thread::sleep(PATIENCE);
    told.cut.store(true, Ordering::SeqCst);
    say(
        "still stopping: something does not answer (a drive, a file server, a process)\nhint: another Ctrl-C ends narrows at once; the next start removes what it made",
    );
}

/// Whether the signal was ignored when we were started.
fn ignored(signal: c_int) -> bool {
    let mut old = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only fills `old`, for which all-zero bytes are valid.
    let old = unsafe {
        libc::sigaction(signal, std::ptr::null(), old.as_mut_ptr());
        old.assume_init()
    };
    old.sa_sigaction == libc::SIG_IGN
}
