//! Tables on a screen: where columns stand, and what has no room beside others.

use narrows_units::{shown, width, wrap};

use super::flow::{flow, pieces, put, right};
use super::line::Line;
use crate::document::{At, Cell, Column, Depth, Inline, Remarks, Row, Style, Table};

/// What tables are laid out for.
const LAID_OUT_FOR: usize = 100;
/// Room for words, at least: a remark without it stands below its row.
const LEAST_WORDS: usize = 20;

/// How a table's places fit a screen: as they are, or drawn together.
#[derive(Clone, Copy)]
struct Fit {
    edge: usize,
    drawn_together: bool,
}

impl Fit {
    fn new(table: &Table, edge: usize) -> Fit {
        let shown = || table.columns.iter().filter(|column| column.depth <= Depth::Screen);
        let reserved =
            if shown().any(|column| column.at == At::Edge) { LEAST_WORDS / 2 } else { 0 };
        let end = |column: &Column| match column.at {
            At::Left(at) | At::Wrapped(at, _) => at + LEAST_WORDS + reserved,
            At::Right(at) => at,
            At::Step(_) | At::Cut(_) | At::Edge => 0,
        };
        let most = shown().map(end).max().unwrap_or(0);
        let narrow = (super::NARROWEST..LAID_OUT_FOR).contains(&edge);
        Fit { edge, drawn_together: narrow && most > edge }
    }

    /// A place of the layout on this screen.
    fn at(self, at: usize) -> usize {
        match self.drawn_together {
            true => at.saturating_mul(self.edge).div_ceil(LAID_OUT_FOR),
            false => at,
        }
    }
}

/// The columns that a screen has, with where each begins or ends.
struct Places<'a> {
    columns: Vec<(usize, &'a Column, usize)>,
    fit: Fit,
    /// Columns at the edge that belong to another.
    reserved: usize,
}

impl<'a> Places<'a> {
    fn new(table: &'a Table, edge: usize) -> Self {
        let fit = Fit::new(table, edge);
        let of_cell = |row: &Row, at: usize| match row {
            Row::Cells(cells, _) => cells.get(at).map_or(0, |cell| width(&cell.text.text())),
            Row::Heading(_) => 0,
        };
        let widest = |at: usize| table.rows.iter().map(|row| of_cell(row, at)).max().unwrap_or(0);
        let at_edge = |(number, column): (usize, &Column)| match column.at {
            At::Edge => Some(1 + widest(number).max(width(&column.head))),
            _ => None,
        };
        let reserved = table.columns.iter().enumerate().filter_map(at_edge).max().unwrap_or(0);
        let names = widest(0);
        let first = table.columns.first().map_or(0, |first| fit.at(left(first.at)));
        let mut end = names.max(fit.at(table.screen.names)) + first;
        let shown = table.columns.iter().enumerate().filter(|(_, c)| c.depth <= Depth::Screen);
        let placed = shown.map(|(number, column)| {
            let place = match column.at {
                At::Left(at) | At::Wrapped(at, _) | At::Right(at) => fit.at(at),
                At::Step(step) => {
                    end += fit.at(step);
                    end
                }
                At::Cut(step) => {
                    end += step;
                    end
                }
                At::Edge => edge,
            };
            (number, column, place)
        });
        Places { columns: placed.collect(), fit, reserved }
    }

    /// Headings of the columns, behind `line`.
    fn heads(&self, mut line: Line) -> Line {
        for (_, column, place) in self.columns.iter().filter(|(_, c, _)| !c.under_title) {
            let head = Inline::of(Style::Faint, column.head.as_str());
            line = if column.is_figure() || column.at == At::Edge {
                right(line, &head, *place)
            } else {
                put(line.to(*place), &head)
            };
        }
        line
    }

    /// Headings of groups: where the first column of one has no room for it, its second has.
    fn groups(&self, mut line: Line) -> Line {
        let mut before = 0;
        for (at, (_, column, place)) in self.columns.iter().enumerate() {
            let first = at == 0 || self.columns[at - 1].1.group != column.group;
            if first && !column.group.is_empty() {
                let fits = place.saturating_sub(before) > width(&column.group) + 1;
                let next = self.columns.get(at + 1).filter(|_| !fits);
                let end = next.map_or(*place, |(_, _, place)| *place);
                line = line.right(Style::Faint, &column.group, end);
            }
            before = *place;
        }
        line
    }

    /// Whether a title leaves no room for the first heading.
    fn too_long(&self, title: &str) -> bool {
        let first = self.columns.iter().find(|(_, column, _)| !column.under_title);
        first.is_some_and(|(_, column, place)| {
            let head = if column.is_figure() { width(&column.head) } else { 0 };
            width(title) + head + 1 > *place
        })
    }
}

fn left(at: At) -> usize {
    match at {
        At::Left(at) | At::Wrapped(at, _) => at,
        At::Right(_) | At::Step(_) | At::Cut(_) | At::Edge => 0,
    }
}

/// A table with its title in the corner; where not all its columns fit, one below the other.
pub(super) fn table(table: &Table, title: &str, edge: usize) -> Vec<Line> {
    let names = table.screen.names;
    let Some(At::Cut(step)) = table.columns.last().map(|last| last.at) else {
        return one_table(table, title, edge);
    };
    let many: Vec<usize> = (1..table.columns.len()).collect();
    let mut lines = Vec::new();
    for some in many.chunks((edge.saturating_sub(names) / step).max(1)) {
        lines.extend((!lines.is_empty()).then(Line::new));
        lines.extend(one_table(&part(table, some, step), title, edge));
    }
    lines
}

