//! The sections a reader meets first: head, answer, next, how wide; and the findings.

use narrows_model::{Finding, Grade, Severity, Validity};

use super::escape::text;
use super::{charts, table};
use crate::narrow::Block;
use crate::notes::NoteMark;
use crate::print::{percent, time};
use crate::report::Report;
use crate::words;

/// `sections` is the rest of the page: only what is in it gets a link.
pub(super) fn head(report: &Report, sections: &str) -> String {
    let head = &report.head;
    let name = report.run.platform().and_then(|p| p.hostname.as_deref()).unwrap_or("one machine");
    let pieces: Vec<String> =
        head.run.iter().filter(|p| p.as_str() != name).map(|p| text(p)).collect();
    let mut out = format!("<header><h1>{}<small>{}</small></h1>", text(name), pieces.join(" · "));
    for warning in &head.warnings {
        out += &format!("<span class=\"alarm\">{}</span>", text(warning));
    }
    out += "<ul class=\"facts\">";
    let facts = [&head.machine].into_iter().chain(&head.roles);
    for fact in facts.chain([&head.server, &head.others, &head.counts]).filter(|f| !f.is_empty()) {
        out += &format!("<li>{}</li>", text(fact));
    }
    out += "</ul><nav>";
    let first = [("narrow", "Where it is narrow"), ("next", "Next")];
    let looked = [("observed", "What was seen"), ("history", "Over time"), ("processors", "CPUs")];
    let looked =
        looked.into_iter().chain([("wal", "Log and checkpoints"), ("settings", "Settings")]);
    let looked = first.into_iter().chain(looked).filter(|_| !report.observed.is_empty());
    let rest = [
        ("commit", "In short"),
        ("places", "Places for the log"),
        ("ladder", "Ladder"),
        ("distributions", "Distributions"),
        ("sessions", "Sessions"),
        ("streams", "Several logs"),
        ("live", "Looked at"),
        ("by-sessions", "By sessions and rate"),
        ("durability", "Durability"),
        ("answer", "How many within the limit"),
        ("pictures", "Latency against rate"),
        ("interference", "Reads beside writes"),
        ("loads", "Loads"),
        ("narrow", "Where it is narrow"),
        ("next", "Next"),
        ("workloads", "Behind each workload"),
        ("wide", "How wide"),
        ("memory", "Memory"),
        ("latency", "Latency"),
        ("measurements", "Measurements"),
        ("findings", "Findings"),
        ("machine", "Machine"),
        ("plan", "Plan"),
    ];
    let rest = rest.into_iter().filter(|link| report.observed.is_empty() || !first.contains(link));
    for (id, word) in looked.chain(rest) {
        if sections.contains(&format!("<section id=\"{id}\">")) {
            out += &format!("<a href=\"#{id}\">{word}</a>");
        }
    }
    out + "</nav></header>"
}

pub(super) fn marks(notes: &[NoteMark]) -> String {
    notes.iter().map(|mark| format!(" <a href=\"#note{0}\">[{0}]</a>", mark.0)).collect()
}

pub(super) fn answer(report: &Report) -> String {
    if report.operating_point.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "<section id=\"narrow\"><h2>Where it is narrow</h2><p class=\"soft\">{}</p>",
        text(&report.operating_point)
    );
    for block in &report.narrow {
        out += &answer_block(report, block);
    }
    if report.narrow.iter().any(|b| b.grade.is_some()) {
        out += &format!("<p class=\"soft\">{}<br>{}</p>", text(words::LEGEND), text(words::LINES));
    }
    out + "</section>"
}

