//! Names at the ends of lines, placed where they can be read.

/// Where the name of a line stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelPosition {
    /// Left end of the text.
    pub left: f64,
    /// Its baseline.
    pub baseline: f64,
    width: f64,
}

impl LabelPosition {
    fn holds(&self, (at, height): (f64, f64)) -> bool {
        at > self.left - 2.0
            && at < self.left + self.width + 2.0
            && height > self.baseline - 11.0
            && height < self.baseline + 4.0
    }

    fn meets(&self, other: &LabelPosition) -> bool {
        self.left < other.left + other.width
            && other.left < self.left + self.width
            && (self.baseline - other.baseline).abs() < 12.0
    }
}

/// Behind the end of a line, above it or below it: the first place where neither a line nor another name is.
pub(super) fn spot(
    end: (f64, f64),
    name: &str,
    lines: &[Vec<(f64, f64)>],
    taken: &[LabelPosition],
) -> LabelPosition {
    let width = narrows_units::width(name) as f64 * 6.6;
    let at = |right: f64, down: f64| LabelPosition {
        left: end.0 + right,
        baseline: end.1 + down,
        width,
    };
    let free = |spot: &LabelPosition| {
        let crossed = lines.iter().flat_map(|line| line.windows(2)).any(|pair| {
            let [(x1, y1), (x2, y2)] = [pair[0], pair[1]];
            let between = |t: f64| (x1 + t * (x2 - x1), y1 + t * (y2 - y1));
            (0..=64).any(|step| spot.holds(between(f64::from(step) / 64.0)))
        });
        !crossed && !taken.iter().any(|other| other.meets(spot))
    };
    let places = [at(7.0, 4.0), at(7.0, -8.0), at(7.0, 17.0), at(-width, -8.0), at(-width, 18.0)];
    places.into_iter().find(free).unwrap_or(places[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_avoids_lines_and_names() {
        let end = (100.0, 50.0);
        let alone = spot(end, "p99", &[], &[]);
        assert_eq!((alone.left, alone.baseline), (107.0, 54.0));
        let through = vec![(0.0, 50.0), (300.0, 50.0)];
        let crossed = spot(end, "p99", &[through], &[]);
        assert!(crossed.baseline < 46.0 || crossed.baseline > 61.0, "{crossed:?}");
        assert!(!spot(end, "p50", &[], &[alone]).meets(&alone));
    }
}
