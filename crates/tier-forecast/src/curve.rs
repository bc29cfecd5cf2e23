//! A miss curve: of the reads that reach storage now, the share that a cache of each size misses.
//!
//! It is of the stream behind the server's own cache: a curve of all buffer accesses would count hits that the server has already. Between
//! two points the truth lies between them, because a larger LRU cache never misses more (Mattson et al., "Evaluation techniques for storage
//! hierarchies", IBM Systems Journal 9(2), 1970); the forecast takes the straight line and carries both ends. Below the first point nothing is
//! known; beyond the last one no less is missed than nothing, and no more than there.

use narrows_cost::Range;
use narrows_units::Bytes;

use crate::given::Refused;
use crate::quantity;

/// The longest file, bytes.
pub const CURVE_BYTES_MAX: u64 = 1 << 20;

/// Points of growing size.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    points: Vec<(f64, Range)>,
    /// Where it comes from.
    pub from: String,
}

impl Curve {
    /// Reads lines of `size,miss`, as in `64GiB,0.42` or `64GiB,40..44%`; `#` begins a remark, and a first line of names is passed over.
    ///
    /// # Errors
    /// What is wrong in which line.
    pub fn parse(from: &str, text: &str) -> Result<Curve, Refused> {
        let hint = "each line has a size and the share that a cache of that size misses, as in 64GiB,0.42; sizes grow";
        let wrong =
            |at: usize, why: String| Refused::new(format!("{from}, line {}: {why}", at + 1), hint);
        let mut points: Vec<(f64, Range)> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            let heads = points.is_empty() && line.starts_with(|c: char| c.is_ascii_alphabetic());
            if line.is_empty() || heads {
                continue;
            }
            let Some((size, miss)) = line.split_once([',', ';', '\t']) else {
                return Err(wrong(at, "has no comma between size and share".to_string()));
            };
            let size =
                one(quantity::bytes(size)).map_err(|why| wrong(at, format!("size: {why}")))?;
            let miss = quantity::share(miss).map(|found| found.range);
            let miss = miss.map_err(|why| wrong(at, format!("share: {why}")))?;
            if let Some((before, missed)) = points.last() {
                if size <= *before {
                    return Err(wrong(
                        at,
                        "its size is not larger than the one before".to_string(),
                    ));
                }
                if miss.value > missed.value {
                    let why =
                        "misses more than a smaller one: take LRU, or the mean of several samples";
                    return Err(wrong(at, why.to_string()));
                }
            }
            points.push((size, miss));
        }
        if points.is_empty() {
            return Err(Refused::new(format!("{from}: has no point"), hint));
        }
        Ok(Curve { points, from: from.to_string() })
    }

    /// Of points of growing size and falling share, as a trace gives them.
    pub(crate) fn of_points(from: String, points: Vec<(f64, Range)>) -> Curve {
        let mut curve = Curve { points: Vec::with_capacity(points.len()), from };
        for (size, miss) in points {
            match curve.points.last_mut() {
                // Small sizes are whole blocks: the later one has counted more.
                Some(last) if last.0 == size => last.1 = miss,
                _ => curve.points.push((size, miss)),
            }
        }
        curve
    }

    /// Its points: sizes in bytes, and the share that a cache of that size misses.
    pub fn points(&self) -> &[(f64, Range)] {
        &self.points
    }

    /// What a cache of that size misses; `None` below the smallest size.
    pub fn miss(&self, size: f64) -> Option<Range> {
        let above = self.points.iter().position(|(at, _)| *at >= size);
        let Some(above) = above else {
            let (_, last) = *self.points.last()?;
            return Some(Range { low: 0.0, ..last });
        };
        let (at, miss) = self.points[above];
        if at == size {
            return Some(miss);
        }
        let (before, missed) = *self.points.get(above.checked_sub(1)?)?;
        let share = (size - before) / (at - before);
        let value = missed.value + share * (miss.value - missed.value);
        Some(Range { value, low: miss.low, high: missed.high })
    }

    /// Its smallest size, for a sentence.
    pub fn smallest(&self) -> String {
        self.points.first().map_or("nothing".to_string(), |(size, _)| Bytes(*size as u64).iec())
    }
}

fn one(found: Result<quantity::Quantity, String>) -> Result<f64, String> {
    let range = found?.range;
    if range.is_exact() { Ok(range.value) } else { Err("is a range".to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "size,miss\n# behind 100 GB\n1GiB,0.9\n2GiB,0.5 # the index\n4GiB,20%\n";
    const GIB: f64 = (1u64 << 30) as f64;

    #[test]
    fn between_two_points_both_are_the_ends() {
        let curve = Curve::parse("a.csv", TEXT).unwrap();
        let range = |gib: f64| curve.miss(gib * GIB).map(|r| (r.value, r.low, r.high));
        assert_eq!(range(2.0), Some((0.5, 0.5, 0.5)));
        assert_eq!(range(3.0), Some((0.35, 0.2, 0.5)));
        assert_eq!(range(8.0), Some((0.2, 0.0, 0.2)));
        assert_eq!(range(0.5), None);
        let doubted = Curve::parse("a.csv", "1GiB,80..90%\n3GiB,40..50%\n").unwrap();
        let range = |gib: f64| doubted.miss(gib * GIB).map(|r| (r.value, r.low, r.high));
        assert_eq!(range(3.0), Some((0.45, 0.4, 0.5)));
        let between = doubted.miss(2.0 * GIB).unwrap();
        assert_eq!((between.low, between.high), (0.4, 0.9));
        assert!((between.value - 0.65).abs() < 1e-9);
        assert_eq!(curve.smallest(), "1 GiB");
    }

    #[test]
    fn what_is_no_curve_is_told_by_its_line() {
        for (text, line, words) in [
            ("1GiB 0.5\n", 1, "no comma"),
            ("1GiB,0.5\n1GiB,0.4\n", 2, "not larger"),
            ("1GiB,0.5\n\n2GiB,0.6\n", 3, "misses more"),
            ("1GiB,150%\n", 1, "more than all"),
            ("1 parsec,0.5\n", 1, "size:"),
            ("1GiB,x\n", 1, "share:"),
        ] {
            let error = Curve::parse("a.csv", text).unwrap_err();
            assert!(error.what.contains(&format!("line {line}:")), "{text}: {error}");
            assert!(error.what.contains(words), "{text}: {error}");
        }
        assert!(Curve::parse("a.csv", "# nothing\n").unwrap_err().what.contains("no point"));
    }
}
