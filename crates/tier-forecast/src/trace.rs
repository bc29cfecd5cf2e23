//! From a trace of the reads that reach storage to a miss curve.
//!
//! For each read of a block the distance is counted: how many other blocks were read since it was read last. An LRU cache of more blocks than
//! that serves it (Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970). A block's first read in the
//! trace has no distance: a cache that was warm before may have had it or not, so both ends are carried.
//!
//! Two forms are read: what `blkparse` prints (blktrace's queued reads: action `Q`), and fio's I/O logs (`write_iolog`, versions 2 and 3).

use std::collections::HashMap;

use narrows_cost::Range;

use crate::curve::Curve;
use crate::given::Refused;

/// Bytes of a sector in what `blkparse` prints.
const SECTOR: u64 = 512;
/// Most reads of blocks that are taken in.
const MOST_READS: u64 = 1 << 26;
/// A request is no longer; what says otherwise is no trace.
const MOST_REQUEST_BYTES: u64 = 1 << 30;
/// Points of the curve between one size and its double.
const POINTS: u32 = 4;
/// Times that a stack has room for at first.
const ROOM: usize = 1 << 16;

/// A block of a device or file of the trace.
type Block = (u32, u64);

/// Blocks by when they were read last.
#[derive(Debug)]
struct Stack {
    last: HashMap<Block, u32>,
    /// Fenwick's tree over times: a mark stands at the last read of each block.
    marks: Vec<u32>,
    now: u32,
}

impl Stack {
    fn new() -> Stack {
        Stack { last: HashMap::new(), marks: vec![0; ROOM], now: 0 }
    }

    /// How many other blocks were read since this one was; `None` for the first time.
    fn read(&mut self, block: Block) -> Option<u64> {
        if self.now as usize + 1 == self.marks.len() {
            self.renumber();
        }
        self.now += 1;
        let before = self.last.insert(block, self.now);
        let distance = before.map(|before| {
            let since = self.marked(self.now - 1) - self.marked(before);
            self.mark(before, false);
            u64::from(since)
        });
        self.mark(self.now, true);
        distance
    }

    fn marked(&self, mut time: u32) -> u32 {
        let mut sum = 0;
        while time > 0 {
            sum += self.marks[time as usize];
            time &= time - 1;
        }
        sum
    }

    fn mark(&mut self, mut time: u32, set: bool) {
        while (time as usize) < self.marks.len() {
            let mark = &mut self.marks[time as usize];
            *mark = if set { *mark + 1 } else { *mark - 1 };
            time += time & time.wrapping_neg();
        }
    }

    /// Only the order of the last reads counts: they get the times from 1 on.
    fn renumber(&mut self) {
        let mut order: Vec<(u32, Block)> =
            self.last.iter().map(|(block, at)| (*at, *block)).collect();
        order.sort_unstable();
        self.now = 0;
        self.marks = vec![0; (2 * order.len() + 2).max(ROOM)];
        for (_, block) in order {
            self.now += 1;
            self.last.insert(block, self.now);
            self.mark(self.now, true);
        }
    }
}

/// The form of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// What `blkparse` prints, or nothing known yet.
    Blkparse,
    /// fio's I/O log; in version 3 a time stands first.
    Iolog { timed: bool },
}

/// A trace that is read line by line.
#[derive(Debug)]
pub struct Trace {
    block_bytes: u64,
    form: Form,
    stack: Stack,
    /// Numbers of devices or files.
    names: HashMap<String, u32>,
    /// Reads of blocks by their distance's place among the sizes.
    distances: Vec<u64>,
    first: u64,
    reads: u64,
    /// Requests of `blkparse` that were no queued ones.
    other_actions: u64,
    full: bool,
}

impl Trace {
    /// Nothing yet; of blocks of that size, bytes.
    pub fn new(block_bytes: u64) -> Trace {
        Trace {
            block_bytes: block_bytes.max(1),
            form: Form::Blkparse,
            stack: Stack::new(),
            names: HashMap::new(),
            distances: Vec::new(),
            first: 0,
            reads: 0,
            other_actions: 0,
            full: false,
        }
    }

