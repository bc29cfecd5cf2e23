//! The file that says which blocks of a job were written: lines of text.
//!
//! It has fio's name (`local-JOB-N-verify.state`) and not its layout: fio keeps how far it came and the state of its generator, with
//! which it makes the same order again; here every block stands with its place and the number of its write, so that blocks are found
//! whatever their order was. Neighbours that were written one after the other are one line.

use std::fmt::Write as _;

use narrows_layer_block::WrittenBlock;

/// The first line; another layout would have another number.
pub const HEAD: &str = "narrows verify state 1\n";
/// The last line: what lacks it was not written whole.
const END: &str = "end\n";
/// More blocks than this are no state of ours.
pub const MOST_BLOCKS: u64 = 1 << 26;

/// What one clone of a job had written when it ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    /// The method of verification.
    pub method: String,
    /// Bytes of a unit.
    pub unit_bytes: u32,
    /// Its files, in the job's order.
    pub files: Vec<FileState>,
}

/// What was written to one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileState {
    /// As the job names it.
    pub name: String,
    /// Seed of its blocks.
    pub seed: u64,
    /// What came back whole and was not written over since.
    pub blocks: Vec<WrittenBlock>,
}

/// The file's text.
pub fn write(state: &State) -> String {
    let State { method, unit_bytes, files } = state;
    let mut text = format!("{HEAD}method {method}\nunit {unit_bytes}\n");
    for file in files {
        let FileState { name, seed, blocks } = file;
        // Writing to a string does not fail.
        let _ = writeln!(text, "file {seed:016x} {}", name.escape_default());
        for (first, count) in runs(blocks) {
            let number = first.number.map_or("-".to_string(), |number| number.to_string());
            let _ = writeln!(text, "{} {} {number} {count}", first.offset, first.bytes);
        }
    }
    text + END
}

/// Blocks as the first of each row of neighbours, and how many follow each other there.
fn runs(blocks: &[WrittenBlock]) -> Vec<(WrittenBlock, u64)> {
    let mut runs: Vec<(WrittenBlock, u64)> = Vec::new();
    for block in blocks {
        match runs.last_mut() {
            Some((first, count)) if nth(first, *count) == Some(*block) => *count += 1,
            _ => runs.push((*block, 1)),
        }
    }
    runs
}

/// The block so many after the first of a row; `None` beyond what can be.
fn nth(first: &WrittenBlock, count: u64) -> Option<WrittenBlock> {
    let offset = first.offset.checked_add(count.checked_mul(u64::from(first.bytes))?)?;
    let number = match first.number {
        None => None,
        Some(number) => Some(number.checked_add(count)?),
    };
    Some(WrittenBlock { offset, number, ..*first })
}

/// Reads what [`write`] wrote.
///
/// # Errors
/// Why it is no such state, as the rest of a sentence that begins with the file's name.
pub fn read(text: &str) -> Result<State, String> {
    let Some(rest) = text.strip_prefix(HEAD) else {
        return Err("is no state of narrows".to_string());
    };
    let Some(rest) = rest.strip_suffix(END) else {
        return Err("was not written whole: its last line is missing".to_string());
    };
    let mut state = State::default();
    let mut blocks = 0_u64;
    for (line, number) in rest.lines().zip(2..) {
        let wrong = || format!("cannot be read: line {number} is `{}`", line.escape_debug());
        let (word, value) = line.split_once(' ').ok_or_else(wrong)?;
        match word {
            "method" => state.method = value.to_string(),
            "unit" => state.unit_bytes = value.parse().map_err(|_| wrong())?,
            "file" => {
                let (seed, name) = value.split_once(' ').ok_or_else(wrong)?;
                let seed = u64::from_str_radix(seed, 16).map_err(|_| wrong())?;
                state.files.push(FileState { name: name.to_string(), seed, blocks: Vec::new() });
            }
            _ => {
                let file = state.files.last_mut().ok_or_else(wrong)?;
                let (first, count) = run(line).ok_or_else(wrong)?;
                blocks = blocks.saturating_add(count);
                if blocks > MOST_BLOCKS {
                    return Err(format!("has more than {MOST_BLOCKS} blocks"));
                }
                for at in 0..count {
                    file.blocks.push(nth(&first, at).ok_or_else(wrong)?);
                }
            }
        }
    }
    Ok(state)
}

/// `OFFSET BYTES NUMBER COUNT`, with `-` where the number is not known.
fn run(line: &str) -> Option<(WrittenBlock, u64)> {
    let mut words = line.split(' ');
    let offset: u64 = words.next()?.parse().ok()?;
    let bytes: u32 = words.next()?.parse().ok()?;
    let number = match words.next()? {
        "-" => None,
        number => Some(number.parse().ok()?),
    };
    let count: u64 = words.next()?.parse().ok()?;
    let whole = words.next().is_none() && bytes > 0 && count > 0;
    whole.then_some((WrittenBlock { offset, bytes, number }, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(offset: u64, bytes: u32, number: Option<u64>) -> WrittenBlock {
        WrittenBlock { offset, bytes, number }
    }

    fn state() -> State {
        let blocks = vec![
            block(0, 4096, Some(0)),
            block(4096, 4096, Some(1)),
            block(8192, 4096, Some(2)),
            block(65536, 512, None),
            block(66048, 512, None),
            block(4 << 40, 4096, Some(7)),
        ];
        let files = vec![
            FileState { name: "a".to_string(), seed: u64::MAX, blocks },
            FileState { name: "b c".to_string(), seed: 1, blocks: Vec::new() },
        ];
        State { method: "md5".to_string(), unit_bytes: 4096, files }
    }

    #[test]
    fn what_was_written_is_read_and_neighbours_are_one_line() {
        let text = write(&state());
        assert_eq!(read(&text), Ok(state()));
        assert!(text.contains("\n0 4096 0 3\n65536 512 - 2\n4398046511104 4096 7 1\n"), "{text}");
    }

    #[test]
    fn what_is_cut_off_or_another_programs_is_refused() {
        let text = write(&state());
        let why = read(&text[..text.len() - 5]).unwrap_err();
        assert!(why.contains("not written whole"), "{why}");
        assert!(read("\u{3}\0\0\0").unwrap_err().contains("no state of narrows"));
        for line in ["0 0 0 1", "0 512 0 0", "0 512 0", "x", "18446744073709551615 512 0 9"] {
            let text = format!("{HEAD}file 0 a\n{line}\nend\n");
            assert!(read(&text).unwrap_err().contains("line 3"), "{line}");
        }
        let huge = format!("{HEAD}file 0 a\n0 512 0 99999999999\nend\n");
        assert!(read(&huge).unwrap_err().contains("more than"), "it asks for no memory first");
    }
}
