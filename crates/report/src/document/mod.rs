//! What is printed, apart from how: sections of tables, facts, paragraphs, verdicts and figures.
//!
//! A section is made once, by `section/*`, from what the report decided; every form of it, on a screen of fixed width, as Markdown, on
//! a page, is one file of `render/*`, which knows these types and nothing of runs. What only some forms have room for says so by its
//! [`Depth`]. Hints for the screen ([`At`], [`Screen`]) name columns; forms without columns leave them out.
//!
//! Not here: numbers. A cell holds the text that is printed.

/// How much room a form needs to show a thing: a form of a depth shows what is as deep or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Depth {
    /// Shown by every form, the one screen too.
    #[default]
    Screen,
    /// Shown where text may be long.
    Text,
    /// Shown where pictures are.
    Page,
}

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

/// A field of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// What stands in it.
    pub text: Inline,
    /// Whether its row carries the mark of what is suspect; in the cell that names the row.
    pub suspect: bool,
}

impl<T: Into<Inline>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell { text: text.into(), suspect: false }
    }
}

/// Where a column stands on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// Its texts begin here.
    Left(usize),
    /// Its texts begin here and go on below each other within so many columns.
    Wrapped(usize, usize),
    /// Its texts end here.
    Right(usize),
    /// Its texts end so far behind the names, by its number.
    Step(usize),
    /// The same; a text that is longer loses its end, and what has no room stands in a table of its own below.
    Cut(usize),
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub head: String,
    /// Whether the screen leaves its heading out, because the table's title stands there.
    pub under_title: bool,
    /// The heading above it and its neighbours; empty without one.
    pub group: String,
    /// Its place on the screen.
    pub at: At,
    /// Which forms show it.
    pub depth: Depth,
}

impl Column {
    fn new(head: impl Into<String>, at: At) -> Self {
        Column {
            head: head.into(),
            under_title: false,
            group: String::new(),
            at,
            depth: Depth::Screen,
        }
    }

    /// Names of the rows.
    pub fn name(head: impl Into<String>, at: usize) -> Self {
        Column { under_title: true, ..Column::new(head, At::Left(at)) }
    }

    /// Figures that end at this column of the screen.
    pub fn figure(head: impl Into<String>, end: usize) -> Self {
        Column::new(head, At::Right(end))
    }

    /// Figures that end a step of so many columns behind the ones before.
    pub fn step(head: impl Into<String>, step: usize) -> Self {
        Column::new(head, At::Step(step))
    }

    /// Words.
    pub fn words(head: impl Into<String>, at: At) -> Self {
        Column::new(head, at)
    }

    /// Figures that only deeper forms show.
    pub fn deep(head: impl Into<String>, depth: Depth) -> Self {
        Column { depth, ..Column::new(head, At::Right(0)) }
    }

    /// Without a heading on the screen.
    #[must_use]
    pub fn under_title(mut self) -> Self {
        self.under_title = true;
        self
    }

    /// Below a heading that it shares with its neighbours.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<String>) -> Self {
        self.group = group.into();
        self
    }

    /// Whether its texts end below each other.
    pub fn is_figure(&self) -> bool {
        matches!(self.at, At::Right(_) | At::Step(_) | At::Cut(_))
    }
}

/// Where the remarks of a row stand on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remarks {
    /// Below the row, so far from the edge.
    Below(usize),
    /// Beside it, from this column on.
    Beside(usize),
    /// So far behind the last figure.
    Behind(usize),
}

/// Hints of a table for the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Where the mark of a suspect row stands.
    pub mark: usize,
    /// Room for names, at least.
    pub names: usize,
    /// Where remarks stand.
    pub remarks: Remarks,
    /// Where the remark of a row without figures begins.
    pub bare: usize,
    /// A name that ends beyond this column has a line of its own.
    pub longest_name: usize,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A cell for each column, or for the first ones; then remarks, each a sentence of its own.
    Cells(Vec<Cell>, Vec<Inline>),
    /// A heading between rows.
    Heading(String),
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its heading, where it has one of its own.
    pub title: String,
    /// Its columns, without that of remarks.
    pub columns: Vec<Column>,
    /// The heading of the remarks; `None` where no row has one.
    pub remark: Option<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Hints for the screen.
    pub screen: Screen,
}

