//! The book as HTML, to be read without a server and without the internet: a page per page of `docs/src`, in the order of
//! `SUMMARY.md`, with links between them that lead somewhere. The Debian package brings it along.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::links::anchor;

mod entries;

/// A file of the book.
#[derive(Debug)]
pub struct Page {
    /// Below the book's folder.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A line of the list of contents.
enum Line {
    /// What follows it belongs together.
    Part(String),
    /// A page: its title, and its file below `docs/src`.
    Chapter(String, PathBuf),
}

/// All pages, the first as `index.html` too, and the pictures.
///
/// # Errors
/// A page can't be read, or a link leads to a page that the list of contents has not.
pub fn pages(root: &Path) -> Result<Vec<Page>> {
    let source = root.join("docs/src");
    let summary = std::fs::read_to_string(source.join("SUMMARY.md")).context("SUMMARY.md")?;
    let lines = contents(&summary);
    let chapters: Vec<(&str, &Path)> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Chapter(title, path) => Some((title.as_str(), path.as_path())),
            Line::Part(_) => None,
        })
        .collect();
    let mut pages = Vec::new();
    for (index, (title, path)) in chapters.iter().enumerate() {
        let text = std::fs::read_to_string(source.join(path))
            .with_context(|| path.display().to_string())?;
        let entries = entries::of(path, &text);
        let text = if entries.is_empty() { text } else { entries::list(path, &text, &entries) };
        pages.extend(pages_of(&entries, (title, path), &navigation(&lines, path), &source));
        let main = main(&text, &Here { path, source: &source });
        let beside = [index.checked_sub(1), Some(index + 1)]
            .map(|index| index.and_then(|index| chapters.get(index)).copied());
        let html = page(title, path, &main, &navigation(&lines, path), beside);
        if index == 0 {
            pages.push(Page { path: "index.html".into(), bytes: html.clone().into_bytes() });
        }
        pages.push(Page { path: path.with_extension("html"), bytes: html.into_bytes() });
    }
    let mut files = Vec::new();
    crate::text::walk(&source, &mut files)?;
    for file in
        files.iter().filter(|file| file.extension().is_some_and(|e| e == "svg" || e == "png"))
    {
        let path = file.strip_prefix(&source)?.to_path_buf();
        pages.push(Page { path, bytes: std::fs::read(file)? });
    }
    let broken = leading_nowhere(&pages);
    if !broken.is_empty() {
        bail!("links of the book that lead nowhere: {}", broken.join(", "));
    }
    Ok(pages)
}

/// A page for each entry of a group, one after the other, and back to the group.
fn pages_of(
    entries: &[entries::Entry],
    group: (&str, &Path),
    navigation_of_group: &str,
    source: &Path,
) -> Vec<Page> {
    // One folder further down than their group, so are the ways to all others.
    let navigation = navigation_of_group.replace("href=\"", "href=\"../");
    let steps: Vec<(&str, &Path)> =
        entries.iter().map(|entry| (entry.id.as_str(), entry.path.as_path())).collect();
    let page_of = |(index, entry): (usize, &entries::Entry)| {
        let before = index.checked_sub(1).map_or(group, |before| steps[before]);
        let after = steps.get(index + 1).copied().unwrap_or(group);
        let main = main(&entry.text, &Here { path: &entry.path, source });
        let html = page(&entry.id, &entry.path, &main, &navigation, [Some(before), Some(after)]);
        Page { path: entry.path.with_extension("html"), bytes: html.into_bytes() }
    };
    entries.iter().enumerate().map(page_of).collect()
}

/// Writes them below `target/book`.
///
/// # Errors
/// As [`pages`], and a file can't be written.
pub fn write() -> Result<()> {
    let root = crate::root();
    let folder = root.join("target/book");
    for page in pages(&root)? {
        let path = folder.join(&page.path);
        let parent = path.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, &page.bytes))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    println!("{}", folder.join("index.html").display());
    Ok(())
}

