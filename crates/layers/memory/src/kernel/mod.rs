//! The hot loops of bandwidth: what a core does to a piece of memory as fast as it can, by the widest vectors there are.
//!
//! Each instruction set has its own functions, never inlined, so that the shipped machine code of each can be read under its own
//! name (`cargo xtask kernels`). Loads and stores are whole vectors; *streaming* stores go to memory past the caches
//! (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 10.4.6.2), and each function that makes some ends
//! them with a fence, so that they are done when it returns.
//!
//! Not here: how many bytes that is, and who does it when ([`crate::traffic`], [`crate::bandwidth`]).

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
mod neon;

/// How words are loaded and stored.
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
    /// What the compiler makes of plain loops.
    Portable,
}

/// The functions of one instruction set. All slices are of 64-bit words; where two are given they have the same length.
///
/// Those that stream want whole lines of 64 bytes: pointers and lengths are multiples of it.
struct Functions {
    sum: unsafe fn(&[u64]) -> u64,
    fill: Fill,
    copy: CopyWords,
    stream: Option<Fill>,
    stream_copy: Option<CopyWords>,
    triad: Triad,
    stream_triad: Option<Triad>,
}

type Triad = unsafe fn(&mut [u64], &[u64], &[u64]);
type Fill = unsafe fn(&mut [u64], u64);
type CopyWords = unsafe fn(&mut [u64], &[u64]);

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

    fn functions(self) -> Functions {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => x86::AVX512,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => x86::AVX2,
            #[cfg(target_arch = "x86_64")]
            Kernel::Sse2 => x86::SSE2,
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => neon::NEON,
            Kernel::Portable => portable::PORTABLE,
        }
    }

    /// Whether it has stores past the caches.
    pub fn streams(self) -> bool {
        self.functions().stream.is_some()
    }

    /// The sum modulo 2^64. The kernel must be one of [`Kernel::available`], here and below.
    pub fn sum(self, words: &[u64]) -> u64 {
        // SAFETY: a kernel is available only where the processor has its instructions.
        unsafe { (self.functions().sum)(words) }
    }

    /// Every word becomes `value`.
    pub fn fill(self, words: &mut [u64], value: u64) {
        // SAFETY: as in `sum`.
        unsafe { (self.functions().fill)(words, value) }
    }

    /// `to` becomes `from`.
    pub fn copy(self, to: &mut [u64], from: &[u64]) {
        assert_eq!(to.len(), from.len());
        // SAFETY: as in `sum`; the lengths are the same.
        unsafe { (self.functions().copy)(to, from) }
    }

    /// As [`Kernel::fill`], past the caches; whole lines only.
    pub fn stream(self, words: &mut [u64], value: u64) {
        assert_whole_lines(words);
        let stream = self.functions().stream.expect("asked for where it is available");
        // SAFETY: as in `sum`; these are whole lines.
        unsafe { stream(words, value) }
    }

    /// As [`Kernel::copy`], past the caches; whole lines only.
    pub fn stream_copy(self, to: &mut [u64], from: &[u64]) {
        assert_eq!(to.len(), from.len());
        assert_whole_lines(to);
        let copy = self.functions().stream_copy.expect("asked for where it is available");
        // SAFETY: as in `sum`; the lengths are the same and whole lines.
        unsafe { copy(to, from) }
    }

    /// `to` becomes `b + 2 c` modulo 2^64, word by word: STREAM's triad on whole numbers, of which each result is known.
    pub fn triad(self, to: &mut [u64], b: &[u64], c: &[u64]) {
        assert!(to.len() == b.len() && to.len() == c.len());
        // SAFETY: as in `sum`; the lengths are the same.
        unsafe { (self.functions().triad)(to, b, c) }
    }

    /// As [`Kernel::triad`], past the caches; whole lines only.
    pub fn stream_triad(self, to: &mut [u64], b: &[u64], c: &[u64]) {
        assert!(to.len() == b.len() && to.len() == c.len());
        assert_whole_lines(to);
        let triad = self.functions().stream_triad.expect("asked for where it is available");
        // SAFETY: as in `sum`; the lengths are the same and whole lines.
        unsafe { triad(to, b, c) }
    }
}

