//! The shape of a statement: its text without literals and comments, on one line.
//!
//! Texts of others hold names, amounts and passwords, and `SHOW PROCESSLIST` has them verbatim. What is a literal here is what the
//! server's scanner takes for one (MariaDB documentation, "String Literals", "Comment Syntax", "Identifier Names"). How it reads a text
//! depends on the `sql_mode` of the session that sent it, which nobody tells: where `NO_BACKSLASH_ESCAPES` or the version of an executable
//! comment would make another text of it, or where it ends inside of a literal, the rest is dropped. Text in double quotes goes: it
//! is a string unless `ANSI_QUOTES` is set.
//!
//! Not here: which statements have the same meaning.

use narrows_model::Consumers;

/// In the place of a literal.
const LITERAL: &str = "?";
/// In the place of a list of literals in parentheses.
const LIST: &str = "(...)";
/// Where a text goes on.
const MORE: &str = "…";

/// Its shape, of [`Consumers::TEXT`] characters at most. The shape of a shape is itself.
pub(super) fn normalised(sql: &str) -> String {
    let sql = harmless(sql);
    written(&tokens(&sql), Consumers::TEXT)
}

/// By what two texts are known to be of one statement: its whole shape. The server writes a digest's text with names in backticks and blanks
/// of its own between tokens.
pub(super) fn key(sql: &str) -> String {
    let sql = harmless(sql);
    let shape = written(&tokens(&sql), usize::MAX);
    let kept = shape.chars().filter(|c| !c.is_whitespace() && *c != '`');
    let key: String = kept.flat_map(char::to_lowercase).collect();
    key.replace("(...),...", "(...)").replace("(?)", "(...)")
}

/// A name for a statement that has no digest: the same for the same [`key`].
pub(super) fn digest(key: &str) -> String {
    // FNV-1a, 64 bits (RFC 9923): no secret hangs on it.
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("text-{hash:016x}")
}

/// Without what steers a terminal: a shape is read again in the same way.
fn harmless(sql: &str) -> String {
    let plain = |c: char| match c {
        '\r' => '\n',
        c if c.is_ascii_control() && c != '\n' => ' ',
        c => c,
    };
    let sql: String = sql.chars().map(plain).collect();
    narrows_units::shown_lines(&sql).into_owned()
}

fn tokens(sql: &str) -> Vec<Token<'_>> {
    let mut scanner = Scanner { rest: sql };
    let mut tokens: Vec<Token> = Vec::new();
    while let Some(token) = scanner.next() {
        tokens.push(token);
        fold(&mut tokens);
    }
    while tokens.last().is_some_and(|token| token.text == ";") {
        tokens.pop();
    }
    tokens
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Token<'a> {
    text: &'a str,
    /// Whether a blank or a comment comes before it.
    apart: bool,
}

impl Token<'_> {
    fn is(&self, text: &str) -> bool {
        self.text.eq_ignore_ascii_case(text)
    }
}

struct Scanner<'a> {
    rest: &'a str,
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

impl<'a> Scanner<'a> {
    /// The next token; comments and blanks are passed over. `None` at the end, and where nobody knows how the rest is read.
    fn next(&mut self) -> Option<Token<'a>> {
        let apart = self.skip()?;
        let first = self.rest.chars().next()?;
        let prefixed =
            matches!(first, 'n' | 'N' | 'x' | 'X' | 'b' | 'B') && self.rest[1..].starts_with('\'');
        let text = match first {
            _ if prefixed => return Some(self.string(1, apart)),
            '\'' | '"' => return Some(self.string(0, apart)),
            '`' => {
                let Some(length) = quoted(&self.rest[1..], b'`', false) else {
                    self.rest = "";
                    return None;
                };
                self.taken(1 + length)
            }
            c if c.is_ascii_digit() => {
                self.taken(number_length(self.rest));
                LITERAL
            }
            '.' if self.rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.taken(number_length(self.rest));
                LITERAL
            }
            c if in_name(c) => {
                let end = self.rest.find(|c| !in_name(c)).unwrap_or(self.rest.len());
                self.taken(end)
            }
            c => self.taken(c.len_utf8()),
        };
        Some(Token { text, apart })
    }

    /// A literal in quotes, behind a prefix of so many bytes.
    fn string(&mut self, prefix: usize, apart: bool) -> Token<'a> {
        let quote = self.rest.as_bytes()[prefix];
        match quoted(&self.rest[prefix + 1..], quote, true) {
            Some(length) => drop(self.taken(prefix + 1 + length)),
            None => self.rest = "",
        }
        Token { text: LITERAL, apart }
    }

    /// Passes over blanks and comments; whether there were any. `None` where a comment may be none, or doesn't end.
    fn skip(&mut self) -> Option<bool> {
        let before = self.rest.len();
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\n', '\t']);
            let line = self.rest.starts_with('#')
                || self.rest.strip_prefix("--").is_some_and(|rest| {
                    // `--5` is a sign before a sign.
                    rest.is_empty() || rest.starts_with([' ', '\n', '\t'])
                });
            if line {
                self.taken(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if let Some(body) = self.rest.strip_prefix("/*") {
                let Some(end) = body.find("*/").filter(|end| is_plain(&body[..*end])) else {
                    self.rest = "";
                    return None;
                };
                self.taken(2 + end + 2);
            } else {
                return Some(self.rest.len() < before);
            }
        }
    }

    fn taken(&mut self, bytes: usize) -> &'a str {
        let (text, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        text
    }
}

