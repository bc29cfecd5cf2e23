//! The part of the machine whose power is cut: writes records until then.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use narrows_crashtest::{
    CrashTestError, HEADER_BYTES, Layout, Mode, Settings, Target, WINDOW, Written, write_files,
    write_table,
};
use narrows_engine::Stop;
use narrows_postgres::Address;

use crate::block::folder;
use crate::exit::{Exit, Outcome};
use crate::failure::Failure;
use crate::paragraph::paragraph;
use crate::request::block::DeviceConsent;
use crate::request::crashtest::{WriteRequest, WriteTarget};
use crate::ui::Ui;
use crate::{guard, interrupt};

/// Writes until the power goes, Ctrl-C, or the end of the time that was given.
///
/// # Errors
/// What is written to is in use or can't be written, or nobody keeps the list.
pub fn write(request: &WriteRequest, ui: &dyn Ui) -> Result<Exit> {
    let stop = Stop::new();
    interrupt::install(&stop, ui.speaker())?;
    let length = request.length.map(|length| Duration::from_nanos(length.0));
    let mut tell = |records: u64| {
        ui.redraw(&format!(
            "{records} records durable and acknowledged; cut the power at any time"
        ));
    };
    let written = match &request.target {
        WriteTarget::Table(address) => {
            allowed(address, request.load_here)?;
            write_table(
                address,
                request.streams,
                &request.to,
                request.same_host,
                length,
                &stop,
                &mut tell,
            )
        }
        WriteTarget::File(_) | WriteTarget::Device(_) => {
            // Held until the end: it keeps others off a device.
            let (target, name, _held) = target(request, ui)?;
            if let Some(why) = target.elsewhere() {
                let text =
                    format!("warning: a power cut of this machine alone shows nothing: {why}");
                ui.put(&paragraph(&text));
            }
            let settings = Settings {
                target,
                name,
                layout: layout(request)?,
                sync: request.sync,
                direct: request.direct,
                collector: request.to.clone(),
                same_host: request.same_host,
                length,
            };
            write_files(&settings, &stop, &mut tell)
        }
    };
    ui.end_redraw();
    match written {
        Err(error @ CrashTestError::Stopped) => {
            ui.say(&error.to_string());
            Ok(Outcome::answered(false).stopped_if(true).exit())
        }
        written => ended(&written?, &stop, ui),
    }
}

fn ended(written: &Written, stop: &Stop, ui: &dyn Ui) -> Result<Exit> {
    ui.print(&format!(
        "test {}: {} records durable and acknowledged to {}\n",
        written.run.short(),
        written.records,
        written.collector.host
    ))?;
    if let Some(failure) = &written.failure {
        ui.print(&format!(
            "a write failed: {failure}\nif that is what lost its power, the check needs --cut WHAT\n"
        ))?;
        return Ok(Outcome::answered(false).exit());
    }
    ui.print("stopped in order: no power was cut, and nothing is shown\n")?;
    Ok(Outcome::answered(true).stopped_if(stop.is_set()).exit())
}

/// The user's server: it will be loaded, and then lose its power.
fn allowed(address: &Address, load_here: bool) -> Result<()> {
    if load_here {
        return Ok(());
    }
    Err(Failure::hinted(
        format!(
            "{address} is a server in use: it would get a new table and commits without a pause, and then have its power cut"
        ),
        "--load-here does it, if nobody needs that server",
    ))
}

fn target(
    request: &WriteRequest,
    ui: &dyn Ui,
) -> Result<(Target, String, Option<narrows_raw::WritableDevice>)> {
    let file = match &request.target {
        WriteTarget::File(file) => file.as_path(),
        WriteTarget::Table(_) => Path::new(""),
        WriteTarget::Device(given) => return device(given, request.load_here),
    };
    let Some(name) = file.file_name() else {
        return Err(Failure::hinted(
            format!("`{}` is not a file name", file.display()),
            "give the path of a new file on the file system to test",
        ));
    };
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let folder = parent.canonicalize().map_err(|error| {
        Failure::hinted(
            format!("the folder {}: {error}", parent.display()),
            "create it, or mount its file system first",
        )
    })?;
    let platform = folder::machine_of_folder(&folder);
    guard::storage(&platform, std::slice::from_ref(&folder), request.load_here, ui)?;
    if platform.roles.iter().any(|role| role.in_memory().is_some()) {
        ui.say(&format!("warning: {} is in memory: a power cut loses all of it", folder.display()));
    }
    let path = folder.join(name);
    Ok((Target::NewFile(path.clone()), path.display().to_string(), None))
}

fn layout(request: &WriteRequest) -> Result<Layout> {
    let mode = if request.append {
        Mode::Append
    } else {
        let room = request.ring.saturating_sub(HEADER_BYTES);
        let slots = room / (u64::from(request.streams) * u64::from(request.size));
        if slots <= 2 * WINDOW {
            let least = (2 * WINDOW + 1) * u64::from(request.streams) * u64::from(request.size);
            return Err(Failure::hinted(
                format!(
                    "a file of {} bytes is too small for {} writers",
                    request.ring, request.streams
                ),
                format!("--ring {}m, fewer --streams or a smaller --size", (least >> 20) + 1),
            ));
        }
        Mode::Overwrite { slots }
    };
    Ok(Layout { record_bytes: request.size, streams: request.streams, mode })
}

/// A device, held until the end.
fn device(
    given: &DeviceConsent,
    load_here: bool,
) -> Result<(Target, String, Option<narrows_raw::WritableDevice>)> {
    let (device, consent) = folder::consented(given)?;
    folder::guard_device(&device, load_here)?;
    let open = narrows_raw::open_for_writing(&consent, false)?;
    let path = open.path();
    let size_bytes = consent.size_bytes();
    Ok((Target::Device { path, size_bytes }, device.node.clone(), Some(open)))
}
