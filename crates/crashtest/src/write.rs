//! The writer to files and devices.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::Stop;

use crate::medium::Medium;
use crate::record::encode;
use crate::reporter::Reporter;
use crate::streams::{self, Sink};
use crate::sync::Aligned;
use crate::{CrashTestError, Layout, Machine, Place, RunId, Sync, Target, Terms, Written};

/// A crash test to a file or a device.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What is written.
    pub target: Target,
    /// What it is called in the list.
    pub name: String,
    /// Records and streams.
    pub layout: Layout,
    /// How each becomes durable.
    pub sync: Sync,
    /// Past the page cache.
    pub direct: bool,
    /// `HOST:PORT` of the second host.
    pub collector: String,
    /// The second host may be this one: a rehearsal, or what is cut isn't this machine.
    pub same_host: bool,
    /// Ends by itself after that.
    pub length: Option<Duration>,
}

/// Writes records until `stop`, the end of the length, or the power's. `tell` gets their number about once a second.
///
/// # Errors
/// Where the target can't be prepared, or the second host isn't reached, refuses or is lost. A write that fails after
/// the first record is no error: the drive may have been what was cut.
pub fn write_files(
    settings: &Settings,
    stop: &Stop,
    tell: &mut dyn FnMut(u64),
) -> Result<Written, CrashTestError> {
    if let Some(fault) = settings.layout.fault() {
        return Err(CrashTestError::Settings(fault.to_string()));
    }
    let run = RunId::random().map_err(CrashTestError::file("reading", "/dev/urandom"))?;
    let medium = Medium::of_target(&settings.target);
    let past = if settings.direct { ", past the page cache" } else { "" };
    let terms = Terms {
        run,
        writer: Machine::this(),
        target: settings.name.clone(),
        method: format!("{}{past}", settings.sync.name()),
        flushes: settings.sync != Sync::None,
        place: Place::File(settings.layout),
        local_medium: medium.elsewhere.is_none(),
        elsewhere: medium.elsewhere,
        server: None,
        mount_point: medium.mount_point,
        same_host: settings.same_host,
    };
    if let Target::NewFile(path) = &settings.target
        && path.exists()
    {
        return Err(CrashTestError::Exists(path.clone()));
    }
    let reporter = Reporter::connect(&settings.collector, &terms, stop)?;
    match prepare(settings, run, stop) {
        Ok(sinks) => {
            let mark = || settings.target.mark(run);
            streams::run(run, reporter, sinks, settings.length, stop, tell, &mark)
        }
        Err(error) => Err(reporter.give_up(error)),
    }
}

fn prepare(
    settings: &Settings,
    run: RunId,
    stop: &Stop,
) -> Result<Vec<Box<dyn Sink>>, CrashTestError> {
    settings.target.prepare(&settings.layout, run, stop)?;
    let sinks = sinks(settings, run);
    if sinks.is_err() {
        settings.target.remove();
    }
    sinks
}

fn sinks(settings: &Settings, run: RunId) -> Result<Vec<Box<dyn Sink>>, CrashTestError> {
    let path = settings.target.path();
    (0..settings.layout.streams)
        .map(|stream| {
            let opened = settings.target.open(settings.sync.flags(settings.direct));
            let sink = FileSink {
                file: opened.map_err(CrashTestError::file("opening", path))?,
                path: path.to_path_buf(),
                layout: settings.layout,
                sync: settings.sync,
                run,
                stream,
                buffer: Aligned::new(settings.layout.record_bytes as usize),
            };
            Ok(Box::new(sink) as Box<dyn Sink>)
        })
        .collect()
}

struct FileSink {
    file: File,
    path: PathBuf,
    layout: Layout,
    sync: Sync,
    run: RunId,
    stream: u32,
    buffer: Aligned,
}

impl Sink for FileSink {
    fn write(&mut self, number: u64) -> Result<(), CrashTestError> {
        let bytes = self.buffer.bytes();
        encode(bytes, self.run, self.stream, number);
        let written = self.sync.write(&self.file, bytes, self.layout.offset(self.stream, number));
        written.map_err(CrashTestError::file("making a record durable in", &self.path))
    }
}
