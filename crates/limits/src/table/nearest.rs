//! The name that was probably meant.

/// The candidate that takes fewest changes, where a third of the letters or fewer differ; among equals the one with
/// the same numbers, since another generation is another part.
pub fn nearest<'a>(typed: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LENGTH_MAX: usize = 80;
    let typed: Vec<char> = typed.trim().to_lowercase().chars().take(LENGTH_MAX).collect();
    // Data sheets write blanks where names have dashes.
    let typed: String = typed.iter().map(|c| if " _/".contains(*c) { '-' } else { *c }).collect();
    let letters: Vec<char> = typed.chars().collect();
    let within = letters.len() / 3;
    candidates
        .map(|candidate| (changes(&letters, &candidate.chars().collect::<Vec<_>>()), candidate))
        .filter(|(changes, _)| *changes <= within)
        .min_by_key(|(changes, candidate)| (*changes, other_numbers(&typed, candidate)))
        .map(|(_, candidate)| candidate)
}

/// How many numbers of the candidate weren't typed.
fn other_numbers(typed: &str, candidate: &str) -> usize {
    let typed = numbers(typed);
    numbers(candidate).iter().filter(|number| !typed.contains(number)).count()
}

fn numbers(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()).collect()
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

    const NAMES: [&str; 6] =
        ["nvme-gen5-x4", "nvme-gen4-x4", "ddr5-4800", "eth-25", "pcie-gen1-x16", "pcie-gen5-x16"];

    fn find(typed: &str) -> Option<&'static str> {
        nearest(typed, NAMES.into_iter())
    }

    #[test]
    fn slips_find_their_name_and_nonsense_finds_none() {
        assert_eq!(find("nvme-gen5x4"), Some("nvme-gen5-x4"));
        assert_eq!(find("NVME-Gen4-X4"), Some("nvme-gen4-x4"));
        assert_eq!(find("ddr5-480"), Some("ddr5-4800"));
        assert_eq!(find("floppy"), None);
        assert_eq!(find(""), None);
    }

    #[test]
    fn what_data_sheets_write_finds_the_same_generation() {
        assert_eq!(find("PCIe 5.0 x16"), Some("pcie-gen5-x16"));
        assert_eq!(find("pcie-5.0-x16"), Some("pcie-gen5-x16"));
        assert_eq!(find("NVMe gen5 x4"), Some("nvme-gen5-x4"));
    }
}