fn contents(summary: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for line in summary.lines().map(|line| line.trim().trim_start_matches("- ")) {
        let chapter = line.strip_prefix('[').and_then(|rest| rest.split_once("]("));
        if let Some((title, rest)) = chapter {
            lines.push(Line::Chapter(title.to_string(), rest.trim_end_matches(')').into()));
        } else if let Some(part) = line.strip_prefix("# ").filter(|part| *part != "Summary") {
            lines.push(Line::Part(part.to_string()));
        }
    }
    lines
}

/// Where a page lies.
struct Here<'a> {
    /// Below `source`.
    path: &'a Path,
    source: &'a Path,
}

/// A page's text as HTML: headings have their anchors, links between pages lead to `.html`, tables can be scrolled on a phone.
fn main(text: &str, here: &Here<'_>) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    for index in 0..events.len() {
        if matches!(events[index], Event::Start(Tag::Heading { .. })) {
            let words = heading(&events[index + 1..]);
            let mut id = anchor(&words);
            let again = taken.entry(id.clone()).and_modify(|n| *n += 1).or_default();
            if *again > 0 {
                id = format!("{id}-{again}");
            }
            if let Event::Start(Tag::Heading { id: of_heading, .. }) = &mut events[index] {
                *of_heading = Some(CowStr::from(id));
            }
        }
        if let Event::Start(Tag::Link { dest_url, .. }) = &mut events[index] {
            *dest_url = CowStr::from(leads_to(dest_url, here).unwrap_or_default());
        }
    }
    let mut leaves = false;
    let framed = events.into_iter().flat_map(|event| match event {
        // Who reads the book alone has only its words for the rest of the repository.
        Event::Start(Tag::Link { ref dest_url, .. }) if dest_url.is_empty() => {
            leaves = true;
            Vec::new()
        }
        Event::End(TagEnd::Link) if std::mem::take(&mut leaves) => Vec::new(),
        Event::Start(Tag::Table(_)) => {
            vec![
                Event::Html(
                    "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"table\">"
                        .into(),
                ),
                event,
            ]
        }
        Event::End(TagEnd::Table) => vec![event, Event::Html("</div>".into())],
        event => vec![event],
    });
    let mut html = String::new();
    html::push_html(&mut html, framed);
    html
}

/// A heading's words.
fn heading(events: &[Event<'_>]) -> String {
    let of_heading = events.iter().take_while(|e| !matches!(e, Event::End(TagEnd::Heading(_))));
    of_heading
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
            _ => None,
        })
        .collect()
}

/// A page of the book is a page of this one; `None` for what lies elsewhere in the repository and has none.
fn leads_to(target: &str, here: &Here<'_>) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") || target.starts_with('#') {
        return Some(target.to_string());
    }
    let (file, heading) = target.split_once('#').map_or((target, None), |(f, h)| (f, Some(h)));
    let path = flat(&here.path.parent().unwrap_or(Path::new("")).join(file))?;
    let heading = heading.map_or(String::new(), |heading| format!("#{heading}"));
    here.source.join(&path).exists().then(|| match file.strip_suffix(".md") {
        Some(page) => format!("{page}.html{heading}"),
        None => target.to_string(),
    })
}

/// A path without `..`; `None` where it leads above its beginning.
fn flat(path: &Path) -> Option<PathBuf> {
    let mut flat = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => flat.pop().then_some(())?,
            Component::Normal(name) => flat.push(name),
            _ => {}
        }
    }
    Some(flat)
}

fn navigation(lines: &[Line], here: &Path) -> String {
    let mut text = String::new();
    let mut open = false;
    for line in lines {
        match line {
            Line::Part(title) => {
                text += if open { "</ul>\n" } else { "" };
                text += &format!("<p>{}</p>\n<ul>\n", escaped(title));
                open = true;
            }
            Line::Chapter(title, path) => {
                text += if open { "" } else { "<ul>\n" };
                open = true;
                let current = if path == here { " aria-current=\"page\"" } else { "" };
                let link = link(here, path);
                text += &format!("<li><a href=\"{link}\"{current}>{}</a></li>\n", escaped(title));
            }
        }
    }
    if open { text + "</ul>\n" } else { text }
}

