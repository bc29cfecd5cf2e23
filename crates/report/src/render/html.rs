//! A page that can be read anywhere: answer first, then everything behind it, and what it was made from.
//!
//! No request, and no script but our own, which sorts tables and enlarges pictures: the page's policy (Content-Security-Policy in the
//! head) names that one by its digest and forbids all else, so a document can be mailed and opened in years, and nothing that a run
//! file brings along runs. Without scripts it says the same. What it was made from is inside ([`escape::archive`]).

use super::{Filter, Form, Screen, Shows};
use crate::document::{
    Answer, Block, Cell, Depth, Document, Entry, Figure, Foot, Grade, Inline, List, Row, Section,
    Span, Style, Table, Verdict,
};
use crate::escape::{self, text};

/// A page that can be read anywhere.
pub const FORM: Form = Form {
    name: "html",
    about: "One self-contained page with pictures",
    extension: "html",
    shows: Shows::Sections(Depth::Page),
    filter: Filter::Marks,
    print: document,
};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");
/// SHA-256 of [`SCRIPT`] in base64, as the policy names it.
const DIGEST: &str = "RGHlXSNySnJh6ZulOtZsmK8Cpckj5AFzN+Mr6n5/hVM=";

fn document(document: &Document, _: Screen) -> String {
    let main: String = in_order(document).map(section).collect();
    let shared = document.shared.as_ref().map_or("", |svg| svg);
    let title = match document.head.title.as_slice() {
        [] => document.head.name.clone(),
        title => title.join(" · "),
    };
    let json = if document.archive {
        escape::archive(&super::json::compact(&document.json))
    } else {
        String::new()
    };
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{DIGEST}'\">\
         <title>{}</title>\n<style>{STYLE}{}</style></head>\n<body>\n{}<main>{shared}{main}</main>{}{json}\n<script>{SCRIPT}</script></body></html>\n",
        text(&title),
        figure_columns(),
        head(document),
        foot(&document.foot),
    )
}

/// The first lines, with links to the sections of `document`.
fn head(document: &Document) -> String {
    let head = &document.head;
    let pieces = head.title.iter().filter(|piece| **piece != head.name);
    let pieces: Vec<String> = pieces.map(|piece| text(piece)).collect();
    let mut out =
        format!("<header><h1>{}<small>{}</small></h1>", text(&head.name), pieces.join(" · "));
    for warning in &head.warnings {
        out += &format!("<span class=\"alarm\">{}</span>", text(warning));
    }
    out += "<ul class=\"facts\">";
    let lines = head.lines.iter().map(|(line, _)| line).chain([&head.counts]);
    for line in lines.filter(|line| !line.is_empty()) {
        out += &format!("<li>{}</li>", text(line));
    }
    out += "</ul><nav>";
    for section in in_order(document).filter(|section| !section.id.is_empty()) {
        out += &format!("<a href=\"#{}\">{}</a>", section.id, text(&section.title));
    }
    out + "</nav></header>"
}

/// The sections, those first that a page begins with.
fn in_order(document: &Document) -> impl Iterator<Item = &Section> {
    let of = |leads: bool| document.sections.iter().filter(move |section| section.leads == leads);
    of(true).chain(of(false))
}

/// The last lines.
fn foot(foot: &Foot) -> String {
    let more = foot.more.iter().filter(|_| foot.made.is_empty());
    let more: String = more.map(|line| format!("<p>{}</p>", inline(line))).collect();
    let made: String = foot.made.iter().map(|line| format!("<p>{}</p>", inline(line))).collect();
    format!("<footer>{more}{made}</footer>")
}

/// The section; one without a part is none.
fn section(section: &Section) -> String {
    let title = match section.title.as_str() {
        "" => String::new(),
        title => format!("<h2>{}</h2>", text(title)),
    };
    let id = match section.id {
        "" => String::new(),
        id => format!(" id=\"{id}\""),
    };
    format!("<section{id}>{title}{}</section>", blocks(&section.blocks))
}

/// Parts of a section.
fn blocks(blocks: &[Block]) -> String {
    blocks.iter().map(one).collect()
}

fn one(block: &Block) -> String {
    match block {
        Block::Heading(of) => format!("<h3>{}</h3>", inline(of)),
        Block::Paragraph(of, _) => paragraph(of),
        Block::Table(of) => table(of),
        Block::Facts(of) => format!("<dl class=\"seen\">{}</dl>", entries(&of.entries)),
        Block::List(of) => list(of),
        Block::Verdict(of) => verdict(of),
        Block::Answer(of) => answer(of),
        Block::Figures(of) => figures(of),
        Block::Verbatim(of) => format!("<pre>{}</pre>", lines(of)),
        Block::Folded(summary, within) => {
            format!("<details><summary>{}</summary>{}</details>", inline(summary), blocks(within))
        }
        Block::Views(name, of) => views(name, of),
        Block::From(_, within) => blocks(within),
        Block::Until(depth, within) if *depth >= Depth::Page => blocks(within),
        Block::Until(..) => String::new(),
        Block::Gap => String::new(),
    }
}

