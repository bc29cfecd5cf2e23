//! Sums as one writes them: numbers, + - * / and parentheses. Nothing else is understood.

/// Parentheses within each other; nobody writes more.
const DEPTH_MAX: usize = 16;

/// The value of a sum.
///
/// # Errors
/// A sentence that says what can't be read, or that nothing finite comes out.
pub(super) fn value(text: &str) -> Result<f64, String> {
    let mut reader = Reader { rest: text, text };
    let value = reader.terms(0)?;
    if !reader.rest.trim().is_empty() {
        return Err(format!("`{text}`: `{}` is not understood", reader.rest.trim()));
    }
    if value.is_finite() { Ok(value) } else { Err(format!("`{text}` has no finite value")) }
}

struct Reader<'a> {
    rest: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn terms(&mut self, depth: usize) -> Result<f64, String> {
        let mut sum = self.factors(depth)?;
        while let Some(sign) = self.one_of("+-") {
            let term = self.factors(depth)?;
            sum = if sign == '+' { sum + term } else { sum - term };
        }
        Ok(sum)
    }

    fn factors(&mut self, depth: usize) -> Result<f64, String> {
        let mut product = self.operand(depth)?;
        while let Some(sign) = self.one_of("*/") {
            let factor = self.operand(depth)?;
            product = if sign == '*' { product * factor } else { product / factor };
        }
        Ok(product)
    }

    fn operand(&mut self, depth: usize) -> Result<f64, String> {
        if self.one_of("(").is_some() {
            if depth == DEPTH_MAX {
                return Err(format!("`{}` has too many parentheses within each other", self.text));
            }
            let inner = self.terms(depth + 1)?;
            return match self.one_of(")") {
                Some(_) => Ok(inner),
                None => Err(format!("`{}`: a parenthesis is not closed", self.text)),
            };
        }
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, rest) = rest.split_at(end);
        self.rest = rest;
        number.parse().map_err(|_| format!("`{}`: a number is missing before `{rest}`", self.text))
    }

    fn one_of(&mut self, wanted: &str) -> Option<char> {
        let rest = self.rest.trim_start();
        let found = rest.chars().next().filter(|c| wanted.contains(*c))?;
        self.rest = &rest[found.len_utf8()..];
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn sums_are_reckoned_as_on_paper() {
        for (text, expected) in [
            ("12 * 2.66 * 4 * 2", 255.36),
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("8 / 2 / 2", 2.0),
            ("10 - 3 - 2", 5.0),
            (" ( ( 4 ) ) ", 4.0),
        ] {
            let found = value(text).unwrap();
            assert!((found - expected).abs() < 1e-9, "{text}: {found}");
        }
    }

    #[test]
    fn what_is_no_sum_is_told() {
        let deep = format!("{}1{}", "(".repeat(40), ")".repeat(40));
        for text in ["", "1 +", "(1", "1 2", "1 / 0", "two", "1..2", "1 % 2", &deep] {
            let error = value(text).unwrap_err();
            assert!(error.contains(&format!("`{text}`")), "{text}: {error}");
        }
    }
}
