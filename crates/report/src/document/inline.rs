//! Text of a line in pieces, each with its look: the smallest that a document says.

/// How a piece of text looks; never the only bearer of a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// As it comes.
    #[default]
    Plain,
    /// A heading, a name, the figure that a reader came for.
    Strong,
    /// Less important.
    Faint,
    /// Good.
    Good,
    /// To be taken with care.
    Careful,
    /// Bad.
    Bad,
    /// A word of a machine: an id, a command.
    Code,
}

/// A finished picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Svg(pub(crate) String);

impl Svg {
    /// One drawing for wide screens and paper, and one for narrow screens: the style sheet shows one of them.
    pub(crate) fn of_both([wide, narrow]: [Svg; 2]) -> Svg {
        Svg(format!("<div class=\"onwide\">{wide}</div><div class=\"onnarrow\">{narrow}</div>"))
    }
}

impl std::ops::Deref for Svg {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Svg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// Text.
    Text(Style, String),
    /// The number of a footnote.
    Note(usize),
    /// The place that a footnote's number leads to.
    Target(usize),
    /// The end of a line, where a cell has several.
    Break,
    /// A small picture, where there are pictures.
    Picture(Svg),
}

/// Text of one line or paragraph, in pieces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inline(pub Vec<Span>);

impl Inline {
    /// One piece.
    pub fn of(style: Style, text: impl Into<String>) -> Self {
        Inline::default().put(style, text)
    }

    /// Appends a piece; nothing where it is empty.
    #[must_use]
    pub fn put(mut self, style: Style, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Span::Text(style, text));
        }
        self
    }

    /// Appends the numbers of footnotes.
    #[must_use]
    pub fn notes(mut self, numbers: impl IntoIterator<Item = usize>) -> Self {
        self.0.extend(numbers.into_iter().map(Span::Note));
        self
    }

    /// Appends a small picture.
    #[must_use]
    pub fn picture(mut self, picture: Svg) -> Self {
        self.0.push(Span::Picture(picture));
        self
    }

    /// Sentences in one paragraph.
    pub fn joined(said: &[Inline]) -> Self {
        let mut all = Inline::default();
        for text in said {
            if !all.is_empty() {
                all = all.put(Style::Plain, "; ");
            }
            all.0.extend(text.0.iter().cloned());
        }
        all
    }

    /// What has no look of its own gets this one.
    #[must_use]
    pub fn all_plain(mut self, style: Style) -> Self {
        for span in &mut self.0 {
            if let Span::Text(old @ Style::Plain, _) = span {
                *old = style;
            }
        }
        self
    }

    /// Whether there is nothing to print.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of it in a lighter or heavier look.
    #[must_use]
    pub fn all(mut self, style: Style) -> Self {
        for span in &mut self.0 {
            if let Span::Text(old, _) = span {
                *old = style;
            }
        }
        self
    }

    /// The text with its footnotes as `[1]`, without looks.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for span in &self.0 {
            match span {
                Span::Text(_, text) => out.push_str(text),
                Span::Note(number) => {
                    let space = if out.is_empty() || out.ends_with(']') { "" } else { " " };
                    out.push_str(&format!("{space}[{number}]"));
                }
                Span::Target(number) => out.push_str(&format!("[{number}]")),
                Span::Break => out.push(' '),
                Span::Picture(_) => {}
            }
        }
        out
    }
}

impl From<&str> for Inline {
    fn from(text: &str) -> Self {
        Inline::of(Style::Plain, text)
    }
}

impl From<String> for Inline {
    fn from(text: String) -> Self {
        Inline::of(Style::Plain, text)
    }
}
