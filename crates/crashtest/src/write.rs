//! The writer to files and devices.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::Stop;

use crate::medium::Medium;
use crate::power;
use crate::record::encode;
use crate::reporter::Reporter;
use crate::streams::{self, Sink};
use crate::sync::Aligned;
use crate::{CrashTestError, Layout, Machine, RecordLocation, RunId, Sync, Target, Terms, Written};

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
    if let Target::NewFile(path) = &settings.target
        && path.exists()
    {
        return Err(CrashTestError::Exists(path.clone()));
    }
    let reporter = Reporter::connect(&settings.collector, &terms(settings, run), stop)?;
    write_records(settings, run, reporter, stop, tell)
}

fn terms(settings: &Settings, run: RunId) -> Terms {
    let medium = Medium::of_target(&settings.target);
    let past = if settings.direct { ", with direct I/O" } else { "" };
    Terms {
        run,
        writer: Machine::this(),
        target: settings.name.clone(),
        method: format!("{}{past}", settings.sync.name()),
        flushes: settings.sync != Sync::None,
        place: RecordLocation::File(settings.layout),
        local_medium: medium.elsewhere.is_none(),
        elsewhere: medium.elsewhere,
        server: None,
        mount_point: medium.mount_point,
        power: power::of_drives(medium.drives.iter().map(String::as_str)),
        drives: medium.drives.len() as u32,
        same_host: settings.same_host,
    }
}

fn write_records(
    settings: &Settings,
    run: RunId,
    reporter: Reporter,
    stop: &Stop,
    tell: &mut dyn FnMut(u64),
) -> Result<Written, CrashTestError> {
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpStream;

    use super::*;
    use crate::wire::Message;
    use crate::{Collector, End, Mode};

    fn settings(records: PathBuf, collector: String) -> Settings {
        Settings {
            target: Target::NewFile(records),
            name: "records".to_string(),
            layout: Layout { record_bytes: 512, streams: 2, mode: Mode::Overwrite { slots: 300 } },
            sync: Sync::Fdatasync,
            direct: false,
            collector,
            same_host: true,
            length: None,
        }
    }

    /// What a host gets from a writer that was stopped while it waited for the answer: all is there before the host reads.
    #[test]
    fn a_goodbye_that_came_before_the_answer_ends_the_list_in_order() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let collector = Collector::bind("127.0.0.1:0").unwrap();
        let address = collector.address().unwrap();
        let settings = settings(folder.path().join("records"), address.to_string());
        let hello = Message::Hello(Box::new(terms(&settings, RunId::random().unwrap())));
        let mut writer = TcpStream::connect(address).unwrap();
        writer.write_all(hello.line().as_bytes()).unwrap();
        writer.write_all(Message::Goodbye(None).line().as_bytes()).unwrap();
        drop(writer);
        let path = folder.path().join("list");
        let list = collector.collect(&path, None, &Stop::new(), &mut |_| {}).unwrap();
        assert_eq!((list.total(), list.end), (0, Some(End::Orderly)));
    }

    #[test]
    fn a_stop_while_the_ring_is_filled_leaves_nothing() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let (list_path, records) = (folder.path().join("list"), folder.path().join("records"));
        let collector = Collector::bind("127.0.0.1:0").unwrap();
        let address = collector.address().unwrap().to_string();
        let host = std::thread::spawn(move || {
            collector.collect(&list_path, None, &Stop::new(), &mut |_| {})
        });
        let settings = settings(records.clone(), address);
        let run = RunId::random().unwrap();
        let terms = terms(&settings, run);
        let reporter = Reporter::connect(&settings.collector, &terms, &Stop::new()).unwrap();
        let stop = Stop::new();
        stop.set();
        let error = write_records(&settings, run, reporter, &stop, &mut |_| {}).unwrap_err();
        assert!(matches!(error, CrashTestError::Stopped), "{error}");
        assert!(!records.exists());
        let list = host.join().unwrap().unwrap();
        assert_eq!((list.total(), list.end), (0, Some(End::Orderly)));
    }
}
