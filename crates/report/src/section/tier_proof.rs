//! A forecast of a tier beside what was measured with it.

use narrows_tier_forecast::{HitShare, Proof, ProofRow, ReachedStorage, Tier};
use narrows_units::{Bytes, Ratio, significant};

use super::plans::labelled;
use super::tiers::{between, lines, sheet, shown, told};
use crate::document::{
    self, At, Block, Cell, Column, Depth, Document, Entry, Foot, Head, Row, Section, Sheet, Table,
};

/// The document of a forecast and its proof.
pub fn tier_proof(proof: &Proof) -> Document {
    let forecast = &proof.forecast;
    let name = match forecast.tier {
        Tier::Log => "A log tier, off and on: forecast and proof",
        Tier::ReadCache => "A read cache tier, off and on: forecast and proof",
    };
    let title = vec![name.to_string(), format!("off: {}", forecast.from)];
    let more = "Nothing of the windows with the tier is in the forecast. How it is made, and what a proof can show: docs/src/guide/tier.md.";
    Document {
        head: Head { depth: Depth::Page, name: name.to_string(), title, ..Head::default() },
        sections: vec![proof_table(proof), proof_told(proof), told(forecast), lines(forecast)],
        foot: Foot { more: vec![more.into()], ..Foot::default() },
        sheet: proof_sheet(proof),
        json: document::json(proof),
        ..Document::default()
    }
}

fn proof_table(proof: &Proof) -> Section {
    let mut table = Table::new(vec![
        Column::name("", 0),
        Column::figure("off", 34),
        Column::figure("on, forecast", 48),
        Column::words("least to most", At::Right(70)),
        Column::figure("on, measured", 84),
        Column::figure("off by", 94),
    ]);
    table.rows = proof.rows.iter().map(proof_row).collect();
    Section::new("proof", "Forecast and proof").short("").with([Block::Table(table)])
}

fn proof_row(row: &ProofRow) -> Row {
    let of = &row.forecast;
    let show = |value: Option<f64>| value.map_or("-".to_string(), |value| shown(of.unit, value));
    let off_by = match (row.over_forecast, row.holds) {
        (Some(over), Some(false)) => format!("{:+.0} % !", (over - 1.0) * 100.0),
        (Some(over), _) => format!("{:+.0} %", (over - 1.0) * 100.0),
        _ => "-".to_string(),
    };
    let measured = show(row.measured.map(|range| range.value));
    let cells = [of.name.clone(), show(of.off), show(of.on), between(of), measured, off_by];
    Row::Cells(cells.map(Cell::from).to_vec(), Vec::new())
}

/// What came of it, what was measured window by window, and what speaks against it.
fn proof_told(proof: &Proof) -> Section {
    let mut entries = vec![
        Entry::new("off", proof.forecast.from.as_str()),
        Entry::new("result", proof.sentence.as_str()),
    ];
    if let Some(ratio) = proof.rate_ratio {
        let three = |value: f64| significant(value, 3);
        entries.push(Entry::new(
            "measured",
            format!(
                "with the tier × {} ({} to {}, 95 % of {} pairs of windows)",
                three(ratio.value),
                three(ratio.low),
                three(ratio.high),
                proof.windows
            ),
        ));
    }
    entries.extend(proof.storage.map(|storage| Entry::new("storage", reached(storage))));
    entries.extend(proof.hits.map(|hits| Entry::new("hits", shares(hits))));
    let apart = proof.rows.iter().filter(|row| row.holds == Some(false));
    entries.extend(apart.map(|row| {
        let unit = row.forecast.unit;
        let measured = row.measured.map_or(String::new(), |range| {
            format!("{} to {}", shown(unit, range.low), shown(unit, range.high))
        });
        let text = format!(
            "{}: measured {measured}, forecast {}",
            row.forecast.name,
            between(&row.forecast)
        );
        Entry::new("!", text)
    }));
    entries.extend(proof.doubts.iter().map(|doubt| Entry::new("doubt", doubt.as_str())));
    Section::new("result", "What came of it").with([labelled(entries)])
}

/// How many of the server's reads reached storage.
fn reached(storage: ReachedStorage) -> String {
    let counted =
        |share: Option<f64>| share.map_or("unknown".to_string(), |n| Ratio(n).to_string());
    let how = if storage.direct { "read around the page cache" } else { "through the page cache" };
    format!(
        "of what the server read, this reached storage by its counters: off {}, on {} ({how})",
        counted(storage.off),
        counted(storage.on)
    )
}

/// The share that the tier serves.
fn shares(hits: HitShare) -> String {
    let pool = hits.pool_bytes.map_or(String::new(), |bytes| {
        format!("shared_buffers of {} left ", Bytes(bytes as u64).iec())
    });
    let by_time = hits
        .by_read_time
        .map_or("no share gives the measured time of a read".to_string(), |share| {
            format!("the measured time of a read is that of {}", Ratio(share))
        });
    format!(
        "{pool}{} reads per transaction; of these the tier serves {} to {} by the law of the keys; {by_time}",
        significant(hits.reads_per_lookup, 3),
        Ratio(hits.least),
        Ratio(hits.most)
    )
}

/// The forecast's, with what was measured beside each row.
fn proof_sheet(proof: &Proof) -> Sheet {
    let mut sheet = sheet(&proof.forecast);
    sheet.heads.extend(["measured", "measured low", "measured high"].map(str::to_string));
    for (at, cells) in sheet.rows.iter_mut().enumerate() {
        let measured = proof.rows.get(at).and_then(|row| row.measured);
        let figures = measured.map_or([const { String::new() }; 3], |range| {
            [range.value, range.low, range.high].map(|value| value.to_string())
        });
        cells.extend(figures);
    }
    sheet
}
