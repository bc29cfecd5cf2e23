//! Where runs are kept: `$XDG_DATA_HOME/narrows/runs/ID.narrows.json`, written whole or not at all.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_files::{Access, Dir};
use narrows_model::Run;
use narrows_model::page_archive::{embedded_run, unpacked};

use crate::failure::Failure;
use crate::no_run::{self, COPY_AGAIN, RUN_OR_CAPTURE};

/// What names of run files end with.
pub const ENDING: &str = ".narrows.json";
/// The same of those that gzip packed.
const PACKED_ENDING: &str = ".narrows.json.gz";

/// The folder of stored runs.
pub fn folder() -> Result<PathBuf> {
    let base = match std::env::var_os("XDG_DATA_HOME").filter(|path| !path.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => {
            let home =
                std::env::var_os("HOME").filter(|path| !path.is_empty()).ok_or_else(|| {
                    Failure::hinted(
                        "neither XDG_DATA_HOME nor HOME is set",
                        "name a folder with -o DIR",
                    )
                })?;
            PathBuf::from(home).join(".local/share")
        }
    };
    Ok(base.join("narrows/runs"))
}

/// Where a run of that id goes in that folder.
pub fn file_in(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}{ENDING}"))
}

/// Makes sure that a run can be stored there, before anything is measured.
pub fn prepare(folder: &Path) -> Result<()> {
    make_folder(folder)?;
    narrows_files::probe(folder).map_err(|error| unwritable(folder, &error))
}

/// Whether a run could be stored there, asked without making anything.
///
/// # Errors
/// The folder, or the one that it would be made in, can't be written to.
pub fn check(folder: &Path) -> Result<()> {
    let there = folder.ancestors().map(|above| match above.as_os_str().is_empty() {
        true => Path::new("."),
        false => above,
    });
    let Some(there) = there.into_iter().find(|above| above.exists()) else { return Ok(()) };
    narrows_io::check_writable(there).map_err(|error| unwritable(there, &error))
}

fn unwritable(folder: &Path, error: &std::io::Error) -> anyhow::Error {
    let hint = way_out(error, WRITABLE);
    Failure::hinted(format!("cannot write in {}: {error}", folder.display()), hint)
}

/// What to do about a file that can't be written; `else_` where it is not for want of room.
fn way_out(error: &std::io::Error, else_: &'static str) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space there, or name another place with -o, or with XDG_DATA_HOME where runs are saved"
        }
        _ => else_,
    }
}

const WRITABLE: &str =
    "name a folder you may write to with -o DIR, or with XDG_DATA_HOME where runs are saved";

/// Makes what is missing of a folder for files of ours.
pub fn make_folder(folder: &Path) -> Result<()> {
    let made = narrows_files::Dir::create_all(folder, 0o777 & !umask());
    made.map(drop).map_err(|error| {
        Failure::hinted(format!("cannot create {}: {error}", folder.display()), WRITABLE)
    })
}

/// The permissions that this user's files don't get (proc(5), `status`).
fn umask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let octal = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    octal.and_then(|octal| u32::from_str_radix(octal.trim(), 8).ok()).unwrap_or(0o022)
}

/// Writes a file whole or not at all. Only what is a file is replaced: root's rename would put one in the place of
/// `/dev/null`.
pub fn write_whole(path: &Path, contents: &(impl AsRef<[u8]> + ?Sized)) -> Result<()> {
    write_whole_for(0o666, path, contents)
}

/// Whether it is an entry of `/dev` or `/proc`: `/dev/stdout` leads to a plain file where output goes into one, and would be replaced for
/// everybody.
fn is_the_systems(path: &Path) -> bool {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    let above = fs::canonicalize(above.unwrap_or(Path::new("."))).unwrap_or_default();
    let in_memory = above.starts_with("/dev/shm");
    !in_memory && ["/dev", "/proc", "/sys"].iter().any(|place| above.starts_with(place))
}

