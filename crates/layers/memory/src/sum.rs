//! Reading memory as fast as the core can: sums of 64-bit words by the widest vector loads there are.
//!
//! A sum, because it can be checked: every kernel must give the same as the plain loop, and a thread whose sum is
//! wrong did not read what it claims.

/// How the words are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// 64 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 32 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 16 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// 16 bytes at a time.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// What the compiler makes of the plain loop.
    Portable,
}

impl Kernel {
    /// Those this processor can run, the widest first.
    pub fn available() -> Vec<Kernel> {
        let mut kernels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                kernels.push(Kernel::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                kernels.push(Kernel::Avx2);
            }
            kernels.push(Kernel::Sse2);
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Kernel::Neon);
        kernels.push(Kernel::Portable);
        kernels
    }

    /// The widest.
    pub fn best() -> Kernel {
        Kernel::available()[0]
    }

    /// The word in the workload.
    pub fn word(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kernel::Sse2 => "sse2",
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => "neon",
            Kernel::Portable => "portable",
        }
    }

    /// The sum modulo 2^64. The kernel must be one of [`Kernel::available`].
    pub fn sum(self, words: &[u64]) -> u64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => {
                // SAFETY: listed as available only where the processor has AVX-512F.
                unsafe { x86::avx512(words) }
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => {
                // SAFETY: listed as available only where the processor has AVX2.
                unsafe { x86::avx2(words) }
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Sse2 => {
                // SAFETY: every x86-64 processor has SSE2.
                unsafe { x86::sse2(words) }
            }
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => neon::sum(words),
            Kernel::Portable => portable(words),
        }
    }
}

fn portable(words: &[u64]) -> u64 {
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::portable;
    use std::arch::x86_64::*;

    // Eight accumulators: more loads in flight than the latency of an addition asks for.
    macro_rules! kernel {
        ($name:ident, $feature:literal, $vector:ty, $lanes:literal, $zero:expr, $load:expr, $add:expr) => {
            #[target_feature(enable = $feature)]
            pub fn $name(words: &[u64]) -> u64 {
                let mut sums: [$vector; 8] = [$zero; 8];
                let mut blocks = words.chunks_exact(8 * $lanes);
                for block in &mut blocks {
                    for (i, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: the block has 8 * $lanes words, so lane i is inside it; the load needs no
                        // alignment.
                        let loaded = unsafe { $load(block.as_ptr().add(i * $lanes).cast()) };
                        *sum = $add(*sum, loaded);
                    }
                }
                let mut lanes = [0u64; 8 * $lanes];
                // SAFETY: a vector is $lanes words of plain bits; source and target have the same size.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        sums.as_ptr().cast::<u64>(),
                        lanes.as_mut_ptr(),
                        8 * $lanes,
                    );
                }
                portable(&lanes).wrapping_add(portable(blocks.remainder()))
            }
        };
    }

    kernel!(
        avx512,
        "avx512f",
        __m512i,
        8,
        _mm512_setzero_si512(),
        _mm512_loadu_si512,
        _mm512_add_epi64
    );
    kernel!(avx2, "avx2", __m256i, 4, _mm256_setzero_si256(), _mm256_loadu_si256, _mm256_add_epi64);
    kernel!(sse2, "sse2", __m128i, 2, _mm_setzero_si128(), _mm_loadu_si128, _mm_add_epi64);
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use super::portable;
    use std::arch::aarch64::*;

    pub fn sum(words: &[u64]) -> u64 {
        let mut blocks = words.chunks_exact(16);
        let mut lanes = [0u64; 16];
        // SAFETY: every aarch64 processor that Linux runs on has NEON; each block and `lanes` have 16 words.
        unsafe {
            let mut sums = [vdupq_n_u64(0); 8];
            for block in &mut blocks {
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = vaddq_u64(*sum, vld1q_u64(block.as_ptr().add(i * 2)));
                }
            }
            for (i, sum) in sums.iter().enumerate() {
                vst1q_u64(lanes.as_mut_ptr().add(i * 2), *sum);
            }
        }
        portable(&lanes).wrapping_add(portable(blocks.remainder()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_engine::Rng;

    #[test]
    fn every_kernel_agrees_with_the_plain_loop() {
        let mut rng = Rng::new(5);
        let words: Vec<u64> = (0..5_000).map(|_| rng.next_u64()).collect();
        for kernel in Kernel::available() {
            // Every length around the block sizes, from odd addresses too.
            for from in 0..9 {
                for len in (0..200).chain([4_000, 4_991]) {
                    let part = &words[from..from + len];
                    let plain = part.iter().fold(0u64, |sum, word| sum.wrapping_add(*word));
                    assert_eq!(kernel.sum(part), plain, "{kernel:?} {from} {len}");
                }
            }
        }
    }
}
