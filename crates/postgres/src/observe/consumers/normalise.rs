//! The shape of a statement: its text without literals and comments, on one line.
//!
//! Texts of others hold names, amounts and passwords: `pg_stat_activity` has them verbatim, and `pg_stat_statements` those of utility
//! statements before 16. What is a literal here is what the server's scanner takes for one (PostgreSQL documentation, "Lexical
//! Structure"); where a text may be read in two ways, or ends inside of a literal, the rest of it is dropped.
//!
//! Not here: which statements have the same meaning. Two shapes that differ in blanks alone are one; in names, or in lists of `VALUES`,
//! they are two.

use narrows_model::Consumers;

use crate::wire::one_line;

/// In the place of a literal.
const LITERAL: &str = "?";
/// In the place of a list of placeholders.
const LIST: &str = "...";
/// Where a text goes on.
const MORE: &str = "…";

/// How texts of statements that sessions sent are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::observe) enum SentTexts {
    /// Without their literals.
    #[default]
    Normalised,
    /// As they were sent, to a length; nothing in them steers a terminal.
    Whole,
}

impl SentTexts {
    /// That text as it is kept; `None` where nothing of it is left.
    pub(super) fn kept(self, sql: &str) -> Option<String> {
        let text = match self {
            SentTexts::Normalised => normalised(sql),
            SentTexts::Whole => one_line(sql).trim().chars().take(Consumers::TEXT).collect(),
        };
        Some(text).filter(|text| !text.is_empty())
    }
}

/// Its shape, of [`Consumers::TEXT`] characters at most. The shape of a shape is itself.
pub(super) fn normalised(sql: &str) -> String {
    // Made harmless first: what comes out is read the same way again. To the server's scanner what steers is no part of a name, unless
    // it is beyond ASCII.
    let plain = |c: char| match c {
        '\r' => '\n',
        c if c.is_ascii_control() && c != '\n' => ' ',
        c => c,
    };
    let sql: String = sql.chars().map(plain).collect();
    let sql = narrows_units::shown_lines(&sql);
    let mut scanner = Scanner { rest: &sql };
    let mut tokens = Vec::new();
    while let Some(token) = scanner.next() {
        tokens.push(token);
    }
    while tokens.last().is_some_and(|token| token.text == ";") {
        tokens.pop();
    }
    written(&without_lists(tokens))
}

/// A name for a text that has no id: the same for the same shape, and no number, as the server's ids are.
pub(super) fn digest(shape: &str) -> String {
    // FNV-1a, 64 bits (RFC 9923): no secret hangs on it.
    let hash = shape.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("text-{hash:016x}")
}

#[derive(Debug, Clone, PartialEq)]
struct Token<'a> {
    text: &'a str,
    kind: TokenKind,
    /// Whether a blank or a comment comes before it.
    apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    /// A literal, or `$1`.
    Placeholder,
    /// A name or a keyword as it stands.
    Word,
    /// Everything else.
    Other,
}

struct Scanner<'a> {
    rest: &'a str,
}

/// Where a literal ends.
enum End {
    /// After so many bytes.
    After(usize),
    /// Nobody knows: the text ends inside of it, or is read in another way where `standard_conforming_strings` is off.
    Unknown,
}

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

fn in_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit() || c == '$'
}

fn blank(c: char) -> bool {
    matches!(c, ' ' | '\n')
}