impl Table {
    /// A table with remarks below its rows.
    pub fn new(columns: Vec<Column>) -> Self {
        let screen = Screen {
            mark: 0,
            names: 0,
            remarks: Remarks::Below(4),
            bare: 4,
            longest_name: usize::MAX,
        };
        Table { title: String::new(), columns, remark: None, rows: Vec::new(), screen }
    }

    /// With a heading of its own.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// With a heading above the remarks.
    #[must_use]
    pub fn remarked(mut self, head: impl Into<String>, remarks: Remarks) -> Self {
        self.remark = Some(head.into());
        self.screen.remarks = remarks;
        self
    }
}

/// A label and what is said under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// A word.
    pub label: String,
    /// What is said.
    pub text: Inline,
}

impl Entry {
    /// Label and text.
    pub fn new(label: impl Into<String>, text: impl Into<Inline>) -> Self {
        Entry { label: label.into(), text: text.into() }
    }
}

/// Labelled lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Them.
    pub entries: Vec<Entry>,
    /// How labels look.
    pub labels: Style,
    /// Where labels and texts begin on the screen.
    pub at: (usize, usize),
}

/// Sentences, one a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// What stands before the first, and before each of the others on a screen; empty without any.
    pub lead: (String, String),
    /// The sentences.
    pub items: Vec<Inline>,
    /// Where they begin on the screen, and where their later lines do.
    pub at: (usize, usize),
}

impl List {
    /// Sentences without a lead.
    pub fn new(items: impl IntoIterator<Item = impl Into<Inline>>, at: usize) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        List { lead: Default::default(), items, at: (at, at) }
    }
}

/// How sure a verdict is: the word as printed, and how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grade {
    /// `SURE`.
    pub word: &'static str,
    /// Its look.
    pub style: Style,
}

/// What holds one workload back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// The workload.
    pub name: String,
    /// Whether its measurement is suspect.
    pub suspect: bool,
    /// Why there is nothing to say; then only the name stands beside it.
    pub absent: Option<String>,
    /// The figure that was judged.
    pub rate: Inline,
    /// How far it is off.
    pub spread: String,
    /// Latency, or duration.
    pub latency: String,
    /// What holds it back, with footnotes.
    pub phrase: Inline,
    /// How sure; `None` where it is not judged.
    pub grade: Option<Grade>,
    /// Sum, test, next limits, why.
    pub reasons: Vec<Entry>,
    /// The sum in a picture, for forms that have such.
    pub picture: Vec<Block>,
}

/// What was asked, answered: a figure, the sentence that it stands in, and what is beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The figure; empty where the sentence says it.
    pub lead: Inline,
    /// Whether it is suspect.
    pub suspect: bool,
    /// The sentence.
    pub sentence: Inline,
    /// How sure; `None` where it is not judged.
    pub grade: Option<Grade>,
}

/// A picture with what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What it shows.
    pub caption: Inline,
    /// How to read it.
    pub how: String,
    /// The picture.
    pub picture: Svg,
    /// Whether it needs the whole width.
    pub wide: bool,
}

impl Figure {
    /// A picture, what it shows, and how to read it.
    pub fn new(caption: impl Into<Inline>, how: impl Into<String>, picture: Svg) -> Self {
        Figure { caption: caption.into(), how: how.into(), picture, wide: false }
    }
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading below the section's, in the forms that have such.
    Heading(Inline),
    /// A paragraph; on the screen its later lines begin so far from the edge.
    Paragraph(Inline, usize),
    /// A table.
    Table(Table),
    /// Labelled lines.
    Facts(Facts),
    /// Sentences.
    List(List),
    /// A verdict.
    Verdict(Box<Verdict>),
    /// An answer.
    Answer(Answer),
    /// Small pictures beside each other.
    Figures(Vec<Figure>),
    /// Lines as they stand.
    Verbatim(String),
    /// What is opened on demand, below its summary.
    Folded(Inline, Vec<Block>),
    /// What only forms of this depth and deeper show.
    From(Depth, Vec<Block>),
    /// What deeper forms than this show in another way.
    Until(Depth, Vec<Block>),
    /// An empty line on a screen.
    Gap,
}

