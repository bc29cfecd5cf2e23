//! Captures as inventories: of another machine, or to fill in what this one refuses.

use std::io::Read;
use std::path::Path;

use anyhow::Result;
use narrows_capture::{Capture, Filled, Header, MAX_ARCHIVE_BYTES};
use narrows_facts::{Live, Replay, Source};
use narrows_model::{Captured, Platform, Role, Unknown};

use crate::failure::Failure;
use crate::ui::Ui;

/// Whether the file is packed as captures are.
pub fn is_capture(path: &Path) -> bool {
    let mut head = [0; 2];
    let Ok(mut file) = narrows_files::open_plain(path) else { return false };
    file.read_exact(&mut head).is_ok() && narrows_capture::is_archive(&head)
}

/// The machine in a capture, with the paths under the roles that it was captured with.
pub fn platform(path: &Path) -> Result<Platform> {
    let Capture { header, recording } = load(path)?;
    Ok(examine(&header, &Replay::new(recording)))
}

fn examine(header: &Header, replay: &Replay) -> Platform {
    let roles: Vec<(Role, &Path)> =
        header.roles.iter().map(|place| (place.role, Path::new(&place.path))).collect();
    let mut platform = narrows_platform::discover(replay, &roles);
    let unasked = replay.unasked().len();
    if unasked > 0 {
        let what = format!(
            "{unasked} values that this version reads and narrows {} did not capture",
            header.tool.version
        );
        platform.unknown.push(Unknown { what, needs: "a capture made by this version".into() });
    }
    platform.captured = Some(captured(header, Vec::new()));
    platform
}

fn captured(header: &Header, answers: Vec<String>) -> Captured {
    Captured {
        at: header.captured_at.clone(),
        version: header.tool.version.clone(),
        privileged: header.privileged,
        answers,
    }
}

/// This machine; what it refuses is answered by the capture, if that is of this machine.
pub fn filled(path: &Path, roles: &[(Role, &Path)], ui: &dyn Ui) -> Result<Platform> {
    let Capture { header, recording } = load(path)?;
    let replay = Replay::new(recording);
    let then = examine(&header, &replay);
    let here = narrows_platform::discover(&Live, roles);
    let live: &dyn Source = &Live;
    let machine_id = live.text("/etc/machine-id");
    let differ = narrows_capture::different(&header, &then, &here, machine_id.as_deref());
    if !differ.is_empty() {
        return Err(Failure::hinted(
            format!("--facts {}: it is of another machine: {}", path.display(), differ.join("; ")),
            "gather on this machine: sudo narrows gather --privileged -o FILE",
        ));
    }
    let source = Filled::new(&Live, &replay);
    let mut platform = narrows_platform::discover(&source, roles);
    platform.captured = Some(captured(&header, source.filled().into_iter().collect()))
        .filter(|captured| !captured.answers.is_empty());
    if platform.captured.is_none() {
        ui.say(&format!("note: {} adds nothing: this user can read all of it", path.display()));
    }
    Ok(platform)
}

fn load(path: &Path) -> Result<Capture> {
    let failure = |reason: String| {
        let (reason, hint) = reason
            .split_once("\nhint: ")
            .unwrap_or((&reason, "name a capture, as narrows gather -o FILE writes it"));
        Failure::hinted(format!("{}: {reason}", path.display()), hint)
    };
    let packed = narrows_files::read(path, MAX_ARCHIVE_BYTES);
    let packed = packed.map_err(|refused| failure(refused.to_string()))?;
    narrows_capture::read(&packed[..]).map_err(|error| failure(error.to_string()))
}
