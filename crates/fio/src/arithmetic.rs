//! Arithmetic in parentheses, `size=(2*1024k)`, evaluated twice: as fio's parser does it, and as it is written.
//!
//! fio's grammar binds differently from what one is used to: `%` before `^` before `*` and `/`, a unit after the product
//! on its left, unary minus first; a fraction loses its decimals when a unit follows; a result without a unit is cut
//! to 32 bits. Whoever reads a value compares the two results and stops where they differ.

/// What an expression is worth to fio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Worth {
    /// The integer that fio goes on with.
    pub integer: i64,
    /// Whether a unit stood anywhere in it.
    pub unit_given: bool,
}

/// How many nested parentheses and pending operators are followed.
const DEPTH_MAX: usize = 64;
/// Results beyond this are nobody's size, and floats stop being exact long after.
const POWER_MAX: i64 = 4096;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number { integer: i64, float: f64, fraction: bool },
    Unit { factor: f64, fraction: bool },
    Sign(char),
}

#[derive(Debug, Clone, Copy)]
struct Value {
    integer: i64,
    float: f64,
    fraction: bool,
}

/// How tightly things bind: plus, unit, product, power, remainder, minus sign.
#[derive(Clone, Copy)]
struct Binding {
    unit: u8,
    product: u8,
    power: u8,
    remainder: u8,
    minus: u8,
}

const AS_FIO: Binding = Binding { unit: 2, product: 3, power: 4, remainder: 5, minus: 6 };
const AS_WRITTEN: Binding = Binding { unit: 6, product: 3, power: 5, remainder: 3, minus: 4 };

/// As fio evaluates it; `None` where fio rejects it. `implied` multiplies a result without any unit.
pub(crate) fn as_fio(text: &str, is_time: bool, implied: f64) -> Option<Worth> {
    let tokens = tokens(text, is_time)?;
    let unit_given = tokens.iter().any(|token| matches!(token, Token::Unit { .. }));
    let value = Parser { tokens: &tokens, at: 0, binding: AS_FIO }.all()?;
    let integer =
        if unit_given { value.integer } else { cut_to_32_bits(value.integer as f64 * implied) };
    Some(Worth { integer, unit_given })
}

/// As it is written, in the same unit as [`as_fio`].
pub(crate) fn as_written(text: &str, is_time: bool, implied: f64) -> Option<f64> {
    let tokens = tokens(text, is_time)?;
    let unit_given = tokens.iter().any(|token| matches!(token, Token::Unit { .. }));
    let value = Parser { tokens: &tokens, at: 0, binding: AS_WRITTEN }.all()?;
    Some(if unit_given { value.float } else { value.float * implied })
}

/// What x86 makes of a float that doesn't fit an `int`.
fn cut_to_32_bits(value: f64) -> i64 {
    let truncated = value.trunc();
    let fits = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&truncated);
    if fits { truncated as i64 } else { i64::from(i32::MIN) }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    binding: Binding,
}

impl Parser<'_> {
    fn all(mut self) -> Option<Value> {
        let value = self.expression(0, 0)?;
        (self.at == self.tokens.len()).then_some(value)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        token
    }

    fn expression(&mut self, least: u8, depth: usize) -> Option<Value> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut left = self.operand(depth)?;
        loop {
            match self.tokens.get(self.at).copied() {
                Some(Token::Unit { factor, fraction }) if self.binding.unit >= least => {
                    self.at += 1;
                    left = with_unit(left, factor, fraction);
                }
                Some(Token::Sign(sign)) => {
                    let (strength, from_right) = match sign {
                        '+' | '-' => (1, false),
                        '*' | '/' => (self.binding.product, false),
                        '^' => (self.binding.power, true),
                        '%' => (self.binding.remainder, false),
                        _ => return Some(left),
                    };
                    if strength < least {
                        return Some(left);
                    }
                    self.at += 1;
                    let inner = if from_right { strength } else { strength + 1 };
                    let right = self.expression(inner, depth + 1)?;
                    left = combined(left, sign, right)?;
                }
                _ => return Some(left),
            }
        }
    }

    fn operand(&mut self, depth: usize) -> Option<Value> {
        match self.next()? {
            Token::Number { integer, float, fraction } => Some(Value { integer, float, fraction }),
            Token::Sign('(') => {
                let value = self.expression(0, depth + 1)?;
                matches!(self.next(), Some(Token::Sign(')'))).then_some(value)
            }
            Token::Sign('-') => {
                let value = self.expression(self.binding.minus, depth + 1)?;
                let integer = value.integer.wrapping_neg();
                Some(Value { integer, float: -value.float, fraction: false })
            }
            _ => None,
        }
    }
}

fn with_unit(left: Value, factor: f64, fraction: bool) -> Value {
    // fio drops the decimals before it multiplies, once either side counts as a fraction.
    let integer = if left.fraction || fraction {
        (left.float.trunc() * factor) as i64
    } else {
        left.integer.wrapping_mul(factor as i64)
    };
    Value { integer, float: left.float * factor, fraction: left.fraction }
}

fn combined(left: Value, sign: char, right: Value) -> Option<Value> {
    let whole = !left.fraction && !right.fraction;
    let (a, b) = (left.integer, right.integer);
    let (integer, float) = match sign {
        '+' => (a.wrapping_add(b), left.float + right.float),
        '-' => (a.wrapping_sub(b), left.float - right.float),
        '*' => (a.wrapping_mul(b), left.float * right.float),
        // fio reports a division by zero to nobody and goes on with the left side.
        '/' | '%' if b == 0 => return Some(Value { float: f64::NAN, ..left }),
        '/' => (a.wrapping_div(b), left.float / right.float),
        // fio cuts fractions here; as it is written there is no answer.
        '%' => (a.wrapping_rem(b), if whole { a.wrapping_rem(b) as f64 } else { f64::NAN }),
        '^' if b > POWER_MAX => return None,
        '^' if b >= 0 => (a.wrapping_pow(b as u32), left.float.powf(right.float)),
        _ => ((a as f64).powf(b as f64) as i64, left.float.powf(right.float)),
    };
    let integer = if whole || sign == '%' { integer } else { float as i64 };
    Some(Value { integer, float, fraction: left.fraction })
}

