//! What takes something from the server while it lives: a hog, a neighbour, a freezer, limits that begin later.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use narrows_facts::affinity;

use crate::group::{Group, Limit};

const HOG_PERIOD: Duration = Duration::from_millis(10);
const FREEZE_PERIOD: Duration = Duration::from_millis(40);

/// A thread that does something until it is dropped.
pub(super) struct Disturber {
    halt: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Disturber {
    /// Takes that share of a processor whatever else wants it: with a real-time priority, because between ordinary processes
    /// a server that wakes for every request gets far more than its half.
    pub(super) fn hog(cpu: u32, share: f64) -> Result<Disturber> {
        Disturber::busy(cpu, share, || with_policy(libc::SCHED_RR, 1))
    }

    /// Wants all of a processor, as an ordinary program with that nice value.
    pub(super) fn neighbour(cpu: u32, nice: i32) -> Result<Disturber> {
        Disturber::busy(cpu, 1.0, move || with_nice(nice))
    }

    /// Wants all of a processor, and gets what nobody else wants.
    pub(super) fn idle_neighbour(cpu: u32) -> Result<Disturber> {
        Disturber::busy(cpu, 1.0, || with_policy(libc::SCHED_IDLE, 0))
    }

    /// A thread on that processor, busy for that share of the time, once it has what it asks the scheduler for.
    fn busy(
        cpu: u32,
        share: f64,
        asks: impl FnOnce() -> io::Result<()> + Send + 'static,
    ) -> Result<Disturber> {
        let (tell, told) = channel();
        let disturber = Disturber::start(move |halt| {
            let ready = affinity::pin(&[cpu]).and_then(|()| asks());
            let refused = ready.is_err();
            let _ = tell.send(ready);
            let busy = HOG_PERIOD.mul_f64(share);
            while !refused && !halt.load(Ordering::Relaxed) {
                let began = Instant::now();
                while began.elapsed() < busy {
                    std::hint::spin_loop();
                }
                std::thread::sleep(HOG_PERIOD - busy);
            }
        });
        told.recv().context("the hog's thread ended")?.context("giving the hog its priority")?;
        Ok(disturber)
    }

    /// Puts the limits on the group after that time, and waits until it is dropped.
    pub(super) fn limits_later(
        group: Arc<Group>,
        limits: Vec<Limit>,
        after: Duration,
    ) -> Disturber {
        Disturber::start(move |halt| {
            let begins = Instant::now() + after;
            let mut limited = false;
            while !halt.load(Ordering::Relaxed) {
                if !limited && Instant::now() >= begins {
                    if let Err(error) = group.limit(&limits) {
                        return eprintln!("the server can't be limited: {error}");
                    }
                    limited = true;
                }
                std::thread::sleep(HOG_PERIOD);
            }
        })
    }

    /// Stops all members of the group for that share of the time.
    pub(super) fn freezer(group: Arc<Group>, share: f64) -> Disturber {
        Disturber::start(move |halt| {
            while !halt.load(Ordering::Relaxed) {
                for (frozen, share) in [(true, share), (false, 1.0 - share)] {
                    if let Err(error) = group.freeze(frozen) {
                        return eprintln!("the server can't be frozen: {error}");
                    }
                    std::thread::sleep(FREEZE_PERIOD.mul_f64(share));
                }
            }
        })
    }

    fn start(work: impl FnOnce(&AtomicBool) + Send + 'static) -> Disturber {
        let halt = Arc::new(AtomicBool::new(false));
        let told = halt.clone();
        Disturber { halt, thread: Some(std::thread::spawn(move || work(&told))) }
    }

    /// It has to be at work still.
    pub(super) fn check(&self) -> Result<()> {
        let ended = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        anyhow::ensure!(!ended, "what was planted ended early");
        Ok(())
    }
}

impl Drop for Disturber {
    fn drop(&mut self) {
        self.halt.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn with_policy(policy: libc::c_int, sched_priority: libc::c_int) -> io::Result<()> {
    let priority = libc::sched_param { sched_priority };
    // SAFETY: the parameter is valid for the call; 0 is this thread.
    match unsafe { libc::sched_setscheduler(0, policy, &priority) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Of this thread alone: the kernel's nice value is a thread's.
fn with_nice(nice: i32) -> io::Result<()> {
    // SAFETY: no memory is involved; 0 is this thread.
    match unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
