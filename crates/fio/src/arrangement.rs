//! From sections to jobs: defaults handed down, every setting applied in fio's order, groups counted.

use std::collections::BTreeSet;

use crate::apply::{Value, apply, counts};
use crate::draft::Draft;
use crate::grammar::{Section, Setting, is_space, sections};
use crate::job::Job;
use crate::loader::{Loader, Machine};
use crate::options::{Class, FioOption, find, nearest};
use crate::problem::{Cause, Note, Problem, Problems, SettingTreatment, Wrong};
use crate::resolve::job;
use crate::substitute::substituted;

/// Job files, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// In the order in which fio starts them.
    pub jobs: Vec<Job>,
    /// What is to be said, in the order of the settings. Every accepted setting has one.
    pub notes: Vec<Note>,
    /// The settings of the global sections by fio's names; for fio's JSON.
    pub global_options: Vec<(String, String)>,
}

/// Reads job files as fio would read them on one command line; with `only`, the sections of these names.
///
/// # Errors
/// Every reason to stop that could be found, each with its line.
pub fn read(
    files: &[&str],
    only: &[&str],
    loader: &dyn Loader,
    machine: &Machine,
) -> Result<Plan, Problems> {
    resolve(&sections(files, only, loader)?, loader, machine)
}

/// Resolves sections that were read before.
///
/// # Errors
/// As [`read`].
pub fn resolve(
    sections: &[Section],
    loader: &dyn Loader,
    machine: &Machine,
) -> Result<Plan, Problems> {
    let mut arranging = Arranging { loader, machine, notes: Vec::new(), problems: Vec::new() };
    let mut defaults = Draft::default();
    let mut jobs: Vec<Job> = Vec::new();
    let mut group = 0;
    for section in sections {
        if section.is_global() {
            arranging.settings(section, &mut defaults);
            continue;
        }
        let mut draft = Draft { written: Vec::new(), name: None, ..defaults.clone() };
        draft.stonewall |= section.follows_a_file;
        arranging.settings(section, &mut draft);
        if let Err(problem) = waits(&draft, section, &jobs) {
            arranging.problems.push(problem);
        }
        if (draft.stonewall || draft.new_group) && !jobs.is_empty() {
            group += 1;
        }
        let (notes, problems) = (&mut arranging.notes, &mut arranging.problems);
        jobs.push(job(draft, section, group, notes, problems));
    }
    if jobs.is_empty() && arranging.problems.is_empty() {
        arranging.problems.extend(sections.first().map(no_job));
    }
    if arranging.problems.is_empty() {
        let global_options = defaults.written;
        return Ok(Plan { jobs, notes: arranging.notes, global_options });
    }
    Err(Problems(arranging.problems))
}

/// Whether the job that a section waits for is one before it, and the only one of its name; as fio asks for.
fn waits(draft: &Draft, section: &Section, jobs: &[Job]) -> Result<(), Problem> {
    let Some(awaited) = &draft.waits_for else { return Ok(()) };
    let name = draft.name.as_ref().unwrap_or(&section.name);
    let (reason, hint) = match jobs.iter().filter(|job| job.name == *awaited).count() {
        _ if name == awaited => ("a job cannot wait for itself", "name a job before it"),
        0 => ("there is no job of that name before it", "put the job that it waits for before it"),
        1 => return Ok(()),
        _ => ("several jobs have that name", "give each its own name"),
    };
    Err(Problem {
        place: section.place.clone(),
        cause: Cause::Conflict,
        option: Some("wait_for".to_string()),
        reason: format!("[{}]: wait_for={awaited}: {reason}", section.name),
        hint: Some(hint.to_string()),
    })
}

fn no_job(section: &Section) -> Problem {
    Problem {
        place: section.place.clone(),
        cause: Cause::Grammar,
        option: None,
        reason: "there is no section that is a job".into(),
        hint: Some("a section whose name starts with `global` only sets defaults".into()),
    }
}

struct Arranging<'a> {
    loader: &'a dyn Loader,
    machine: &'a Machine,
    notes: Vec<Note>,
    problems: Vec<Problem>,
}

/// A setting after substitution, with the option it names.
struct Named<'a> {
    setting: &'a Setting,
    option: &'static FioOption,
    value: Option<String>,
}

