//! Lines, comments, sections and includes.
//!
//! fio's grammar has no quotes: a `;` or `#` cuts the line wherever it stands. A section whose name starts with
//! `global` sets defaults for the sections below it. `include` takes the text of another file in its place; that file
//! may not open sections. Several files are read one after the other, and the first job of each but the first waits
//! for all jobs before it.

use crate::loader::Loader;
use crate::problem::{Cause, JobFileLine, Problem, Problems};

/// fio reads lines into a buffer of this many bytes.
const LINE_MAX_BYTES: usize = 8191;
/// fio keeps this much of a section's line, the closing bracket among it.
const NAME_MAX_BYTES: usize = 255;
/// fio has no limit and runs out of files or stack; nobody nests this deep.
const INCLUDE_DEPTH_MAX: usize = 16;
/// fio's limit on jobs.
const SECTIONS_MAX: usize = 4096;

/// A section as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name without brackets.
    pub name: String,
    /// Its line.
    pub place: JobFileLine,
    /// Its settings, includes in their place.
    pub settings: Vec<Setting>,
    /// Whether it is the first job of a file that follows another.
    pub follows_a_file: bool,
}

impl Section {
    /// Whether it sets defaults instead of being a job: its name starts with `global`, `[globalx]` too.
    pub fn is_global(&self) -> bool {
        self.name.starts_with("global")
    }
}

/// A line `key=value` or `key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its line.
    pub place: JobFileLine,
    /// The whole text, comment and blanks at its ends cut.
    pub text: String,
    /// Whether it comes from a file that a job file includes. Such a file may be one that is no job file and nobody's to read
    /// (`include /etc/shadow`, run as root), so that no error quotes it.
    pub included: bool,
}

/// Reads the files named and gives their sections; with `only`, the global ones and those of these names.
///
/// # Errors
/// The first thing that is not a job file; what is after it can't be trusted.
pub fn sections(
    files: &[&str],
    only: &[&str],
    loader: &dyn Loader,
) -> Result<Vec<Section>, Problems> {
    let mut sections = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let first = sections.len();
        one_file(file, only, loader, &mut sections).map_err(|problem| Problems(vec![problem]))?;
        let job = sections[first..].iter_mut().find(|section| !section.is_global());
        if let Some(job) = job {
            job.follows_a_file = index > 0;
        }
    }
    if sections.is_empty() {
        let file = files.first().copied().unwrap_or_default().to_string();
        let reason = if only.is_empty() { "no section" } else { "no section of these names" };
        let stop = problem(&JobFileLine { file, line: 1 }, Cause::Grammar, reason.to_string());
        return Err(Problems(vec![stop]));
    }
    Ok(sections)
}

fn one_file(
    file: &str,
    only: &[&str],
    loader: &dyn Loader,
    sections: &mut Vec<Section>,
) -> Result<(), Problem> {
    let start = JobFileLine { file: file.to_string(), line: 1 };
    let text = load(file, loader, &start)?
        .ok_or_else(|| problem(&start, Cause::Unreadable, format!("there is no file {file}")))?;
    let mut skipped = false;
    let mut open = false;
    for (place, line) in lines(file, &text)? {
        if line.starts_with('[') {
            let name = section_name(line, &place)?;
            skipped = !only.is_empty() && !name.starts_with("global") && !only.contains(&name);
            if skipped {
                continue;
            }
            open = true;
            if sections.len() == SECTIONS_MAX {
                let reason = format!("more than {SECTIONS_MAX} sections");
                return Err(problem(&place, Cause::Grammar, reason));
            }
            let (name, settings) = (name.to_string(), Vec::new());
            sections.push(Section { name, place, settings, follows_a_file: false });
        } else if skipped {
            continue;
        } else if open && let Some(section) = sections.last_mut() {
            setting(line, place, 0, loader, &mut section.settings)?;
        } else {
            let reason = format!("`{line}` stands before the first section");
            let stop = problem(&place, Cause::Grammar, reason);
            return Err(Problem { hint: Some("begin with `[global]` or `[name]`".into()), ..stop });
        }
    }
    Ok(())
}

