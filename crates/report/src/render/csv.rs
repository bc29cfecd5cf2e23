//! A document's figures for spreadsheets and scripts (RFC 4180). A name that a spreadsheet would take for a formula has a `'` before
//! it.

use narrows_units::shown_cell;

use super::{Filter, Form, Screen, Shows};
use crate::document::Document;

/// Figures in base units (RFC 4180).
pub const FORM: Form = Form {
    name: "csv",
    about: "Figures in base units, a row each",
    extension: "csv",
    shows: Shows::Sheet,
    filter: Filter::Marks,
    print: document,
};

/// A line for the names of the columns, then one for each row.
fn document(document: &Document, _: Screen) -> String {
    let line = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| shown_cell(cell)).collect();
        cells.join(",") + "\r\n"
    };
    std::iter::once(&document.sheet.heads).chain(&document.sheet.rows).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Sheet;

    #[test]
    fn a_cell_with_a_comma_is_one_and_no_formula() {
        let mut sheet = Sheet::new(&["name", "value_ns"]);
        sheet.rows.push(vec!["a,b".to_string(), "-1.5".to_string()]);
        sheet.rows.push(vec!["=1+1".to_string(), String::new()]);
        let text = document(&Document { sheet, ..Document::default() }, Screen::PLAIN);
        assert_eq!(text, "name,value_ns\r\n\"a,b\",-1.5\r\n'=1+1,\r\n");
    }
}
