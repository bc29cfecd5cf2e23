//! Archives that are cut off, changed, contradictory, or made to harm.

use std::io::Write;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use narrows_capture::{CaptureError, read};
use narrows_facts::{Answer, Call, Contents, Recording, Refusal, Replay};
use proptest::prelude::*;

use crate::made::{everything, machine};
use crate::{archive, header, unpacked};

fn packed(lines: &[&str]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    writeln!(gzip, "{}", serde_json::to_string(&header()).unwrap()).unwrap();
    for line in lines {
        writeln!(gzip, "{line}").unwrap();
    }
    gzip.finish().unwrap()
}

fn error(archive: &[u8]) -> String {
    read(archive).map(|_| "no error".to_string()).unwrap_or_else(|error| error.to_string())
}

#[test]
fn a_contradiction_or_a_path_that_is_none_is_named_with_its_line() {
    for (lines, says) in [
        (
            vec![r#"{"ask":"file","of":"etc/x","said":{"text":"a"}}"#],
            "line 2: \"etc/x\" is no absolute path",
        ),
        (
            vec![r#"{"ask":"link","of":"/a","said":{"yes":true}}"#],
            "line 2: yes or no where a text should be",
        ),
        (
            vec![r#"{"ask":"folder","of":"/a","said":{"names":["../../etc"]}}"#],
            "is no name in a folder",
        ),
        (vec![r#"{"ask":"real_path","of":"/a","said":{"text":"b"}}"#], "\"b\" is no absolute path"),
        (
            vec![
                r#"{"ask":"exists","of":"/a","said":{"yes":true}}"#,
                r#"{"ask":"exists","of":"/a","said":{"yes":false}}"#,
            ],
            "line 3: a second answer for \"/a\"",
        ),
        (vec![r#"{"ask":"call:reboot","of":"","said":{"text":""}}"#], "unknown call"),
        (vec![r#"{"ask":"file","of":"/a","said":{"errno":0}}"#], "0 is no number of an error"),
        (vec![r#"{"ask":"file","of":"/a","said":{"bytes":"***"}}"#], "line 2"),
        (vec!["[]"], "line 2: no question with its answer"),
        (vec![r#"{"end":7}"#], "line 2: it has 0 entries and says 7"),
        (vec![r#"{"end":0}"#, r#"{"end":0}"#], "something follows the end"),
        (vec![], "its last line is missing"),
    ] {
        let said = error(&packed(&lines));
        assert!(said.contains(says) && said.contains("\nhint: "), "{lines:?}: {said}");
    }
}

#[test]
fn what_is_no_capture_or_another_version_says_so() {
    let gzip = |text: &str| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        gzip.finish().unwrap()
    };
    assert!(matches!(read(gzip("hello\n").as_slice()), Err(CaptureError::Foreign)));
    assert!(matches!(read(gzip("{\"schema\":\"x/1\"}\n").as_slice()), Err(CaptureError::Foreign)));
    let newer = gzip("{\"schema\":\"narrows.capture/2\"}\n");
    assert!(matches!(read(newer.as_slice()), Err(CaptureError::Version(v)) if v.ends_with("/2")));
    assert!(matches!(read(b"plain".as_slice()), Err(CaptureError::Damaged(_))));
    assert!(matches!(read(b"".as_slice()), Err(CaptureError::Damaged(_))));
}

#[test]
fn a_bomb_is_left_before_it_unpacks() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    writeln!(gzip, "{}", serde_json::to_string(&header()).unwrap()).unwrap();
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..25 {
        gzip.write_all(&zeros).unwrap();
    }
    let said = error(&gzip.finish().unwrap());
    assert!(said.contains("one of its answers is more than 24 MiB"), "{said}");
}

#[test]
fn many_short_names_are_refused_before_they_fill_the_memory() {
    let folder = |path: &str, names: usize| {
        let names = "\"a\",".repeat(names - 1) + "\"a\"";
        format!(r#"{{"ask":"folder","of":"{path}","said":{{"names":[{names}]}}}}"#)
    };
    let most = 1 << 20;
    let said = error(&packed(&[&folder("/a", most + 1)]));
    assert!(said.contains("line 2") && said.contains("more than 1048576 names"), "{said}");
    let said = error(&packed(&[&folder("/a", most / 2), &folder("/b", most / 2 + 1)]));
    assert!(said.contains("what it holds is more than 1048576 names in folders"), "{said}");
    let fits = [folder("/a", most / 2), folder("/b", most / 2), r#"{"end":2}"#.to_string()];
    assert_eq!(error(&packed(&fits.each_ref().map(String::as_str))), "no error");
}

#[test]
fn a_first_line_without_an_end_in_sight_is_refused() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    let long = "a".repeat(1 << 20);
    writeln!(gzip, "{{\"schema\":\"narrows.capture/1\",\"replaced\":{{\"{long}\":1}}}}").unwrap();
    let said = error(&gzip.finish().unwrap());
    assert!(said.contains("its first line is more than 1 MiB"), "{said}");
}

#[test]
fn whatever_is_cut_off_is_an_error() {
    let (_folder, tree) = machine();
    let whole = archive(everything(&tree));
    assert!(read(whole.as_slice()).is_ok());
    for length in (0..whole.len()).step_by(11) {
        let said = error(&whole[..length]);
        assert!(said.contains("cut off or damaged"), "{length}: {said}");
    }
}

fn refusal() -> impl Strategy<Value = Refusal> {
    prop_oneof![(1..200i32).prop_map(Refusal::Errno), ".*".prop_map(Refusal::Reason)]
}

fn answer<T: std::fmt::Debug>(good: impl Strategy<Value = T>) -> impl Strategy<Value = Answer<T>> {
    prop_oneof![good.prop_map(Ok), refusal().prop_map(Err)]
}

fn recordings() -> impl Strategy<Value = Recording> {
    use proptest::collection::{btree_map, btree_set, vec};
    let path = || "/[^\0]{0,12}";
    let contents = (vec(any::<u8>(), 0..40), any::<bool>())
        .prop_map(|(bytes, whole)| Contents { bytes, whole });
    let names = btree_set("[a-z0-9:._-]{0,5}x", 0..4).prop_map(|set| set.into_iter().collect());
    let call = proptest::sample::select(&Call::ALL);
    (
        btree_map(path(), answer(contents), 0..6),
        btree_map(path(), answer(names), 0..4),
        btree_map(path(), answer(".*"), 0..4),
        btree_map(path(), answer(path()), 0..4),
        btree_map(path(), any::<bool>(), 0..4),
        btree_map((call, ".*"), answer(".*"), 0..4),
    )
        .prop_map(|(files, folders, links, real_paths, present, calls)| Recording {
            files,
            folders,
            links,
            real_paths,
            present,
            calls,
            ..Recording::default()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(recording in recordings()) {
        let again = read(archive(recording.clone()).as_slice()).unwrap();
        prop_assert_eq!(again.recording, recording);
    }

    #[test]
    fn scrubbing_any_recording_ends_and_keeps_every_question_or_fewer(recording in recordings()) {
        let scrubbed = narrows_capture::scrub(recording.clone(), "1", &[]);
        prop_assert!(scrubbed.recording.len() <= recording.len());
        prop_assert!(read(archive(scrubbed.recording).as_slice()).is_ok());
    }

    #[test]
    fn a_changed_line_is_an_error_or_a_machine_that_can_be_examined(
        at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| unpacked(&archive({ let (_folder, tree) = machine(); everything(&tree) })));
        let mut text = TEXT.clone();
        let at = at.index(text.len());
        text[at] = byte;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&text).unwrap();
        if let Ok(capture) = read(gzip.finish().unwrap().as_slice()) {
            narrows_platform::discover(&Replay::new(capture.recording), &[]);
        }
    }
}
