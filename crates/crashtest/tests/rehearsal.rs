//! Writer, list and checker on one machine: what is agreed on, what is refused, and what planted damage looks like.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use narrows_crashtest::{
    Acknowledged, Collector, Counts, CrashTestError, Cut, End, HEADER_BYTES, Heard, Layout,
    Machine, Mode, Settings, Sync, Target, Written, check_file, conclude, write_files,
};
use narrows_engine::Stop;
use narrows_model::CrashTestOutcome;

const RING: Layout =
    Layout { record_bytes: 1024, streams: 3, mode: Mode::Overwrite { slots: 300 } };

struct Rehearsal {
    folder: tempfile::TempDir,
    address: String,
    list: JoinHandle<Result<Acknowledged, CrashTestError>>,
}

impl Rehearsal {
    fn new() -> Rehearsal {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let collector = Collector::bind("127.0.0.1:0").unwrap();
        let address = collector.address().unwrap().to_string();
        let path = folder.path().join("list");
        let list = std::thread::spawn(move || {
            let patience = Some(Duration::from_secs(60));
            collector.collect(&path, patience, &Stop::new(), &mut |_: Heard<'_>| {})
        });
        Rehearsal { folder, address, list }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("records")
    }

    fn list(&self) -> PathBuf {
        self.folder.path().join("list")
    }

    fn settings(&self) -> Settings {
        Settings {
            target: Target::NewFile(self.file()),
            name: "records".to_string(),
            layout: RING,
            sync: Sync::Fdatasync,
            direct: false,
            collector: self.address.clone(),
            same_host: true,
            length: None,
        }
    }

    /// Writes until the list has so many records, and stops in order.
    fn write(&self, settings: Settings, records: u64) -> Written {
        let stop = Stop::new();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| write_files(&settings, &stop, &mut |_| {}).unwrap());
            while Acknowledged::read(&self.list()).map_or(0, |list| list.total()) < records {
                assert!(!writer.is_finished(), "the writer ended early");
                std::thread::sleep(Duration::from_millis(5));
            }
            stop.set();
            writer.join().unwrap()
        })
    }

    fn end(self) -> (tempfile::TempDir, Acknowledged) {
        let list = self.list.join().unwrap().unwrap();
        (self.folder, list)
    }
}

fn missing_and_torn(path: &Path, list: &Acknowledged) -> (u64, u64) {
    let counts = check_file(path, Path::new("list"), list, false).unwrap();
    assert_eq!(counts.lost.len() as u64, counts.missing + counts.torn);
    (counts.missing, counts.torn)
}

#[test]
fn every_record_is_found_again_and_planted_damage_is_named() {
    let rehearsal = Rehearsal::new();
    let path = rehearsal.file();
    let written = rehearsal.write(rehearsal.settings(), 2500);
    let (_folder, list) = rehearsal.end();
    assert_eq!(list.end, Some(End::Orderly));
    assert_eq!((list.total(), list.gaps(), written.failure), (written.records, 0, None));
    assert_eq!(missing_and_torn(&path, &list), (0, 0));

    // The newest record of stream 1: one of its sectors, then all of it.
    let file = File::options().write(true).open(&path).unwrap();
    let highest = list.streams[1].highest().unwrap();
    let offset = RING.offset(1, highest);
    file.write_all_at(&[0; 512], offset).unwrap();
    assert_eq!(missing_and_torn(&path, &list), (0, 1));
    file.write_all_at(&[0; 512], offset + 512).unwrap();
    let counts = check_file(&path, Path::new("list"), &list, false).unwrap();
    assert_eq!((counts.missing, counts.torn), (1, 0));
    assert_eq!((counts.lost[0].stream, counts.lost[0].number), (1, highest));

    // No cut was seen, so not even this convicts.
    let here = Machine::this();
    let test = conclude(&list.terms, counts.clone(), &Cut::of(&list, &here, None), 1000);
    assert_eq!(test.outcome, CrashTestOutcome::Inconclusive, "{test:?}");
    let told = Cut::of(&list, &here, Some("pulled"));
    let test = conclude(&list.terms, counts, &told, 1000);
    assert_eq!(test.outcome, CrashTestOutcome::Refuted);

    // What a write under way may have hit is not looked for.
    let checked = check_file(&path, Path::new("list"), &list, false).unwrap().checked;
    assert_eq!(checked, 3 * (300 - narrows_crashtest::WINDOW));
}