/// From one page to another.
fn link(from: &Path, to: &Path) -> String {
    let up = "../".repeat(from.components().count().saturating_sub(1));
    format!("{up}{}", to.with_extension("html").display())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

const STYLE: &str = include_str!("book.css");

fn page(
    title: &str,
    here: &Path,
    main: &str,
    navigation: &str,
    beside: [Option<(&str, &Path)>; 2],
) -> String {
    let [before, after] = beside;
    let step = |to: Option<(&str, &Path)>, rel: &str, arrow: [&str; 2]| {
        to.map_or(String::new(), |(title, path)| {
            let [left, right] = arrow;
            let (link, title) = (link(here, path), escaped(title));
            format!("<a rel=\"{rel}\" href=\"{link}\">{left}{title}{right}</a>\n")
        })
    };
    let steps = step(before, "prev", ["← ", ""]) + &step(after, "next", ["", " →"]);
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} – narrows</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#text\">Skip to the text</a>\n\
         <nav aria-label=\"Contents\">\n<details>\n<summary>Contents</summary>\n{navigation}</details>\n</nav>\n\
         <main id=\"text\">\n{main}<footer>\n{steps}</footer>\n</main>\n</body>\n</html>\n"
    )
}

/// Links of the pages made that lead to no page, or to no place in it.
fn leading_nowhere(pages: &[Page]) -> Vec<String> {
    let texts: BTreeMap<&Path, &str> = pages
        .iter()
        .filter_map(|page| Some((page.path.as_path(), std::str::from_utf8(&page.bytes).ok()?)))
        .collect();
    let mut broken = Vec::new();
    for (path, text) in &texts {
        for part in text.split(" href=\"").skip(1) {
            let target = &part[..part.find('"').unwrap_or(part.len())];
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, id) = target.split_once('#').unwrap_or((target, ""));
            let to = match file {
                "" => Some(path.to_path_buf()),
                file => flat(&path.parent().unwrap_or(Path::new("")).join(file)),
            };
            let there = to.and_then(|to| texts.get(to.as_path()).copied());
            let led =
                there.is_some_and(|text| id.is_empty() || text.contains(&format!(" id=\"{id}\"")));
            if !led {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_and_headings_have_their_anchors() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("guide")).unwrap();
        std::fs::write(folder.path().join("guide/a.md"), "").unwrap();
        let here = Here { path: Path::new("guide/b.md"), source: folder.path() };
        let text = "# One `two`\n\n## Again\n\n## Again\n\n[a](a.md#x), [up](../guide/a.md), [out](../../README.md), \
                    [web](https://example.com)\n\n| a |\n| --- |\n| b |\n";
        let html = main(text, &here);
        for part in [
            "<h1 id=\"one-two\">",
            "<h2 id=\"again\">",
            "<h2 id=\"again-1\">",
            "<a href=\"a.html#x\">a</a>, <a href=\"../guide/a.html\">up</a>, out,",
            "<a href=\"https://example.com\">web</a>",
            "aria-label=\"table\"><table>",
            "</table>\n</div>",
        ] {
            assert!(html.contains(part), "`{part}` is missing in\n{html}");
        }
    }

    #[test]
    fn a_link_to_a_page_or_place_that_is_not_there_is_found() {
        let page = |path: &str, text: &str| Page { path: path.into(), bytes: text.into() };
        let pages = [
            page(
                "a.html",
                "<h1 id=\"a\"></h1><a href=\"b/c.html#d\">, <a href=\"b/c.html#e\">, <a href=\"#a\">",
            ),
            page("b/c.html", "<h1 id=\"d\"></h1><a href=\"../a.html\">, <a href=\"../../a.html\">"),
        ];
        assert_eq!(leading_nowhere(&pages), ["a.html: b/c.html#e", "b/c.html: ../../a.html"]);
    }
}