/// One line of a section: a setting, or an include with all its settings.
fn setting(
    line: &str,
    place: JobFileLine,
    depth: usize,
    loader: &dyn Loader,
    settings: &mut Vec<Setting>,
) -> Result<(), Problem> {
    let Some(rest) = line.strip_prefix("include") else {
        settings.push(Setting { place, text: line.to_string(), included: depth > 0 });
        return Ok(());
    };
    if depth == INCLUDE_DEPTH_MAX {
        let reason = format!("includes are nested deeper than {INCLUDE_DEPTH_MAX}");
        return Err(problem(&place, Cause::Grammar, reason));
    }
    let named = match rest.chars().next() {
        Some(c) if c == '=' || c.is_ascii_whitespace() => rest[1..].trim_start(),
        Some(_) => {
            let reason = format!("fio takes `{line}` as an include, whatever follows the word");
            return Err(problem(&place, Cause::Misread, reason));
        }
        None => "",
    };
    if named.is_empty() {
        return Err(problem(&place, Cause::Grammar, "include names no file".into()));
    }
    let (file, text) = included(named, &place, loader)?;
    for (place, line) in lines(&file, &text)? {
        if line.starts_with('[') {
            let reason = "an included file may not open a section".into();
            return Err(problem(&place, Cause::Grammar, reason));
        }
        setting(line, place.clone(), depth + 1, loader, settings)
            .map_err(|stop| if stop.place == place { unquoted(stop) } else { stop })?;
    }
    Ok(())
}

/// A reason to stop at a line of an included file, without the line.
fn unquoted(stop: Problem) -> Problem {
    let reason = match stop.cause {
        Cause::Unreadable => "the file that it includes can't be read".to_string(),
        Cause::Misread => "fio takes it as an include, whatever follows the word".to_string(),
        _ => stop.reason,
    };
    Problem { reason, hint: None, ..stop }
}

/// As it is named first, then beside the file that names it.
fn included(
    named: &str,
    place: &JobFileLine,
    loader: &dyn Loader,
) -> Result<(String, String), Problem> {
    if let Some(text) = load(named, loader, place)? {
        return Ok((named.to_string(), text));
    }
    if let Some(end) = place.file.rfind('/') {
        let beside = format!("{}{named}", &place.file[..=end]);
        if let Some(text) = load(&beside, loader, place)? {
            return Ok((beside, text));
        }
    }
    Err(problem(place, Cause::Unreadable, format!("there is no file {named} to include")))
}

fn load(path: &str, loader: &dyn Loader, place: &JobFileLine) -> Result<Option<String>, Problem> {
    loader.text(path).map_err(|why| {
        problem(place, Cause::Unreadable, format!("cannot read {path}: {}", why.trim_end()))
    })
}

/// The lines that say something, with comments and blanks cut as fio does.
fn lines<'a>(file: &str, text: &'a str) -> Result<Vec<(JobFileLine, &'a str)>, Problem> {
    let mut said = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let place = JobFileLine { file: file.to_string(), line: index + 1 };
        if line.len() > LINE_MAX_BYTES {
            let reason = format!("fio splits a line longer than {LINE_MAX_BYTES} bytes");
            return Err(problem(&place, Cause::Misread, reason));
        }
        let kept = line.split([';', '#']).next().unwrap_or_default();
        let kept = kept.trim_start_matches(is_space).trim_end_matches(is_blank);
        if !kept.trim_start_matches(is_blank).is_empty() {
            said.push((place, kept));
        }
    }
    Ok(said)
}

/// C's `isspace`.
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

/// `isspace` or `iscntrl`, which fio cuts from the end of a line.
fn is_blank(c: char) -> bool {
    is_space(c) || c.is_ascii_control()
}

/// fio takes what follows the first bracket and drops the last character, whatever it is.
fn section_name<'a>(line: &'a str, place: &JobFileLine) -> Result<&'a str, Problem> {
    let inside = &line[1..];
    let closed = inside.strip_suffix(']').filter(|name| !name.contains(']'));
    match closed {
        Some("") => Err(problem(place, Cause::Grammar, "a section without a name".into())),
        Some(_) if inside.len() > NAME_MAX_BYTES => {
            let reason = format!("fio cuts a section's name at {} bytes", NAME_MAX_BYTES - 1);
            Err(problem(place, Cause::Misread, reason))
        }
        Some(name) => Ok(name),
        None => {
            let mut taken = inside.to_string();
            taken.pop();
            let reason = format!("fio takes `{line}` as a section named `{taken}`");
            let stop = problem(place, Cause::Misread, reason);
            Err(Problem { hint: Some("write `[name]` and nothing after it".into()), ..stop })
        }
    }
}