/// Most views that can be chosen among: the style sheet has a rule for each.
const MOST_VIEWS: usize = 9;

/// One of several views, by the style sheet alone; on paper, and where no style is known, all stand below each other.
fn views(name: &str, of: &[(String, Vec<Block>)]) -> String {
    debug_assert!(of.len() <= MOST_VIEWS, "a view beyond is never shown");
    let id = |at: usize| text(&format!("{name}-{at}"));
    let group = text(name);
    let choice = |(at, (label, _)): (usize, &(String, Vec<Block>))| {
        let (id, label) = (id(at), text(label));
        let first = if at == 0 { " checked" } else { "" };
        format!(
            "<input type=radio name=\"{group}\" id=\"{id}\"{first}><label for=\"{id}\">{label}</label>"
        )
    };
    let choices: String = of.iter().enumerate().map(choice).collect();
    let shown: String =
        of.iter().map(|(_, within)| format!("<div class=view>{}</div>", blocks(within))).collect();
    format!("<div class=views>{choices}{shown}</div>")
}

fn lines(of: &str) -> String {
    of.lines().map(text).collect::<Vec<_>>().join("\n")
}

fn class(style: Style) -> &'static str {
    match style {
        Style::Plain | Style::Code => "",
        Style::Strong | Style::Good => "strong",
        Style::Faint => "soft",
        Style::Careful => "mark",
        Style::Bad => "bad",
    }
}

/// Text with its looks.
fn inline(of: &Inline) -> String {
    let span = |span: &Span| match span {
        Span::Text(Style::Plain, words) => text(words),
        Span::Text(Style::Code, words) => format!("<code>{}</code>", text(words)),
        Span::Text(style, words) => {
            format!("<span class={}>{}</span>", class(*style), text(words))
        }
        Span::Note(number) => format!(" <a href=\"#note{number}\">[{number}]</a>"),
        Span::Target(number) => format!("<span id=\"note{number}\">[{number}]</span>"),
        Span::Break => "<br>".to_string(),
        Span::Picture(svg) => svg.0.clone(),
    };
    of.0.iter().map(span).collect()
}

/// A paragraph; one that is faint as a whole is so by itself.
fn paragraph(of: &Inline) -> String {
    let faint = |span: &Span| matches!(span, Span::Text(Style::Faint, _));
    if !of.is_empty() && of.0.iter().all(faint) {
        return format!("<p class=\"soft\">{}</p>", inline(&of.clone().all(Style::Plain)));
    }
    format!("<p>{}</p>", inline(of))
}

/// More columns than any table has.
const MOST_COLUMNS: usize = 24;

/// A table's classes say which of its columns have figures, so that none of a long page's 10,000 cells has to.
fn figure_columns() -> String {
    let column = |n: usize| format!(".n{n} :is(td,th):nth-child({n})");
    let all: Vec<String> = (1..=MOST_COLUMNS).map(column).collect();
    format!(
        "{}{{text-align:right;white-space:nowrap}}td[colspan]{{text-align:left!important}}",
        all.join(",")
    )
}

/// A column of pictures or marks has no name, and no head then.
fn column_head(words: &str) -> String {
    if words.is_empty() { "<td>".to_string() } else { format!("<th scope=col>{words}") }
}

fn table(table: &Table) -> String {
    // Ends of rows and cells are left out, as HTML allows, and quotes where a class is one word.
    let figures: Vec<String> = (1..)
        .zip(&table.columns)
        .filter(|(_, column)| column.is_figure())
        .map(|(number, _)| format!("n{number}"))
        .collect();
    debug_assert!(table.columns.len() <= MOST_COLUMNS, "figures beyond would stand left");
    let class = match figures.as_slice() {
        [] => String::new(),
        [one] => format!(" class={one}"),
        several => format!(" class=\"{}\"", several.join(" ")),
    };
    let mut out = match table.title.as_str() {
        "" => String::new(),
        title => format!("<h4>{}</h4>", text(title)),
    };
    // Who hears the page gets a table's name before its cells: its columns, where it has none.
    let heads = || table.columns.iter().map(|column| column.head.as_str());
    let heads: Vec<&str> = heads().filter(|head| !head.is_empty()).take(3).collect();
    let name = if table.title.is_empty() { heads.join(", ") } else { table.title.clone() };
    let name = if name.is_empty() { "table".to_string() } else { name };
    out += &format!(
        "<div class=scroll tabindex=0 role=group aria-label=\"{}\"><table{class}><thead><tr>",
        text(&name)
    );
    for column in &table.columns {
        let head = match column.group.as_str() {
            "" => text(&column.head),
            group => format!("{} {}", text(&column.head), text(group)),
        };
        out += &column_head(&head);
    }
    if let Some(remark) = &table.remark {
        out += &column_head(&text(remark));
    }
    out += "<tbody>";
    let none = Cell::default();
    for row in &table.rows {
        out += "<tr>";
        match row {
            Row::Heading(words) => {
                let all = table.columns.len() + usize::from(table.remark.is_some());
                out += &format!("<td colspan={all} class=soft>{}", text(words));
            }
            Row::Cells(cells, said) => {
                for number in 0..table.columns.len() {
                    let cell = cells.get(number).unwrap_or(&none);
                    let mark = if cell.suspect {
                        " <span class=mark role=img aria-label=suspect>?</span>"
                    } else {
                        ""
                    };
                    out += &format!("<td>{}{mark}", inline(&cell.text));
                }
                if table.remark.is_some() {
                    let said: Vec<String> = said.iter().map(inline).collect();
                    out += &format!("<td>{}", said.join("<br>"));
                }
            }
        }
    }
    out + "</table></div>"
}

