//! What a host was told, against what is there: for `lab/dax`, whose target is killed and whose machine loses its power.
//!
//! `acknowledged write ADDRESS LIST COUNT PID` writes blocks of 4 KiB over NVMe/TCP, eight at a time. When COUNT were acknowledged it ends
//! process PID by SIGKILL, with eight more under way, takes the answers that were on their way, and leaves in LIST what each block holds for
//! sure and what it may hold since.
//! `acknowledged check ADDRESS LIST` reads all blocks and holds them against LIST; it fails where one is older, or torn.
//! `acknowledged times ROUNDS sleep|poll NAME=ADDRESS…` writes 8 KiB with force unit access, one at a time, to each namespace in turn, and
//! prints the median latency of each round.

use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use narrows_initiator::{Address, Association, NvmeTcpPath, PathOptions};
use narrows_io::{Arena, Completion, DevicePath, Op};

type Done<T> = Result<T, Box<dyn Error>>;

const BLOCK: usize = 4096;
/// Blocks that are written; no multiple of [`STEP`].
const BLOCKS: usize = 1024;
const STEP: usize = 5;
const DEPTH: u32 = 8;
/// Of one durable write whose time is taken, bytes.
const TIMED: u32 = 8192;
/// Of a window of one namespace.
const TIMED_WRITES: u64 = 1000;

/// What each block holds for sure, and what it may hold since.
struct Blocks(Vec<(u64, Vec<u64>)>);

impl Blocks {
    fn load(path: &str) -> Done<Blocks> {
        let mut blocks = vec![(0, Vec::new()); BLOCKS];
        let text = std::fs::read_to_string(path).unwrap_or_default();
        for (block, line) in blocks.iter_mut().zip(text.lines()) {
            let mut numbers = line.split(' ').map(str::parse);
            block.0 = numbers.next().ok_or("an empty line")??;
            block.1 = numbers.collect::<Result<_, _>>()?;
        }
        Ok(Blocks(blocks))
    }

    fn save(&self, path: &str) -> Done<()> {
        let mut text = String::new();
        for (sure, maybe) in &self.0 {
            write!(text, "{sure}")?;
            maybe.iter().try_for_each(|value| write!(text, " {value}"))?;
            text.push('\n');
        }
        Ok(std::fs::write(path, text)?)
    }

    fn acknowledged(&mut self, block: usize, value: u64) {
        let (sure, maybe) = &mut self.0[block];
        *sure = value.max(*sure);
        maybe.retain(|other| *other > value);
    }

    fn last(&self) -> u64 {
        let all = self.0.iter().flat_map(|(sure, maybe)| maybe.iter().chain([sure]));
        all.max().copied().unwrap_or(0)
    }
}

fn path_to(address: &str, options: PathOptions, slot: u32) -> Done<NvmeTcpPath> {
    let address: Address = address.parse()?;
    let association = Arc::new(Association::connect(&address, 1)?);
    Ok(association.path(Arena::new(DEPTH, slot, 4096)?, options)?)
}

/// The result of the only operation under way.
fn result_of(path: &mut NvmeTcpPath) -> Done<i32> {
    let mut done = Vec::new();
    // It comes back now and then without one.
    while done.is_empty() {
        path.reap(1, &mut done)?;
    }
    Ok(done[0].result)
}