/// Whether a comment is one whatever version the server has, or holds nothing in which a literal could begin or another comment.
fn is_plain(body: &str) -> bool {
    let executable = body.starts_with('!') || body.starts_with("M!");
    let harmless = |c: char| c.is_ascii_alphanumeric() || " !_,.()=\n".contains(c);
    !executable || body.chars().all(harmless)
}

/// Bytes up to the end of what began with a quote, that quote's twin with them; `None` where it doesn't end, or a backslash stands before
/// a quote, which is read in two ways.
fn quoted(body: &str, quote: u8, escapes: bool) -> Option<usize> {
    let bytes = body.as_bytes();
    let (mut at, mut backslashes) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte == b'\\' {
            backslashes += 1;
            continue;
        }
        let escaped = backslashes % 2 == 1;
        backslashes = 0;
        if byte != quote {
            continue;
        }
        if escapes && escaped {
            return None;
        }
        if bytes.get(at) != Some(&quote) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Bytes of a number, and of what hangs on it: a name may begin with a digit, and goes with it.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let exponent = at > 0 && matches!(bytes[at - 1], b'e' | b'E');
        let sign = matches!(byte, b'+' | b'-') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let is_part = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
        if !(is_part || byte >= 0x80 || (exponent && sign)) {
            break;
        }
        at += 1;
    }
    at
}

/// A list in parentheses that holds literals alone and has just ended becomes one token behind `IN` and `VALUES`, and a list behind such a
/// list is dropped.
fn fold(tokens: &mut Vec<Token>) {
    if tokens.last().is_none_or(|last| last.text != ")") {
        return;
    }
    let items = |token: &Token| [LITERAL, ",", "-", "+"].contains(&token.text) || token.is("null");
    let Some(open) = tokens[..tokens.len() - 1].iter().rposition(|token| !items(token)) else {
        return;
    };
    if tokens[open].text != "(" || open + 2 >= tokens.len() || open == 0 {
        return;
    }
    let before = &tokens[open - 1];
    if before.is("in") || before.is("values") || before.is("value") {
        let apart = tokens[open].apart;
        tokens.truncate(open);
        tokens.push(Token { text: LIST, apart });
    } else if before.text == "," && open > 1 && tokens[open - 2].text == LIST {
        tokens.truncate(open - 1);
    }
}

/// As many whole tokens as there is room for.
fn written(tokens: &[Token], most: usize) -> String {
    let (mut text, mut length) = (String::new(), 0);
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map_or("", |before| tokens[before].text);
        // Next to each other they would begin a comment.
        let comment = matches!((before, token.text), ("-", "-") | ("/", "*"));
        let blank = usize::from((token.apart || comment) && index > 0);
        let characters = token.text.chars().count();
        let last = index + 1 == tokens.len();
        let room = most - usize::from(!last);
        if length + blank + characters > room {
            text += MORE;
            break;
        }
        text.extend((blank > 0).then_some(' '));
        text.extend(token.text.chars().map(|c| if c == '\n' { ' ' } else { c }));
        length += blank + characters;
    }
    text
}

#[cfg(test)]
#[path = "normalise_test.rs"]
mod tests;
