//! aarch64: NEON, which every such processor that Linux runs on has. Its stores past the caches (`STNP`) are hints that have
//! no intrinsic, so there are none here.

use std::arch::aarch64::*;

use super::{Functions, portable};

/// Vectors per turn.
const UNROLLED: usize = 8;
/// Words of a turn.
const BLOCK: usize = UNROLLED * 2;

pub(super) const NEON: Functions =
    Functions { sum, fill, copy, stream: None, stream_copy: None, triad, stream_triad: None };

#[inline(never)]
fn sum(words: &[u64]) -> u64 {
    let mut blocks = words.chunks_exact(BLOCK);
    let mut lanes = [0u64; BLOCK];
    // SAFETY: each block and `lanes` have BLOCK words.
    unsafe {
        let mut sums = [vdupq_n_u64(0); UNROLLED];
        for block in &mut blocks {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = vaddq_u64(*sum, vld1q_u64(block.as_ptr().add(i * 2)));
            }
        }
        for (i, sum) in sums.iter().enumerate() {
            vst1q_u64(lanes.as_mut_ptr().add(i * 2), *sum);
        }
    }
    portable::sum(&lanes).wrapping_add(portable::sum(blocks.remainder()))
}

#[inline(never)]
fn fill(words: &mut [u64], value: u64) {
    let mut blocks = words.chunks_exact_mut(BLOCK);
    for block in &mut blocks {
        for i in 0..UNROLLED {
            // SAFETY: the block has BLOCK words.
            unsafe { vst1q_u64(block.as_mut_ptr().add(i * 2), vdupq_n_u64(value)) };
        }
    }
    portable::fill(blocks.into_remainder(), value);
}

#[inline(never)]
fn copy(to: &mut [u64], from: &[u64]) {
    let (mut targets, mut sources) = (to.chunks_exact_mut(BLOCK), from.chunks_exact(BLOCK));
    for (target, source) in targets.by_ref().zip(sources.by_ref()) {
        for i in 0..UNROLLED {
            // SAFETY: both blocks have BLOCK words.
            unsafe {
                vst1q_u64(target.as_mut_ptr().add(i * 2), vld1q_u64(source.as_ptr().add(i * 2)))
            };
        }
    }
    portable::copy(targets.into_remainder(), sources.remainder());
}

#[inline(never)]
fn triad(to: &mut [u64], b: &[u64], c: &[u64]) {
    let mut targets = to.chunks_exact_mut(BLOCK);
    let (mut firsts, mut seconds) = (b.chunks_exact(BLOCK), c.chunks_exact(BLOCK));
    for ((target, first), second) in targets.by_ref().zip(firsts.by_ref()).zip(seconds.by_ref()) {
        for i in 0..UNROLLED {
            // SAFETY: all three blocks have BLOCK words.
            unsafe {
                let c = vld1q_u64(second.as_ptr().add(i * 2));
                let b = vld1q_u64(first.as_ptr().add(i * 2));
                vst1q_u64(target.as_mut_ptr().add(i * 2), vaddq_u64(b, vaddq_u64(c, c)));
            }
        }
    }
    portable::triad(targets.into_remainder(), firsts.remainder(), seconds.remainder());
}
