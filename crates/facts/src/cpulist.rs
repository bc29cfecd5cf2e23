//! The kernel's two ways to write a set of processors: lists (`0-3,8`) and hexadecimal masks (`00000001,ffffffff`).

/// Ids from here on are left out. The kernel's own limit is 8192 processors; a list that a hostile copy of a machine's
/// files holds must not fill the memory.
const END: u32 = 1 << 16;

/// Parts of a list that are read: ids below [`END`] in as many pieces as there can be.
const PARTS_MOST: usize = END as usize / 2;

/// A list such as `0-3,8,10-11`, ascending and without repeats; an empty text is an empty list, and parts that
/// are no numbers are left out. Strides (`0-7:1/2`) are understood.
pub fn parse_cpu_list(text: &str) -> Vec<u32> {
    let mut ids = Ids::default();
    for part in text.trim().split(',').take(PARTS_MOST) {
        let (range, stride) = part.trim().split_once(':').unwrap_or((part.trim(), ""));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>())
        else {
            continue;
        };
        let last = last.min(END - 1);
        let (used, group) = stride
            .split_once('/')
            .and_then(|(used, group)| Some((used.parse().ok()?, group.parse().ok()?)))
            .filter(|&(used, group): &(u32, u32)| used > 0 && group > used)
            .unwrap_or((u32::MAX, u32::MAX));
        let mut start = first;
        while start <= last {
            ids.add(start, last.min(start.saturating_add(used - 1)));
            start = start.saturating_add(group);
        }
    }
    ids.into_vec()
}

/// A set of ids, a bit for each: a list may name the same range a million times, and takes no more memory for it.
#[derive(Default)]
struct Ids(Vec<u64>);

impl Ids {
    fn add(&mut self, first: u32, last: u32) {
        let (from, to) = (first as usize / 64, last as usize / 64);
        if self.0.len() <= to {
            self.0.resize(to + 1, 0);
        }
        for (at, word) in self.0.iter_mut().enumerate().take(to + 1).skip(from) {
            let low = if at == from { u64::MAX << (first % 64) } else { u64::MAX };
            let high = if at == to { u64::MAX >> (63 - last % 64) } else { u64::MAX };
            *word |= low & high;
        }
    }

    fn into_vec(self) -> Vec<u32> {
        let words = self.0.into_iter().zip((0..).step_by(64));
        let of = |(word, base): (u64, u32)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| base + bit)
        };
        words.filter(|(word, _)| *word != 0).flat_map(of).collect()
    }
}

/// A mask of comma-separated 32-bit words, the highest first; `None` if it is not hexadecimal.
pub fn parse_cpu_mask(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    let mut base = 0;
    for word in text.trim().rsplit(',') {
        let bits = u32::from_str_radix(word.trim(), 16).ok()?;
        if base < END {
            cpus.extend((0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| base + bit));
            base += 32;
        }
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(parse_cpu_list("0-2,8\n"), [0, 1, 2, 8]);
        assert_eq!(parse_cpu_list("5,3-4,4"), [3, 4, 5]);
        assert_eq!(parse_cpu_list("0-7:2/4"), [0, 1, 4, 5]);
        assert_eq!(parse_cpu_list(""), Vec::<u32>::new());
        assert_eq!(parse_cpu_list("x,7"), [7]);
        assert_eq!(parse_cpu_list("3-1"), Vec::<u32>::new());
        assert_eq!(parse_cpu_list("65534-4294967295,4294967295"), [65534, 65535]);
        assert_eq!(parse_cpu_list("1-3:9/4,5:0/0,62-66"), [1, 2, 3, 5, 62, 63, 64, 65, 66]);
    }

    /// Each part alone would be as long as the answer.
    #[test]
    fn a_range_that_is_named_again_and_again_takes_no_memory_for_it() {
        let all: Vec<u32> = (0..END).collect();
        assert_eq!(parse_cpu_list(&"0-65535,".repeat(100_000)), all);
        assert_eq!(parse_cpu_list(&"0-65535:1/2,1-65535:1/2,".repeat(100)), all);
    }

    #[test]
    fn masks() {
        assert_eq!(parse_cpu_mask("00000001,80000003"), Some(vec![0, 1, 31, 32]));
        assert_eq!(parse_cpu_mask("f"), Some(vec![0, 1, 2, 3]));
        assert_eq!(parse_cpu_mask("0"), Some(vec![]));
        assert_eq!(parse_cpu_mask("g"), None);
        let long = "ffffffff,".repeat(10_000) + "1";
        assert_eq!(parse_cpu_mask(&long).map(|cpus| cpus.len()), Some(END as usize - 31));
    }
}