fn entries(of: &[Entry]) -> String {
    let one = |entry: &Entry| {
        let within = match entry.depth {
            0 => String::new(),
            depth => format!(" style=\"padding-left:{depth}em\""),
        };
        format!("<dt>{}<dd{within}>{}", text(&entry.label), inline(&entry.text))
    };
    of.iter().map(one).collect()
}

fn list(list: &List) -> String {
    if list.items.is_empty() {
        return String::new();
    }
    let lead = match list.lead.0.as_str() {
        "" => String::new(),
        lead => format!("<p>{}</p>", text(lead)),
    };
    // Items that begin with a sample of a fill are a legend.
    let legend = list.items.iter().all(|item| matches!(item.0.first(), Some(Span::Picture(_))));
    let class = if legend { " class=\"legend\"" } else { "" };
    let items: String =
        list.items.iter().map(|item| format!("<li>{}</li>", inline(item))).collect();
    format!("{lead}<ul{class}>{items}</ul>")
}

fn grade(grade: Grade) -> String {
    format!("<span class=\"grade {}\">{}</span>", grade.word.to_lowercase(), grade.word)
}

fn answer(answer: &Answer) -> String {
    let mut out = "<article class=\"answer\"><header>".to_string();
    if !answer.lead.is_empty() {
        out += &format!("<span class=\"rate\">{}</span>", inline(&answer.lead));
    }
    if answer.suspect {
        out += " <span class=\"mark\">? suspect</span>";
    }
    out += &format!("<span class=\"phrase\">{}</span>", inline(&answer.sentence));
    out += &answer.grade.map_or(String::new(), grade);
    out + "</header></article>"
}

fn verdict(verdict: &Verdict) -> String {
    let suspect = if verdict.suspect { " <span class=\"mark\">? suspect</span>" } else { "" };
    let mut out = format!(
        "<article class=\"answer\"><header><span class=\"name\">{}{suspect}</span>",
        text(&verdict.name)
    );
    if let Some(why) = &verdict.absent {
        out += &format!("<span class=\"phrase soft\">not measured: {}</span>", text(why));
        return out + "</header></article>";
    }
    out += &format!(
        "<span class=\"rate\">{}</span><span class=\"soft\">{}</span><span class=\"soft\">{}</span>\
         <span class=\"phrase strong\">{}</span>",
        inline(&verdict.rate),
        text(&verdict.spread),
        text(&verdict.latency),
        inline(&verdict.phrase)
    );
    out += &verdict.grade.map_or(String::new(), grade);
    out += "</header>";
    out += &blocks(&verdict.picture);
    out + &format!("<dl>{}</dl></article>", entries(&verdict.reasons))
}

