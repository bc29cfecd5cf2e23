//! Tables on a screen: where columns stand, and what has no room beside others.

use narrows_units::{width, wrap};

use super::flow::{flow, held, pieces, put, released, right};
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
    let Some(At::Cut(step)) = table.columns.last().map(|last| last.at) else {
        return one_table(table, title, edge);
    };
    let names = table.screen.names + table.columns.first().map_or(0, |first| left(first.at));
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
    let cut = |text: &str| -> Option<String> {
        let long = text.chars().count() > step - 2;
        long.then(|| text.chars().take(step - 3).chain(['…']).collect())
    };
    let head = |column: &Column| match cut(&column.head) {
        Some(head) => Column { head, ..column.clone() },
        None => column.clone(),
    };
    let cell = |cell: &Cell| match cut(&cell.text.text()) {
        Some(text) => Cell { text: text.into(), ..cell.clone() },
        None => cell.clone(),
    };
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

/// With the heading of the remarks: behind the last one where they follow their figures, if there is room.
fn with_remark(heads: Line, table: &Table, places: &Places<'_>, edge: usize) -> Line {
    let Some(head) = table.remark.as_ref().filter(|head| !head.is_empty()) else { return heads };
    match table.screen.remarks {
        Remarks::Beside(at) => heads.to(places.fit.at(at)).put(Style::Faint, head),
        Remarks::Behind(gap) if heads.width() + gap + width(head) <= edge => {
            let at = heads.width() + gap;
            heads.to(at).put(Style::Faint, head)
        }
        Remarks::Behind(_) | Remarks::Below(_) => heads,
    }
}

fn one_table(table: &Table, title: &str, edge: usize) -> Vec<Line> {
    let places = Places::new(table, edge);
    let grouped = places.columns.iter().any(|(_, column, _)| !column.group.is_empty());
    let mut corner = Line::of(Style::Strong, title);
    let mut lines = Vec::new();
    if grouped {
        lines.extend(fitted(places.groups(std::mem::take(&mut corner)), edge));
    } else if places.too_long(title) {
        lines.push(std::mem::take(&mut corner));
    }
    let mut heads = places.heads(corner);
    if heads.width() > 0 {
        heads = with_remark(heads, table, &places, edge);
        lines.extend(fitted(heads, edge));
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

/// A line of figures that are wider than their columns goes on below.
fn fitted(line: Line, edge: usize) -> Vec<Line> {
    if line.width() <= edge { vec![line] } else { flow(Line::new(), &line.into_text(), 4, edge) }
}

/// The words of a cell with its commands in one piece each, and the commands for which so many columns are too few.
fn in_room(text: &Inline, room: usize) -> (String, Vec<String>) {
    let mut words = String::new();
    let mut alone = Vec::new();
    for (style, piece) in pieces(text) {
        match style {
            Style::Code if width(&piece) > room => alone.push(piece),
            Style::Code => words += &held(&piece),
            _ => words += &piece,
        }
    }
    (words, alone)
}

/// A command on a line of its own, which ends at the edge.
fn by_itself(command: &str, edge: usize) -> Vec<Line> {
    let at = edge.saturating_sub(width(command)).max(3);
    flow(Line::new().to(at), &Inline::of(Style::Code, command), 3, edge)
}

fn cells_of(table: &Table, places: &Places<'_>, cells: &[Cell], said: &[Inline]) -> Vec<Line> {
    let (screen, fit, edge) = (&table.screen, places.fit, places.fit.edge);
    let mut lines: Vec<Line> = Vec::new();
    let mut line = Line::new();
    let mut below: Vec<(usize, Style, Vec<String>)> = Vec::new();
    let mut alone: Vec<String> = Vec::new();
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
                let begins = at.max(line.width());
                let room = fit.at(room).min(edge.saturating_sub(begins + places.reserved));
                let (words, commands) = in_room(&cell.text, room);
                alone.extend(commands);
                let rows = wrap(&words, room, room);
                let mut rows: Vec<String> = rows.iter().map(|row| released(row)).collect();
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
        lines.extend(alone.iter().flat_map(|command| by_itself(command, edge)));
    };
    let under = |at: usize| {
        let at = fit.at(at).min(edge / 4);
        flow(Line::new().to(at), &Inline::joined(said), at, edge)
    };
    match screen.remarks {
        _ if said.is_empty() => {
            lines.extend(fitted(line, edge));
            goes_on(&mut lines);
        }
        Remarks::Beside(at) => {
            let at = fit.at(if figures { at } else { screen.bare });
            if edge < at.max(line.width() + 1) + LEAST_WORDS {
                lines.extend(fitted(line, edge));
                lines.extend(under(screen.bare));
            } else {
                lines.extend(beside(line, at));
            }
            goes_on(&mut lines);
        }
        Remarks::Behind(gap) => {
            let at = line.width() + gap;
            let room = edge.saturating_sub(at);
            if room < LEAST_WORDS && width(&Inline::joined(said).text()) > room {
                lines.extend(fitted(line, edge));
                lines.extend(under(screen.bare));
            } else {
                lines.extend(beside(line, at));
            }
            goes_on(&mut lines);
        }
        Remarks::Below(at) => {
            lines.extend(fitted(line, edge));
            goes_on(&mut lines);
            lines.extend(said.iter().flat_map(|text| flow(Line::new().to(at), text, at, edge)));
        }
    }
    lines
}
