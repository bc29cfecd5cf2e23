//! The part of the machine whose power is cut: writes records until then.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use narrows_crashtest::{
    CrashTestError, HEADER_BYTES, Layout, Mode, Settings, Sync, Target, WINDOW, Written,
    write_files, write_table,
};
use narrows_engine::Stop;
use narrows_postgres::Address;

use crate::args::crashtest::{SyncArg, WriteArgs};
use crate::block::place;
use crate::exit::{Exit, Outcome};
use crate::failure::Failure;
use crate::stream::{self, say};
use crate::{host, interrupt, output};
use narrows_runner::paragraph::paragraph;

/// Writes until the power goes, Ctrl-C, or the end of the time that was given.
pub fn write(args: &WriteArgs) -> Result<Exit> {
    let stop = Stop::new();
    interrupt::install(&stop, stream::line)?;
    let length = args.length.map(|length| Duration::from_nanos(length.0));
    let mut tell = |records: u64| {
        if stream::redraws() {
            stream::redraw(&format!(
                "{records} records durable and acknowledged; cut the power when you like"
            ));
        }
    };
    let written = match &args.postgres {
        Some(url) => {
            let address = address(url, args.load_here)?;
            write_table(&address, args.streams, &args.to, args.same_host, length, &stop, &mut tell)
        }
        None => {
            // Held until the end: it keeps others off a device.
            let (target, name, _held) = target(args)?;
            if let Some(why) = target.elsewhere() {
                let text =
                    format!("warning: a cut of this machine's power alone shows nothing: {why}");
                stream::put(&paragraph(&text));
            }
            let settings = Settings {
                target,
                name,
                layout: layout(args)?,
                sync: sync(args.sync),
                direct: args.direct,
                collector: args.to.clone(),
                same_host: args.same_host,
                length,
            };
            write_files(&settings, &stop, &mut tell)
        }
    };
    if stream::redraws() {
        stream::line("");
    }
    match written {
        Err(error @ CrashTestError::Stopped) => {
            say!("{error}");
            Ok(Outcome::answered(false).stopped_if(true).exit())
        }
        written => ended(&written?, &stop),
    }
}

fn ended(written: &Written, stop: &Stop) -> Result<Exit> {
    output::print(&format!(
        "test {}: {} records durable and acknowledged to {}\n",
        written.run.short(),
        written.records,
        written.collector.host
    ))?;
    if let Some(failure) = &written.failure {
        output::print(&format!(
            "a write failed: {failure}\nif that is what was cut, the check needs --cut WHAT\n"
        ))?;
        return Ok(Outcome::answered(false).exit());
    }
    output::print("stopped in order: nothing was cut, and nothing is shown\n")?;
    Ok(Outcome::answered(true).stopped_if(stop.is_set()).exit())
}

/// The user's server: it will be loaded, and then lose its power.
fn address(url: &str, load_here: bool) -> Result<Address> {
    let address = Address::parse(url)?;
    if load_here {
        return Ok(address);
    }
    Err(Failure::hinted(
        format!(
            "{address} is somebody's server: it would get a new table and commits without a pause, and then have its \
             power cut"
        ),
        "--load-here does it, if nobody else needs that server",
    ))
}

fn target(args: &WriteArgs) -> Result<(Target, String, Option<narrows_raw::WritableDevice>)> {
    if let Some((device, consent)) = place::consented(&args.consent)? {
        place::guard_device(&device, args.load_here)?;
        let open = narrows_raw::open_for_writing(&consent, false)?;
        let path = open.path();
        let size_bytes = consent.size_bytes();
        return Ok((Target::Device { path, size_bytes }, device.node.clone(), Some(open)));
    }
    let file = args.file.as_deref().unwrap_or(Path::new(""));
    let Some(name) = file.file_name() else {
        return Err(Failure::hinted(
            format!("`{}` names no file", file.display()),
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
    let platform = place::machine_of_folder(&folder);
    host::guard_storage(&platform, &[&folder], args.load_here)?;
    if platform.roles.iter().any(|role| role.file_system.volatile) {
        say!("warning: {} is in memory: a power cut takes all of it", folder.display());
    }
    let path = folder.join(name);
    Ok((Target::NewFile(path.clone()), path.display().to_string(), None))
}

fn layout(args: &WriteArgs) -> Result<Layout> {
    let mode = if args.append {
        Mode::Append
    } else {
        let room = args.ring.saturating_sub(HEADER_BYTES);
        let slots = room / (u64::from(args.streams) * u64::from(args.size));
        if slots <= 2 * WINDOW {
            let least = (2 * WINDOW + 1) * u64::from(args.streams) * u64::from(args.size);
            return Err(Failure::hinted(
                format!("a ring of {} bytes is too small for {} streams", args.ring, args.streams),
                format!("--ring {}m, fewer --streams or a smaller --size", (least >> 20) + 1),
            ));
        }
        Mode::Overwrite { slots }
    };
    Ok(Layout { record_bytes: args.size, streams: args.streams, mode })
}

fn sync(arg: SyncArg) -> Sync {
    match arg {
        SyncArg::Fdatasync => Sync::Fdatasync,
        SyncArg::Fsync => Sync::Fsync,
        SyncArg::Dsync => Sync::Dsync,
        SyncArg::RwfDsync => Sync::RwfDsync,
        SyncArg::None => Sync::None,
    }
}
