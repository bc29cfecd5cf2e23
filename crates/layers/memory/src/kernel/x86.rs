//! x86-64: SSE2, AVX2 and AVX-512.

use std::arch::x86_64::*;

use super::{Functions, portable};

/// Vectors per turn: more loads in flight than the latency of an addition asks for.
const UNROLLED: usize = 8;

/// Pages that a copy past the caches goes along side by side: the processor fetches ahead within a page, so several keep more
/// lines on their way.
const SIDES: usize = 4;

/// Words of a page.
const PAGE: usize = 512;

macro_rules! kernels {
    ($module:ident, $name:ident, $feature:literal, $vector:ty, $lanes:literal,
     $zero:expr, $load:expr, $add:expr, $all:expr, $store:expr, $stream:expr) => {
        pub(super) const $name: Functions = Functions {
            sum: $module::sum,
            fill: $module::fill,
            copy: $module::copy,
            stream: Some($module::stream),
            stream_copy: Some($module::stream_copy),
            triad: $module::triad,
            stream_triad: Some($module::stream_triad),
        };

        mod $module {
            use super::*;

            /// Words of a turn.
            const BLOCK: usize = UNROLLED * $lanes;

            #[target_feature(enable = $feature)]
            #[inline(never)]
            pub(super) fn sum(words: &[u64]) -> u64 {
                let mut sums: [$vector; UNROLLED] = [$zero; UNROLLED];
                let mut blocks = words.chunks_exact(BLOCK);
                for block in &mut blocks {
                    for (i, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: the block has BLOCK words, so lane i is inside it; the load needs no alignment.
                        let loaded = unsafe { $load(block.as_ptr().add(i * $lanes).cast()) };
                        *sum = $add(*sum, loaded);
                    }
                }
                let mut lanes = [0u64; BLOCK];
                // SAFETY: a vector is $lanes words of plain bits; source and target have the same size.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        sums.as_ptr().cast::<u64>(),
                        lanes.as_mut_ptr(),
                        BLOCK,
                    );
                }
                portable::sum(&lanes).wrapping_add(portable::sum(blocks.remainder()))
            }

            #[target_feature(enable = $feature)]
            #[inline(never)]
            pub(super) fn fill(words: &mut [u64], value: u64) {
                let all = $all(value as i64);
                let mut blocks = words.chunks_exact_mut(BLOCK);
                for block in &mut blocks {
                    for i in 0..UNROLLED {
                        // SAFETY: lane i is inside the block; the store needs no alignment.
                        unsafe { $store(block.as_mut_ptr().add(i * $lanes).cast(), all) };
                    }
                }
                portable::fill(blocks.into_remainder(), value);
            }

            #[target_feature(enable = $feature)]
            #[inline(never)]
            pub(super) fn copy(to: &mut [u64], from: &[u64]) {
                let (mut targets, mut sources) =
                    (to.chunks_exact_mut(BLOCK), from.chunks_exact(BLOCK));
                for (target, source) in targets.by_ref().zip(sources.by_ref()) {
                    for i in 0..UNROLLED {
                        // SAFETY: lane i is inside both blocks; neither needs alignment.
                        unsafe {
                            let loaded = $load(source.as_ptr().add(i * $lanes).cast());
                            $store(target.as_mut_ptr().add(i * $lanes).cast(), loaded);
                        }
                    }
                }
                portable::copy(targets.into_remainder(), sources.remainder());
            }

            #[target_feature(enable = $feature)]
            #[inline(never)]
            pub(super) fn triad(to: &mut [u64], b: &[u64], c: &[u64]) {
                let mut targets = to.chunks_exact_mut(BLOCK);
                let (mut firsts, mut seconds) = (b.chunks_exact(BLOCK), c.chunks_exact(BLOCK));
                let sources = firsts.by_ref().zip(seconds.by_ref());
                for (target, (first, second)) in targets.by_ref().zip(sources) {
                    for i in 0..UNROLLED {
                        // SAFETY: lane i is inside all three blocks; none needs alignment.
                        unsafe {
                            let c = $load(second.as_ptr().add(i * $lanes).cast());
                            let b = $load(first.as_ptr().add(i * $lanes).cast());
                            let sum = $add(b, $add(c, c));
                            $store(target.as_mut_ptr().add(i * $lanes).cast(), sum);
                        }
                    }
                }
                portable::triad(targets.into_remainder(), firsts.remainder(), seconds.remainder());
            }

            /// # Safety
            /// `to` is whole lines of 64 bytes, and `b` and `c` are as long.
            #[target_feature(enable = $feature)]
            #[inline(never)]
            pub(super) unsafe fn stream_triad(to: &mut [u64], b: &[u64], c: &[u64]) {
                let sources = b.chunks_exact(8).zip(c.chunks_exact(8));
                for (target, (first, second)) in to.chunks_exact_mut(8).zip(sources) {
                    for i in 0..8 / $lanes {
                        // SAFETY: as in `stream`; the loads need no alignment.
                        unsafe {
                            let c = $load(second.as_ptr().add(i * $lanes).cast());
                            let b = $load(first.as_ptr().add(i * $lanes).cast());
                            let sum = $add(b, $add(c, c));
                            $stream(target.as_mut_ptr().add(i * $lanes).cast(), sum);
                        }
                    }
                }
                _mm_sfence();
            }

            /// # Safety
            /// Whole lines of 64 bytes.
            #[target_feature(enable = $feature)]
            #[inline(never)]
            pub(super) unsafe fn stream(words: &mut [u64], value: u64) {
                let all = $all(value as i64);
                for line in words.chunks_exact_mut(8) {
                    for i in 0..8 / $lanes {
                        // SAFETY: the caller's promise makes the address aligned, and lane i is inside the line.
                        unsafe { $stream(line.as_mut_ptr().add(i * $lanes).cast(), all) };
                    }
                }
                _mm_sfence();
            }

            /// # Safety
            /// `to` is whole lines of 64 bytes, and `from` as long.
            #[target_feature(enable = $feature)]
            #[inline(never)]
            pub(super) unsafe fn stream_copy(to: &mut [u64], from: &[u64]) {
                let (mut targets, mut sources) =
                    (to.chunks_exact_mut(SIDES * PAGE), from.chunks_exact(SIDES * PAGE));
                for (target, source) in targets.by_ref().zip(sources.by_ref()) {
                    for line in (0..PAGE).step_by(8) {
                        for side in 0..SIDES {
                            let at = side * PAGE + line;
                            // SAFETY: the line is inside both blocks; the caller's promise.
                            unsafe { stream_line(&mut target[at..at + 8], &source[at..at + 8]) };
                        }
                    }
                }
                let rest = targets.into_remainder().chunks_exact_mut(8);
                for (target, source) in rest.zip(sources.remainder().chunks_exact(8)) {
                    // SAFETY: the caller's promise.
                    unsafe { stream_line(target, source) };
                }
                _mm_sfence();
            }

            /// # Safety
            /// `to` is an aligned line of 64 bytes, and `from` as long.
            #[target_feature(enable = $feature)]
            #[inline]
            unsafe fn stream_line(to: &mut [u64], from: &[u64]) {
                for i in 0..8 / $lanes {
                    // SAFETY: as in `stream`; the load needs no alignment.
                    unsafe {
                        let loaded = $load(from.as_ptr().add(i * $lanes).cast());
                        $stream(to.as_mut_ptr().add(i * $lanes).cast(), loaded);
                    }
                }
            }
        }
    };
}

kernels!(
    avx512,
    AVX512,
    "avx512f",
    __m512i,
    8,
    _mm512_setzero_si512(),
    _mm512_loadu_si512,
    _mm512_add_epi64,
    _mm512_set1_epi64,
    _mm512_storeu_si512,
    _mm512_stream_si512
);
kernels!(
    avx2,
    AVX2,
    "avx2",
    __m256i,
    4,
    _mm256_setzero_si256(),
    _mm256_loadu_si256,
    _mm256_add_epi64,
    _mm256_set1_epi64x,
    _mm256_storeu_si256,
    _mm256_stream_si256
);
kernels!(
    sse2,
    SSE2,
    "sse2",
    __m128i,
    2,
    _mm_setzero_si128(),
    _mm_loadu_si128,
    _mm_add_epi64,
    _mm_set1_epi64x,
    _mm_storeu_si128,
    _mm_stream_si128
);
