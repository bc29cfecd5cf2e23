//! A dry run: the plan, what was checked and is well, and what the run would refuse, in its words. Nothing is written.

use std::path::Path;

use anyhow::{Error, Result};
use narrows_facts::file;
use narrows_io::{Space, check_writable};
use narrows_model::Platform;
use narrows_units::{Bytes, shown};

use crate::anonymous::Anonymous;
use crate::exit::Exit;
use crate::plan_document::{PlanDocument, PlanFolder, PlanRefusal};
use crate::preflight::{MissingPart, not_measured};
use crate::program::Program;
use crate::request::RunOptions;
use crate::ui::Ui;
use crate::{failure, guard, secrets, store};

/// Looks at what the run would look at, and shows the plan. Ends as a run that is refused where something would be.
pub(crate) fn show<P: Program>(
    program: &mut P,
    options: &RunOptions,
    ui: &dyn Ui,
    anonymous: Option<&Anonymous>,
) -> Result<Exit> {
    let admitted = program.admit(options.load_here, ui);
    if let Some(anonymous) = anonymous {
        // A server that was asked has said more names.
        let (plan, platform) = program.planned();
        anonymous.learn(plan, platform, &program.names());
    }
    let results = match &options.output {
        Some(folder) => store::check(folder),
        None => store::folder().and_then(|folder| store::check(&folder)),
    };
    let unnamed = |error: Error| match anonymous {
        Some(anonymous) => anonymous.error(&error),
        None => error,
    };
    let refused = [admitted, program.check(), results].into_iter().filter_map(Result::err);
    let refused: Vec<Error> = refused.map(unnamed).collect();
    let missing = program.missing();
    let folders = folders(program);
    let checks = checks(program, &folders);
    let notes = notes(program.planned().1);
    let text = program.describe() + &checks_line(&checks) + &note_lines(&notes);
    let whole = refused.iter().map(|error| refusal(None, error));
    let parts = missing.iter().map(|part| refusal(Some(&part.what), &part.why));
    let refusals = whole.chain(parts).collect();
    ui.plan(&text, &PlanDocument::new(program.planned().0, folders, (checks, notes), refusals))?;
    for error in &refused {
        ui.say(&without_secrets(&failure::render(error)));
    }
    for MissingPart { what, why } in &missing {
        ui.say(&without_secrets(&not_measured(what, why)));
    }
    let fine = refused.is_empty() && missing.is_empty();
    Ok(if fine { Exit::Done } else { Exit::Usage })
}

fn without_secrets(text: &str) -> String {
    secrets::without(text, std::env::args_os())
}

/// An error as a document has it.
fn refusal(part: Option<&str>, error: &Error) -> PlanRefusal {
    let text = without_secrets(&failure::render(error));
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let (reason, hint) = match text.split_once("\nhint: ") {
        Some((reason, hint)) => (reason, Some(hint.replace("\nhint: ", "; "))),
        None => (text, None),
    };
    PlanRefusal { part: part.map(str::to_string), reason: reason.to_string(), hint }
}

/// The folders of a program, each once, as they are found.
fn folders<P: Program>(program: &P) -> Vec<PlanFolder> {
    let needs = program.space();
    let mut folders: Vec<PlanFolder> = Vec::new();
    for path in program.folders() {
        let folder = path.display().to_string();
        if folders.iter().any(|known| known.folder == folder) {
            continue;
        }
        let of_folder = needs.iter().filter(|need| need.folder == path);
        folders.push(found(&path, folder, of_folder.map(|need| need.bytes).sum()));
    }
    folders
}

fn found(path: &Path, folder: String, needs_bytes: u64) -> PlanFolder {
    PlanFolder {
        folder,
        file_system: file::fs_kind(path).ok(),
        free_bytes: Space::of(path).ok().map(|space| space.available_bytes),
        needs_bytes,
        writable: check_writable(path).is_ok(),
        volatile: file::volatile(path).unwrap_or(false),
    }
}

/// What was checked and is well.
fn checks<P: Program>(program: &P, folders: &[PlanFolder]) -> Vec<String> {
    let mut checks = program.server_checks();
    checks.extend(folders.iter().filter_map(room));
    if program.guards() && guard::none_runs(program.planned().1, &program.folders()) {
        checks.push("no database runs here".to_string());
    }
    let writable = folders.iter().filter(|folder| folder.writable);
    checks.extend(writable.map(|folder| format!("{} writable", folder.folder)));
    checks
}

