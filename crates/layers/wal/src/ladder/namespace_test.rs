//! The commands that each step sends, by a namespace that counts them.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use narrows_engine::{Context, Silent, Stop};
use narrows_model::{condition, metric};
use narrows_observe::Watch;

use super::namespace::own_steps;
use crate::ladder::{LadderPlan, Layout, Method, WriteVariant, measure_namespace_ladder};
use crate::medium::{LogGround, LogMedium, LogNamespace, LogQueue, NamespacePart};
use crate::page::{PAGE, Pages};
use crate::{LogError, SEGMENT_BYTES, StreamsPlan, streams};

/// Writes without and with FUA, flushes, reads.
type Counts = [u64; 4];

#[derive(Debug, Default)]
struct Inside {
    blocks: Vec<u8>,
    counts: Counts,
    /// The command with this number fails.
    fails_at: Option<u64>,
}

#[derive(Debug, Clone)]
struct Counting {
    inside: Arc<Mutex<Inside>>,
    volatile: bool,
    block_bytes: u32,
}

impl Counting {
    fn new(bytes: u64, volatile: bool) -> Counting {
        let inside = Inside { blocks: vec![0; bytes as usize], ..Inside::default() };
        Counting { inside: Arc::new(Mutex::new(inside)), volatile, block_bytes: 512 }
    }

    fn counts(&self) -> Counts {
        self.inside.lock().unwrap().counts
    }

    fn command<T>(&self, kind: usize, act: impl FnOnce(&mut Vec<u8>) -> T) -> io::Result<T> {
        let mut inside = self.inside.lock().unwrap();
        inside.counts[kind] += 1;
        if inside.fails_at.is_some_and(|at| inside.counts.iter().sum::<u64>() >= at) {
            return Err(io::Error::from_raw_os_error(libc::EIO));
        }
        Ok(act(&mut inside.blocks))
    }
}

impl LogNamespace for Counting {
    fn name(&self) -> &Path {
        Path::new("nvme-tcp://192.0.2.1:4420/nqn.2026-11.org.example:log")
    }

    fn bytes(&self) -> u64 {
        self.inside.lock().unwrap().blocks.len() as u64
    }

    fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    fn most_bytes(&self) -> u32 {
        128 << 10
    }

    fn has_volatile_cache(&self) -> bool {
        self.volatile
    }

    fn open(&self) -> io::Result<Box<dyn LogQueue>> {
        Ok(Box::new(self.clone()))
    }
}

