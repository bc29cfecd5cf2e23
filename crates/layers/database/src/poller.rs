//! Waiting for whichever of several sockets has something to read.
//!
//! Few are asked one by one (ppoll(2)), many through epoll(7). Epoll is the cheaper for who waits, but who sends to a watched
//! socket enters it in a list each time, whether somebody sleeps or not, and that is the server's processor time: beside PostgreSQL
//! on a virtual machine of two processors 8 sessions did 9 % and 16 sessions 12 % more by ppoll, for 4 % and 17 % more of the client's
//! time. From there on the client's time grows faster than the server's falls.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

use narrows_facts::process;

/// Up to so many are asked one by one.
const FEW: usize = 16;

/// Waits for any of several descriptors, with a timeout finer than a millisecond where the kernel has it.
pub struct Poller {
    way: WaitMethod,
    /// Those that have something to read, by the number they were added with.
    ready: Vec<usize>,
}

enum WaitMethod {
    Few { asked: Vec<libc::pollfd>, indices: Vec<usize> },
    Many(Epoll),
}

impl Poller {
    /// Watches nothing yet.
    pub fn for_this_thread() -> Poller {
        // Sleeps end up to the timer slack late (50 µs by default); the schedule of an open loop needs better.
        process::wake_within_ns(NonZeroU64::new(1_000).expect("not zero"));
        Poller {
            way: WaitMethod::Few { asked: Vec::new(), indices: Vec::new() },
            ready: Vec::new(),
        }
    }

    /// Watches `fd`, open from here on, for something to read; events of it say `index`.
    pub fn add(&mut self, fd: i32, index: usize) -> io::Result<()> {
        match &mut self.way {
            WaitMethod::Few { asked, indices } if asked.len() < FEW => {
                asked.push(libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
                indices.push(index);
            }
            WaitMethod::Few { asked, indices } => {
                let epoll = Epoll::new()?;
                for (asked, index) in asked.iter().zip(&*indices) {
                    epoll.add(asked.fd, *index)?;
                }
                epoll.add(fd, index)?;
                self.way = WaitMethod::Many(epoll);
            }
            WaitMethod::Many(epoll) => epoll.add(fd, index)?,
        }
        Ok(())
    }

    /// Watches `fd`, which is open still, no longer.
    pub fn remove(&mut self, fd: i32) {
        match &mut self.way {
            WaitMethod::Few { asked, indices } => {
                if let Some(at) = asked.iter().position(|asked| asked.fd == fd) {
                    asked.swap_remove(at);
                    indices.swap_remove(at);
                }
            }
            WaitMethod::Many(epoll) => epoll.remove(fd),
        }
    }

    /// What the event of that number in the last wait was about.
    pub fn event(&self, index: usize) -> usize {
        self.ready[index]
    }

    /// How many events there are, at the latest after `timeout`.
    #[inline]
    pub fn wait(&mut self, timeout: Duration) -> io::Result<usize> {
        self.ready.clear();
        match &mut self.way {
            WaitMethod::Few { asked, indices } => {
                if ask(asked, timeout)? > 0 {
                    let heard = asked.iter().zip(indices).filter(|(asked, _)| asked.revents != 0);
                    self.ready.extend(heard.map(|(_, index)| *index));
                }
            }
            WaitMethod::Many(epoll) => {
                let count = epoll.wait(timeout)?;
                let events = epoll.events[..count].iter();
                self.ready.extend(events.map(|event| event.u64 as usize));
            }
        }
        Ok(self.ready.len())
    }
}

fn timespec(timeout: Duration) -> libc::timespec {
    libc::timespec {
        tv_sec: timeout.as_secs() as libc::time_t,
        tv_nsec: timeout.subsec_nanos() as libc::c_long,
    }
}

/// How many have something to read.
#[inline]
fn ask(asked: &mut [libc::pollfd], timeout: Duration) -> io::Result<usize> {
    let (count, time) = (asked.len() as libc::nfds_t, timespec(timeout));
    // SAFETY: the array is as long as is said, `time` outlives the call, no signal mask is passed.
    let n = unsafe { libc::ppoll(asked.as_mut_ptr(), count, &time, std::ptr::null()) };
    unless_interrupted(n)
}

/// What a call says was found; a signal is found nothing.
#[inline]
fn unless_interrupted(n: i32) -> io::Result<usize> {
    match usize::try_from(n) {
        Ok(n) => Ok(n),
        Err(_) => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            error => Err(error),
        },
    }
}

