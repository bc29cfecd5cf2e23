//! One row for each figure, in base units.

use narrows_limits::table::{Class, Dimension, Figure};

use super::{Shown, rows, unit};

const HEAD: &str = "class,family,title,figure,low,high,unit,grade,source\n";

/// The table and the published measurements as CSV.
pub fn csv(shown: &Shown<'_>) -> String {
    let mut text = HEAD.to_string();
    for class in &shown.classes {
        for row in rows(class) {
            text += &line(class, row.key, row.figure, row.dimension);
        }
        for normal in shown.table.normals(&class.id) {
            let key = format!("measured {}", normal.what.title());
            text += &line(class, &key, &normal.figure, normal.what.dimension());
        }
    }
    text
}

fn line(class: &Class, key: &str, figure: &Figure, dimension: Dimension) -> String {
    let cells = [
        class.id.clone(),
        class.family.name().to_string(),
        quoted(&class.title),
        quoted(key),
        figure.low.to_string(),
        figure.high.to_string(),
        unit(dimension).to_string(),
        figure.grade.name().to_string(),
        quoted(&figure.source),
    ];
    cells.join(",") + "\n"
}

/// RFC 4180; what a spreadsheet would take for a formula is kept from it.
fn quoted(text: &str) -> String {
    let text =
        if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.into() };
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}
