//! The name that was probably meant.

/// The candidate that takes fewest changes, where a third of the letters or fewer differ.
pub fn nearest<'a>(typed: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LENGTH_MAX: usize = 80;
    let typed: Vec<char> = typed.trim().to_lowercase().chars().take(LENGTH_MAX).collect();
    let within = typed.len() / 3;
    candidates
        .map(|candidate| (changes(&typed, &candidate.chars().collect::<Vec<_>>()), candidate))
        .filter(|(changes, _)| *changes <= within)
        .min_by_key(|(changes, _)| *changes)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, remove or replace (Levenshtein).
fn changes(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_find_their_name_and_nonsense_finds_none() {
        let names = ["nvme-gen5-x4", "nvme-gen4-x4", "ddr5-4800", "eth-25"];
        let find = |typed| nearest(typed, names.into_iter());
        assert_eq!(find("nvme-gen5x4"), Some("nvme-gen5-x4"));
        assert_eq!(find("NVME-Gen4-X4"), Some("nvme-gen4-x4"));
        assert_eq!(find("ddr5-480"), Some("ddr5-4800"));
        assert_eq!(find("floppy"), None);
        assert_eq!(find(""), None);
    }
}
