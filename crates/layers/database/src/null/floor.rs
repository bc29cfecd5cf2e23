//! The floor under every client: the same bytes, sent and received on the same kind of socket, by the barest loop. No
//! protocol, no clock per operation, no waiting for one session in particular.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use narrows_facts::{affinity, process};

use super::conversation::ANSWER_BYTES;
use crate::session::request_bytes;

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

/// One thread on each of `client_cpus`, with its share of the sessions, asks all of them and then hears all of them, one
/// send and one receive each; as many threads on `server_cpus` answer at once.
///
/// # Errors
/// A socket or a thread can't be set up.
pub fn floor(
    sessions: u32,
    client_cpus: &[u32],
    server_cpus: &[u32],
    window: Duration,
) -> io::Result<Floor> {
    let request_bytes = request_bytes();
    let threads = client_cpus.len().min(sessions as usize).max(1);
    let mut sides = Vec::new();
    for index in 0..threads {
        let mine = (index..sessions as usize).step_by(threads);
        let pairs: Vec<_> = mine.map(|_| UnixStream::pair()).collect::<io::Result<_>>()?;
        sides.push(pairs.into_iter().unzip::<_, _, Vec<_>, Vec<_>>());
    }
    let start = Barrier::new(threads);
    let asked: Vec<io::Result<Asked>> = std::thread::scope(|scope| {
        let mut asking = Vec::new();
        for (index, (clients, servers)) in sides.into_iter().enumerate() {
            let server_cpu = server_cpus.get(index % server_cpus.len().max(1)).copied();
            let client_cpu = client_cpus.get(index).copied();
            let start = &start;
            scope.spawn(move || answer(servers, server_cpu, request_bytes));
            asking.push(scope.spawn(move || {
                // A thread that can't be pinned still has to come to the start.
                let pinned = pin(client_cpu);
                start.wait();
                pinned?;
                ask(clients, request_bytes, window)
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

struct Asked {
    operations: u64,
    cpu_ns: u64,
    passed: Duration,
}

fn pin(cpu: Option<u32>) -> io::Result<()> {
    cpu.map_or(Ok(()), |cpu| affinity::pin(&[cpu]))
}

fn ask(mut clients: Vec<UnixStream>, bytes: usize, window: Duration) -> io::Result<Asked> {
    let (request, mut answer) = (vec![3u8; bytes], [0u8; ANSWER_BYTES]);
    let began = Instant::now();
    let cpu_ns = process::thread_cpu_ns();
    let mut operations = 0;
    loop {
        for client in &mut clients {
            client.write_all(&request)?;
        }
        for client in &mut clients {
            client.read_exact(&mut answer)?;
        }
        operations += clients.len() as u64;
        let passed = began.elapsed();
        if passed >= window {
            let cpu_ns = process::thread_cpu_ns() - cpu_ns;
            return Ok(Asked { operations, cpu_ns, passed });
        }
    }
}

/// Until the other side has closed its ends.
fn answer(mut servers: Vec<UnixStream>, cpu: Option<u32>, bytes: usize) {
    // Elsewhere it answers as well; the asking side's time is what counts.
    let _ = pin(cpu);
    let (mut request, answer) = (vec![0u8; bytes], [7u8; ANSWER_BYTES]);
    loop {
        for server in &mut servers {
            if server.read_exact(&mut request).is_err() || server.write_all(&answer).is_err() {
                return;
            }
        }
    }
}
