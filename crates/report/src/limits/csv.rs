//! One row for each figure, in base units.

use narrows_limits::table::{Class, Dimension, Figure};
use narrows_units::shown_cell;

use super::{Shown, rows, unit};

const HEAD: &str = "class,family,title,figure,low,high,unit,grade,source\n";

/// The table and the published measurements as CSV.
pub(super) fn csv(shown: &Shown<'_>) -> String {
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
        shown_cell(&class.id),
        class.family.name().to_string(),
        shown_cell(&class.title),
        shown_cell(key),
        figure.low.to_string(),
        figure.high.to_string(),
        unit(dimension).to_string(),
        figure.grade.name().to_string(),
        shown_cell(&figure.source),
    ];
    cells.join(",") + "\n"
}
