//! What a ring costs beside the device: no-ops in batches, one clock reading a batch and one sum an operation, as a
//! worker has them. `nop_ring OPERATIONS [DEPTH] [BATCH] [dyn|static]` prints operations per second and ns per
//! operation; under `valgrind --tool=callgrind` it gives the instructions.

use std::error::Error;
use std::fs::File;
use std::sync::Arc;
use std::time::Instant;

use narrows_io::{Access, Arena, Completion, DevicePath, Op, UringPath};

fn run<P: DevicePath + ?Sized>(path: &mut P, operations: u64, batch: u32) -> (u64, u64) {
    let depth = path.slots();
    let began = Instant::now();
    let mut submitted_ns = vec![0; depth as usize];
    let mut free: Vec<u32> = (0..depth).collect();
    let mut out: Vec<Completion> = Vec::with_capacity(2 * depth as usize);
    let (mut submitted, mut completed, mut sum_ns, mut now_ns) = (0, 0, 0, 0);
    while completed < operations {
        while submitted < operations
            && let Some(slot) = free.pop()
        {
            submitted_ns[slot as usize] = now_ns;
            path.submit(Op::Read, slot, submitted * 4096, 4096);
            submitted += 1;
        }
        out.clear();
        path.reap(batch.min(path.in_flight()), &mut out).expect("no-ops don't fail");
        now_ns = began.elapsed().as_nanos() as u64;
        for completion in &out {
            assert_eq!(completion.result, 4096);
            sum_ns += now_ns - submitted_ns[completion.slot as usize];
            free.push(completion.slot);
        }
        completed += out.len() as u64;
    }
    (now_ns, sum_ns / operations.max(1))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| -> Result<u64, std::num::ParseIntError> {
        arguments.get(at).map_or(Ok(default), |text| text.parse())
    };
    let operations = number(0, 10_000_000)?;
    let (depth, batch) = (number(1, 128)? as u32, number(2, 32)? as u32);
    let arena = Arena::new(depth, 4096, 4096)?;
    let file = Arc::new(File::open("/dev/zero")?);
    let (elapsed_ns, mean_ns) = if arguments.get(3).is_some_and(|how| how == "static") {
        run(&mut UringPath::nop(file, "/dev/zero".into(), arena, depth)?, operations, batch)
    } else {
        let mut path = Access::nop().open(file, "/dev/zero".as_ref(), arena, depth)?;
        run(&mut *path, operations, batch)
    };
    let per_op_ns = elapsed_ns as f64 / operations as f64;
    println!("{:.0} per s, {per_op_ns:.1} ns each, mean latency {mean_ns} ns", 1e9 / per_op_ns);
    Ok(())
}
