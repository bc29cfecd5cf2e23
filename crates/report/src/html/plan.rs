//! The page of platforms on paper: their ceilings side by side, then each as boxes within boxes with what binds marked, and what to
//! widen first.

use narrows_plan::{
    Drawing, Migration, Part, Plan, WorkAnswer, binds, compared, demand_rows, fits_rows, widening,
};

use super::escape::text;
use super::nested;
use super::table;
use super::wires::Wire;
use crate::place::Place;

/// The page of these plans.
pub(crate) fn plan_page(plans: &[Plan]) -> String {
    let names: Vec<&str> = plans.iter().map(|plan| plan.name.as_str()).collect();
    let title = text(&names.join(" and "));
    let mut main = side_by_side(plans);
    for plan in plans {
        main += &section(plan);
    }
    let body = format!(
        "<header><h1>{title}<small>on paper, nothing measured</small></h1></header><main>{main}</main>\
         <footer><p>Ceilings: what no system passes; in brackets where good systems end, where a source says so.</p></footer>"
    );
    super::page(&title, &body)
}

/// The page of demands on platforms, each with its name and drawing, in the order of the answers.
pub(crate) fn fits_page(migration: &Migration, platforms: &[(&str, Drawing)]) -> String {
    let (heads, rows) = demand_rows(migration);
    let heads: Vec<String> = heads.iter().map(|head| format!("{head}>")).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let cells = |row: &Vec<String>| row.iter().map(|cell| text(cell)).collect();
    let mut main = format!("<section><h2>Demand</h2><p>{}</p>", text(&migration.from));
    main += &table(&heads, &rows.iter().map(cells).collect::<Vec<_>>());
    let refused = migration.refused.iter().map(|why| format!("refused: {why}"));
    let suspect = migration.demands.iter().filter_map(|demand| {
        Some(format!("suspect: {}: {}", demand.name, demand.suspect.as_ref()?))
    });
    main += &list(refused.chain(suspect).chain(migration.remarks.iter().cloned()));
    main += "</section>";
    let answers = fits_rows(migration);
    let each = migration.demands.len().max(1);
    for ((name, drawing), number) in platforms.iter().zip(0..) {
        main += &format!("<section><h2>{}</h2>{}", text(name), picture(name, drawing));
        let here = answers.iter().skip(number * each).take(each);
        let rows = here.map(|row| {
            let words =
                [&row.demand, row.verdict, &row.at_sessions, &row.at_most, &row.holds, &row.binds];
            words.map(text).to_vec()
        });
        let heads = ["", "", "with as many sessions>", "at most>", "held by", "binds at most"];
        main += &table(&heads, &rows.collect::<Vec<_>>());
        let fits = migration.fits.iter().skip(number * each).take(each);
        let mut remarks: Vec<String> = Vec::new();
        for fit in fits {
            let taken = fit.taken.iter().map(|taken| format!("taken: {taken}"));
            let notes = fit.notes.iter().map(|note| format!("not reckoned: {note}"));
            for remark in taken.chain(notes) {
                if !remarks.contains(&remark) {
                    remarks.push(remark);
                }
            }
        }
        main += &list(remarks);
        main += "</section>";
    }
    let body = format!(
        "<header><h1>Does it fit?<small>a measured demand on paper</small></h1></header><main>{main}</main>"
    );
    super::page("Does it fit?", &body)
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: String = items.into_iter().map(|item| format!("<li>{}</li>", text(&item))).collect();
    if items.is_empty() { items } else { format!("<ul class=\"facts\">{items}</ul>") }
}