fn figures(figures: &[Figure]) -> String {
    let one = |figure: &Figure| {
        let how = match figure.how.as_str() {
            "" => String::new(),
            how => format!(" <span class=\"soft\">{}</span>", text(how)),
        };
        let caption = match inline(&figure.caption) + &how {
            caption if caption.is_empty() => caption,
            caption => format!("<figcaption>{caption}</figcaption>"),
        };
        format!("<figure>{caption}{}</figure>", figure.picture.0)
    };
    let all: String = figures.iter().map(one).collect();
    match figures {
        [] => String::new(),
        [_] => all,
        [first, ..] if first.wide => format!("<div class=\"charts wide\">{all}</div>"),
        _ => format!("<div class=\"charts\">{all}</div>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Column;

    #[test]
    fn nothing_in_a_section_starts_an_element() {
        let mut table = Table::new(vec![Column::name("<a>", 0), Column::figure("n", 9)]);
        let name = Cell { suspect: true, ..Cell::from("<i>") };
        table.rows.push(Row::Cells(vec![name, "1".into()], Vec::new()));
        let blocks = [Block::Table(table), Block::explanation("of <b>")];
        let page = section(&Section::new("x", "<X>").from(Depth::Page).with(blocks));
        assert!(page.starts_with("<section id=\"x\"><h2>&lt;X&gt;</h2>"), "{page}");
        assert!(
            page.contains("&lt;i&gt; <span class=mark role=img aria-label=suspect>?</span><td>1<")
        );
        assert!(page.contains("aria-label=\"&lt;a&gt;, n\""), "{page}");
        assert!(page.contains("<table class=n2>"), "{page}");
        assert!(page.ends_with("<p class=\"soft\">of &lt;b&gt;</p></section>"), "{page}");
    }

    #[test]
    fn each_view_has_a_choice_and_a_rule_that_shows_it_and_no_script() {
        let of = |n: usize| (format!("<{n}>"), vec![Block::paragraph(format!("view {n}"))]);
        let page = one(&Block::Views("load-0".into(), (0..MOST_VIEWS).map(of).collect()));
        assert_eq!(page.matches("<input type=radio name=\"load-0\"").count(), MOST_VIEWS);
        assert_eq!(page.matches(" checked>").count(), 1);
        assert!(
            page.contains("id=\"load-0-3\"><label for=\"load-0-3\">&lt;3&gt;</label>"),
            "{page}"
        );
        for n in 1..=MOST_VIEWS {
            let rule = format!(".views>input:nth-of-type({n}):checked~.view:nth-of-type({n})");
            assert!(STYLE.contains(&rule), "{rule}");
        }
        // On paper nothing is hidden.
        assert_eq!(STYLE.matches(".view{display:none}").count(), 1);
        assert!(STYLE.contains("@media screen{.view{display:none}"));
    }

    /// Relative luminance of `#rrggbb` (WCAG 2.2).
    fn luminance(colour: [f64; 3]) -> f64 {
        let linear =
            |v: f64| if v <= 0.03928 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
        let [r, g, b] = colour.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let [a, b] = [a, b].map(luminance);
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The variables of a theme: the light ones, with those of the dark one over them.
    fn colours(dark: bool) -> std::collections::BTreeMap<&'static str, [f64; 3]> {
        let blocks: Vec<&str> = STYLE.split("--").skip(1).collect();
        let first_of_dark = STYLE.split("@media (prefers-color-scheme:dark)").next().unwrap();
        let light = first_of_dark.matches("--").count();
        let shown = if dark { blocks.len() } else { light };
        let mut all = std::collections::BTreeMap::new();
        for block in &blocks[..shown] {
            let Some((name, rest)) = block.split_once(":#") else { continue };
            let value = &rest[..rest.find([';', '}']).unwrap_or(rest.len())];
            let value = match value.len() {
                3 => value.chars().flat_map(|c| [c, c]).collect(),
                6 => value.to_string(),
                _ => continue,
            };
            let part =
                |at: usize| f64::from(u8::from_str_radix(&value[at..at + 2], 16).unwrap()) / 255.0;
            if name.chars().all(|c| c.is_ascii_alphanumeric()) {
                all.insert(name, [part(0), part(2), part(4)]);
            }
        }
        all
    }

    #[test]
    fn every_text_has_the_contrast_of_wcag_aa() {
        for dark in [false, true] {
            let colours = colours(dark);
            let of = |name: &str| colours[name];
            let mut pairs = Vec::new();
            for words in ["ink", "soft", "water", "deep", "sun", "fire", "q2", "q3"] {
                pairs.extend(["paper", "card"].map(|ground| (words, of(words), of(ground))));
            }
            pairs.push(("badge", of("paper"), of("deep")));
            // Cells of a matrix: a colour over the page, and its value in front.
            for step in 0..6 {
                let start = STYLE.find(&format!(".heat{step}{{")).unwrap();
                let rule = &STYLE[start..start + STYLE[start..].find('}').unwrap()];
                let fill = if rule.contains("--deep") { of("deep") } else { of("water") };
                let opacity = rule.split_once("opacity:").map_or(1.0, |(_, o)| o.parse().unwrap());
                let paper = of("paper");
                let mixed = [0, 1, 2].map(|i| fill[i] * opacity + paper[i] * (1.0 - opacity));
                pairs.push(("cell", if step < 3 { of("ink") } else { paper }, mixed));
            }
            for (words, colour, ground) in pairs {
                let ratio = contrast(colour, ground);
                assert!(ratio >= 4.5, "{words}, dark: {dark}: {ratio:.2} to 1");
            }
        }
        assert!(contrast([1.0; 3], [0.0; 3]) > 20.9 && contrast([0.5; 3], [0.5; 3]) < 1.01);
    }
}