fn answer_block(report: &Report, block: &Block) -> String {
    let mut out = format!(
        "<article class=\"answer\"><header><span class=\"name\">{}{}</span>",
        text(&block.name),
        suspect(block.validity)
    );
    if !block.measured {
        let why = text(&block.why.join("; "));
        return out
            + &format!(
                "<span class=\"phrase soft\">not measured: {why}</span></header></article>"
            );
    }
    out += &match block.rate {
        Some(f) => {
            format!("<span class=\"rate\">{}</span>", text(&report.units.quantity(f.value, f.unit)))
        }
        None => "<span class=\"rate bad\">invalid</span>".to_string(),
    };
    let spread = match (block.rate, block.half_width) {
        (None, _) => String::new(),
        (_, Some(share)) => format!("±{}", percent(share)),
        (_, None) => format!("{}, no interval", words::counted(block.repeats as usize, "repeat")),
    };
    out += &format!(
        "<span class=\"soft\">{}</span><span class=\"soft\">{}</span><span class=\"phrase strong\">{}{}</span>",
        text(&spread),
        text(&block.latency),
        text(&block.phrase),
        marks(&block.notes)
    );
    if let Some(grade) = block.grade {
        let class = match grade {
            Grade::Sure => "sure",
            Grade::Likely => "likely",
            Grade::Open => "open",
        };
        out += &format!("<span class=\"grade {class}\">{}</span>", words::grade(grade));
    }
    out += "</header>";
    out += &sum_picture(block);
    out += "<dl>";
    let mut row = |label: &str, value: &str| {
        out += &format!("<dt>{label}</dt><dd>{}</dd>", text(value));
    };
    if let Some(sum) = &block.sum {
        let all: Vec<&str> = std::iter::once(sum.expression.as_str())
            .chain(sum.remarks.iter().map(String::as_str))
            .collect();
        row("sum", &all.join("; "));
    }
    if let Some(test) = &block.test {
        row("test", &test.text);
    }
    if !block.then.is_empty() {
        row("then", &block.then);
    }
    for sentence in &block.standing {
        row("seen", sentence);
    }
    for asked in &block.what_if {
        row("if", asked);
    }
    if !block.why.is_empty() {
        row("why", &block.why.join("; "));
    }
    out + "</dl></article>"
}

fn sum_picture(block: &Block) -> String {
    let Some(sum) = block.sum.as_ref().filter(|sum| sum.parts.len() > 1) else {
        return String::new();
    };
    let total: f64 = sum.parts.iter().map(|p| p.ns_per_op).sum();
    let mut out = charts::sum_bar(&sum.parts) + "<ul class=\"legend\">";
    for part in &sum.parts {
        out += &format!(
            "<li><i class=\"{}\"></i>{} {} · {}</li>",
            charts::part_class(&part.name),
            text(&part.name),
            text(&time(part.ns_per_op)),
            if total > 0.0 { percent(part.ns_per_op / total) } else { "-".to_string() }
        );
    }
    out + "</ul>"
}

fn suspect(validity: Validity) -> &'static str {
    match validity {
        Validity::Suspect => " <span class=\"mark\">? suspect</span>",
        _ => "",
    }
}

pub(super) fn next(report: &Report) -> String {
    if report.next.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = report
        .next
        .iter()
        .enumerate()
        .map(|(i, row)| {
            vec![
                (i + 1).to_string(),
                format!(
                    "<span class=\"soft\">{}:</span> {}",
                    text(&row.workloads.join(", ")),
                    text(&row.action)
                ),
                format!("<span class=\"strong\">{}</span>", text(&row.expect)),
                if row.prove.starts_with("narrows ") {
                    format!("<code>{}</code>", text(&row.prove))
                } else {
                    text(&row.prove)
                },
            ]
        })
        .collect();
    format!(
        "<section id=\"next\"><h2>Next</h2>{}</section>",
        table(&["", "do", "expect", "prove"], &rows)
    )
}

pub(super) fn wide(report: &Report) -> String {
    if report.wide.is_empty() {
        return String::new();
    }
    let quantity = |figure: Option<crate::wide::Figure>| {
        figure.map_or_else(|| "-".to_string(), |f| text(&report.units.quantity(f.value, f.unit)))
    };
    let mut layer = None;
    let rows: Vec<Vec<String>> = report
        .wide
        .iter()
        .map(|row| {
            let first = layer != Some(row.layer);
            layer = Some(row.layer);
            let measured = if row.validity == Validity::Invalid {
                "<span class=\"bad\">invalid</span>".to_string()
            } else {
                format!("<span class=\"strong\">{}</span>", quantity(row.measured))
            };
            let limit_id = row.share.and_then(|_| {
                let m = report.run.measurement(&row.measurement)?;
                Some(crate::wide::nearest(m, row.measured?.unit)?.id.clone())
            });
            let remark = match &row.absent {
                Some(reason) => format!("not measured: {reason}"),
                None => row.remark.clone(),
            };
            let limit = limit_id.map_or(String::new(), |id| format!("; limit {id}"));
            vec![
                if first {
                    format!("<span class=\"strong\">{}</span>", row.layer.word())
                } else {
                    String::new()
                },
                format!("{}{}", text(&row.name), suspect(row.validity)),
                measured,
                row.half_width.map_or_else(|| "-".to_string(), percent),
                quantity(row.limit),
                row.share.map_or(String::new(), charts::share_bar),
                row.share.map_or_else(|| "-".to_string(), percent),
                row.cpu_per_op_ns.map_or_else(|| "-".to_string(), time),
                format!(
                    "{}<span class=\"soft\">{}</span>{}",
                    text(&remark),
                    text(&limit),
                    marks(&row.notes)
                ),
            ]
        })
        .collect();
    let headers = ["", "", "measured>", "± 95 %>", "limit>", "", "share>", "CPU/op>", "remark"];
    format!("<section id=\"wide\"><h2>How wide</h2>{}</section>", table(&headers, &rows))
}