impl<'a> Scanner<'a> {
    /// The next token; comments and blanks are passed over.
    fn next(&mut self) -> Option<Token<'a>> {
        let apart = self.skip();
        let first = self.rest.chars().next()?;
        let kind = TokenKind::Placeholder;
        if let Some((quote, escapes)) = self.literal() {
            let token = Token { text: LITERAL, kind, apart };
            match quoted(&self.rest[quote + 1..], '\'', escapes) {
                End::After(bytes) => self.advance(quote + 1 + bytes),
                End::Unknown => self.rest = "",
            }
            return Some(token);
        }
        if first == '$' {
            return Some(self.dollar(apart));
        }
        if first == '"' {
            // A name: it stays, quotes and all.
            let End::After(bytes) = quoted(&self.rest[1..], '"', Escapes::None) else {
                self.rest = "";
                return None;
            };
            return Some(self.taken(1 + bytes, TokenKind::Word, apart));
        }
        if starts_name(first) {
            let bytes = self.rest.find(|c| !in_name(c)).unwrap_or(self.rest.len());
            return Some(self.taken(bytes, TokenKind::Word, apart));
        }
        let number = first.is_ascii_digit()
            || (first == '.' && self.rest[1..].starts_with(|c: char| c.is_ascii_digit()));
        if number {
            self.advance(number_length(self.rest));
            return Some(Token { text: LITERAL, kind, apart });
        }
        Some(self.taken(first.len_utf8(), TokenKind::Other, apart))
    }

    /// Passes over blanks and comments; whether there were any.
    fn skip(&mut self) -> bool {
        let before = self.rest.len();
        loop {
            self.advance(self.rest.find(|c| !blank(c)).unwrap_or(self.rest.len()));
            if self.rest.starts_with("--") {
                self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                self.advance(comment_length(self.rest));
            } else {
                return self.rest.len() < before;
            }
        }
    }

    /// Where the quote of a literal stands, if one comes: at once, or after a letter that says how it is written.
    fn literal(&self) -> Option<(usize, Escapes)> {
        let bytes = self.rest.as_bytes();
        let prefix = match (bytes.first()?.to_ascii_lowercase(), bytes.get(1)) {
            (b'\'', _) => (0, Escapes::Unclear),
            (b'e', Some(b'\'')) => (1, Escapes::Backslash),
            (b'b' | b'x', Some(b'\'')) => (1, Escapes::None),
            (b'n', Some(b'\'')) => (1, Escapes::Unclear),
            (b'u', Some(b'&')) if bytes.get(2) == Some(&b'\'') => (2, Escapes::Unclear),
            _ => return None,
        };
        Some(prefix)
    }

    /// A parameter, a literal in dollars, or a dollar.
    fn dollar(&mut self, apart: bool) -> Token<'a> {
        let rest = self.rest;
        let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            return self.taken(1 + digits, TokenKind::Placeholder, apart);
        }
        let tag = rest[1..].find('$').map(|end| &rest[..end + 2]);
        let named = |tag: &&str| {
            let name = &tag[1..tag.len() - 1];
            name.is_empty() || (name.starts_with(starts_name) && name.chars().all(in_name))
        };
        let Some(tag) = tag.filter(named) else { return self.taken(1, TokenKind::Other, apart) };
        match rest[tag.len()..].find(tag) {
            Some(end) => self.advance(2 * tag.len() + end),
            None => self.rest = "",
        }
        Token { text: LITERAL, kind: TokenKind::Placeholder, apart }
    }

    fn taken(&mut self, bytes: usize, kind: TokenKind, apart: bool) -> Token<'a> {
        let text = &self.rest[..bytes];
        self.advance(bytes);
        Token { text, kind, apart }
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }
}

/// What a backslash before a quote means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// Nothing.
    None,
    /// The quote ends nothing.
    Backslash,
    /// Nothing where `standard_conforming_strings` is on, and nobody knows whether it is in that session.
    Unclear,
}

/// Bytes up to the end of what began with a quote, that quote's twin with them.
fn quoted(body: &str, quote: char, escapes: Escapes) -> End {
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
        if char::from(byte) != quote || (escaped && escapes == Escapes::Backslash) {
            continue;
        }
        if escaped && escapes == Escapes::Unclear {
            return End::Unknown;
        }
        if bytes.get(at) != Some(&byte) {
            return End::After(at);
        }
        at += 1;
    }
    End::Unknown
}

/// Bytes of a comment, those inside of it with it; all that is left where it doesn't end.
fn comment_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
            [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Bytes of a number, and of what hangs on it.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let exponent = at > 0 && matches!(bytes[at - 1], b'e' | b'E');
        let sign = matches!(byte, b'+' | b'-') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || (exponent && sign)) {
            break;
        }
        at += 1;
    }
    at
}

/// Lists of an `IN` that hold placeholders alone, of whatever length, as one.
fn without_lists(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let list = list_length(&tokens[at..]).filter(|_| {
            kept.last()
                .is_some_and(|t| t.kind == TokenKind::Word && t.text.eq_ignore_ascii_case("in"))
        });
        let Some(length) = list else {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let all = Token { text: LIST, kind: TokenKind::Other, apart: false };
        kept.extend([
            tokens[at].clone(),
            all,
            Token { apart: false, ..tokens[at + length - 1].clone() },
        ]);
        at += length;
    }
    kept
}

/// Tokens of a list in parentheses that holds placeholders alone, with or without signs.
fn list_length(tokens: &[Token]) -> Option<usize> {
    let other = |at: usize, text: &str| {
        tokens.get(at).is_some_and(|t| t.kind == TokenKind::Other && t.text == text)
    };
    if !other(0, "(") {
        return None;
    }
    let mut at = 1;
    loop {
        if other(at, "-") || other(at, "+") {
            at += 1;
        }
        let is_one = tokens.get(at)?.kind == TokenKind::Placeholder || other(at, LITERAL);
        if !is_one {
            return None;
        }
        at += 1;
        match () {
            () if other(at, ",") => at += 1,
            () if other(at, ")") => return Some(at + 1),
            () => return None,
        }
    }
}

/// As many whole tokens as there is room for.
fn written(tokens: &[Token]) -> String {
    let (mut text, mut length) = (String::new(), 0);
    let lengths = tokens.iter().enumerate().map(|(index, token)| {
        let blank = usize::from(token.apart && index > 0);
        (token, blank, token.text.chars().count())
    });
    for (index, (token, blank, characters)) in lengths.enumerate() {
        let last = index + 1 == tokens.len();
        let room = Consumers::TEXT - if last { 0 } else { MORE.chars().count() };
        if length + blank + characters > room {
            text += MORE;
            break;
        }
        text.extend((blank > 0).then_some(' '));
        // A name in quotes may have line ends.
        text.extend(token.text.chars().map(|c| if c == '\n' { ' ' } else { c }));
        length += blank + characters;
    }
    text
}

#[cfg(test)]
#[path = "normalise_test.rs"]
mod tests;