/// With these permissions, as far as the umask allows.
fn write_whole_for(mode: u32, path: &Path, contents: &(impl AsRef<[u8]> + ?Sized)) -> Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) || is_the_systems(path) {
        return Err(Failure::hinted(
            format!(
                "cannot write {}: it exists and is not a regular file, and is left alone",
                path.display()
            ),
            "name another file with -o",
        ));
    }
    narrows_files::write_whole(path, contents.as_ref(), mode).map_err(|error| {
        let hint = way_out(
            &error,
            "name a place you may write to with -o, or with XDG_DATA_HOME where runs are saved",
        );
        Failure::hinted(format!("cannot write {}: {error}", path.display()), hint)
    })
}

/// Stores a run; returns where.
pub fn save(folder: &Path, run: &Run) -> Result<PathBuf> {
    let path = file_in(folder, &run.id);
    write_whole(&path, &run.to_json())?;
    Ok(path)
}

/// Stores a run where others look in too, for its owner alone; returns where.
pub fn save_privately(folder: &Path, run: &Run) -> Result<PathBuf> {
    let path = file_in(folder, &run.id);
    write_whole_for(0o600, &path, &run.to_json())?;
    Ok(path)
}

/// Takes a run away again of which nothing is worth keeping.
///
/// # Errors
/// It can't be removed.
pub fn remove(folder: &Path, run: &Run) -> Result<()> {
    let path = file_in(folder, &run.id);
    match narrows_files::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(anyhow::Error::from(error).context(format!("removing {}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Files of the stored runs, the newest first.
///
/// # Errors
/// Where there is no folder for them.
pub fn stored() -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder()?).into_iter().flatten().flatten();
    let runs = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(ENDING));
    let mut found: Vec<_> = runs
        .map(|entry| (entry.metadata().and_then(|file| file.modified()).ok(), entry.path()))
        .collect();
    found.sort();
    Ok(found.into_iter().rev().map(|(_, path)| path).collect())
}

/// Finds a run by file or by the beginning of its id; without a name the newest.
///
/// # Errors
/// None or several are called so, or none is stored.
pub fn find_or_newest(name: Option<&str>) -> Result<PathBuf> {
    let Some(name) = name else {
        return Ok(some_stored()?.swap_remove(0));
    };
    find(name)
}

/// Files of the stored runs, the newest first; at least one.
///
/// # Errors
/// There is none.
pub fn some_stored() -> Result<Vec<PathBuf>> {
    let found = stored()?;
    if found.is_empty() {
        return Err(Failure::hinted(
            "no run is saved yet",
            "narrows run --quick makes one, in about 2 min; or name a run file",
        ));
    }
    Ok(found)
}

/// Finds a run by file or by the beginning of its id.
///
/// # Errors
/// None or several are called so.
pub fn find(name: &str) -> Result<PathBuf> {
    let direct = PathBuf::from(name);
    // What can't be looked at is there, and reading it says why.
    let hidden = |error: &std::io::Error| error.kind() == ErrorKind::PermissionDenied;
    if fs::metadata(&direct).map_or_else(|error| hidden(&error), |found| found.is_file()) {
        return Ok(direct);
    }
    let is_so_called = |path: &PathBuf| {
        let file = path.file_name().and_then(|file| file.to_str());
        file.is_some_and(|file| file.starts_with(name))
    };
    let found: Vec<PathBuf> = stored()?.into_iter().filter(is_so_called).collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] if direct.is_dir() => Err(Failure::hinted(
            format!("{name} is a folder"),
            "name a run file in it, or an id; `narrows list` shows the saved runs",
        )),
        [] => Err(Failure::hinted(
            format!(
                "no run `{name}`: it is neither a file nor the start of an id in {}",
                folder()?.display()
            ),
            "`narrows list` shows the saved runs",
        )),
        several => Err(Failure::hinted(
            format!("`{name}` is the start of {} ids", several.len()),
            "type more of the id; `narrows list` shows the saved runs",
        )),
    }
}

/// Bytes; the longest so far have some ten million.
const LONGEST_RUN: u64 = 512 << 20;

