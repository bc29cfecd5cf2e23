//! The floor: two programs' threads that send each other the sizes of a command and its answer, and do nothing with them.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow};

use super::sample::Sample;
use super::{BLOCK, Operation, Window};
use crate::peers::WINDOW;

/// Command capsule, response capsule, and the header of C2HData, bytes.
pub(super) const COMMAND: usize = 72;
const RESPONSE: usize = 24;
const DATA_HEADER: usize = 24;

/// A ping-pong.
pub(super) struct Floor {
    polling: bool,
    /// Of a block.
    bytes: u32,
}

impl Floor {
    pub(super) fn new(polling: bool) -> Floor {
        Floor::of(BLOCK, polling)
    }

    /// That of blocks of so many bytes.
    pub(super) fn of(bytes: u32, polling: bool) -> Floor {
        Floor { polling, bytes }
    }
}

impl Window for Floor {
    fn name(&self) -> String {
        "the floor".to_string()
    }

    fn measure(&self, operation: Operation, _: u32) -> Result<Option<Sample>> {
        let block = self.bytes as usize;
        let (there, back) = match operation {
            Operation::Read => (COMMAND, DATA_HEADER + block),
            Operation::Write => (COMMAND + block, RESPONSE),
        };
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let polling = self.polling;
        let server = thread::spawn(move || -> Result<f64> {
            super::ours::pin(0);
            let (mut stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            let (mut asked, answer) = (vec![0; there], vec![0; back]);
            while receive(&stream, &mut asked, polling)? {
                stream.write_all(&answer)?;
            }
            Ok(super::ours::thread_cpu_s())
        });
        let host = thread::spawn(move || -> Result<(Vec<f64>, f64, f64)> {
            super::ours::pin(1);
            let mut stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            let (asked, mut answer) = (vec![0; there], vec![0; back]);
            let mut latencies = Vec::new();
            let begun = Instant::now();
            while begun.elapsed() < WINDOW {
                let sent = Instant::now();
                stream.write_all(&asked)?;
                receive(&stream, &mut answer, polling)?;
                latencies.push(sent.elapsed().as_nanos() as f64 / 1e3);
            }
            Ok((latencies, begun.elapsed().as_secs_f64(), super::ours::thread_cpu_s()))
        });
        let failed = |_| anyhow!("a thread of the ping-pong panicked");
        let (mut latencies, seconds, host_s) = host.join().map_err(failed)??;
        let target_s = server.join().map_err(failed)??;
        let count = latencies.len() as f64;
        Ok(Some(Sample {
            p50_us: super::ours::median(&mut latencies),
            rate_per_s: count / seconds,
            host_us: host_s / count * 1e6,
            target_us: target_s / count * 1e6,
        }))
    }
}

/// Receives so many bytes; `false` at the end.
pub(super) fn receive(stream: &TcpStream, bytes: &mut [u8], polling: bool) -> Result<bool> {
    let flags = if polling { libc::MSG_DONTWAIT } else { 0 };
    let mut have = 0;
    while have < bytes.len() {
        let rest = &mut bytes[have..];
        // SAFETY: memory of this function, as long as is said.
        let came =
            unsafe { libc::recv(stream.as_raw_fd(), rest.as_mut_ptr().cast(), rest.len(), flags) };
        match usize::try_from(came) {
            Ok(0) => return Ok(false),
            Ok(came) => have += came,
            Err(_) => {
                let error = std::io::Error::last_os_error();
                if error.kind() != std::io::ErrorKind::WouldBlock {
                    return Err(error.into());
                }
            }
        }
    }
    Ok(true)
}
