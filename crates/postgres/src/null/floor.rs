//! The floor under every client: the same bytes, sent and received on the same kind of socket, by the barest loop. No
//! protocol, no clock per operation, no waiting for one session in particular.
//!
//! A client that waits for a server sleeps, and is woken for every answer; against a partner that answers at once it never does. So the
//! partner can be given the pace of a server: then floor and client pay for the same wake-ups. A client of several sessions also has to
//! find out which of them was answered, which the barest loop hasn't; a second floor has.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use narrows_engine::now_ns;
use narrows_facts::{affinity, process};

use super::conversation::ANSWER_BYTES;
use crate::session::request_bytes;
use narrows_layer_database::poller::Poller;

/// What the bytes alone cost.
#[derive(Debug, Clone, Copy)]
pub struct Floor {
    /// Operations per second.
    pub rate_per_s: f64,
    /// Processor time of the asking side per operation, ns.
    pub cpu_per_op_ns: f64,
    /// Bytes sent per operation.
    pub request_bytes: usize,
    /// Bytes received per operation.
    pub answer_bytes: usize,
}

/// How the partner answers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pace {
    /// From one answer to the next, while there is something to answer, of all its threads together; zero is at once.
    pub between: Duration,
    /// Of that, the share in which it keeps its processor busy, 0 to 1; it sleeps in the rest.
    pub busy_share: f64,
}

/// Which session the asking side hears next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hears {
    /// One after the other: there is nothing to find out.
    InTurn,
    /// Whichever was answered, found as the load finds it.
    AsAnswered,
}

/// One thread on each of `client_cpus`, with its share of the sessions, asks all of them and then hears them, each of which it asks
/// again: one send and one receive an operation; as many threads on `server_cpus` answer in order, at that pace.
///
/// # Errors
/// A socket or a thread can't be set up.
pub fn floor(
    sessions: u32,
    client_cpus: &[u32],
    server_cpus: &[u32],
    pace: Pace,
    hears: Hears,
    window: Duration,
) -> io::Result<Floor> {
    let request_bytes = request_bytes();
    let threads = client_cpus.len().min(sessions as usize).max(1);
    let pace = Pace { between: pace.between * threads as u32, ..pace };
    let mut sides = Vec::new();
    for index in 0..threads {
        let mine = (index..sessions as usize).step_by(threads);
        let pairs: Vec<_> = mine.map(|_| UnixStream::pair()).collect::<io::Result<_>>()?;
        sides.push(pairs.into_iter().unzip::<_, _, Vec<_>, Vec<_>>());
    }
    let start = Barrier::new(threads);
    let asked: Vec<io::Result<ClientOutcome>> = std::thread::scope(|scope| {
        let mut asking = Vec::new();
        for (index, (clients, servers)) in sides.into_iter().enumerate() {
            let server_cpu = server_cpus.get(index % server_cpus.len().max(1)).copied();
            let client_cpu = client_cpus.get(index).copied();
            let start = &start;
            scope.spawn(move || answer(servers, server_cpu, request_bytes, pace));
            asking.push(scope.spawn(move || {
                // A thread that can't be pinned still has to come to the start.
                let pinned = pin(client_cpu);
                start.wait();
                pinned?;
                ask(clients, request_bytes, hears, window)
            }));
        }
        asking.into_iter().map(|side| side.join().expect("an asking thread panicked")).collect()
    });
    let (mut operations, mut cpu_ns, mut rate_per_s) = (0, 0, 0.0);
    for side in asked {
        let side = side?;
        operations += side.operations;
        cpu_ns += side.cpu_ns;
        rate_per_s += side.operations as f64 / side.passed.as_secs_f64();
    }
    let cpu_per_op_ns = cpu_ns as f64 / operations as f64;
    Ok(Floor { rate_per_s, cpu_per_op_ns, request_bytes, answer_bytes: ANSWER_BYTES })
}

/// How long a wait for an answer lasts at most.
const LOOK_EVERY: Duration = Duration::from_millis(50);

struct ClientOutcome {
    operations: u64,
    cpu_ns: u64,
    passed: Duration,
}

fn pin(cpu: Option<u32>) -> io::Result<()> {
    cpu.map_or(Ok(()), |cpu| affinity::pin(&[cpu]))
}