/// The file in a folder that whoever changes `name` there locks; the folder is made if it is missing.
///
/// # Errors
/// The folder can't be written to.
pub(crate) fn lock_file(folder: &Path, name: &str) -> Result<File> {
    make_folder(folder)?;
    let file = format!(".{name}.lock");
    let opened = Dir::open(folder).and_then(|dir| match dir.create_new(&file, 0o600) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            dir.open_file(&file, Access::Write)
        }
        made => made,
    });
    opened.map_err(|error| {
        Failure::hinted(
            format!("cannot lock {name} in {}: {error}", folder.display()),
            "it needs the right to write in that folder",
        )
    })
}

/// Whether a file is called like a run file that gzip packed.
pub fn is_packed_run(path: &Path) -> bool {
    path.to_string_lossy().ends_with(PACKED_ENDING)
}

/// Reads a run file, packed by gzip or not, or the run inside a page that was made from one.
pub fn load(path: &Path) -> Result<Run> {
    let refused = |reason: &str, hint: &str| {
        Failure::hinted(format!("{}: {reason}", path.display()), hint.to_string())
    };
    let bytes = narrows_files::read(path, LONGEST_RUN).map_err(|why| no_run::unread(path, &why))?;
    let packed = narrows_capture::is_archive(&bytes);
    let text = if packed {
        unpacked(&bytes)
            .map_err(|why| refused(&format!("damaged or cut off: {why}"), COPY_AGAIN))?
    } else {
        String::from_utf8(bytes)
            .map_err(|_| refused("neither a run file nor a capture", RUN_OR_CAPTURE))?
    };
    if text.starts_with("{\"schema\":\"narrows.capture/") {
        return Err(match packed {
            true => refused("a capture, and no run", "narrows platform FILE shows a capture"),
            false => refused("a capture that was unpacked", "pack it again: gzip -k FILE"),
        });
    }
    let run = if text.starts_with("<!doctype html>") {
        let hint = "name the whole page as `narrows report --html` wrote it, or the run file";
        embedded_run(&text).ok_or_else(|| refused("a page without a run, or cut off", hint))?
    } else {
        Run::from_json(&text)
    };
    run.map_err(|error| {
        let (reason, hint) = no_run::unlike_a_run(&error, &text);
        refused(&reason, hint)
    })
}

