//! What is read has to be there: blocks that were never written are answered without the storage.

use std::sync::Arc;
use std::time::Instant;

use narrows_engine::{Context, Phase, Rng};
use narrows_initiator::{Association, PathOptions};
use narrows_io::{Arena, DevicePath, Op};
use narrows_model::Layer;

use crate::FabricError;
use crate::throughput::PATIENCE;

/// Bytes of a write, where the target takes so much.
const WRITE_BYTES: u32 = 128 << 10;
/// Writes in flight.
const DEPTH: u32 = 16;
const ALIGNMENT: usize = 4096;

/// Writes the namespace's first bytes, so many, with random data, and makes them durable.
pub(crate) fn fill(
    ctx: &Context<'_>,
    association: &Arc<Association>,
    region_bytes: u64,
) -> Result<(), FabricError> {
    ctx.progress.phase(Layer::Fabric, Phase::Fill, "the namespace's first blocks");
    let reached = association.reached();
    let write_bytes = reached.max_data.min(WRITE_BYTES);
    let write_bytes = write_bytes - write_bytes % reached.block_bytes;
    let arena = Arena::new(DEPTH, write_bytes, ALIGNMENT)
        .map_err(|source| FabricError::System { action: "allocate memory for a queue", source })?;
    let mut path = association.path(arena, PathOptions::default())?;
    let mut rng = Rng::new(ctx.seed);
    let mut free: Vec<u32> = (0..DEPTH).collect();
    let (mut next, mut done) = (0, Vec::with_capacity(DEPTH as usize));
    let mut answered = Instant::now();
    let mut flushed = false;
    loop {
        ctx.stop.check()?;
        while next < region_bytes
            && let Some(slot) = free.pop()
        {
            let bytes = (region_bytes - next).min(write_bytes.into()) as u32;
            rng.fill(path.buffer(slot));
            path.submit(Op::Write, slot, next, bytes);
            next += u64::from(bytes);
        }
        if path.in_flight() == 0 {
            if flushed {
                return Ok(());
            }
            path.submit(Op::Sync, 0, 0, 0);
            flushed = true;
        }
        path.reap(1, &mut done)?;
        if done.is_empty() && answered.elapsed() > PATIENCE {
            return Err(FabricError::Nothing {
                operation: "write".to_string(),
                seconds: PATIENCE.as_secs_f64(),
            });
        }
        for completion in done.drain(..) {
            answered = Instant::now();
            completion.bytes().map_err(|source| FabricError::Operation {
                operation: "write".to_string(),
                source,
            })?;
            free.push(completion.slot);
        }
    }
}