fn assert_whole_lines(words: &[u64]) {
    assert!(words.as_ptr().addr().is_multiple_of(64) && words.len().is_multiple_of(8));
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_engine::Rng;

    /// Words at an address of whole lines.
    fn aligned(len: usize) -> (Vec<u64>, usize) {
        let room = vec![0u64; len + 8];
        let at = room.as_ptr().align_offset(64);
        (room, at)
    }

    #[test]
    fn every_kernel_sums_as_the_plain_loop_does() {
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

    #[test]
    fn every_kernel_stores_all_of_it_and_nothing_beside() {
        let mut rng = Rng::new(6);
        let words: Vec<u64> = (0..700).map(|_| rng.next_u64()).collect();
        for kernel in Kernel::available() {
            for from in 0..9 {
                for len in (0..200).chain([500]) {
                    let mut filled = words.clone();
                    kernel.fill(&mut filled[from..from + len], 7);
                    let mut copied = words.clone();
                    kernel.copy(&mut copied[from..from + len], &words[100..100 + len]);
                    for (i, word) in words.iter().enumerate() {
                        let inside = (from..from + len).contains(&i);
                        assert_eq!(filled[i], if inside { 7 } else { *word }, "{kernel:?} {i}");
                        let meant = if inside { words[100 + i - from] } else { *word };
                        assert_eq!(copied[i], meant, "{kernel:?} {from} {len} {i}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_triad_is_the_plain_one_and_nothing_beside() {
        let mut rng = Rng::new(8);
        let words: Vec<u64> = (0..1_200).map(|_| rng.next_u64()).collect();
        let (b, c) = words.split_at(600);
        for kernel in Kernel::available() {
            for len in (0..200).chain([496]) {
                let (mut room, at) = aligned(700);
                let known: Vec<u64> = b[3..3 + len]
                    .iter()
                    .zip(&c[5..])
                    .map(|(b, c)| b.wrapping_add(c.wrapping_mul(2)))
                    .collect();
                kernel.triad(&mut room[at..at + len], &b[3..3 + len], &c[5..5 + len]);
                assert_eq!(room[at..at + len], known, "{kernel:?} {len}");
                assert!(room[at + len..].iter().all(|word| *word == 0), "{kernel:?} {len}");
                if kernel.streams() && len % 8 == 0 {
                    room.fill(0);
                    kernel.stream_triad(&mut room[at..at + len], &b[3..3 + len], &c[5..5 + len]);
                    assert_eq!(room[at..at + len], known, "{kernel:?} {len}");
                    assert!(room[at + len..].iter().all(|word| *word == 0), "{kernel:?} {len}");
                }
            }
        }
    }

    #[test]
    fn what_streams_stores_the_same() {
        let mut rng = Rng::new(7);
        let source: Vec<u64> = (0..6_000).map(|_| rng.next_u64()).collect();
        for kernel in Kernel::available().into_iter().filter(|kernel| kernel.streams()) {
            // Lines alone, and several pages side by side with lines after them.
            for lines in (0..40).chain([200, 256, 257, 511, 512, 700]) {
                let len = 8 * lines;
                let (mut room, at) = aligned(6_000);
                kernel.stream(&mut room[at..at + len], 9);
                assert!(room[at..at + len].iter().all(|word| *word == 9), "{kernel:?} {lines}");
                assert!(room[at + len..].iter().all(|word| *word == 0), "{kernel:?} {lines}");
                kernel.stream_copy(&mut room[at..at + len], &source[3..3 + len]);
                assert_eq!(room[at..at + len], source[3..3 + len], "{kernel:?} {lines}");
                assert!(room[at + len..].iter().all(|word| *word == 0), "{kernel:?} {lines}");
            }
        }
    }
}