    /// Takes a line; one that is no read is passed over. `false` once no more are taken in.
    pub fn line(&mut self, line: &str) -> bool {
        if let Some(version) = line.strip_prefix("fio version ") {
            self.form = Form::Iolog { timed: !version.starts_with('2') };
            return true;
        }
        let found = match self.form {
            Form::Blkparse => self.of_blkparse(line),
            Form::Iolog { timed } => of_iolog(line, timed),
        };
        if let Some((name, offset, bytes)) = found {
            self.read(name, offset, bytes);
        }
        !self.full
    }

    /// `8,0 3 1 0.000000000 697 Q R 223490 + 8 [postgres]`.
    fn of_blkparse<'a>(&mut self, line: &'a str) -> Option<(&'a str, u64, u64)> {
        let mut words = line.split_ascii_whitespace();
        let device = words.next().filter(|word| word.contains(','))?;
        let action = words.nth(4)?;
        let kind = words.next()?;
        let sector: u64 = words.next()?.parse().ok()?;
        let sectors: u64 =
            words.next().filter(|word| *word == "+").and(words.next())?.parse().ok()?;
        if action != "Q" {
            self.other_actions += 1;
            return None;
        }
        let bytes = sectors.checked_mul(SECTOR).filter(|_| kind.contains('R'))?;
        Some((device, sector.checked_mul(SECTOR)?, bytes))
    }

    fn read(&mut self, name: &str, offset: u64, bytes: u64) {
        if !(1..=MOST_REQUEST_BYTES).contains(&bytes) {
            return;
        }
        let Some(last) = offset.checked_add(bytes - 1) else { return };
        let name = match self.names.get(name) {
            Some(number) => *number,
            None => {
                let number = self.names.len() as u32;
                self.names.insert(name.to_string(), number);
                number
            }
        };
        for block in offset / self.block_bytes..=last / self.block_bytes {
            if self.reads == MOST_READS {
                self.full = true;
                return;
            }
            self.reads += 1;
            match self.stack.read((name, block)) {
                None => self.first += 1,
                Some(distance) => {
                    let place = place(distance);
                    if self.distances.len() <= place {
                        self.distances.resize(place + 1, 0);
                    }
                    self.distances[place] += 1;
                }
            }
        }
    }

    /// Reads of blocks so far, and how many blocks these are.
    pub fn seen(&self) -> (u64, u64) {
        (self.reads, self.first)
    }

    /// The curve.
    ///
    /// # Errors
    /// There is no read in it, or none of a block that was read before.
    pub fn curve(&self, from: &str) -> Result<Curve, Refused> {
        if self.reads == 0 {
            let why = match self.other_actions {
                0 => "no read in it, as blkparse prints one, or fio's write_iolog".to_string(),
                n => format!("{n} requests, and no queued read among them (action Q)"),
            };
            return Err(Refused::new(
                format!("{from}: {why}"),
                "blktrace -d DEVICE -a queue -w 600 -o - | blkparse -i - > FILE makes a trace of ten minutes",
            ));
        }
        let again: u64 = self.distances.iter().sum();
        if again == 0 {
            return Err(Refused::new(
                format!("{from}: no block is read twice, so nothing is known of a cache"),
                "trace for longer: at least until the blocks that are popular come again",
            ));
        }
        let share = |reads: u64| reads as f64 / self.reads as f64;
        let (mut far, mut points) = (again, Vec::new());
        for (at, reads) in self.distances.iter().enumerate() {
            far -= reads;
            let (low, high) = (share(far), share(far + self.first));
            points.push((size(at) as f64 * self.block_bytes as f64, Range::between(low, high)));
        }
        let more = if self.full { ", its beginning" } else { "" };
        let from = format!("{from}{more}: {} reads of {} blocks, LRU", self.reads, self.first);
        Ok(Curve::of_points(from, points))
    }
}