impl Block {
    /// A paragraph.
    pub fn paragraph(text: impl Into<Inline>) -> Self {
        Block::Paragraph(text.into(), 0)
    }

    /// A picture, what it shows, and how to read it.
    pub fn figure(caption: impl Into<Inline>, how: impl Into<String>, picture: Svg) -> Self {
        Block::Figures(vec![Figure::new(caption, how, picture)])
    }

    /// What a picture or a table shows, for forms with room.
    pub fn explanation(text: impl Into<Inline>) -> Self {
        let text: Inline = text.into();
        Block::From(Depth::Page, vec![Block::paragraph(text.all(Style::Faint))])
    }
}

/// A section.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Its name in links.
    pub id: &'static str,
    /// Its heading; empty where its first paragraph is one.
    pub title: String,
    /// Its heading where there is little room: on a screen, in capitals; empty for none.
    pub short: String,
    /// Which forms show it.
    pub depth: Depth,
    /// Whether a page begins with it: it says what the reader came for.
    pub leads: bool,
    /// What it says.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section with one heading for all forms.
    pub fn new(id: &'static str, title: impl Into<String>) -> Self {
        let title = title.into();
        Section { id, short: title.clone(), title, ..Section::default() }
    }

    /// With another heading where there is little room.
    #[must_use]
    pub fn short(mut self, short: impl Into<String>) -> Self {
        self.short = short.into();
        self
    }

    /// For deeper forms only.
    #[must_use]
    pub fn from(mut self, depth: Depth) -> Self {
        self.depth = depth;
        self
    }

    /// What a page begins with.
    #[must_use]
    pub fn leading(mut self) -> Self {
        self.leads = true;
        self
    }

    /// With these parts.
    #[must_use]
    pub fn with(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks);
        self
    }
}

/// What could not be learned for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotKnown {
    /// `wear of the drives`, one or several.
    pub whats: Vec<String>,
    /// What would show them; empty where nothing would.
    pub needs: String,
}

impl NotKnown {
    /// `wear of the drives, firmware write cache (root)`.
    pub fn sentence(&self) -> String {
        let whats = self.whats.join(", ");
        if self.needs.is_empty() { whats } else { format!("{whats} ({})", self.needs) }
    }
}

/// The first lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// Which forms show it.
    pub depth: Depth,
    /// What it is about: a machine.
    pub name: String,
    /// Product, run, time; the name is one of them.
    pub title: Vec<String>,
    /// What a reader must not overlook.
    pub warnings: Vec<String>,
    /// How much there is, and how much of it may be trusted.
    pub counts: String,
    /// More, a line each; a line that says so stands behind the one before where both fit.
    pub lines: Vec<(String, bool)>,
}

/// The last lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Foot {
    /// What words and marks mean.
    pub legend: Vec<String>,
    /// Footnotes, each with its mark.
    pub notes: Vec<String>,
    /// What stands for many others where there is little room, and those others where there is more.
    pub brief: Vec<String>,
    /// See there.
    pub full: Vec<String>,
    /// What could not be learned.
    pub not_known: Vec<NotKnown>,
    /// Where all that has no room stands.
    pub all: String,
    /// Where to see more.
    pub more: String,
    /// What made the document, and from what.
    pub made: Vec<Inline>,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Its first lines.
    pub head: Head,
    /// Its sections, in order.
    pub sections: Vec<Section>,
    /// Its last lines.
    pub foot: Foot,
    /// What its pictures have in common.
    pub shared: Option<Svg>,
    /// Its figures, unrounded.
    pub sheet: Sheet,
    /// What it was made from, as JSON.
    pub json: String,
    /// Whether a page is an archive too, with that JSON inside.
    pub archive: bool,
}

/// Figures in base units for other programs, a row each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sheet {
    /// Names of the columns, with units.
    pub heads: Vec<String>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    /// Columns without rows.
    pub fn new(heads: &[&str]) -> Self {
        let heads = heads.iter().map(|head| (*head).to_string()).collect();
        Sheet { heads, rows: Vec::new() }
    }
}