pub(super) fn findings(report: &Report) -> String {
    let run = &report.run;
    let mut out = "<section id=\"findings\"><h2>Findings</h2>".to_string();
    if run.findings.is_empty() {
        out += "<p class=\"soft\">No rule fired.</p>";
    }
    let mut findings: Vec<_> = run.findings.iter().collect();
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    let mut numbers_used = vec![false; report.notes.numbered.len()];
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|f| {
            let number = report
                .notes
                .numbered
                .iter()
                .position(|n| n.id == f.id && n.summary == f.summary)
                // One footnote can stand for several findings; only the first may carry its anchor.
                .map_or(String::new(), |i| {
                    let anchor = !std::mem::replace(&mut numbers_used[i], true);
                    let id = if anchor { format!(" id=\"note{}\"", i + 1) } else { String::new() };
                    format!("<span{id}>[{}]</span> ", i + 1)
                });
            let class = match f.severity {
                Severity::Invalid => "bad",
                Severity::Suspect => "mark",
                Severity::Note => "soft",
            };
            vec![
                format!("{number}<span class=\"{class}\">{}</span>", words::severity(f.severity)),
                format!("<code>{}</code>", text(f.measurement.as_deref().unwrap_or("run"))),
                format!(
                    "<span class=\"strong\">{}</span><br>{}<br><span class=\"soft\">{}</span>",
                    text(&f.summary),
                    text(&f.evidence),
                    text(&f.advice)
                ),
                format!("<code>{}</code>", text(&f.id)),
            ]
        })
        .collect();
    if !rows.is_empty() {
        out += &table(&["", "about", "what, evidence, advice", "rule"], &rows);
    }
    if !report.notes.not_known.is_empty() {
        out += "<h3>Not known</h3><ul>";
        for unknown in &report.notes.not_known {
            out += &format!("<li>{}</li>", text(&unknown.sentence()));
        }
        out += "</ul>";
    }
    out + "</section>"
}

/// What the rules find in a machine of which nothing was measured; nothing where they find nothing.
pub(super) fn machine_findings(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|f| {
            let class = if f.severity == Severity::Note { "soft" } else { "mark" };
            let places: Vec<String> =
                f.places.iter().map(|place| text(&place.evidence).to_string()).collect();
            vec![
                format!("<span class=\"{class}\">{}</span>", words::severity(f.severity)),
                format!(
                    "<span class=\"strong\">{}</span><br>{}<br><span class=\"soft\">{}</span>",
                    text(&f.summary),
                    places.join("<br>"),
                    text(&f.advice)
                ),
                format!("<code>{}</code>", text(&f.id)),
            ]
        })
        .collect();
    let table = table(&["", "what, figures, advice", "rule"], &rows);
    format!("<section id=\"findings\"><h2>Findings</h2>{table}</section>")
}

pub(super) fn foot(report: &Report) -> String {
    format!(
        "<footer><p>Made by {} {} from run {}. This page is its own archive: the run's JSON is inside, in the \
         element <code>run</code>. Invalid measurements enter no verdict; suspect ones are \
         marked with ?.</p><p><code>{}</code></p></footer>",
        text(&report.run.tool.name),
        text(&report.run.tool.version),
        text(&report.run.id),
        text(&report.run.command.join(" "))
    )
}