/// A table of the names and these columns, whose texts lose what is too long.
fn part(table: &Table, columns: &[usize], step: usize) -> Table {
    let cut = |text: &str| match text.chars().count() > step - 2 {
        true => text.chars().take(step - 3).chain(['…']).collect(),
        false => text.to_string(),
    };
    let head = |column: &Column| Column { head: cut(&column.head), ..column.clone() };
    let cell = |cell: &Cell| Cell { text: cut(&cell.text.text()).into(), ..cell.clone() };
    let columns_of = columns.iter().map(|at| head(&table.columns[*at]));
    let row = |row: &Row| match row {
        Row::Cells(cells, said) => {
            let cells_of = columns.iter().filter_map(|at| cells.get(*at)).map(cell);
            Row::Cells(cells.iter().take(1).cloned().chain(cells_of).collect(), said.clone())
        }
        heading => heading.clone(),
    };
    Table {
        columns: table.columns.iter().take(1).cloned().chain(columns_of).collect(),
        rows: table.rows.iter().map(row).collect(),
        ..table.clone()
    }
}

fn one_table(table: &Table, title: &str, edge: usize) -> Vec<Line> {
    let places = Places::new(table, edge);
    let grouped = places.columns.iter().any(|(_, column, _)| !column.group.is_empty());
    let mut corner = Line::of(Style::Strong, title);
    let mut lines = Vec::new();
    if grouped {
        lines.push(places.groups(std::mem::take(&mut corner)));
    } else if places.too_long(title) {
        lines.push(std::mem::take(&mut corner));
    }
    let mut heads = places.heads(corner);
    if heads.width() > 0 {
        if let (Remarks::Beside(at), Some(head)) = (table.screen.remarks, &table.remark) {
            heads = heads.to(places.fit.at(at)).put(Style::Faint, head);
        }
        lines.push(heads);
    }
    for row in &table.rows {
        match row {
            Row::Heading(text) => {
                let at = table.columns.first().map_or(0, |first| places.fit.at(left(first.at)));
                lines.push(Line::new().to(at).put(Style::Faint, text));
            }
            Row::Cells(cells, said) => lines.extend(cells_of(table, &places, cells, said)),
        }
    }
    lines
}

fn cells_of(table: &Table, places: &Places<'_>, cells: &[Cell], said: &[Inline]) -> Vec<Line> {
    let (screen, fit, edge) = (&table.screen, places.fit, places.fit.edge);
    let mut lines: Vec<Line> = Vec::new();
    let mut line = Line::new();
    let mut below: Vec<(usize, Style, Vec<String>)> = Vec::new();
    let mut figures = false;
    for (number, column, place) in &places.columns {
        let Some(cell) = cells.get(*number) else { continue };
        let touches =
            matches!(column.at, At::Left(_) | At::Wrapped(..)) && line.width() >= (*place).max(1);
        if cell.suspect {
            line = line.to(fit.at(screen.mark)).put(Style::Careful, "?").put(Style::Plain, " ");
        }
        if touches {
            line = line.put(Style::Plain, " ");
        }
        match column.at {
            At::Left(_) => {
                let at = *place;
                let mut named = flow(line.to(at), &cell.text, at, edge);
                line = named.pop().unwrap_or_default();
                lines.extend(named);
                if *number == 0 && line.width() > fit.at(screen.longest_name) {
                    lines.push(std::mem::take(&mut line));
                }
            }
            At::Wrapped(_, room) => {
                let at = *place;
                let style = pieces(&cell.text).first().map_or(Style::Plain, |(style, _)| *style);
                let room = fit.at(room).min(edge.saturating_sub(at + places.reserved));
                let mut rows = wrap(&shown(&cell.text.text()), room, room);
                line = line.to(at).put(style, &rows.remove(0));
                below.push((at, style, rows));
            }
            At::Edge => line = right(line, &cell.text, edge),
            At::Right(_) | At::Step(_) | At::Cut(_) => {
                figures |= !cell.text.is_empty();
                line = right(line, &cell.text, *place);
            }
        }
    }
    let beside = |line: Line, at: usize| flow(line.to(at), &Inline::joined(said), at, edge);
    let goes_on = |lines: &mut Vec<Line>| {
        let most = below.iter().map(|(_, _, rows)| rows.len()).max().unwrap_or(0);
        lines.extend((0..most).map(|number| {
            let of_row = |line: Line, (at, style, rows): &(usize, Style, Vec<String>)| match rows
                .get(number)
            {
                Some(row) => line.to(*at).put(*style, row),
                None => line,
            };
            below.iter().fold(Line::new(), of_row)
        }));
    };
    match screen.remarks {
        _ if said.is_empty() => {
            lines.push(line);
            goes_on(&mut lines);
        }
        Remarks::Beside(at) => {
            let at = fit.at(if figures { at } else { screen.bare });
            if edge < at + LEAST_WORDS {
                lines.push(line);
                let at = fit.at(screen.bare).min(edge / 4);
                lines.extend(flow(Line::new().to(at), &Inline::joined(said), at, edge));
            } else {
                lines.extend(beside(line, at));
            }
            goes_on(&mut lines);
        }
        Remarks::Behind(gap) => {
            let at = line.width() + gap;
            lines.extend(beside(line, at));
            goes_on(&mut lines);
        }
        Remarks::Below(at) => {
            lines.push(line);
            goes_on(&mut lines);
            lines.extend(said.iter().flat_map(|text| flow(Line::new().to(at), text, at, edge)));
        }
    }
    lines
}
