//! The kernel's two ways to write a set of processors: lists (`0-3,8`) and hexadecimal masks (`00000001,ffffffff`).

/// Ids from here on are left out. The kernel's own limit is 8192 processors; a list that a hostile copy of a machine's
/// files holds must not fill the memory.
const END: u32 = 1 << 16;

/// A list such as `0-3,8,10-11`, ascending and without repeats; an empty text is an empty list, and parts that
/// are no numbers are left out. Strides (`0-7:1/2`) are understood.
pub fn parse_cpu_list(text: &str) -> Vec<u32> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
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
            .filter(|&(used, group): &(u32, u32)| used > 0 && group > 0)
            .unwrap_or((1, 1));
        cpus.extend((first..=last).filter(|cpu| (cpu - first) % group < used));
    }
    cpus.sort_unstable();
    cpus.dedup();
    cpus
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
