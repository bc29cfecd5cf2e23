//! Published claims beside what their figures give.

use narrows_compare::claims::{CheckedClaim, Follows};

use crate::document::{At, Block, Column, Document, Inline, Remarks, Row, Section, Style, Table};
use crate::print;
use crate::words::counted;

/// All claims of a file.
pub fn claims(claims: &[CheckedClaim], file: &str) -> Document {
    let mut table = Table::new(vec![
        Column::name("claim", 2),
        Column::figure("before", 50),
        Column::figure("after", 62),
        Column::words("the text says", At::Left(65)),
        Column::words("by the figures", At::Wrapped(83, usize::MAX)),
    ])
    .remarked("", Remarks::Below(6));
    table.rows = claims.iter().map(row).collect();
    let follow = claims.iter().filter(|claim| claim.follows == Follows::Yes).count();
    let summary = format!(
        "{} of {} {} from its figures",
        follow,
        counted(claims.len(), "claim"),
        if follow == 1 { "follows" } else { "follow" }
    );
    let section = Section::new("claims", "Claims")
        .with([Block::paragraph(Inline::of(Style::Strong, summary)), Block::Table(table)]);
    Document::of([section]).headed("Claims", file).holding(claims)
}

fn row(claim: &CheckedClaim) -> Row {
    let figure = |value: f64| {
        let unit = if claim.unit == "%" { " %" } else { "" };
        format!("{}{unit}", print::count(value))
    };
    let (style, remark) = match claim.follows {
        Follows::Yes => (Style::Good, None),
        Follows::OtherWayRound => {
            let other = print::change(claim.other_way_round);
            (
                Style::Careful,
                Some(format!(
                    "the other way round: seen from the second figure, the first is {other}"
                )),
            )
        }
        Follows::InPoints => (Style::Careful, Some("in points, not per cent".to_string())),
        Follows::No => (Style::Bad, Some("does not follow from these figures".to_string())),
    };
    let mut given = print::change(claim.growth);
    if let Some(points) = claim.points {
        given += &format!(", {:+.1} points", 100.0 * points);
    }
    let cells = vec![
        claim.what.clone().into(),
        figure(claim.before).into(),
        figure(claim.after).into(),
        claim.says.clone().into(),
        Inline::of(style, given).into(),
    ];
    Row::Cells(cells, remark.map(Inline::from).into_iter().collect())
}
