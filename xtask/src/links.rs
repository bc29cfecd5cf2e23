//! Links of the book and of the Markdown files at the root: each leads to a file, and to a heading where it names
//! one. `mdbook` is not needed for that.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Sentences about links that lead nowhere and pages that no link leads to.
pub fn broken(root: &Path) -> Result<Vec<String>> {
    let book = root.join("docs/src");
    let mut pages = Vec::new();
    crate::text::walk(&book, &mut pages)?;
    for entry in std::fs::read_dir(root)? {
        pages.push(entry?.path());
    }
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    let mut broken = Vec::new();
    for page in &pages {
        let text = std::fs::read_to_string(page).with_context(|| format!("{}", page.display()))?;
        for target in targets(&text) {
            if let Some(why) = leads_nowhere(page, &target) {
                broken.push(format!("{}: `{target}`: {why}", shown(root, page)));
            }
        }
    }
    for page in &pages {
        let text = std::fs::read_to_string(page).with_context(|| format!("{}", page.display()))?;
        let gone = sources(&text).filter(|path| !root.join(path).exists());
        broken.extend(gone.map(|path| format!("{}: `{path}`: no such file", shown(root, page))));
    }
    let summary_path = book.join("SUMMARY.md");
    let summary = std::fs::read_to_string(&summary_path).context("the book has no SUMMARY.md")?;
    let listed: Vec<PathBuf> = targets(&summary).iter().map(|target| book.join(target)).collect();
    for page in pages.iter().filter(|page| page.starts_with(&book) && **page != summary_path) {
        if !listed.contains(page) {
            broken.push(format!("{} is not in SUMMARY.md", shown(root, page)));
        }
    }
    Ok(broken)
}

fn shown(root: &Path, page: &Path) -> String {
    page.strip_prefix(root).unwrap_or(page).display().to_string()
}

/// Targets of inline links and images, code left out; addresses with a scheme are not followed.
fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        // Every second part between back quotes is code.
        for prose in line.split('`').step_by(2) {
            for (at, _) in prose.match_indices("](") {
                let rest = &prose[at + 2..];
                let target = &rest[..rest.find(')').unwrap_or(rest.len())];
                if !target.contains("://") && !target.starts_with("mailto:") {
                    targets.push(target.to_string());
                }
            }
        }
    }
    targets
}

/// Files of the repository that a text names: `crates/x/src/y.rs`, and no pattern of such.
fn sources(text: &str) -> impl Iterator<Item = &str> {
    const FOLDERS: [&str; 4] = ["crates/", "tools/", "xtask/", "fuzz/"];
    let code = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let path = |code: &&str| {
        FOLDERS.iter().any(|folder| code.starts_with(folder))
            && code.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
    };
    code.filter(path)
}

fn leads_nowhere(page: &Path, target: &str) -> Option<&'static str> {
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() {
        page.to_path_buf()
    } else {
        page.parent().unwrap_or(Path::new("")).join(file)
    };
    if !path.exists() {
        return Some("no such file");
    }
    if heading.is_empty() {
        return None;
    }
    let text = std::fs::read_to_string(&path).ok()?;
    let found = text.lines().filter(|line| line.starts_with('#')).any(|l| anchor(l) == heading);
    (!found).then_some("no such heading")
}

/// A heading's anchor as mdBook and GitHub make it.
pub(crate) fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{anchor, sources, targets};

    #[test]
    fn links_are_found_in_prose_and_not_in_code() {
        let text = "see [a](b.md#c) and `[x](y)`, [web](https://example.com)\n```\n[no](no.md)\n```\n![d](e.svg)";
        assert_eq!(targets(text), ["b.md#c", "e.svg"]);
    }

    #[test]
    fn files_that_are_named_are_found_and_patterns_are_none() {
        let text = "in `crates/a/src/b.rs` and `tools/`, not `crates/*/x`, `a/crates/b`, crates/c or `cargo x`";
        assert_eq!(sources(text).collect::<Vec<_>>(), ["crates/a/src/b.rs", "tools/"]);
    }

    #[test]
    fn anchors_are_lower_case_without_punctuation() {
        assert_eq!(anchor("## What the device saw, really?"), "what-the-device-saw-really");
    }
}
