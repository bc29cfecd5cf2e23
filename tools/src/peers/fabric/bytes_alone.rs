//! Large operations with nothing behind them: commands one way, blocks of as much memory as our namespace has the other way.
//!
//! iperf3 sends the same buffer again and again, which stays in the processor's cache; a block of a namespace does not.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use narrows_engine::Rng;

use super::floor::{COMMAND, receive};
use super::ours::BYTES;
use super::sample::Sample;
use super::{LARGE, Operation, Window};
use crate::peers::WINDOW;

/// Blocks at random places of memory, by sockets that block.
pub(super) struct BytesAlone;

impl Window for BytesAlone {
    fn name(&self) -> String {
        format!("bytes alone, of {} MiB of memory", BYTES >> 20)
    }

    fn measure(&self, _: Operation, depth: u32) -> Result<Option<Sample>> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let target = thread::spawn(move || -> Result<f64> {
            super::ours::pin(0);
            serve(&listener)
        });
        let host = thread::spawn(move || -> Result<(f64, f64, f64)> {
            super::ours::pin(1);
            ask(TcpStream::connect(address)?, depth)
        });
        let failed = |_| anyhow!("a thread of the bytes alone panicked");
        let (count, seconds, host_s) = host.join().map_err(failed)??;
        let target_s = target.join().map_err(failed)??;
        Ok(Some(Sample {
            p50_us: None,
            rate_per_s: count / seconds,
            host_us: host_s / count * 1e6,
            target_us: target_s / count * 1e6,
        }))
    }
}

/// Sends a block for each command until the host is gone; CPU time of the thread from the first command on, s.
fn serve(listener: &TcpListener) -> Result<f64> {
    let block = LARGE as usize;
    // Written, so that it is memory and not the kernel's one page of zeros.
    let memory = vec![1_u8; BYTES as usize];
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    let mut command = [0; COMMAND];
    let mut rng = Rng::new(1);
    let before = super::ours::thread_cpu_s();
    while receive(&stream, &mut command, false)? {
        let at = (rng.next_u64() % (BYTES / u64::from(LARGE))) as usize * block;
        stream.write_all(&memory[at..at + block])?;
    }
    Ok(super::ours::thread_cpu_s() - before)
}

/// Keeps so many commands in flight for a window: blocks, seconds, CPU time of the thread in s.
fn ask(mut stream: TcpStream, depth: u32) -> Result<(f64, f64, f64)> {
    stream.set_nodelay(true)?;
    let command = [0; COMMAND];
    let mut slots = vec![vec![0_u8; LARGE as usize]; depth as usize];
    // The first command waits until the target's memory is written.
    stream.write_all(&command)?;
    receive(&stream, slots.first_mut().context("a slot")?, false)?;
    let before = super::ours::thread_cpu_s();
    let begun = Instant::now();
    for _ in 0..depth {
        stream.write_all(&command)?;
    }
    let mut count = 0_usize;
    while begun.elapsed() < WINDOW {
        let slot = count % slots.len();
        receive(&stream, &mut slots[slot], false)?;
        stream.write_all(&command)?;
        count += 1;
    }
    let seconds = begun.elapsed().as_secs_f64();
    let host_s = super::ours::thread_cpu_s() - before;
    // A socket that ends with bytes unread resets the other side, which would take that for an error.
    for slot in &mut slots {
        receive(&stream, slot, false)?;
    }
    Ok((count as f64, seconds, host_s))
}