impl LogQueue for Counting {
    fn write(&mut self, offset: u64, bytes: &[u8], durable: bool) -> io::Result<()> {
        let at = offset as usize;
        self.command(usize::from(durable), |blocks| {
            blocks[at..at + bytes.len()].copy_from_slice(bytes);
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.command(2, |_| ())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let at = offset as usize;
        self.command(3, |blocks| bytes.copy_from_slice(&blocks[at..at + bytes.len()]))
    }
}

const DSYNC: WriteVariant = WriteVariant { method: Method::Dsync, ..WriteVariant::POSTGRES };

#[test]
fn a_volatile_cache_decides_which_commands_make_a_write_durable() {
    for (volatile, with_flush, with_fua) in
        [(true, [10, 0, 10, 0], [0, 10, 0, 0]), (false, [10, 0, 0, 0], [10, 0, 0, 0])]
    {
        let namespace = Counting::new(1 << 20, volatile);
        let part = NamespacePart::create(&namespace, 0, 1 << 20, 1, &Stop::new()).unwrap();
        let pages = Pages::new(1);
        let (mut steps, absent) = own_steps(&part, 512, &pages, &[DSYNC]);
        assert!(absent.is_empty());
        let names: Vec<String> = steps.iter().map(|step| step.name()).collect();
        assert_eq!(names, ["flush", "write.fdatasync.overwrite.8k", "write.dsync.overwrite.8k"]);
        for (step, expected) in steps.iter_mut().zip([[0, 0, 10, 0], with_flush, with_fua]) {
            step.prepare().unwrap();
            let before = namespace.counts();
            for _ in 0..10 {
                assert!(step.operation().unwrap().is_some());
            }
            let after = namespace.counts();
            let sent: Vec<u64> = after.iter().zip(before).map(|(after, b)| after - b).collect();
            assert_eq!(sent, expected, "{}, volatile: {volatile}", step.name());
            let read = if step.bytes() > 0 { 10 } else { 0 };
            assert_eq!(step.verify().unwrap(), (read, 0));
        }
        // What was not written is found.
        steps[2].operation().unwrap();
        namespace.inside.lock().unwrap().blocks[10 * PAGE + 5] ^= 1;
        assert_eq!(steps[2].verify().unwrap(), (11, 1));
    }
}

#[test]
fn what_is_a_matter_of_files_is_left_out_with_its_reason() {
    let namespace = Counting::new(1 << 20, true);
    let part = NamespacePart::create(&namespace, 0, 1 << 20, 1, &Stop::new()).unwrap();
    let pages = Pages::new(1);
    let cells = WriteVariant::all(&Method::ALL, &Layout::ALL, &[512, 8192, 1 << 20]);
    let (steps, absent) = own_steps(&part, 4096, &pages, &cells);
    assert_eq!(steps.len(), 3);
    // All that were asked for are one or the other.
    assert_eq!(absent.len(), cells.len() - 2);
    let reason = |what: &str| {
        &absent.iter().find(|absent| absent.what == what).expect("it is left out").reason
    };
    assert!(reason("write.fdatasync.extend.8k").contains("has no files"));
    assert!(reason("write.uring.overwrite.8k").contains("links no Flush"));
    assert!(reason("write.fsync.overwrite.8k").contains("is what fdatasync is"));
    assert!(reason("write.dsync.overwrite.512b").contains("blocks are of 4096 bytes"));
    assert!(reason("write.dsync.overwrite.1024k").contains("131072 bytes per command"));
}

fn context(stop: &Stop) -> Context<'_> {
    Context {
        stop,
        progress: &Silent,
        seed: 3,
        repeats: 2,
        quick: true,
        window: Duration::from_millis(20),
    }
}

fn plan() -> LadderPlan {
    LadderPlan {
        cells: vec![WriteVariant::POSTGRES, DSYNC],
        device: None,
        queue: None,
        bytes_per_commit: 200,
        cpus: narrows_facts::affinity::current(),
        beside_bytes: 0,
        with_tier: false,
    }
}

#[test]
fn the_whole_ladder_stands_on_a_namespace() {
    let namespace = Counting::new(SEGMENT_BYTES, true);
    let stop = Stop::new();
    let laddered =
        measure_namespace_ladder(&context(&stop), &namespace, &Watch::none(), &plan()).unwrap();
    let by = |m: &narrows_model::Measurement| m.text(condition::DURABLE_BY).map(str::to_string);
    let said: Vec<(String, Option<String>)> =
        laddered.measurements.iter().map(|m| (m.id.to_string(), by(m))).collect();
    let expected = [
        ("flush", "flush"),
        ("write.fdatasync.overwrite.8k", "flush"),
        ("write.dsync.overwrite.8k", "fua"),
        ("leader", "flush"),
        ("post_wait", "flush"),
    ];
    let expected: Vec<(String, Option<String>)> = expected
        .iter()
        .map(|(step, by)| (format!("log.ladder.{step}.alone"), Some((*by).to_string())))
        .collect();
    assert_eq!(said, expected);
    for m in &laddered.measurements {
        assert_eq!(m.metric(metric::ERRORS).map(|errors| errors.value), Some(0.0), "{}", m.id);
        assert_eq!(m.repeats, 2);
    }
    assert!(laddered.absent.is_empty());
}

#[test]
fn a_command_that_fails_ends_it_and_names_the_namespace() {
    let namespace = Counting::new(SEGMENT_BYTES, true);
    namespace.inside.lock().unwrap().fails_at = Some(100);
    let stop = Stop::new();
    let error = measure_namespace_ladder(&context(&stop), &namespace, &Watch::none(), &plan());
    let text = error.unwrap_err().to_string();
    assert!(text.contains("nvme-tcp://192.0.2.1:4420/") && text.contains("target's log"), "{text}");
    let small = Counting::new(SEGMENT_BYTES - 1, true);
    let error = measure_namespace_ladder(&context(&stop), &small, &Watch::none(), &plan());
    assert!(matches!(&error, Err(LogError::Namespace { reason, .. }) if reason.contains("MiB")));
    let mut odd = Counting::new(SEGMENT_BYTES, true);
    odd.block_bytes = 16 << 10;
    let error = measure_namespace_ladder(&context(&stop), &odd, &Watch::none(), &plan());
    let text = error.unwrap_err().to_string();
    assert!(text.contains("whole blocks of 16384 bytes"), "{text}");
}

#[test]
fn streams_have_parts_of_their_own_on_a_namespace() {
    let plan = StreamsPlan {
        streams: 2,
        rate_bytes_per_s: 200_000.0,
        write_bytes: 4096,
        quantile: 0.5,
        limit_ns: 10_000_000_000,
        most_streams: 2,
        cache_bytes: None,
        cpus: narrows_facts::affinity::current(),
    };
    let bytes = 2 * plan.file_bytes().next_multiple_of(256 << 10);
    let namespace = Counting::new(bytes, true);
    let stop = Stop::new();
    let ground = LogGround::Namespace(&namespace);
    let measured = streams(&context(&stop), ground, &Watch::none(), &plan).unwrap();
    for m in &measured.measurements {
        assert_eq!(m.metric(metric::ERRORS).map(|errors| errors.value), Some(0.0), "{}", m.id);
    }
    // One more has no room.
    let third = ground.medium((2, "x"), plan.file_bytes(), 1, &stop).err();
    assert!(matches!(third, Some(LogError::Namespace { .. })), "{third:?}");
}

#[test]
fn writes_longer_than_a_command_are_cut_and_go_around_the_end() {
    let namespace = Counting::new(1 << 20, true);
    let part = NamespacePart::create(&namespace, 0, 1 << 20, 1, &Stop::new()).unwrap();
    let pages = Pages::new(9);
    let mut buffer = vec![0; 40 * PAGE];
    let position = (5 << 20) - 2 * PAGE as u64;
    pages.fill(position, &mut buffer);
    let before = namespace.counts()[0];
    part.write_around(position, &buffer).unwrap();
    // Two pages before the end, then 38 in three commands of 16 at most.
    assert_eq!(namespace.counts()[0] - before, 4);
    let end = position + buffer.len() as u64;
    assert_eq!(part.verify(&pages, end, 40).unwrap(), (40, 0));
    // The page before was never appended.
    assert_eq!(part.verify(&pages, end, 41).unwrap(), (41, 1));
}
