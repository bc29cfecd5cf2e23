//! Plain loops.

use super::Functions;

pub(super) const PORTABLE: Functions =
    Functions { sum, fill, copy, stream: None, stream_copy: None, triad, stream_triad: None };

#[inline(never)]
pub(super) fn sum(words: &[u64]) -> u64 {
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

#[inline(never)]
pub(super) fn fill(words: &mut [u64], value: u64) {
    words.fill(value);
}

#[inline(never)]
pub(super) fn copy(to: &mut [u64], from: &[u64]) {
    to.copy_from_slice(from);
}

#[inline(never)]
pub(super) fn triad(to: &mut [u64], b: &[u64], c: &[u64]) {
    for ((to, b), c) in to.iter_mut().zip(b).zip(c) {
        *to = b.wrapping_add(c.wrapping_mul(2));
    }
}