/// `ext4 on /var/tmp, 66.6 GB free, needs 4.29 GB`; nothing where that is too little, or is no drive.
fn room(folder: &PlanFolder) -> Option<String> {
    let kind = folder.file_system.as_deref().filter(|_| !folder.volatile)?;
    let free = folder.free_bytes.filter(|free| *free >= folder.needs_bytes)?;
    let needs = match folder.needs_bytes {
        0 => String::new(),
        bytes => format!(", needs {}", Bytes(bytes)),
    };
    Some(format!("{kind} on {}, {} free{needs}", folder.folder, Bytes(free)))
}

/// What is under the roles that limits what the figures will mean, each once: findings of the run say the same.
fn notes(platform: &Platform) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for path in &platform.roles {
        let of = [
            (path.in_memory(), "no drive is measured, and nothing is durable"),
            (path.served_here(), "target and host share its CPUs and memory"),
            (path.thin(), "space is allocated at the first write to a block"),
        ];
        let said = of.into_iter().filter_map(|(what, so)| Some(format!("{}: {so}", what?)));
        let said = said.map(|sentence| format!("{}: {sentence}", path.path));
        notes.extend(said.collect::<Vec<_>>());
    }
    notes.sort();
    notes.dedup();
    notes
}

fn note_lines(notes: &[String]) -> String {
    notes.iter().map(|note| format!("note     {}\n", shown(note))).collect()
}

/// The line of what is well.
fn checks_line(checks: &[String]) -> String {
    match checks {
        [] => String::new(),
        checks => format!("checks   {}\n", shown(&checks.join("; "))),
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{FileSystem, Role, RolePath};

    use super::*;
    use crate::failure::Failure;

    fn folder() -> PlanFolder {
        PlanFolder {
            folder: "/var/tmp".to_string(),
            file_system: Some("ext4".to_string()),
            free_bytes: Some(66_600_000_000),
            needs_bytes: 4_290_000_000,
            writable: true,
            volatile: false,
        }
    }

    #[test]
    fn room_is_told_where_there_is_enough_on_a_drive() {
        let whole = room(&folder());
        assert_eq!(whole.as_deref(), Some("ext4 on /var/tmp, 66.6 GB free, needs 4.29 GB"));
        let nothing = room(&PlanFolder { needs_bytes: 0, ..folder() });
        assert_eq!(nothing.as_deref(), Some("ext4 on /var/tmp, 66.6 GB free"));
        for lacking in [
            PlanFolder { needs_bytes: 1 << 60, ..folder() },
            PlanFolder { volatile: true, ..folder() },
            PlanFolder { free_bytes: None, ..folder() },
            PlanFolder { file_system: None, ..folder() },
        ] {
            assert_eq!(room(&lacking), None, "{lacking:?}");
        }
    }

    #[test]
    fn checks_are_one_line_that_steers_no_terminal() {
        let checks = ["a".to_string(), "b\u{1b}[2J writable".to_string()];
        assert_eq!(checks_line(&checks), "checks   a; b\u{fffd}[2J writable\n");
        assert_eq!(checks_line(&[]), "");
    }

    #[test]
    fn what_limits_the_figures_is_told_once_and_a_drive_has_no_note() {
        let nothing = FileSystem::default();
        let nfs = FileSystem { kind: "nfs4".into(), this_machine: true, ..nothing.clone() };
        let role = |role, file_system| {
            let path = "/srv/pg".to_string();
            RolePath { role, path, file_system, devices: Vec::new() }
        };
        let of = |file_system: &FileSystem| {
            let roles = [Role::Data, Role::Wal].map(|each| role(each, file_system.clone()));
            notes(&Platform { roles: roles.to_vec(), ..Platform::default() })
        };
        let [one]: [String; 1] = of(&nfs).try_into().expect("both roles have one");
        assert!(one.starts_with("/srv/pg: nfs4 is served by this machine to itself: "), "{one}");
        assert_eq!(note_lines(std::slice::from_ref(&one)), format!("note     {one}\n"));
        assert!(of(&nothing).is_empty());
        let tmpfs = of(&FileSystem { kind: "tmpfs".into(), volatile: true, ..nothing });
        assert!(tmpfs[0].contains("in memory") && tmpfs.len() == 1, "{tmpfs:?}");
    }

    #[test]
    fn a_refusal_has_its_reason_and_its_hint_apart() {
        let part = refusal(Some("log"), &Failure::hinted("no room", "free some"));
        assert_eq!((part.part.as_deref(), part.reason.as_str()), (Some("log"), "no room"));
        assert_eq!(part.hint.as_deref(), Some("free some"));
        assert_eq!(refusal(None, &Error::msg("no")).hint, None);
    }
}