/// The blocks of the smallest cache among the sizes that serves that distance.
fn size(place: usize) -> u64 {
    let exact = (place as f64 / f64::from(POINTS)).exp2();
    // Below that, sizes would come twice.
    (exact.ceil() as u64).max(1)
}

fn place(distance: u64) -> usize {
    let wanted = distance + 1;
    let mut at = ((wanted as f64).log2() * f64::from(POINTS)).floor().max(0.0) as usize;
    while size(at) < wanted {
        at += 1;
    }
    at
}

/// `FILE read OFFSET LENGTH`, with a time before it from version 3 on.
fn of_iolog(line: &str, timed: bool) -> Option<(&str, u64, u64)> {
    let mut words = line.split_ascii_whitespace().skip(usize::from(timed));
    let name = words.next()?;
    words.next().filter(|action| *action == "read")?;
    Some((name, words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Trace {
        let mut trace = Trace::new(4096);
        assert!(text.lines().all(|line| trace.line(line)));
        trace
    }

    fn missed(curve: &Curve, blocks: u64) -> Range {
        curve.miss((blocks * 4096) as f64).expect("the curve begins at one block")
    }

    fn near(range: Range, low: f64, high: f64) {
        assert!((range.low - low).abs() < 1e-9 && (range.high - high).abs() < 1e-9, "{range:?}");
    }

    #[test]
    fn distances_are_those_of_lru() {
        // Of three blocks in turns a cache of three serves all but the first three reads, and one of two none.
        let queued =
            |block: u64| format!("  8,0    1  7  0.5 77  Q   R {} + 8 [postgres]\n", block * 8);
        let text: String = (0..30).map(|read| queued(read % 3)).collect();
        let trace = read_all(&text);
        assert_eq!(trace.seen(), (30, 3));
        let curve = trace.curve("t").unwrap();
        near(missed(&curve, 2), 0.9, 1.0);
        near(missed(&curve, 3), 0.0, 0.1);
        assert!(curve.from.contains("30 reads of 3 blocks, LRU"), "{}", curve.from);
    }

    #[test]
    fn a_stack_that_was_renumbered_counts_on() {
        let mut stack = Stack::new();
        for round in 0..200u64 {
            for block in 0..1000 {
                let distance = stack.read((0, block));
                assert_eq!(distance, (round > 0).then_some(999), "round {round}");
            }
        }
        assert_eq!(stack.read((0, 990)), Some(9));
    }

    #[test]
    fn both_versions_of_fios_log_are_read_and_what_is_no_read_is_passed_over() {
        let two = "fio version 2 iolog\n/d add\n/d open\n/d read 0 8192\n/d write 0 4096\n/d read 4096 4096\n/d close\n";
        let three = "fio version 3 iolog\n1 /d add\n5 /d read 0 8192\n6 /e read 4096 4096\n7 /d read 4096 4096\n";
        assert_eq!(read_all(two).seen(), (3, 2));
        // Of another file it is another block.
        assert_eq!(read_all(three).seen(), (4, 3));
    }

    #[test]
    fn a_trace_without_a_queued_read_says_what_makes_one() {
        let refused = |text: &str| read_all(text).curve("t").unwrap_err();
        let issued = "8,0 1 7 0.5 77 D R 8 + 8 [x]\n8,0 1 7 0.5 77 Q W 8 + 8 [x]\n";
        assert!(refused(issued).what.contains("no queued read"), "{}", refused(issued));
        assert!(refused("hello\n\n8,0 1\n").hint.contains("blktrace"));
        assert!(refused("8,0 1 7 0.5 77 Q R 8 + 8 [x]\n").what.contains("read twice"));
        // Ends that no number holds, and requests of nothing.
        for odd in ["18446744073709551615 + 8", "8 + 18446744073709551615", "8 + 0"] {
            let line = format!("8,0 1 7 0.5 77 Q R {odd} [x]\n");
            assert_eq!(read_all(&line).seen(), (0, 0), "{odd}");
        }
    }
}