#[test]
fn a_growing_file_keeps_everything_and_its_end_can_be_missed() {
    let rehearsal = Rehearsal::new();
    let path = rehearsal.file();
    let layout = Layout { mode: Mode::Append, ..RING };
    rehearsal.write(Settings { layout, sync: Sync::Dsync, ..rehearsal.settings() }, 400);
    let (_folder, list) = rehearsal.end();
    assert_eq!(missing_and_torn(&path, &list), (0, 0));
    let length = fs::metadata(&path).unwrap().len();
    File::options().write(true).open(&path).unwrap().set_len(length / 2).unwrap();
    assert!(missing_and_torn(&path, &list).0 > 100);
}

#[test]
fn another_file_is_not_taken_for_a_loss_unless_the_user_says_so() {
    let rehearsal = Rehearsal::new();
    let path = rehearsal.file();
    rehearsal.write(rehearsal.settings(), 100);
    let (folder, list) = rehearsal.end();
    let check = |path: &Path, gone| check_file(path, Path::new("list"), &list, gone);

    let nowhere = folder.path().join("nowhere");
    assert!(matches!(check(&nowhere, false), Err(CrashTestError::Gone { .. })));
    let counts = check(&nowhere, true).unwrap();
    assert!(counts.checked > 0 && counts.missing == counts.checked, "{counts:?}");

    let other = folder.path().join("other");
    fs::write(&other, vec![0; 100_000]).unwrap();
    assert!(matches!(check(&other, false), Err(CrashTestError::NotOurs { .. })));
    fs::write(&other, b"").unwrap();
    assert!(matches!(check(&other, false), Err(CrashTestError::NotOurs { .. })));

    // The head is lost, the records are there.
    let file = File::options().write(true).open(&path).unwrap();
    file.write_all_at(&[0; HEADER_BYTES as usize], 0).unwrap();
    assert!(matches!(check(&path, false), Err(CrashTestError::NotOurs { .. })));
    assert_eq!(check(&path, true).unwrap().missing, 0);
}

#[test]
fn the_same_host_is_refused_with_a_word_about_killed_processes() {
    let rehearsal = Rehearsal::new();
    let settings = Settings { same_host: false, ..rehearsal.settings() };
    let error = write_files(&settings, &Stop::new(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, CrashTestError::Refused(_)));
    assert!(error.to_string().contains("killed process"), "{error}");
    assert!(!rehearsal.file().exists(), "nothing was made");

    // The list still waits for its writer; a visitor who is none doesn't disturb it.
    let mut visitor = TcpStream::connect(&rehearsal.address).unwrap();
    visitor.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = String::new();
    visitor.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("refuse "), "{answer}");
    rehearsal.write(rehearsal.settings(), 10);
    assert!(rehearsal.end().1.total() >= 10);
}

#[test]
fn a_writer_that_is_killed_leaves_a_closed_connection_and_that_is_no_cut() {
    let rehearsal = Rehearsal::new();
    let path = rehearsal.file();
    rehearsal.write(rehearsal.settings(), 10);
    let (_folder, list) = rehearsal.end();

    // The same terms once more, by a writer that says nothing at its end.
    let rehearsal = Rehearsal::new();
    let terms = serde_json::to_string(&list.terms).unwrap();
    let mut writer = TcpStream::connect(&rehearsal.address).unwrap();
    writeln!(writer, "hello narrows-crashtest/1 {terms}").unwrap();
    let mut answer = [0; 8];
    writer.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"welcome ");
    writer.write_all(b"acknowledged 0 1\nacknowledged 0 2\nacknowledged 2 1\n").unwrap();
    writer.shutdown(std::net::Shutdown::Write).unwrap();
    let (_other, list) = rehearsal.end();
    assert_eq!((list.total(), list.end.clone()), (3, Some(End::Closed)));
    let counts = check_file(&path, Path::new("list"), &list, false).unwrap();
    let test = conclude(&list.terms, counts, &Cut::of(&list, &Machine::this(), None), 1);
    assert_eq!(test.outcome, CrashTestOutcome::Inconclusive);
    assert!(test.sentences.iter().any(|s| s.contains("killed process")), "{test:?}");
}

