//! The same report as GitHub-flavoured Markdown, for issues and wikis.

mod calibration;
mod durability;
mod interference;
mod live;
mod log;
mod observed;
mod places;
mod sweep;

use narrows_model::Validity;

use crate::layout::visible;
use crate::notes::NoteMark;
use crate::print::{percent, time};
use crate::report::Report;
use crate::words;

/// The whole screen as Markdown.
pub(crate) fn markdown(report: &Report) -> String {
    let mut out = String::new();
    head(report, &mut out);
    log::short(report, &mut out);
    places::places(report, &mut out);
    log::log(report, &mut out);
    if !report.ladder.is_empty() {
        durability::durability(report, &mut out);
    }
    live::live(report, &mut out);
    observed::observed(report, &mut out);
    calibration::answers(report, &mut out);
    interference::interference(report, &mut out);
    calibration::loads(report, &mut out);
    wide(report, &mut out);
    if report.ladder.is_empty() {
        durability::durability(report, &mut out);
    }
    narrow(report, &mut out);
    sweep::sweeps(report, &mut out);
    next(report, &mut out);
    observed::remarks(report, &mut out);
    foot(report, &mut out);
    out
}

/// Text that cannot start markup or end a table cell.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
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

fn marks(notes: &[NoteMark]) -> String {
    notes.iter().map(|mark| format!(" \\[{}\\]", mark.0)).collect()
}

fn table(out: &mut String, header: &[&str], right: &[usize], rows: &[Vec<String>]) {
    let mut line = |cells: Vec<String>| out.push_str(&format!("| {} |\n", cells.join(" | ")));
    line(header.iter().map(|cell| (*cell).to_string()).collect());
    line(
        (0..header.len()).map(|i| if right.contains(&i) { "--:" } else { "---" }.into()).collect(),
    );
    for row in rows {
        line(row.clone());
    }
    out.push('\n');
}

fn head(report: &Report, out: &mut String) {
    let head = &report.head;
    let title: Vec<String> = head.run.iter().map(|piece| plain(piece)).collect();
    out.push_str(&format!("# {}\n\n", title.join(" · ")));
    for warning in &head.warnings {
        out.push_str(&format!("**{}**\n\n", plain(warning)));
    }
    out.push_str(&format!("{}\n\n", plain(&head.counts)));
    let lines =
        std::iter::once(&head.machine).chain(&head.roles).chain([&head.others, &head.server]);
    for line in lines.filter(|line| !line.is_empty()) {
        out.push_str(&format!("- {}\n", plain(line)));
    }
    out.push('\n');
}

fn wide(report: &Report, out: &mut String) {
    if report.wide.is_empty() {
        return;
    }
    out.push_str("## How wide\n\n");
    let quantity = |figure: Option<crate::wide::Figure>| {
        figure.map_or_else(|| "-".to_string(), |f| report.units.quantity(f.value, f.unit))
    };
    let rows: Vec<Vec<String>> = report
        .wide
        .iter()
        .map(|row| {
            let mark = if row.validity == Validity::Suspect { " ?" } else { "" };
            let remark = match &row.absent {
                Some(reason) => format!("not measured: {reason}"),
                None => row.remark.clone(),
            };
            let dash = || "-".to_string();
            vec![
                row.layer.word().to_string(),
                format!("{}{mark}", plain(&row.name)),
                if row.validity == Validity::Invalid {
                    "invalid".to_string()
                } else {
                    quantity(row.measured)
                },
                row.half_width.map_or_else(dash, percent),
                quantity(row.limit),
                row.share.map_or_else(dash, percent),
                row.cpu_per_op_ns.map_or_else(dash, time),
                format!("{}{}", plain(&remark), marks(&row.notes)),
            ]
        })
        .collect();
    let header = ["layer", "what", "measured", "± 95 %", "link limit", "share", "CPU/op", "remark"];
    table(out, &header, &[2, 3, 4, 5, 6], &rows);
}

fn narrow(report: &Report, out: &mut String) {
    if report.operating_point.is_empty() {
        return;
    }
    out.push_str(&format!("## Where it is narrow\n\n{}\n\n", plain(&report.operating_point)));
    for block in &report.narrow {
        if !block.measured {
            let why = plain(&block.why.join("; "));
            out.push_str(&format!("**{}**: not measured: {why}\n\n", plain(&block.name)));
            continue;
        }
        let mark = if block.validity == Validity::Suspect { " ?" } else { "" };
        let rate = block
            .rate
            .map_or_else(|| "invalid".to_string(), |f| report.units.quantity(f.value, f.unit));
        let spread = match (block.rate, block.half_width) {
            (None, _) => String::new(),
            (_, Some(share)) => format!(" ±{}", percent(share)),
            (_, None) => format!(" n {}", block.repeats),
        };
        let grade = block.grade.map_or("no grade", words::grade);
        out.push_str(&format!(
            "**{}**{mark} {rate}{spread}, {}: **{}**{} ({grade})\n\n",
            plain(&block.name),
            plain(&block.latency),
            plain(&block.phrase),
            marks(&block.notes),
        ));
        if let Some(sum) = &block.sum {
            let mut text = sum.expression.clone();
            for remark in &sum.remarks {
                text += &format!("; {remark}");
            }
            out.push_str(&format!("- sum: {}\n", plain(&text)));
        }
        if let Some(test) = &block.test {
            out.push_str(&format!("- test: {}\n", plain(&test.text)));
        }
        if !block.then.is_empty() {
            out.push_str(&format!("- then: {}\n", plain(&block.then)));
        }
        for sentence in &block.standing {
            out.push_str(&format!("- seen: {}\n", plain(sentence)));
        }
        for asked in &block.what_if {
            out.push_str(&format!("- if {}\n", plain(asked)));
        }
        if !block.why.is_empty() {
            out.push_str(&format!("- why: {}\n", plain(&block.why.join("; "))));
        }
        out.push('\n');
    }
}

fn next(report: &Report, out: &mut String) {
    if report.next.is_empty() {
        return;
    }
    out.push_str("## Next\n\n");
    let rows: Vec<Vec<String>> = report
        .next
        .iter()
        .enumerate()
        .map(|(i, row)| {
            vec![(i + 1).to_string(), plain(&row.sentence()), plain(&row.expect), plain(&row.prove)]
        })
        .collect();
    table(out, &["", "do", "expect", "prove"], &[], &rows);
}

fn foot(report: &Report, out: &mut String) {
    if !report.operating_point.is_empty() {
        out.push_str(&format!("{}\n\n{}\n\n", plain(words::LEGEND), plain(words::LINES)));
    } else if report.head.counts.contains('?') {
        out.push_str(&format!("{}\n\n", plain(words::SUSPECT)));
    }
    for (i, finding) in report.notes.numbered.iter().enumerate() {
        let severity = words::severity(finding.severity);
        out.push_str(&format!("- \\[{}\\] {severity}: {}\n", i + 1, plain(&finding.summary)));
    }
    for finding in &report.notes.run_level {
        let severity = words::severity(finding.severity);
        out.push_str(&format!("- \\[run\\] {severity}: {}\n", plain(&finding.summary)));
    }
    for finding in &report.notes.machine {
        let said = format!("{}: {}", finding.summary, finding.evidence);
        out.push_str(&format!("- \\[machine\\] {}\n", plain(&said)));
    }
    if !report.notes.not_known.is_empty() {
        out.push_str("\nNot known:\n\n");
        for unknown in &report.notes.not_known {
            out.push_str(&format!("- {}\n", plain(&unknown.sentence())));
        }
    }
    out.push_str(&format!("\n{}\n", plain(&report.more)));
}