fn problem(place: &JobFileLine, cause: Cause, reason: String) -> Problem {
    Problem { place: place.clone(), cause, option: None, reason, hint: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loader::Loader;

    struct Texts<'a>(&'a [(&'a str, &'a str)]);

    impl Loader for Texts<'_> {
        fn text(&self, path: &str) -> Result<Option<String>, String> {
            Ok(self.0.iter().find(|(name, _)| *name == path).map(|(_, text)| text.to_string()))
        }

        fn variable(&self, _: &str) -> Option<String> {
            None
        }
    }

    fn settings(texts: &[(&str, &str)]) -> Vec<String> {
        let sections = sections(&[texts[0].0], &[], &Texts(texts)).expect("a job file");
        sections.into_iter().flat_map(|s| s.settings).map(|s| s.text).collect()
    }

    fn cause(text: &str) -> Cause {
        let stopped = sections(&["f"], &[], &Texts(&[("f", text)])).expect_err("should stop");
        stopped.0[0].cause
    }

    #[test]
    fn comments_cut_lines_anywhere_and_crlf_is_tolerated() {
        let text = "; c\r\n  [a] # x\r\nfilename=/tmp/a#b\r\n \t size=1m ; y\r\n#z\n";
        assert_eq!(settings(&[("f", text)]), ["filename=/tmp/a", "size=1m"]);
    }

    #[test]
    fn an_include_is_looked_for_as_named_and_then_beside_the_file() {
        let texts = [
            ("d/f", "[a]\ninclude one\nsize=1\ninclude=two\n"),
            ("d/one", "rw=read\ninclude d/three"),
            ("two", "bs=4k"),
            ("d/three", "direct=1"),
        ];
        assert_eq!(settings(&texts), ["rw=read", "direct=1", "size=1", "bs=4k"]);
    }

    #[test]
    fn no_error_quotes_a_line_of_an_included_file() {
        for secret in ["includeS3cret", "include S3cret", "includes=S3cret"] {
            let texts = [("f", "[a]\ninclude g"), ("g", secret)];
            let stopped = sections(&["f"], &[], &Texts(&texts)).expect_err("should stop");
            assert!(!format!("{stopped:?}").contains("S3cret"), "{stopped}");
            assert_eq!((stopped.0[0].place.file.as_str(), stopped.0[0].place.line), ("g", 1));
        }
    }

    #[test]
    fn an_include_of_itself_ends() {
        let texts = [("f", "[a]\ninclude g"), ("g", "include g")];
        let stopped = sections(&["f"], &[], &Texts(&texts)).expect_err("should stop");
        assert!(stopped.0[0].reason.contains("nested"), "{stopped}");
    }

    #[test]
    fn what_is_not_a_job_file_stops() {
        assert_eq!(cause("size=1m\n[a]\n"), Cause::Grammar);
        assert_eq!(cause("[a\nsize=1m\n"), Cause::Misread);
        assert_eq!(cause("[a] b\n"), Cause::Misread);
        assert_eq!(cause("[]\n"), Cause::Grammar);
        assert_eq!(cause("# nothing\n\n"), Cause::Grammar);
        assert_eq!(cause("[a]\nincludes=1\n"), Cause::Misread);
        assert_eq!(cause("[a]\ninclude nothing\n"), Cause::Unreadable);
    }

    #[test]
    fn chosen_sections_keep_the_globals_and_files_are_walls() {
        let texts = [("f", "[global]\na=1\n[x]\nb=1\n[y]\n"), ("g", "[globals]\n[x]\n[x]\n")];
        let all = sections(&["f", "g"], &["x"], &Texts(&texts)).expect("job files");
        let seen: Vec<_> = all.iter().map(|s| (s.name.as_str(), s.follows_a_file)).collect();
        let expected =
            [("global", false), ("x", false), ("globals", false), ("x", true), ("x", false)];
        assert_eq!(seen, expected);
    }
}