#[test]
fn a_target_that_exists_and_a_second_host_that_is_not_there_are_errors() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = folder.path().join("records");
    let settings = Settings {
        target: Target::NewFile(path.clone()),
        name: String::new(),
        layout: RING,
        sync: Sync::Fdatasync,
        direct: false,
        // Reserved, and so listened on by nobody.
        collector: "127.0.0.1:1".to_string(),
        same_host: true,
        length: None,
    };
    let error = write_files(&settings, &Stop::new(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, CrashTestError::Unreached { .. }), "{error}");
    assert!(!path.exists());
    fs::write(&path, b"somebody's").unwrap();
    let error = write_files(&settings, &Stop::new(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, CrashTestError::Exists(_)), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"somebody's");
}

#[test]
fn a_writer_that_outlives_its_list_leaves_a_mark() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let (path, list_path) = (folder.path().join("records"), folder.path().join("list"));
    let collector = Collector::bind("127.0.0.1:0").unwrap();
    let settings = Settings {
        target: Target::NewFile(path.clone()),
        name: "records".to_string(),
        layout: RING,
        sync: Sync::Fdatasync,
        direct: false,
        collector: collector.address().unwrap().to_string(),
        same_host: true,
        length: None,
    };
    let gone = Stop::new();
    let (error, list) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| write_files(&settings, &Stop::new(), &mut |_| {}));
        let list = scope.spawn(|| collector.collect(&list_path, None, &gone, &mut |_| {}));
        while Acknowledged::read(&list_path).map_or(0, |list| list.total()) < 50 {
            assert!(!writer.is_finished(), "the writer ended early");
            std::thread::sleep(Duration::from_millis(5));
        }
        // The list ends, and the writer lives on.
        gone.set();
        (writer.join().unwrap().unwrap_err(), list.join().unwrap().unwrap())
    });
    assert!(matches!(error, CrashTestError::Lost(_)), "{error}");
    let counts = check_file(&path, &list_path, &list, false).unwrap();
    assert_eq!((counts.missing, counts.torn, counts.outlived), (0, 0, true));

    // As if the network had failed, and the machine had booted in good order later.
    let cut = Cut {
        end: Some(End::Silence),
        booted: Some(true),
        elsewhere: None,
        told: None,
        power: narrows_crashtest::DrivesPower::Lost("sda counts 8 power cycles, 7 before".into()),
        remounted: false,
        same_kernel: Some(false),
        boot_id: None,
        idle_ms: Some(0),
    };
    let test = conclude(&list.terms, counts.clone(), &cut, 1);
    assert_eq!(test.outcome, CrashTestOutcome::Inconclusive, "{test:?}");
    let unmarked = Counts { outlived: false, ..counts };
    assert_eq!(conclude(&list.terms, unmarked, &cut, 1).outcome, CrashTestOutcome::Shown);
}

#[test]
fn a_stop_ends_the_waiting_for_a_second_host_that_says_nothing() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let stop = Stop::new();
    let asked = stop.clone();
    let host = std::thread::spawn(move || {
        let mut visitor = BufReader::new(silent.accept().unwrap().0);
        // Behind it the writer waits for the answer.
        let mut hello = String::new();
        visitor.read_line(&mut hello).unwrap();
        asked.set();
        (hello, visitor)
    });
    let settings = Settings {
        target: Target::NewFile(folder.path().join("records")),
        name: "records".to_string(),
        layout: RING,
        sync: Sync::Fdatasync,
        direct: false,
        collector: address,
        same_host: true,
        length: None,
    };
    let written = write_files(&settings, &stop, &mut |_| {});
    assert!(matches!(written, Err(CrashTestError::Stopped)), "{written:?}");
    let (hello, mut visitor) = host.join().unwrap();
    let mut goodbye = String::new();
    visitor.read_to_string(&mut goodbye).unwrap();
    assert!(hello.starts_with("hello "), "{hello}");
    assert_eq!(goodbye, "goodbye orderly\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
