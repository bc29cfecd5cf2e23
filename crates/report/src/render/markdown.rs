//! Sections as GitHub-flavoured Markdown, for issues and wikis.

use narrows_units::shown;

use super::{Filter, Form, Screen, Shows};
use crate::document::{
    Block, Cell, Column, Depth, Document, Entry, Foot, Head, Inline, List, Row, Section, Span,
    Style, Table, Verdict,
};

/// GitHub-flavoured Markdown.
pub const FORM: Form = Form {
    name: "markdown",
    about: "The same as text, for issues and wikis",
    extension: "md",
    shows: Shows::Sections(Depth::Text),
    filter: Filter::Marks,
    print: document,
};

/// Text that cannot start markup or end a table cell.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in shown(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

fn document(document: &Document, _: Screen) -> String {
    let mut out = match document.head.depth {
        Depth::Page => String::new(),
        _ => head(&document.head),
    };
    document.sections.iter().for_each(|of| section(of, &mut out));
    if document.foot == Foot::default() {
        return out.trim_end().to_string() + "\n";
    }
    out + &foot(&document.foot)
}

fn head(head: &Head) -> String {
    let title: Vec<String> = head.title.iter().map(|piece| plain(piece)).collect();
    let mut out = format!("# {}\n\n", title.join(" · "));
    for warning in &head.warnings {
        out += &format!("**{}**\n\n", plain(warning));
    }
    out += &format!("{}\n\n", plain(&head.counts));
    for (line, _) in &head.lines {
        out += &format!("- {}\n", plain(line));
    }
    out + "\n"
}

fn foot(foot: &Foot) -> String {
    let mut out = String::new();
    let more = foot.explained.iter().filter(|line| !foot.legend.contains(line));
    for line in foot.legend.iter().chain(more) {
        out += &format!("{}\n\n", plain(line));
    }
    for note in foot.notes.iter().chain(&foot.full) {
        out += &format!("- {}\n", plain(note));
    }
    if !foot.not_known.is_empty() {
        out += "\nNot known:\n\n";
    }
    for unknown in &foot.not_known {
        out += &format!("- {}\n", plain(&unknown.sentence()));
    }
    let more: String = foot.more.iter().map(|line| format!("\n{}\n", inline(line))).collect();
    out + &more
}

/// The section.
fn section(section: &Section, out: &mut String) {
    if section.depth > Depth::Text {
        return;
    }
    if !section.title.is_empty() {
        out.push_str(&format!("## {}\n\n", plain(&section.title)));
    }
    blocks(&section.blocks, out);
}

fn blocks(blocks: &[Block], out: &mut String) {
    blocks.iter().for_each(|block| one(block, out));
}

fn one(block: &Block, out: &mut String) {
    match block {
        Block::Heading(text) => out.push_str(&format!("### {}\n\n", flat(text))),
        Block::Paragraph(text, _) => out.push_str(&format!("{}\n\n", inline(text))),
        Block::Table(of) => table(of, out),
        Block::Facts(of) => facts(&of.entries, out),
        Block::List(of) => list(of, out),
        Block::Verdict(of) => verdict(of, out),
        Block::Answer(of) => {
            let mark = if of.suspect { " ?" } else { "" };
            let lead = match flat(&of.lead) {
                lead if lead.is_empty() => lead,
                lead => format!("**{lead}**{mark} "),
            };
            let grade = of.grade.map_or(String::new(), |grade| format!(" ({})", grade.word));
            out.push_str(&format!("{lead}{}{grade}\n\n", flat(&of.sentence)));
        }
        Block::Verbatim(text) => {
            // Nothing in it can end the block.
            let lines: Vec<String> =
                text.lines().map(|line| shown(line).replace('`', "'")).collect();
            out.push_str(&format!("```text\n{}\n```\n\n", lines.join("\n")));
        }
        Block::From(depth, within) if *depth <= Depth::Text => blocks(within, out),
        Block::Until(depth, within) if *depth >= Depth::Text => blocks(within, out),
        Block::From(..)
        | Block::Until(..)
        | Block::Figures(_)
        | Block::Folded(..)
        | Block::Views(..)
        | Block::Gap => {}
    }
}

/// A text with what stands out in it.
fn inline(text: &Inline) -> String {
    spans(text, true)
}

/// A text where nothing may stand out, in a cell or what stands out as a whole.
fn flat(text: &Inline) -> String {
    spans(text, false)
}

fn spans(text: &Inline, strong: bool) -> String {
    let mut out = String::new();
    for span in &text.0 {
        match span {
            Span::Text(Style::Strong, text) if strong => {
                out.push_str(&format!("**{}**", plain(text)));
            }
            // Not every reader of Markdown leaves a tag alone that stands between back quotes.
            Span::Text(Style::Code, text) if text.contains('<') => out.push_str(&plain(text)),
            Span::Text(Style::Code, text) => {
                out.push_str(&format!("`{}`", shown(text).replace(['`', '|'], "'")));
            }
            Span::Text(_, text) => out.push_str(&plain(text)),
            Span::Note(number) => out.push_str(&format!(" \\[{number}\\]")),
            Span::Target(number) => out.push_str(&format!("\\[{number}\\]")),
            Span::Break => out.push(' '),
            Span::Picture(_) => {}
        }
    }
    out
}

