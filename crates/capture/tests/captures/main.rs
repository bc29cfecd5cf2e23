//! Captures of made machines and of this one: what is in them, what isn't, and what becomes of damaged ones.

mod hostile;
mod made;
mod secrets;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use narrows_capture::{Capture, Header, RolePlace, SCHEMA, Scrubbed, scrub};
use narrows_facts::{Live, Recorder, Recording, Replay};
use narrows_model::{Platform, Role, Tool};

/// A header that says little.
fn header() -> Header {
    Header {
        schema: SCHEMA.to_string(),
        tool: Tool { name: "narrows".into(), version: "0".into() },
        captured_at: "2026-01-01T00:00:00Z".into(),
        privileged: false,
        roles: vec![RolePlace { role: Role::Data, path: "/srv".into() }],
        machine: None,
        replaced: BTreeMap::new(),
        left_out: Vec::new(),
    }
}

fn archive(recording: Recording) -> Vec<u8> {
    let capture = Capture { header: header(), recording };
    narrows_capture::write(&capture, Vec::new()).unwrap()
}

fn unpacked(archive: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(archive).read_to_end(&mut text).unwrap();
    text
}

#[test]
fn this_machine_scrubbed_packed_and_read_again_is_the_same_but_for_its_names() {
    let here = std::env::current_dir().unwrap();
    let roles = [(Role::Data, here.as_path())];
    let recorder = Recorder::new(&Live);
    let live = narrows_platform::discover(&recorder, &roles);
    let place = here.display().to_string();
    let Scrubbed { recording, paths, .. } = scrub(recorder.finish(), "5a17", &[place]);
    let capture = narrows_capture::read(archive(recording.clone()).as_slice()).unwrap();
    assert_eq!(capture, Capture { header: header(), recording });

    let replay = Replay::new(capture.recording);
    let again = narrows_platform::discover(&replay, &[(Role::Data, Path::new(&paths[0]))]);
    assert_eq!(replay.unasked().into_iter().collect::<Vec<_>>(), Vec::<String>::new());
    assert_ne!((&again.hostname, &again.boot_id), (&live.hostname, &live.boot_id));
    assert_eq!(nameless(again), nameless(live));
}

/// Without what a capture replaces.
fn nameless(platform: Platform) -> Platform {
    let mut platform = Platform { hostname: None, machine: None, boot_id: None, ..platform };
    for role in &mut platform.roles {
        role.path.clear();
        role.file_system.mount_point.clear();
        role.file_system.source.clear();
        role.file_system.options.clear();
    }
    for server in &mut platform.databases {
        server.data_dir = None;
    }
    platform.unknown.clear();
    platform
}