struct Epoll {
    descriptor: OwnedFd,
    events: Vec<libc::epoll_event>,
    /// Whether the kernel has `epoll_pwait2` (5.11).
    fine: bool,
}

impl Epoll {
    fn new() -> io::Result<Epoll> {
        // SAFETY: no pointers; the result is checked before it is owned.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `fd` is a fresh descriptor that nobody else owns.
        let descriptor = unsafe { OwnedFd::from_raw_fd(fd) };
        let events = vec![libc::epoll_event { events: 0, u64: 0 }; 64];
        Ok(Epoll { descriptor, events, fine: true })
    }

    fn add(&self, fd: i32, index: usize) -> io::Result<()> {
        let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: index as u64 };
        let epoll = self.descriptor.as_raw_fd();
        // SAFETY: both descriptors are open, `event` is valid for the duration of the call.
        let rc = unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &mut event) };
        if rc < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    fn remove(&self, fd: i32) {
        let epoll = self.descriptor.as_raw_fd();
        // SAFETY: both descriptors are open; what is removed needs no event.
        unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut()) };
    }

    /// How many of `events` are set.
    #[inline]
    fn wait(&mut self, timeout: Duration) -> io::Result<usize> {
        let epoll = self.descriptor.as_raw_fd();
        let room = self.events.len() as i32;
        if !self.fine {
            let timeout_ms = timeout.as_millis() as i32;
            // SAFETY: the event buffer is as long as is said.
            let n = unsafe { libc::epoll_wait(epoll, self.events.as_mut_ptr(), room, timeout_ms) };
            return unless_interrupted(n);
        }
        let time = timespec(timeout);
        // SAFETY: the event buffer is as long as is said, `time` outlives the call, no signal mask is passed.
        let n = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                epoll,
                self.events.as_mut_ptr(),
                room,
                &time as *const libc::timespec,
                std::ptr::null::<libc::sigset_t>(),
                0usize,
            ) as i32
        };
        match unless_interrupted(n) {
            Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
                self.fine = false;
                Ok(0)
            }
            found => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn few_and_many_are_heard_by_their_numbers_and_silence_ends() {
        let mut poller = Poller::for_this_thread();
        let mut pairs = Vec::new();
        assert_eq!(poller.wait(Duration::from_millis(1)).unwrap(), 0);
        for number in 0..FEW + 4 {
            let (ours, theirs) = UnixStream::pair().unwrap();
            poller.add(ours.as_raw_fd(), 100 + number).unwrap();
            pairs.push((ours, theirs));
            assert_eq!(matches!(poller.way, WaitMethod::Few { .. }), number < FEW);
            assert_eq!(poller.wait(Duration::from_millis(1)).unwrap(), 0);
            // The first and the newest; they stay until they are read.
            let mut speakers = vec![0, number];
            speakers.dedup();
            for speaker in &speakers {
                pairs[*speaker].1.write_all(b"x").unwrap();
            }
            for _ in 0..2 {
                let count = poller.wait(Duration::from_secs(5)).unwrap();
                let mut heard: Vec<usize> = (0..count).map(|n| poller.event(n) - 100).collect();
                heard.sort();
                assert_eq!(heard, speakers);
            }
            for speaker in speakers {
                pairs[speaker].0.read_exact(&mut [0]).unwrap();
            }
        }
        // An end is heard too.
        pairs[3].1.shutdown(std::net::Shutdown::Both).unwrap();
        assert_eq!(poller.wait(Duration::from_secs(5)).unwrap(), 1);
        assert_eq!(poller.event(0), 103);
        poller.remove(pairs[3].0.as_raw_fd());
        assert_eq!(poller.wait(Duration::from_millis(1)).unwrap(), 0);
    }

    #[test]
    fn who_was_removed_is_not_asked_and_the_others_keep_their_numbers() {
        let mut poller = Poller::for_this_thread();
        let pairs: Vec<_> = (0..3).map(|_| UnixStream::pair().unwrap()).collect();
        for (number, (ours, theirs)) in pairs.iter().enumerate() {
            poller.add(ours.as_raw_fd(), number).unwrap();
            (&*theirs).write_all(b"x").unwrap();
        }
        poller.remove(pairs[0].0.as_raw_fd());
        assert_eq!(poller.wait(Duration::from_secs(5)).unwrap(), 2);
        assert_eq!([poller.event(0), poller.event(1)], [2, 1]);
    }
}