fn ask(
    mut clients: Vec<UnixStream>,
    bytes: usize,
    hears: Hears,
    window: Duration,
) -> io::Result<ClientOutcome> {
    let (request, mut answer) = (vec![3u8; bytes], [0u8; ANSWER_BYTES]);
    let mut poller = Poller::for_this_thread();
    for (number, client) in clients.iter().enumerate() {
        poller.add(client.as_raw_fd(), number)?;
    }
    let began = Instant::now();
    let cpu_ns = process::thread_cpu_ns();
    for client in &mut clients {
        client.write_all(&request)?;
    }
    let mut again = |client: &mut UnixStream| {
        client.read_exact(&mut answer)?;
        client.write_all(&request)
    };
    let mut operations = 0;
    loop {
        match hears {
            Hears::InTurn => clients.iter_mut().try_for_each(&mut again)?,
            // About as many, so that the clock is as seldom looked at.
            Hears::AsAnswered => {
                let mut heard = 0;
                while heard < clients.len() {
                    let ready = poller.wait(LOOK_EVERY)?;
                    (0..ready).try_for_each(|event| again(&mut clients[poller.event(event)]))?;
                    heard += ready;
                }
                operations += (heard - clients.len()) as u64;
            }
        }
        operations += clients.len() as u64;
        let passed = began.elapsed();
        if passed >= window {
            let cpu_ns = process::thread_cpu_ns() - cpu_ns;
            return Ok(ClientOutcome { operations, cpu_ns, passed });
        }
    }
}

/// Until the other side has closed its ends.
fn answer(mut servers: Vec<UnixStream>, cpu: Option<u32>, bytes: usize, pace: Pace) {
    // Elsewhere it answers as well; the asking side's time is what counts.
    let _ = pin(cpu);
    let (mut request, answer) = (vec![0u8; bytes], [7u8; ANSWER_BYTES]);
    let mut work = Work::new(pace);
    loop {
        for server in &mut servers {
            if server.read_exact(&mut request).is_err() {
                return;
            }
            work.until_done();
            if server.write_all(&answer).is_err() {
                return;
            }
        }
    }
}

/// A server's work at a pace.
struct Work {
    between_ns: u64,
    asleep_ns: u64,
    done_ns: u64,
}

impl Work {
    fn new(pace: Pace) -> Work {
        let asleep = pace.between.mul_f64(1.0 - pace.busy_share.clamp(0.0, 1.0));
        let (between_ns, asleep_ns) = (pace.between.as_nanos() as u64, asleep.as_nanos() as u64);
        Work { between_ns, asleep_ns, done_ns: 0 }
    }

    /// Takes its time on a request that has just been read.
    #[inline]
    fn until_done(&mut self) {
        if self.between_ns == 0 {
            return;
        }
        self.done_ns = done(self.done_ns, now_ns(), self.between_ns);
        let busy_from_ns = self.done_ns - (self.between_ns - self.asleep_ns);
        let sleeps_ns = busy_from_ns.saturating_sub(now_ns());
        // A shorter sleep costs more than it lasts.
        if self.asleep_ns > 0 && sleeps_ns > SHORTEST_SLEEP_NS {
            std::thread::sleep(Duration::from_nanos(sleeps_ns));
        }
        while now_ns() < self.done_ns {
            std::hint::spin_loop();
        }
    }
}

const SHORTEST_SLEEP_NS: u64 = 2_000;

/// When a request is done that was read at `read_ns`, by one that works on them in order: one that waited is done as long after
/// the last one as one takes, others that long after they came.
fn done(last_ns: u64, read_ns: u64, between_ns: u64) -> u64 {
    let waited = read_ns < last_ns + between_ns;
    between_ns + if waited { last_ns } else { read_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_keep_their_distance_while_requests_wait() {
        // The first after a rest, two that waited meanwhile, one that came late.
        assert_eq!(done(0, 1_000_000, 30_000), 1_030_000);
        assert_eq!(done(1_030_000, 1_033_000, 30_000), 1_060_000);
        assert_eq!(done(1_060_000, 1_062_000, 30_000), 1_090_000);
        assert_eq!(done(1_090_000, 1_200_000, 30_000), 1_230_000);
    }

    #[test]
    fn a_partner_answers_no_faster_than_its_pace() {
        let cpus = affinity::current();
        for busy_share in [0.0, 0.5, 1.0] {
            let pace = Pace { between: Duration::from_micros(200), busy_share };
            let window = Duration::from_millis(20);
            for hears in [Hears::InTurn, Hears::AsAnswered] {
                let server = &cpus[cpus.len() - 1..];
                let floor = floor(2, &cpus[..1], server, pace, hears, window).unwrap();
                assert!(floor.rate_per_s <= 5000.0 * 1.05, "{floor:?}");
                assert!(floor.rate_per_s == 0.0 || floor.cpu_per_op_ns > 0.0, "{floor:?}");
            }
        }
    }
}