fn table(table: &Table, out: &mut String) {
    if !table.title.is_empty() {
        out.push_str(&format!("### {}\n\n", plain(&table.title)));
    }
    let columns: Vec<(usize, &Column)> =
        table.columns.iter().enumerate().filter(|(_, c)| c.depth <= Depth::Text).collect();
    let mut heads: Vec<String> = columns.iter().map(|(_, column)| column_head(column)).collect();
    heads.extend(table.remark.as_deref().map(plain));
    let rule = columns.iter().map(|(_, c)| if c.is_figure() { "--:" } else { "---" });
    let rule: Vec<&str> = rule.chain(table.remark.iter().map(|_| "---")).collect();
    out.push_str(&format!("| {} |\n| {} |\n", heads.join(" | "), rule.join(" | ")));
    for row in &table.rows {
        let mut cells: Vec<String> = match row {
            Row::Heading(text) => vec![plain(text)],
            Row::Cells(cells, _) => {
                let of = |number: &usize| cells.get(*number).map(cell).unwrap_or_default();
                columns.iter().map(|(number, _)| of(number)).collect()
            }
        };
        cells.resize(columns.len(), String::new());
        if let (Some(_), Row::Cells(_, said)) = (&table.remark, row) {
            cells.push(flat(&Inline::joined(said)).trim_start().to_string());
        }
        cells.resize(heads.len(), String::new());
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out.push('\n');
}

/// A heading with that of its group: a column has one line for both.
fn column_head(column: &Column) -> String {
    match (column.head.as_str(), column.group.as_str()) {
        (head, "") => plain(head),
        (head, group) => format!("{} {}", plain(head), plain(group)),
    }
}

fn cell(cell: &Cell) -> String {
    format!("{}{}", flat(&cell.text), if cell.suspect { " ?" } else { "" })
}

fn facts(entries: &[Entry], out: &mut String) {
    for entry in entries {
        let within = "  ".repeat(entry.depth);
        let label = match entry.label.trim() {
            "" => String::new(),
            label => format!("{}: ", plain(label)),
        };
        out.push_str(&format!("{within}- {label}{}\n", inline(&entry.text)));
    }
    if !entries.is_empty() {
        out.push('\n');
    }
}

fn list(list: &List, out: &mut String) {
    if list.items.is_empty() {
        return;
    }
    if !list.lead.0.is_empty() {
        out.push_str(&format!("{}\n\n", plain(&list.lead.0)));
    }
    for item in &list.items {
        out.push_str(&format!("- {}\n", inline(item)));
    }
    out.push('\n');
}

fn verdict(verdict: &Verdict, out: &mut String) {
    let name = plain(&verdict.name);
    if let Some(why) = &verdict.absent {
        out.push_str(&format!("**{name}**: not measured: {}\n\n", plain(why)));
        return;
    }
    let mark = if verdict.suspect { " ?" } else { "" };
    let spread = match verdict.spread.as_str() {
        "" => String::new(),
        spread => format!(" {spread}"),
    };
    let (phrase, notes): (Vec<Span>, Vec<Span>) =
        verdict.phrase.0.iter().cloned().partition(|span| matches!(span, Span::Text(..)));
    let grade = verdict.grade.map_or("no grade", |grade| grade.word);
    out.push_str(&format!(
        "**{name}**{mark} {}{spread}, {}: **{}**{} ({grade})\n\n",
        flat(&verdict.rate),
        plain(&verdict.latency),
        flat(&Inline(phrase)),
        flat(&Inline(notes)),
    ));
    // A label that is left out is the one before.
    let mut label = "";
    for entry in &verdict.reasons {
        label = if entry.label.is_empty() { label } else { &entry.label };
        out.push_str(&format!("- {label}: {}\n", inline(&entry.text)));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_can_end_no_row_and_start_no_markup() {
        let mut table = Table::new(vec![Column::name("a|b", 0), Column::figure("n", 9)]);
        table.rows.push(Row::Cells(vec!["<i>|*".into(), "1".into()], Vec::new()));
        table.rows.push(Row::Heading("below".into()));
        let mut out = String::new();
        section(&Section::new("x", "X").with([Block::Table(table)]), &mut out);
        let rows = "| a\\|b | n |\n| --- | --: |\n| &lt;i>\\|\\* | 1 |\n| below |  |\n";
        assert_eq!(out, format!("## X\n\n{rows}\n"));
    }

    #[test]
    fn a_name_of_a_machine_stays_between_its_marks() {
        assert_eq!(inline(&Inline::of(Style::Code, "a`|b")), "`a''b`");
        assert_eq!(inline(&Inline::of(Style::Strong, "a_b").notes([3])), "**a\\_b** \\[3\\]");
    }
}
