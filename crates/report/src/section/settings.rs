//! Which settings are in force.

use serde::Serialize;

use crate::document::{At, Block, Column, Document, Row, Section, Table};

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// What it is.
    pub value: String,
    /// Where that comes from.
    pub from: String,
}

/// All of them, and the file that they may stand in.
pub fn settings(all: &[Setting], file: &str) -> Document {
    let columns = vec![
        Column::name("setting", 2),
        Column::words("value", At::Wrapped(14, 42)),
        Column::words("from", At::Wrapped(58, usize::MAX)),
    ];
    let mut table = Table::new(columns);
    let row = |setting: &Setting| {
        let cells = [&setting.name, &setting.value, &setting.from];
        Row::Cells(cells.map(|text| text.as_str().into()).to_vec(), Vec::new())
    };
    table.rows = all.iter().map(row).collect();
    let file = Block::paragraph(format!("file: {file}"));
    let section = Section::new("settings", "Settings").with([Block::Table(table), file]);
    Document::of([section]).headed("Settings", "in force").holding(all)
}