impl Arranging<'_> {
    fn settings(&mut self, section: &Section, draft: &mut Draft) {
        let mut named: Vec<Named> = Vec::new();
        for setting in &section.settings {
            match self.named(setting, section) {
                Ok(setting) => named.push(setting),
                Err(problem) => self.problems.push(problem),
            }
        }
        named.sort_by_key(|named| turn(named.option));
        let mut seen = BTreeSet::new();
        for setting in &named {
            if !seen.insert(setting.option.name) {
                let sentence = "given before in this section; the last one holds".into();
                self.note(setting, section, SettingTreatment::Warned, sentence);
            }
            match self.take(setting, section, draft) {
                Ok(()) => {
                    let value = setting.value.clone().unwrap_or_default();
                    draft.written.push((setting.option.name.to_string(), value));
                }
                Err(wrong) => {
                    let problem = problem(setting.setting, Some(setting.option.name), wrong);
                    self.problems.push(problem);
                }
            }
        }
        let mixed = &draft.block_mix;
        let mixed = mixed.read.is_some() || mixed.write.is_some() || mixed.trim.is_some();
        if let Some(bs) = named.iter().find(|n| n.option.name == "bs" && mixed) {
            let sentence = "bsrange and bssplit win over bs, inherited ones too".into();
            self.note(bs, section, SettingTreatment::Warned, sentence);
        }
    }

    fn named<'s>(&mut self, setting: &'s Setting, section: &Section) -> Result<Named<'s>, Problem> {
        let written = setting.text.split('=').next().unwrap_or_default().trim_end_matches(is_space);
        let (text, warnings) = substituted(&setting.text, self.loader, self.machine)
            .map_err(|wrong| problem(setting, find(written).map(|known| known.name), wrong))?;
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key.trim_end_matches(is_space), Some(value.to_string())),
            None => (text.as_str(), None),
        };
        let option = find(key).ok_or_else(|| {
            let mut wrong = Wrong::value(format!("`{key}` is no option that narrows knows"));
            wrong.cause = Cause::Unknown;
            wrong.hint = match (nearest(key), key.split_once(is_space)) {
                (_, Some((word, _))) if value.is_none() && find(word).is_some() => {
                    Some(format!("write `{word}=`"))
                }
                (Some(name), _) => Some(format!("is it {name}?")),
                (None, _) => None,
            };
            problem(setting, Some(key), wrong)
        })?;
        let named = Named { setting, option, value };
        for sentence in warnings {
            self.note(&named, section, SettingTreatment::Warned, sentence);
        }
        Ok(named)
    }

    fn take(&mut self, named: &Named, section: &Section, draft: &mut Draft) -> Result<(), Wrong> {
        let option = named.option;
        let (taken, how) = match option.class {
            Class::Same => (SettingTreatment::Same, ""),
            Class::Approximated(how) => (SettingTreatment::Approximated, how),
            Class::Refused { why, hint, harmless } => {
                let value = named.value.as_deref().map(|value| value.trim_matches(is_space));
                if value.is_some_and(|value| harmless.contains(&value)) {
                    self.note(
                        named,
                        section,
                        SettingTreatment::Same,
                        "it says what is so anyway".into(),
                    );
                    return Ok(());
                }
                let wrong = Wrong::refused(format!("{} is refused: {why}", option.name));
                return Err(if hint.is_empty() { wrong } else { wrong.hint(hint) });
            }
        };
        let engine = draft.engine.fio_name();
        if !option.engines.is_empty() && !option.engines.contains(&engine) {
            let wrong = Wrong::value(format!(
                "{} belongs to the engine {}, and this is {engine}; fio rejects it",
                option.name,
                option.engines.join(" or "),
            ));
            return Err(Wrong { cause: Cause::Conflict, ..wrong });
        }
        let mut value = Value {
            raw: named.value.as_deref(),
            kind: option.kind,
            base: draft.base,
            counts: counts(option),
            remarks: Vec::new(),
        };
        let known = apply(option, &mut value, draft)?;
        debug_assert!(known, "{} is in the table and nothing applies it", option.name);
        if !known {
            return Err(Wrong::refused(format!("{} is not done", option.name)));
        }
        self.note(named, section, taken, how.to_string());
        for (taken, sentence) in value.remarks {
            self.note(named, section, taken, sentence);
        }
        Ok(())
    }

    fn note(
        &mut self,
        named: &Named,
        section: &Section,
        taken: SettingTreatment,
        sentence: String,
    ) {
        self.notes.push(Note {
            place: named.setting.place.clone(),
            section: section.name.clone(),
            option: named.option.name.to_string(),
            value: named.value.clone().unwrap_or_default(),
            taken,
            sentence,
        });
    }
}

/// fio sorts settings: bases first, names that need the folder last; an engine's own when the engine is known.
fn turn(option: &FioOption) -> u8 {
    match option.name {
        "kb_base" | "unit_base" | "lockfile" | "cpus_allowed_policy" => 0,
        "filename" | "filename_format" => 2,
        _ if !option.engines.is_empty() => 3,
        _ => 1,
    }
}

fn problem(setting: &Setting, option: Option<&str>, wrong: Wrong) -> Problem {
    let (reason, hint) = match wrong.cause {
        _ if setting.included => (unquoted(option, wrong.cause), None),
        Cause::Refused | Cause::Unknown => (wrong.reason, wrong.hint),
        _ => (format!("{}: {}", setting.text, wrong.reason), wrong.hint),
    };
    // What stands in an included file is named where it is an option, and never quoted.
    let option = option.filter(|name| !setting.included || find(name).is_some());
    Problem {
        place: setting.place.clone(),
        cause: wrong.cause,
        option: option.map(str::to_string),
        reason,
        hint,
    }
}

/// Why a line of an included file stops, without the line.
fn unquoted(option: Option<&str>, cause: Cause) -> String {
    let Some(option) = option.and_then(find) else {
        return "an included file has a line that is no setting of a job".to_string();
    };
    let name = option.name;
    match (option.class, cause) {
        (Class::Refused { why, .. }, Cause::Refused) => format!("{name} is refused: {why}"),
        (_, Cause::Refused) => {
            format!("{name} asks for what is not done, or for a variable that --env doesn't name")
        }
        (_, Cause::Misread) => format!("{name}: fio takes the value for something else"),
        (_, Cause::Conflict) => format!("{name} does not go with the other options"),
        _ => format!("{name} has no value that can be taken"),
    }
}