fn side_by_side(plans: &[Plan]) -> String {
    let names: Vec<String> = plans.iter().map(|plan| format!("{}>", plan.name)).collect();
    let headers: Vec<&str> = std::iter::once("").chain(names.iter().map(String::as_str)).collect();
    let rows = compared(plans).into_iter().map(|row| {
        let left = match row.left.strip_prefix("  ") {
            Some(part) => format!("<span class=\"soft\">{}</span>", text(part)),
            None => text(&row.left),
        };
        std::iter::once(left).chain(row.cells.iter().map(|cell| text(cell))).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    format!("<section><h2>Ceilings</h2>{}</section>", table(&headers, &rows))
}

fn section(plan: &Plan) -> String {
    let mut out = format!("<section><h2>{}</h2>", text(&plan.name));
    if let Some(note) = &plan.note {
        out += &format!("<p>{}</p>", text(note));
    }
    out += &picture(&plan.name, &plan.drawing);
    let rows: Vec<Vec<String>> = plan.works.iter().map(row).collect();
    if !rows.is_empty() {
        out += &table(&["", "binds", "widen first", "then"], &rows);
    }
    let unpriced = plan.price.as_ref().filter(|price| !price.unpriced.is_empty());
    let unpriced = unpriced.map(|price| format!("no price: {}", price.unpriced.join(", ")));
    let notes = plan.notes.iter().map(|note| format!("not reckoned: {note}"));
    out += &list(notes.chain(unpriced));
    out + "</section>"
}

fn row(answer: &WorkAnswer) -> Vec<String> {
    let binding: Vec<String> = answer.binding.iter().map(binds).collect();
    let mut next: Vec<&str> = Vec::new();
    for bound in &answer.next {
        if !next.contains(&bound.component.as_str()) {
            next.push(&bound.component);
        }
    }
    vec![
        text(answer.work.title()),
        text(&binding.join("; ")),
        answer.widen.first().map(|best| text(&widening(best))).unwrap_or_default(),
        text(&next.join(", ")),
    ]
}

fn picture(name: &str, drawing: &Drawing) -> String {
    let parts = drawing.parts.iter().map(place).collect();
    let wires = drawing.wires.iter().map(|wire| Wire {
        ends: wire.ends,
        words: wire.words.clone(),
        marks: wire.marks.clone(),
    });
    let wires: Vec<Wire> = wires.collect();
    let label = format!("{name}: its parts as boxes within boxes, and the links between them");
    nested::figure(&Place::of(name, parts), &wires, &label)
}

fn place(part: &Part) -> Place {
    Place {
        marks: part.marks.clone(),
        ..Place::of(part.words.clone(), part.within.iter().map(place).collect())
    }
}

#[cfg(test)]
mod tests {
    use narrows_limits::table::Table;
    use narrows_plan::{Question, describe, plan};

    use super::*;

    const TWO: &str = r#"
name = "a <target> and its host"
note = "two & a link"
[[machine]]
name = "target"
[[machine]]
name = "host"
[[drives]]
name = "disks"
at = "target"
read = "9 GB/s"
source = "test"
[[link]]
name = "fabric"
from = "target"
to = "host"
class = "hdr-200"
[[database]]
name = "db"
at = "host"
data = "disks"
"#;

    #[test]
    fn the_page_has_ceilings_a_picture_for_both_screens_and_what_binds_in_words() {
        let platform = describe("two.toml", TWO, Table::builtin()).unwrap();
        let question = Question { block_bytes: 8192, table_bytes: 1_000_000_000_000 };
        let page = plan_page(&[plan(&platform, question).unwrap()]);
        assert!(
            page.contains("<h2>a &lt;target&gt; and its host</h2>") && !page.contains("<target>")
        );
        assert!(page.contains("two &amp; a link"));
        // By pencil: the drives' 9 GB/s are less than the link's 24.8 GB/s.
        assert!(page.contains("<td class=\"num\">9.00 GB/s</td>"));
        for picture in ["onwide", "onnarrow"] {
            let (_, drawn) = page.split_once(picture).unwrap();
            let (drawn, _) = drawn.split_once("</figure>").unwrap();
            assert!(drawn.contains("BINDS"), "{drawn}");
            assert!(drawn.contains("fabric: target to host"), "{drawn}");
        }
        assert!(!page.contains("<script"));
    }
}