#[cfg(test)]
mod tests {
    use narrows_model::page_archive::element;

    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_no_part_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.narrows.json");
        write_whole(&path, "one").unwrap();
        write_whole(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_run_is_read_from_its_file_and_from_a_page_and_damage_is_said() {
        let mut run =
            Run::blank(narrows_model::Plan::default(), narrows_model::Platform::default());
        // Long enough to be packed in a page.
        run.command = vec!["narrows".repeat(40_000)];
        let dir = tempfile::tempdir().unwrap();
        let (file, page) = (dir.path().join("x.narrows.json"), dir.path().join("x.html"));
        fs::write(&file, run.to_json()).unwrap();
        let whole = format!("<!doctype html>\n<p>{}", element(&run.to_json()));
        assert!(whole.contains("application/gzip"), "{}", whole.len());
        fs::write(&page, &whole).unwrap();
        assert!(load(&file).unwrap() == run && load(&page).unwrap() == run);
        fs::write(&page, whole.replacen("H4sI", "H4sx", 1)).unwrap();
        let error = crate::failure::render(&load(&page).unwrap_err());
        assert!(error.contains("is damaged") && error.contains("hint: copy the page"), "{error}");
        fs::write(&page, &whole[..whole.len() - 20]).unwrap();
        let error = crate::failure::render(&load(&page).unwrap_err());
        assert!(error.contains("cut off") && error.contains("hint: name the whole"), "{error}");
    }

    #[test]
    fn where_a_run_would_be_kept_is_looked_at_and_nothing_is_made() {
        let dir = tempfile::tempdir().unwrap();
        check(&dir.path().join("narrows/runs")).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let file = dir.path().join("file");
        fs::write(&file, "x").unwrap();
        let error = crate::failure::render(&check(&file.join("runs")).unwrap_err());
        assert!(error.contains("cannot write in ") && error.contains("hint: "), "{error}");
    }

    #[test]
    fn only_files_are_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, socket) = (dir.path().join("folder"), dir.path().join("socket"));
        fs::create_dir(&folder).unwrap();
        let _listens = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        for path in [&folder, &socket, &link] {
            let kind = fs::symlink_metadata(path).unwrap().file_type();
            let error = crate::failure::render(&write_whole(path, "one").unwrap_err());
            assert!(error.contains("not a regular file") && error.contains("hint: "), "{error}");
            assert_eq!(fs::symlink_metadata(path).unwrap().file_type(), kind, "{path:?}");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3, "no part stays");
        // Also where what it leads to is a plain file; nothing there is called so, and nothing is made.
        let error = write_whole(Path::new("/dev/narrows-stdout"), "one").unwrap_err();
        assert!(crate::failure::render(&error).contains("not a regular file"), "{error}");
    }

    #[test]
    fn what_cannot_be_written_says_why_and_names_a_way_out() {
        let dir = tempfile::tempdir().unwrap();
        let error = write_whole(&dir.path().join("gone/x.html"), "one").unwrap_err();
        let error = crate::failure::render(&error);
        assert!(
            error.starts_with("error: cannot write ") && error.contains("gone/x.html"),
            "{error}"
        );
        assert!(error.contains("hint: ") && error.contains("-o"), "{error}");
    }

    #[test]
    fn a_file_that_gzip_packed_is_read_and_damage_to_it_is_said() {
        let run = Run::blank(narrows_model::Plan::default(), narrows_model::Platform::default());
        let dir = tempfile::tempdir().unwrap();
        let plain = dir.path().join("x.narrows.json");
        fs::write(&plain, run.to_json()).unwrap();
        let packed = dir.path().join("x.narrows.json.gz");
        assert!(is_packed_run(&packed) && !is_packed_run(&plain));
        let gzip = std::process::Command::new("gzip").arg("-k").arg(&plain).status();
        if !gzip.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: no gzip");
            return;
        }
        assert!(load(&packed).unwrap() == run);
        let bytes = fs::read(&packed).unwrap();
        fs::write(&packed, &bytes[..bytes.len() / 2]).unwrap();
        let error = crate::failure::render(&load(&packed).unwrap_err());
        assert!(error.contains("damaged or cut off: ") && error.contains("hint: copy"), "{error}");
    }

    #[test]
    fn a_file_that_is_no_run_says_what_it_is_instead() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        let said = |text: &str| {
            fs::write(&path, text).unwrap();
            crate::failure::render(&load(&path).unwrap_err())
        };
        let whole = Run::blank(narrows_model::Plan::default(), narrows_model::Platform::default());
        let whole = whole.to_json();
        let cut = said(&whole[..whole.len() / 2]);
        assert!(cut.contains("x.json: the file is cut off (") && cut.contains(" read)"), "{cut}");
        assert!(said("").contains("x.json: the file is empty\nhint: copy the file again"));
        let other = said("root:x:0:0:root:/root:/bin/bash\n");
        assert!(other.contains("it is not JSON, so no run file\nhint: a run file ends"), "{other}");
        assert!(said("{\"a\": 1}").contains("it is JSON, and no run file of narrows"));
        assert!(!cut.contains("EOF") && !other.contains("line 1"), "{cut}{other}");
        let folder = find(dir.path().to_str().unwrap()).unwrap_err();
        let folder = crate::failure::render(&folder);
        assert!(folder.contains(" is a folder\nhint: name a run file in it, or an id"), "{folder}");
    }

    #[test]
    fn what_is_no_run_is_refused_with_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        fs::write(&path, "{\"schema\": \"narrows.run/9\"}").unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains("x.json") && error.contains("narrows.run/9"), "{error}");
    }
}
