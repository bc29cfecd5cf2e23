//! A report's HTML as tables.

use html5gum::{Token, Tokenizer};

use super::table::Table;

/// Tables, rows and cells of which more are no report's.
const MOST_TABLES: usize = 5_000;
const MOST_ROWS: usize = 100_000;
const MOST_CELLS: usize = 200;
/// Bytes of a cell beyond which it is a statement's text.
const MOST_BYTES: usize = 4_000;

/// Every table of a document, in order; a table inside a cell ends the outer one, which no report has.
pub(super) fn tables(html: &str) -> Vec<Table> {
    let mut reader = Reader::default();
    for Ok(token) in Tokenizer::new(html) {
        match token {
            Token::StartTag(tag) => reader.begins(&tag.name),
            Token::EndTag(tag) => reader.ends(&tag.name),
            Token::String(text) => reader.text(&String::from_utf8_lossy(&text.value)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
        if reader.tables.len() >= MOST_TABLES {
            break;
        }
    }
    reader.table_ends();
    reader.tables
}

#[derive(Default)]
struct Reader {
    tables: Vec<Table>,
    table: Option<Table>,
    row: Vec<String>,
    /// Heading cells of the row.
    heads: usize,
    /// Whether all rows so far have a heading cell: then they belong to the heading.
    only_heads: bool,
    cell: Option<String>,
}

impl Reader {
    fn begins(&mut self, name: &[u8]) {
        match name {
            b"table" => {
                self.table_ends();
                self.table = Some(Table::default());
                self.only_heads = true;
            }
            b"tr" => self.row_ends(),
            b"th" | b"td" => {
                self.cell_ends();
                self.heads += usize::from(name == b"th");
                self.cell = Some(String::new());
            }
            b"br" => self.text(" "),
            _ => {}
        }
    }

    fn ends(&mut self, name: &[u8]) {
        match name {
            b"table" => self.table_ends(),
            b"tr" => self.row_ends(),
            b"th" | b"td" => self.cell_ends(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(cell) = self.cell.as_mut().filter(|cell| cell.len() < MOST_BYTES) {
            cell.push_str(text);
        }
    }

    fn cell_ends(&mut self) {
        if let Some(cell) = self.cell.take().filter(|_| self.row.len() < MOST_CELLS) {
            // A no-break space is a space that the reader of a page doesn't see.
            let words: Vec<&str> = cell.split_whitespace().collect();
            self.row.push(words.join(" "));
        }
    }

    fn row_ends(&mut self) {
        self.cell_ends();
        let (row, heads) = (std::mem::take(&mut self.row), std::mem::take(&mut self.heads));
        let Some(table) = self.table.as_mut().filter(|_| !row.is_empty()) else { return };
        if heads == row.len() && self.only_heads {
            // Of several heading rows the last one has the columns; what spans several of them stands above, beside empty cells.
            table.header = row;
            table.rows.clear();
        } else if table.rows.len() < MOST_ROWS {
            self.only_heads &= heads > 0;
            table.rows.push(row);
        }
    }

    fn table_ends(&mut self) {
        self.row_ends();
        self.tables.extend(self.table.take().filter(|_| self.tables.len() < MOST_TABLES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_rows_and_headings_are_told_apart() {
        let html = "<p>x<table summary=a><tr><th>Event</th><th>% DB<br>time</th></tr>\
                    <tr><td scope=row>log file sync</td><td>&nbsp;1,5&#48;</td></tr></table>\
                    <table><tr><td>Elapsed:<td>5 (mins)";
        let tables = tables(html);
        assert_eq!(tables[0].header, ["Event", "% DB time"]);
        assert_eq!(tables[0].rows, [["log file sync", "1,50"]]);
        assert_eq!(
            tables[1].rows,
            [["Elapsed:", "5 (mins)"]],
            "what isn't closed ends with the text"
        );
    }

    #[test]
    fn a_heading_of_two_rows_has_its_columns_in_the_last() {
        let html = "<table><tr><td>&nbsp;</td><td>&nbsp;</td><th colspan=2>% of Waits</th></tr>\
                    <tr><th>Event</th><th>Total Waits</th><th>&lt;1ms</th><th>&lt;2ms</th></tr>\
                    <tr><td scope=row>log file sync</td><td>9</td><td>1.0</td><td>99.0</td></tr></table>";
        let [table] = &tables(html)[..] else { panic!() };
        assert_eq!(table.header, ["Event", "Total Waits", "<1ms", "<2ms"]);
        assert_eq!(table.rows.len(), 1);
    }

    #[test]
    fn what_is_no_report_is_read_to_its_end() {
        for html in ["", "<", "<table>", "<table><tr><td>", "</td></tr></table>", "<td>a</td>"] {
            let _ = tables(html);
        }
        let deep = "<table><tr><td>".repeat(20_000);
        assert!(tables(&deep).len() <= MOST_TABLES);
        let wide = format!("<table><tr>{}</tr></table>", "<td>1</td>".repeat(5_000));
        assert_eq!(tables(&wide)[0].rows[0].len(), MOST_CELLS);
    }
}