/// `None` for anything fio's scanner has no word for.
fn tokens(text: &str, is_time: bool) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            ' ' | '\t' => 1,
            // The scanner ignores what follows these.
            '#' | ':' | ',' => break,
            '+' | '-' | '/' | '*' | '(' | ')' | '^' | '%' => {
                tokens.push(Token::Sign(first));
                1
            }
            '0'..='9' | '.' => {
                let (token, taken) = number(rest)?;
                tokens.push(token);
                taken
            }
            _ => {
                let (token, taken) = unit(rest, is_time)?;
                tokens.push(token);
                taken
            }
        };
        rest = &rest[taken..];
    }
    Some(tokens)
}

fn number(text: &str) -> Option<(Token, usize)> {
    let hexadecimal = text.strip_prefix("0x").map(|digits| leading(digits, is_hexadecimal));
    if let Some(digits) = hexadecimal.filter(|digits| !digits.is_empty()) {
        let value = i64::from(u64::from_str_radix(digits, 16).ok()? as i32);
        let token = Token::Number { integer: value, float: value as f64, fraction: false };
        return Some((token, 2 + digits.len()));
    }
    let whole = leading(text, |c| c.is_ascii_digit()).len();
    let mut end = whole;
    if text[end..].starts_with('.') {
        let decimals = leading(&text[end + 1..], |c| c.is_ascii_digit()).len();
        if decimals > 0 {
            end += 1 + decimals;
        }
    }
    if text[end..].starts_with(['e', 'E']) && end > 0 {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let digits = leading(&text[end + 1 + sign..], |c| c.is_ascii_digit()).len();
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    if end == 0 {
        return None;
    }
    let float: f64 = text[..end].parse().ok()?;
    if end > whole {
        return Some((Token::Number { integer: float as i64, float, fraction: true }, end));
    }
    // Whole numbers are scanned into 32 bits; the float beside keeps what was written.
    let integer = i64::from(text[..end].parse::<i64>().unwrap_or(i64::MAX) as i32);
    Some((Token::Number { integer, float, fraction: false }, end))
}

fn unit(text: &str, is_time: bool) -> Option<(Token, usize)> {
    let minute_or_mega = if is_time { 60e6 } else { 1_048_576.0 };
    let table: &[(&str, f64, bool)] = &[
        ("kib", 1e3, false),
        ("mib", 1e6, false),
        ("gib", 1e9, false),
        ("pib", 1e12, false),
        ("kb", 1024.0, false),
        ("mb", 1_048_576.0, false),
        ("gb", 1_073_741_824.0, false),
        ("tb", 1_099_511_627_776.0, false),
        ("pb", 1_125_899_906_842_624.0, false),
        ("ms", 1e3, true),
        ("us", 1.0, true),
        ("k", 1024.0, false),
        ("g", 1_073_741_824.0, false),
        ("t", 1_099_511_627_776.0, false),
        ("p", 1_125_899_906_842_624.0, false),
        ("s", 1e6, false),
        ("m", minute_or_mega, false),
        ("d", 86_400e6, false),
        ("h", 3_600e6, false),
    ];
    let starts =
        |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let (word, factor, fraction) = table.iter().find(|(word, _, _)| starts(word))?;
    Some((Token::Unit { factor: *factor, fraction: *fraction }, word.len()))
}

fn leading(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

fn is_hexadecimal(c: char) -> bool {
    c.is_ascii_hexdigit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fio(text: &str) -> Option<i64> {
        as_fio(text, false, 1.0).map(|worth| worth.integer)
    }

    fn written(text: &str) -> Option<f64> {
        as_written(text, false, 1.0)
    }

    #[test]
    fn what_both_agree_on() {
        for (text, value) in [
            ("(1024*4)", 4096),
            ("(2*1024k)", 2 << 20),
            ("(1+4k)", 4097),
            ("((1+2)*3)", 9),
            ("(2^10)", 1024),
            ("(0x10+1)", 17),
            ("(10-2-3)", 5),
            ("(17%5)", 2),
        ] {
            assert_eq!(fio(text), Some(value), "{text}");
            assert_eq!(written(text), Some(value as f64), "{text}");
        }
    }

    #[test]
    fn where_fio_binds_otherwise() {
        for (text, taken, meant) in [
            ("(2*7%4)", 6, 2.0),
            ("(2^3k)", 8192, f64::INFINITY),
            ("(-2^2)", 4, -4.0),
            ("(1.5k)", 1024, 1536.0),
            ("(5000000000)", 705_032_704, 5e9),
            ("(2^40)", -2_147_483_648, 1_099_511_627_776.0),
            ("(10/4*4)", 8, 10.0),
            ("(5/0)", 5, f64::NAN),
            ("(5%0)", 5, f64::NAN),
        ] {
            assert_eq!(fio(text), Some(taken), "{text}");
            let value = written(text);
            let agrees = |v: f64| v == meant || (v.is_nan() && meant.is_nan());
            assert!(value.is_some_and(agrees), "{text}: {value:?}");
        }
    }

    #[test]
    fn what_is_no_expression() {
        for text in ["(", "(1", "()", "(1 2)", "(4q)", "(1+)", "(é)"] {
            assert_eq!(fio(text), None, "{text}");
        }
    }
}
