//! How many log bytes a commit has: the same for all, or drawn from a histogram.

use narrows_engine::Rng;

/// Bytes of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSizes {
    /// Sizes with the weights of all sizes up to and with them.
    steps: Vec<(u64, u64)>,
}

/// Why a histogram of sizes is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizesError {
    /// A line that is no pair of numbers.
    #[error("line {line}: `{text}` is not a size in bytes and a count")]
    Line {
        /// Which, from one.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// No commit at all.
    #[error("it counts no commit")]
    Empty,
}

impl CommitSizes {
    /// All of `bytes`; at least one.
    pub fn fixed(bytes: u64) -> Self {
        CommitSizes { steps: vec![(bytes.max(1), 1)] }
    }

    /// From pairs of size and count, in any order; pairs that count nothing are left out.
    ///
    /// # Errors
    /// [`SizesError::Empty`].
    pub fn histogram(pairs: &[(u64, u64)]) -> Result<Self, SizesError> {
        let mut sum = 0u64;
        let mut steps = Vec::new();
        for (bytes, count) in pairs.iter().filter(|(_, count)| *count > 0) {
            sum = sum.saturating_add(*count);
            steps.push(((*bytes).max(1), sum));
        }
        if steps.is_empty() { Err(SizesError::Empty) } else { Ok(CommitSizes { steps }) }
    }

    /// From lines of two numbers, bytes and how many commits had so many, with space, tab or comma between them. Empty lines
    /// and those that begin with `#` say nothing.
    ///
    /// # Errors
    /// The first line that is none, or no commit at all.
    pub fn parse(text: &str) -> Result<Self, SizesError> {
        let mut pairs = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split(|c: char| c.is_whitespace() || c == ',');
            let mut number = || words.by_ref().find(|w| !w.is_empty())?.parse::<u64>().ok();
            let (bytes, count) = (number(), number());
            let more = words.any(|word| !word.is_empty());
            match (bytes, count, more) {
                (Some(bytes), Some(count), false) => pairs.push((bytes, count)),
                _ => return Err(SizesError::Line { line: at + 1, text: line.to_string() }),
            }
        }
        CommitSizes::histogram(&pairs)
    }

    /// One size.
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        let all = self.steps.last().map_or(1, |(_, sum)| *sum);
        let at = if all == 1 { 0 } else { rng.below(all) };
        let step = self.steps.partition_point(|(_, sum)| *sum <= at);
        self.steps[step].0
    }

    /// Mean bytes of a commit.
    pub fn mean(&self) -> f64 {
        let mut before = 0;
        let mut bytes = 0.0;
        for (size, sum) in &self.steps {
            bytes += *size as f64 * (sum - before) as f64;
            before = *sum;
        }
        bytes / before as f64
    }

    /// Whether all are alike.
    pub fn is_fixed(&self) -> bool {
        self.steps.iter().all(|(bytes, _)| *bytes == self.steps[0].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_is_drawn_as_it_counts() {
        let sizes =
            CommitSizes::parse("# bytes commits\n200 700\n\n1000,200\n8192\t100\n").unwrap();
        assert_eq!(sizes.mean(), (200.0 * 700.0 + 1000.0 * 200.0 + 8192.0 * 100.0) / 1000.0);
        assert!(!sizes.is_fixed());
        let mut rng = Rng::new(3);
        let mut counts = [0u32; 3];
        for _ in 0..20_000 {
            let drawn = sizes.draw(&mut rng);
            let at = [200, 1000, 8192].iter().position(|size| *size == drawn);
            counts[at.unwrap()] += 1;
        }
        for (count, share) in counts.iter().zip([0.7, 0.2, 0.1]) {
            assert!((f64::from(*count) / 20_000.0 - share).abs() < 0.02, "{counts:?}");
        }
        let fixed = CommitSizes::fixed(0);
        assert_eq!((fixed.draw(&mut rng), fixed.mean(), fixed.is_fixed()), (1, 1.0, true));
    }

    #[test]
    fn what_is_no_histogram_is_named_by_its_line() {
        let line = |text: &str| CommitSizes::parse(text).unwrap_err();
        for bad in ["200", "200 x", "200 1 2", "many 3"] {
            let text = format!("100 1\n{bad}\n");
            assert_eq!(line(&text), SizesError::Line { line: 2, text: bad.to_string() });
        }
        assert_eq!(line("# nothing\n100 0\n"), SizesError::Empty);
    }
}
