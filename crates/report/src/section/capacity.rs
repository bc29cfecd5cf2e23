//! How wide each layer is, beside its nearest limit.

use narrows_model::{Layer, Validity};

use super::{figure, invalid, name, noted, ns, strong};
use crate::capacity::{self, CapacityRow, nearest};
use crate::chart::charts;
use crate::document::{
    At, Block, Cell, Column, Depth, Inline, Remarks, Row, Section, Style, Table,
};
use crate::print::{percent, plus_minus};
use crate::report::Report;

/// One row for each measurement that says how wide its layer is.
pub(crate) fn wide(report: &Report) -> Option<Section> {
    if report.wide.is_empty() {
        return None;
    }
    let limits = report.wide.iter().any(|row| row.limit.is_some());
    let mut columns = vec![
        Column::name("layer", 0),
        Column::name("what", 9),
        Column::figure("measured", 43),
        Column::figure("±95%", 50),
    ];
    // Where no limit is known, nothing stands between figures and their remarks.
    let (end, remark) =
        if limits { (68, "remark") } else { (50, "notes (no physical limit known)") };
    if limits {
        let mut bar = Column::words("", At::Left(0));
        let mut nearest = Column::words("nearest", At::Left(0));
        (bar.depth, nearest.depth) = (Depth::Page, Depth::Page);
        let share = Column::figure("share", 68);
        columns.extend([Column::figure("link limit", 62), nearest, bar, share]);
    }
    columns.push(Column::deep("CPU/op", Depth::Explained));
    let mut table = Table::new(columns).remarked(remark, Remarks::Beside(end + 2));
    (table.screen.mark, table.screen.bare) = (7, 34);
    let mut layer = None;
    for row in &report.wide {
        let first = layer != Some(row.layer);
        layer = Some(row.layer);
        table.rows.push(of(report, row, first, limits));
    }
    Some(Section::new("wide", "Hardware").with([Block::Table(table)]))
}

fn of(report: &Report, row: &CapacityRow, first: bool, limits: bool) -> Row {
    let layer = if first { layer_name(row.layer) } else { "" };
    let mut cells =
        vec![Inline::of(Style::Strong, layer).into(), name(row.name.as_str(), row.validity)];
    if let Some(reason) = &row.absent {
        let said = Inline::of(Style::Faint, format!("not measured: {reason}"));
        return Row::Cells(cells, vec![said]);
    }
    let quantity = |figure: Option<capacity::Figure>| -> Cell {
        let what = counted_by(row.layer);
        figure.map_or_else(|| "-".into(), |f| report.units.work(f.value, f.unit, what).into())
    };
    let spread = match (row.half_width, row.measured) {
        (Some(share), _) => plus_minus(share),
        (None, Some(_)) => format!("- n {}", row.repeats),
        (None, None) => "-".to_string(),
    };
    let measured = match row.validity {
        Validity::Invalid => invalid(),
        _ => strong(quantity(row.measured)),
    };
    cells.extend([measured, spread.into()]);
    if limits {
        let bar = row.share.map_or_else(Inline::default, |share| {
            Inline::default().picture(charts::share_bar(share))
        });
        let id = limit_id(report, row).unwrap_or_default();
        cells.extend([quantity(row.limit), Inline::of(Style::Code, id).into(), bar.into()]);
        cells.push(figure(row.share, percent));
    }
    cells.push(ns(row.cpu_per_op_ns));
    let remark = noted(Inline::from(row.remark.as_str()), &row.notes);
    Row::Cells(cells, Some(remark).filter(|said| !said.is_empty()).into_iter().collect())
}

/// The layer as its field calls it.
pub(super) fn layer_name(layer: Layer) -> &'static str {
    match layer {
        Layer::Log => "WAL",
        layer => layer.word(),
    }
}

/// What the field counts operations of the layer by.
pub(super) fn counted_by(layer: Layer) -> &'static str {
    match layer {
        Layer::Block | Layer::Fabric => "IOPS",
        Layer::Database => "tps",
        Layer::Clock | Layer::Memory | Layer::Log => "/s",
    }
}

/// Which limit the share is of.
fn limit_id(report: &Report, row: &CapacityRow) -> Option<String> {
    row.share?;
    let m = report.run.measurement(&row.measurement)?;
    Some(nearest(m, row.measured?.unit)?.id.clone())
}
