//! A report as tables: the one shape that its HTML and its text have in common.

/// A table with its heading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// The column of that name; of several the first.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|head| key(head) == key(name))
    }

    /// Whether it has all of these columns.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.column(name).is_some())
    }

    /// The row that begins with that label.
    pub(super) fn row(&self, label: &str) -> Option<&[String]> {
        let row =
            self.rows.iter().find(|row| row.first().is_some_and(|cell| key(cell) == label))?;
        Some(row)
    }
}

/// A label without spaces and case, which the two formats and the versions set differently.
pub(super) fn key(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// How a report writes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Numbers {
    /// `1.234,5` and not `1,234.5`.
    decimal_comma: bool,
}

impl Numbers {
    /// What most of the cells show that have decimals.
    pub(super) fn of(tables: &[Table]) -> Numbers {
        let cells = tables.iter().flat_map(|table| table.rows.iter().flatten());
        let (mut commas, mut points) = (0_u64, 0_u64);
        for cell in cells {
            match decimal_mark(cell.trim()) {
                Some(',') => commas += 1,
                Some(_) => points += 1,
                None => {}
            }
        }
        Numbers { decimal_comma: commas > points }
    }

    /// A number: `1,234.5`, `.5`, `1.69E+05`, `237.5K` (thousands); `None` for anything else.
    pub(super) fn value(self, text: &str) -> Option<f64> {
        let (number, suffix) = self.parse(text)?;
        let factor = match suffix {
            "" | "%" => 1.0,
            "K" => 1e3,
            "M" => 1e6,
            "G" => 1e9,
            "T" => 1e12,
            _ => return None,
        };
        Some(number * factor)
    }

    /// A time in seconds: with its unit, or in `unit_s` where it has none.
    pub(super) fn seconds(self, text: &str, unit_s: f64) -> Option<f64> {
        let (number, suffix) = self.parse(text)?;
        let factor = match suffix {
            "" => unit_s,
            "ns" => 1e-9,
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        Some(number * factor)
    }

    /// The number and what follows it.
    fn parse(self, text: &str) -> Option<(f64, &str)> {
        let text = text.trim();
        let grouped = groups(text);
        let mut digits = String::new();
        let mut ends = text.len();
        let mut before = ' ';
        for (at, c) in text.char_indices() {
            let of_number = c.is_ascii_digit()
                || matches!(c, '.' | ',')
                || (c == '-' && at == 0)
                || (matches!(c, 'E' | 'e') && before.is_ascii_digit() && exponent(&text[at..]))
                || (matches!(c, '+' | '-') && matches!(before, 'E' | 'e'));
            if grouped && is_gap(c) {
                continue;
            }
            if !of_number {
                ends = at;
                break;
            }
            match (c, self.decimal_comma) {
                (',', false) | ('.', true) => {}
                (',', true) => digits.push('.'),
                _ => digits.push(c),
            }
            before = c;
        }
        let number: f64 = digits.parse().ok()?;
        number.is_finite().then_some((number, text[ends..].trim()))
    }
}

/// What some languages set between thousands.
fn is_gap(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}')
}

/// Whether a number has its thousands in groups with spaces between them: `1 234,5`.
fn groups(text: &str) -> bool {
    let whole = text.split(['.', ',']).next().unwrap_or(text);
    let mut parts = whole.split(is_gap);
    let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let first = parts.next().is_some_and(|part| (1..=3).contains(&part.len()) && digits(part));
    let mut more = parts.peekable();
    first && more.peek().is_some() && more.all(|part| part.len() == 3 && digits(part))
}

/// Whether an `E` begins an exponent.
fn exponent(text: &str) -> bool {
    let mut rest = text.chars().skip(1);
    match rest.next() {
        Some('+' | '-') => rest.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_ascii_digit(),
        None => false,
    }
}

/// The mark before one or two last digits, where the cell is a number with such decimals.
fn decimal_mark(cell: &str) -> Option<char> {
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    if cell.is_empty() || !is_number(cell) {
        return None;
    }
    let at = cell.rfind(['.', ','])?;
    (1..=2).contains(&(cell.len() - at - 1)).then(|| cell[at..].chars().next()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_reports_write_them() {
        let n = Numbers::default();
        for (text, value) in [
            ("1,234,567.8", Some(1_234_567.8)),
            (".5", Some(0.5)),
            ("1.69E+05", Some(169_000.0)),
            ("237.5K", Some(237_500.0)),
            ("27.9K", Some(27_900.0)),
            ("0", Some(0.0)),
            ("", None),
            ("N/A", None),
            ("########", None),
            ("5E", None),
            ("1.2.3", None),
            ("9,223,372,036,854,775,807", Some(9.223_372_036_854_776e18)),
        ] {
            assert_eq!(n.value(text), value, "{text}");
        }
        let near = |text, unit, value: f64| {
            let read = n.seconds(text, unit).unwrap();
            assert!((read / value - 1.0).abs() < 1e-12, "{text}: {read}");
        };
        near("9.77ms", 1e-3, 9.77e-3);
        near("14.94us", 1e-3, 14.94e-6);
        near("60.01 s", 1e-3, 60.01);
        near("491", 1e-3, 0.491);
    }

    #[test]
    fn decimal_commas_are_found_by_what_most_cells_have() {
        let table = |cells: &[&str]| Table {
            header: Vec::new(),
            rows: vec![cells.iter().map(|cell| cell.to_string()).collect()],
        };
        let comma = Numbers::of(&[table(&["1.234,5", "99,98", "1.234"])]);
        assert_eq!(comma.value("1.234,5"), Some(1234.5));
        assert_eq!(comma.value("2.107.222"), Some(2_107_222.0));
        assert_eq!(comma.value("1 234,5"), Some(1234.5));
        assert_eq!(comma.value("21\u{a0}628\u{a0}695"), Some(21_628_695.0));
        let point = Numbers::of(&[table(&["1,234.5", "99.98", "1,23", "7.5"])]);
        assert_eq!(point.value("1,234.5"), Some(1234.5));
        assert_eq!(Numbers::of(&[]), Numbers::default());
    }
}