fn write(address: &str, list: &str, count: u64, process: i32) -> Done<()> {
    let mut blocks = Blocks::load(list)?;
    let mut path = path_to(address, PathOptions::default(), BLOCK as u32)?;
    let mut under_way = [(0, 0); DEPTH as usize];
    let mut free: Vec<u32> = (0..DEPTH).collect();
    let (mut acknowledged, mut value) = (0, blocks.last());
    let mut take = |done: &Completion, blocks: &mut Blocks, under_way: &[(usize, u64)]| {
        if done.result == BLOCK as i32 {
            let (block, value) = under_way[done.slot as usize];
            blocks.acknowledged(block, value);
            acknowledged += 1;
        }
        acknowledged
    };
    let mut told = 0;
    while told < count {
        while let Some(slot) = free.pop() {
            value += 1;
            let block = value as usize * STEP % BLOCKS;
            let buffer = path.buffer(slot);
            buffer.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&value.to_le_bytes()));
            blocks.0[block].1.push(value);
            under_way[slot as usize] = (block, value);
            path.submit(Op::Write, slot, (block * BLOCK) as u64, BLOCK as u32);
        }
        let mut done = Vec::new();
        path.reap(1, &mut done)?;
        for done in done {
            told = take(&done, &mut blocks, &under_way);
            free.push(done.slot);
        }
    }
    // SAFETY: a signal to a process that the caller named.
    unsafe { libc::kill(process, libc::SIGKILL) };
    let mut done = Vec::new();
    while path.in_flight() > 0 && path.reap(1, &mut done).is_ok() {}
    for done in &done {
        told = take(done, &mut blocks, &under_way);
    }
    blocks.save(list)?;
    println!("{told} acknowledged, {} under way", path.in_flight());
    Ok(())
}

fn check(address: &str, list: &str) -> Done<()> {
    let mut blocks = Blocks::load(list)?;
    let mut path = path_to(address, PathOptions::default(), BLOCK as u32)?;
    let (mut lost, mut torn, mut later) = (0, 0, 0);
    for (block, (sure, maybe)) in blocks.0.iter_mut().enumerate() {
        path.submit(Op::Read, 0, (block * BLOCK) as u64, BLOCK as u32);
        let result = result_of(&mut path)?;
        if result != BLOCK as i32 {
            return Err(format!("block {block} can't be read: {result}").into());
        }
        let bytes = path.buffer(0);
        let found = u64::from_le_bytes(bytes[..8].try_into()?);
        let whole = bytes.chunks_exact(8).all(|word| word == found.to_le_bytes());
        match (whole, found) {
            (true, found) if found == *sure => {}
            (true, found) if maybe.contains(&found) => later += 1,
            (true, found) if found < *sure => lost += 1,
            _ => torn += 1,
        }
        (*sure, *maybe) = (found, Vec::new());
    }
    blocks.save(list)?;
    println!("{BLOCKS} blocks: {lost} lost, {torn} torn, {later} later than acknowledged");
    if lost + torn > 0 { Err("blocks are not what was acknowledged".into()) } else { Ok(()) }
}

fn times(rounds: u32, polled: bool, named: &[String]) -> Done<()> {
    let mut paths = Vec::new();
    for named in named {
        let (name, address) = named.split_once('=').ok_or("NAME=ADDRESS")?;
        let options = PathOptions { polled, force_unit_access: true, ..PathOptions::default() };
        paths.push((name, path_to(address, options, TIMED)?));
    }
    for round in 0..=rounds {
        let mut line = format!("round {round}:");
        for (name, path) in &mut paths {
            let mut taken_ns = Vec::new();
            for number in 0..TIMED_WRITES {
                let began = Instant::now();
                path.submit(Op::Write, 0, number % 512 * u64::from(TIMED), TIMED);
                let result = result_of(path)?;
                if result != TIMED as i32 {
                    return Err(format!("{name}: a write failed: {result}").into());
                }
                taken_ns.push(began.elapsed().as_nanos());
            }
            taken_ns.sort_unstable();
            write!(line, " {name} {:.1} µs", taken_ns[taken_ns.len() / 2] as f64 / 1e3)?;
        }
        // The first one warms up.
        if round > 0 {
            println!("{line}");
        }
    }
    Ok(())
}

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["write", address, list, count, process] => {
            write(address, list, count.parse()?, process.parse()?)
        }
        ["check", address, list] => check(address, list),
        ["times", rounds, how @ ("sleep" | "poll"), ..] => {
            times(rounds.parse()?, how == "poll", &arguments[3..])
        }
        _ => Err("write ADDRESS LIST COUNT PID, check ADDRESS LIST, or times ROUNDS sleep|poll NAME=ADDRESS…".into()),
    }
}
