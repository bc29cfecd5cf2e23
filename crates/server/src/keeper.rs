//! The running server process and the thread that keeps it.
//!
//! The server is started by a thread that lives as long as it does, because the kernel tells it of that thread's end (module `child`).
//! If narrows is killed, all its threads end and the server gets a signal by which it ends at once, without writing out what it has,
//! because its data is of no use to anyone any more. The keeper also collects the exit status, so the server never stays as a zombie and a
//! signal is never sent to a process id that was given to another.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use narrows_engine::Stop;
use narrows_facts::affinity;
use rustix::process::{Pid, Signal, kill_process};

use crate::child::dies_with_us;

/// How often a wait looks at its stop token.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A started server, running or ended.
#[derive(Debug)]
pub struct Keeper {
    pid: u32,
    exit: Arc<Exit>,
    keeper: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Exit {
    status: Mutex<Option<ExitStatus>>,
    ended: Condvar,
}

impl Exit {
    fn lock(&self) -> MutexGuard<'_, Option<ExitStatus>> {
        self.status.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Why it couldn't be started.
#[derive(Debug)]
pub enum SpawnError {
    /// It couldn't be bound to its processors.
    Cpus(io::Error),
    /// The program.
    Program(io::Error),
}

impl Keeper {
    /// Starts `command` on `cpus` (all that are allowed, if empty); it gets the signal `dies_by` when we die.
    ///
    /// # Errors
    /// It can't be started, or not there.
    pub fn spawn(
        mut command: Command,
        cpus: &[u32],
        dies_by: libc::c_int,
    ) -> Result<Keeper, SpawnError> {
        dies_with_us(&mut command, dies_by);
        let exit = Arc::new(Exit::default());
        let (sender, receiver) = mpsc::channel();
        let (cpus, shared) = (cpus.to_vec(), Arc::clone(&exit));
        let keeper = thread::Builder::new()
            .name("server keeper".to_owned())
            .spawn(move || keep(command, &cpus, &shared, &sender))
            .map_err(SpawnError::Program)?;
        let pid = receiver.recv().expect("the keeper answers before it ends")?;
        Ok(Keeper { pid, exit, keeper: Some(keeper) })
    }

    /// Its first process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// How it ended; `None` while it runs.
    pub fn ended(&self) -> Option<ExitStatus> {
        *self.exit.lock()
    }

    /// Sends a signal, unless it has ended.
    pub fn signal(&self, signal: libc::c_int) {
        let status = self.exit.lock();
        // The keeper collects the process only under this lock, so the id is still the server's.
        if status.is_none()
            && let Some(pid) = Pid::from_raw(self.pid as i32)
            && let Some(signal) = Signal::from_named_raw(signal)
        {
            let _ = kill_process(pid, signal);
        }
    }

    /// Waits until it has ended, at most `limit`, or until `stop` is set.
    pub fn wait(&mut self, limit: Duration, stop: &Stop) -> Option<ExitStatus> {
        let end = Instant::now() + limit;
        let mut status = self.exit.lock();
        while status.is_none() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || stop.is_set() {
                return None;
            }
            status = self
                .exit
                .ended
                .wait_timeout(status, left.min(LOOK_EVERY))
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
        let ended = *status;
        drop(status);
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
        ended
    }
}

fn keep(
    mut command: Command,
    cpus: &[u32],
    exit: &Exit,
    sender: &mpsc::Sender<Result<u32, SpawnError>>,
) {
    // The server and all its processes inherit this thread's processors.
    if !cpus.is_empty()
        && let Err(error) = affinity::pin(cpus)
    {
        let _ = sender.send(Err(SpawnError::Cpus(error)));
        return;
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let _ = sender.send(Err(SpawnError::Program(error)));
            return;
        }
    };
    let _ = sender.send(Ok(child.id()));
    wait_without_collecting(child.id());
    let mut status = exit.lock();
    *status = child.wait().ok();
    exit.ended.notify_all();
}

fn wait_without_collecting(pid: u32) {
    loop {
        let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: `info` is valid for writing and not read.
        let result = unsafe {
            libc::waitid(libc::P_PID, pid, info.as_mut_ptr(), libc::WEXITED | libc::WNOWAIT)
        };
        if result == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}
