//! What marks a sector as written by a test of this project, so that whoever looks at a device without knowing the test can tell.
//!
//! A sector of 512 bytes opens with a tag of four words, least significant byte first: the file's id, the sector's number, the write's
//! generation, and a check word made of these three.

/// Mixes all bits of a word (SplitMix64's finaliser; Steele, Lea and Flood, 2014).
#[inline]
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The tag's last word.
#[inline]
pub fn check_word(id: u64, number: u64, generation: u64) -> u64 {
    mix(id ^ number.rotate_left(24) ^ generation.rotate_left(48))
}

/// Whether the sector at the head of `block` carries such a tag, of whatever test.
pub fn is_ours(block: &[u8]) -> bool {
    let word = |at: usize| {
        let bytes = block.get(at * 8..at * 8 + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    let (Some(id), Some(number), Some(generation), Some(check)) =
        (word(0), word(1), word(2), word(3))
    else {
        return false;
    };
    // Ids are odd, so that zeros are nobody's.
    id & 1 == 1 && check == check_word(id, number, generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_tag_is_ours() {
        let (id, number, generation) = (7u64, 5u64, 1u64 << 33);
        let words = [id, number, generation, check_word(id, number, generation)];
        let mut block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(is_ours(&block));
        assert!(!is_ours(&block[..31]));
        block[9] ^= 1;
        assert!(!is_ours(&block));
        assert!(!is_ours(&[0; 512]) && !is_ours(&[]));
    }
}
