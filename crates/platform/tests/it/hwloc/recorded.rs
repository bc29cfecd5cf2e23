//! A machine that was recorded, scrubbed, packed and read again is the machine.

use std::collections::BTreeMap;

use narrows_capture::{Capture, Header, SCHEMA, Scrubbed, scrub};
use narrows_facts::{Recorder, Replay, Tree};
use narrows_model::{Platform, Tool};

/// The largest archive of these machines may have this many bytes.
const SMALL: usize = 256 << 10;

pub fn check(name: &str, tree: &Tree, platform: &Platform) {
    let recorder = Recorder::new(tree);
    assert_eq!(narrows_platform::discover(&recorder, &[]), *platform, "{name}: recorded");
    let Scrubbed { recording, .. } = scrub(recorder.finish(), "5a17", &[]);
    let header = Header {
        schema: SCHEMA.to_string(),
        tool: Tool { name: "narrows".into(), version: "0".into() },
        captured_at: String::new(),
        privileged: false,
        roles: Vec::new(),
        machine: None,
        replaced: BTreeMap::new(),
        left_out: Vec::new(),
    };
    let archive = narrows_capture::write(&Capture { header, recording }, Vec::new()).unwrap();
    assert!(archive.len() < SMALL, "{name}: {} bytes", archive.len());
    let replay = Replay::new(narrows_capture::read(archive.as_slice()).unwrap().recording);
    let again = narrows_platform::discover(&replay, &[]);
    assert!(replay.unasked().is_empty(), "{name}: {:?}", replay.unasked());
    assert_eq!(nameless(again), nameless(platform.clone()), "{name}: from its archive");
}

/// Without what a capture replaces.
fn nameless(platform: Platform) -> Platform {
    Platform { hostname: None, machine: None, boot_id: None, ..platform }
}
