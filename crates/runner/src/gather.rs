//! This machine in one small file, for another place or another user.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use narrows_capture::{Capture, Header, MachineDigest, RolePlace, SCHEMA, Scrubbed};
use narrows_facts::{Live, Recorder, Recording, Source};
use narrows_model::{Platform, Role, Tool};
use narrows_units::Bytes;

use crate::failure::Failure;
use crate::inventory::{self, DEFAULT_DATA};
use crate::request::machine::GatherRequest;
use crate::{new_run, store};

/// Things of a kind that are named one by one.
const NAMED: usize = 4;

/// Captures this machine; returns what was captured, in words.
///
/// # Errors
/// The file is there, or can't be written.
pub fn gather(request: &GatherRequest) -> Result<String> {
    refuse(request)?;
    let data = request.data.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_DATA));
    let wal = request.wal.as_ref().unwrap_or(&data);
    inventory::must_exist(&data, wal)?;
    let absolute = |path: &Path| std::path::absolute(path).context("the current folder is gone");
    let roles = [(Role::Data, absolute(&data)?), (Role::Wal, absolute(wal)?)];
    let recorder = Recorder::new(&Live);
    let places = roles.each_ref().map(|(role, path)| (*role, path.as_path()));
    let platform = narrows_platform::discover(&recorder, &places);
    if request.privileged {
        narrows_capture::ask_as_root(&recorder);
    }
    let recording = recorder.finish();
    let denied: Vec<String> = recording.denied().into_iter().collect();
    let capture = scrubbed(recording, request.privileged, &roles)?;
    let bytes = narrows_capture::write(&capture, Vec::new())?;
    // What can't be read again is no capture.
    narrows_capture::read(bytes.as_slice()).context("the capture of this machine")?;
    store::write_whole(&request.output, &bytes)?;
    Ok(capture_summary(request, &capture, bytes.len(), &denied, &platform))
}

fn refuse(request: &GatherRequest) -> Result<()> {
    let file = request.output.display();
    match std::fs::symlink_metadata(&request.output) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(Failure::hinted(
                format!("-o {file}: it is a folder"),
                format!("name a file, as -o {}", request.output.join("machine.capture").display()),
            ));
        }
        Ok(_) if !request.force => {
            return Err(Failure::hinted(
                format!("-o {file}: it exists"),
                "name another file, or replace this one with --force",
            ));
        }
        _ => {}
    }
    let live: &dyn Source = &Live;
    if request.privileged && !live.is_root() {
        return Err(Failure::hinted(
            "--privileged: this user is not root, and would read no more than without it",
            format!("sudo narrows gather --privileged -o {file}, or leave --privileged out"),
        ));
    }
    Ok(())
}

fn scrubbed(recording: Recording, privileged: bool, roles: &[(Role, PathBuf)]) -> Result<Capture> {
    let places: Vec<String> =
        roles.iter().map(|(_, path)| path.to_string_lossy().into_owned()).collect();
    let Scrubbed { recording, replaced, left_out, machine, paths } =
        narrows_capture::scrub(recording, &MachineDigest::fresh_salt()?, &places);
    let place = |((role, _), path): (&(Role, PathBuf), String)| RolePlace { role: *role, path };
    let header = Header {
        schema: SCHEMA.to_string(),
        tool: Tool { name: "narrows".into(), version: env!("CARGO_PKG_VERSION").into() },
        captured_at: new_run::now(),
        privileged,
        roles: roles.iter().zip(paths).map(place).collect(),
        machine,
        replaced,
        left_out,
    };
    Ok(Capture { header, recording })
}

fn capture_summary(
    request: &GatherRequest,
    capture: &Capture,
    bytes: usize,
    denied: &[String],
    platform: &Platform,
) -> String {
    let r = &capture.recording;
    let mut lines = vec![format!(
        "captured   {} files, {} folders, {} links, {} calls: {} in {}",
        r.files.values().filter(|answer| answer.is_ok()).count(),
        r.folders.values().filter(|answer| answer.is_ok()).count(),
        r.links.len() + r.real_paths.len(),
        r.calls.values().filter(|answer| answer.is_ok()).count(),
        Bytes(bytes as u64),
        request.output.display(),
    )];
    let replaced: Vec<String> =
        capture.header.replaced.iter().map(|(what, count)| format!("{count} {what}")).collect();
    if !replaced.is_empty() {
        lines.push(format!("replaced   values that identify somebody: {}", replaced.join(", ")));
    }
    for left in &capture.header.left_out {
        lines.push(format!("left out   {} {}", left.count, left.what));
    }
    if !denied.is_empty() {
        let more = match denied.len().checked_sub(NAMED) {
            None | Some(0) => String::new(),
            Some(more) => format!(" and {more} more"),
        };
        let named = denied[..denied.len().min(NAMED)].join(", ");
        lines.push(format!("refused    {named}{more}"));
    }
    for unknown in &platform.unknown {
        lines.push(format!("unknown    {}: {}", unknown.what, unknown.needs));
    }
    if !request.privileged && !denied.is_empty() {
        let file = request.output.display();
        lines.push(format!(
            "root can read more: sudo narrows gather --privileged --force -o {file}"
        ));
    }
    lines.join("\n") + "\n"
}
