//! fio's histogram: 29 groups of 64 bins, so that a bin is at most 1/64 of its value wide and its middle is within 1/128.
//!
//! `json+` names a bin by its middle. Readers turn names back into bins, so the layout has to be exact.

/// Bits of a value that a bin keeps below the highest.
const BITS: u32 = 6;
/// Bins of a group.
const PER_GROUP: u64 = 1 << BITS;
/// All bins; what is longer than 17 s is in the last.
const BINS: u64 = 29 * PER_GROUP;

/// The bin of a latency.
pub fn bin_index(value_ns: u64) -> u64 {
    let highest_bit = value_ns.checked_ilog2().unwrap_or(0);
    if highest_bit <= BITS {
        return value_ns;
    }
    let dropped = highest_bit - BITS;
    let in_group = (value_ns >> dropped) & (PER_GROUP - 1);
    ((u64::from(dropped) + 1) * PER_GROUP + in_group).min(BINS - 1)
}

/// The middle of a bin, by which fio names it.
pub fn bin_value_ns(index: u64) -> u64 {
    if index < 2 * PER_GROUP {
        return index;
    }
    let dropped = index / PER_GROUP - 1;
    let start = 1u64 << (dropped + u64::from(BITS));
    let width = 1u64 << dropped;
    start + (index % PER_GROUP) * width + width / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bins_middle_is_in_it() {
        for index in 0..BINS {
            assert_eq!(bin_index(bin_value_ns(index)), index);
        }
    }

    #[test]
    fn middles_are_within_the_promised_error() {
        let mut value: u64 = 1;
        while value < 17_000_000_000 {
            let middle = bin_value_ns(bin_index(value));
            assert!(middle.abs_diff(value) * 128 <= value, "{value} {middle}");
            value += value / 97 + 1;
        }
        assert_eq!(bin_index(u64::MAX), BINS - 1);
    }

    // Names of bins as fio 3.33 printed them.
    #[test]
    fn names_are_those_of_fio() {
        for name in [0, 10, 127, 129, 131, 205, 251, 258, 454, 6816, 18048, 30336, 4_046_848] {
            assert_eq!(bin_value_ns(bin_index(name)), name);
        }
    }
}
