//! Tables: columns with their places on a screen, rows of cells and remarks.

use super::{Depth, Inline, Style};

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
    /// Its texts end at the edge of the screen; what wraps before it leaves it room.
    Edge,
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
pub struct OnScreen {
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

impl Row {
    /// A name, figures behind it of which the first is the leading one, and what else there is to say.
    pub fn figures(
        name: impl Into<String>,
        figures: impl IntoIterator<Item = String>,
        remark: impl Into<String>,
    ) -> Self {
        let style = |at: usize| if at == 0 { Style::Strong } else { Style::Plain };
        let figures = figures.into_iter().enumerate();
        let figures = figures.map(|(at, figure)| Inline::of(style(at), figure).into());
        let remark = Some(Inline::from(remark.into())).filter(|remark| !remark.is_empty());
        let cells = std::iter::once(Cell::from(name.into())).chain(figures).collect();
        Row::Cells(cells, remark.into_iter().collect())
    }
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
    pub screen: OnScreen,
}

impl Table {
    /// A table with remarks below its rows.
    pub fn new(columns: Vec<Column>) -> Self {
        let screen = OnScreen {
            mark: 0,
            names: 0,
            remarks: Remarks::Below(4),
            bare: 4,
            longest_name: usize::MAX,
        };
        Table { title: String::new(), columns, remark: None, rows: Vec::new(), screen }
    }

    /// Figures behind names, a step apart, with remarks behind them: rows are made by [`Row::figures`].
    pub fn figures<S: Into<String>>(
        title: impl Into<String>,
        heads: impl IntoIterator<Item = S>,
        rows: impl IntoIterator<Item = Row>,
    ) -> Self {
        let figures = heads.into_iter().map(|head| Column::step(head, 12));
        let columns = std::iter::once(Column::name("", 2)).chain(figures).collect();
        let table = Table::new(columns).titled(title).remarked("", Remarks::Behind(2));
        Table { rows: rows.into_iter().collect(), ..table }
    }

    /// Without columns of figures that no row knows.
    #[must_use]
    pub fn without_unknown(mut self) -> Self {
        let known = |row: &Row, at: usize| match row {
            Row::Cells(cells, _) => {
                cells.get(at).is_some_and(|cell| !matches!(cell.text.text().as_str(), "" | "-"))
            }
            _ => false,
        };
        for at in (1..self.columns.len()).rev() {
            if !self.rows.iter().any(|row| known(row, at)) {
                self.columns.remove(at);
                for row in &mut self.rows {
                    if let Row::Cells(cells, _) = row
                        && at < cells.len()
                    {
                        cells.remove(at);
                    }
                }
            }
        }
        self
    }

    /// The texts of a row's cells; none of a heading.
    pub fn texts(&self, row: usize) -> Vec<String> {
        match self.rows.get(row) {
            Some(Row::Cells(cells, _)) => cells.iter().map(|cell| cell.text.text()).collect(),
            _ => Vec::new(),
        }
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

/// A table with what follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedTable {
    /// The table.
    pub table: Table,
    /// What follows, in sentences.
    pub sentences: Vec<String>,
}
