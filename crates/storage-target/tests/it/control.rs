//! Questions to a target that serves.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use narrows_initiator::{Association, NvmeTcpPath, PathOptions};
use narrows_io::{Arena, DevicePath as _, Op};

use crate::data::one;
use crate::program::{Program, logged, make_log, refusal, tier_command as tier};

/// Reads or writes the first page.
pub(crate) fn page(path: &mut NvmeTcpPath, op: Op) {
    assert_eq!(one(path, op, 0, 4096), 4096);
}

#[test]
fn logs_and_caches_are_listed_flushed_and_evicted_while_they_serve() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["logged", "cached"] {
        std::fs::write(at(name), vec![0; 1 << 20]).unwrap();
    }
    let media = [at("log")];
    make_log(&at("logged"), &media, &[]);
    let ranges = "cache-keep=0+64KiB,cache-recycle=512KiB+64KiB";
    let cached = format!("{},cache=ram:1MiB,{ranges}", at("cached").display());
    let control = at("control");
    let control = control.to_str().unwrap();
    let program = Program::serving(
        &[&logged(&at("logged"), &media), &cached, "ram:1MiB"],
        &["--control", control],
    );
    let mode = std::fs::metadata(control).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let path_to = |namespace: &str| {
        let association = Arc::new(Association::connect(&program.address(namespace), 1).unwrap());
        association.path(Arena::new(1, 4096, 4096).unwrap(), PathOptions::default()).unwrap()
    };
    let (mut logged, mut cached) = (path_to("ns=1"), path_to("ns=2"));
    page(&mut logged, Op::Write);
    page(&mut cached, Op::Read);
    page(&mut cached, Op::Read);
    let (said, code) = tier(&["flush", "--control", control]);
    assert!(code == Some(0) && said.contains("records moved"), "{said}");
    let (json, code) = tier(&["list", "--json", "--control", control]);
    assert_eq!(code, Some(0), "{json}");
    let list: serde_json::Value = serde_json::from_str(&json).unwrap();
    let (log, cache) = (&list["namespaces"][0]["log"], &list["namespaces"][1]["cache"]);
    assert_eq!((log["state"].as_str(), log["records"].as_u64()), (Some("healthy"), Some(0)));
    assert_eq!(
        (log["appended_bytes"].as_u64(), log["moved_bytes"].as_u64()),
        (Some(8192), Some(4096))
    );
    assert_eq!((cache["hits"].as_u64(), cache["misses"].as_u64()), (Some(1), Some(1)));
    assert_eq!(cache["used_bytes"], 4096);
    let names = [0, 1, 2].map(|number| cache["ranges"][number]["range"].as_str().unwrap());
    assert_eq!(names, ["rest", "keep=0+65536", "recycle=524288+65536"]);
    let kept = &cache["ranges"][1];
    assert_eq!((kept["hits"].as_u64(), kept["used_bytes"].as_u64()), (Some(1), Some(4096)));
    assert_eq!(kept["would_miss"][1]["share"], 0.5);
    assert_eq!(cache["ranges"][0]["would_miss"].as_array().map(Vec::len), Some(0));
    assert!(list["namespaces"][2]["log"].is_null());
    let (text, _) = tier(&["list", "--control", control]);
    for words in [
        "log    healthy",
        "         on file\n",
        "cache  4.0 KiB of 1.0 MiB used",
        "50.0 % of them hits",
        "         recycle=524288+65536: 0 bytes used; no reads yet",
        "nothing in front",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let of = |nsid| tier(&["resize", "--size", "8MiB", "--nsid", nsid, "--control", control]);
    let (said, code) = of("1");
    assert!(code == Some(2) && said.contains("a log, and no cache\nhint: `--log`"), "{said}");
    let (said, code) = of("3");
    assert!(code == Some(2) && said.contains("no such namespace has a cache"), "{said}");
    let resize = |size| tier(&["resize", "--size", size, "--control", control]);
    let (said, code) = resize("512KiB");
    assert!(code == Some(0) && said.contains("room for 128 pages, 1 used"), "{said}");
    let (said, code) = resize("8MiB");
    assert!(code == Some(2) && said.contains("262144 to 4194304 bytes"), "{said}");
    page(&mut cached, Op::Read);
    let (said, code) = tier(&["evict", "--control", control]);
    assert!(code == Some(0) && said.contains("1 pages evicted"), "{said}");
    let (said, code) = tier(&["evict", "--nsid", "1", "--control", control]);
    assert!(code == Some(2) && said.contains("no such namespace has a cache"), "{said}");
    // A second target finds it taken, and one that is gone leaves nothing.
    let other = ["--subsystem", crate::program::NQN, "--allow-any-host", "--namespace", "ram:1MiB"];
    let other: Vec<&str> =
        other.into_iter().chain(["--listen", "127.0.0.1:0", "--control", control]).collect();
    let (said, code) = refusal(&other);
    assert!(code == Some(2) && said.contains("another target listens there"), "{said}");
    drop((logged, cached));
    program.stop();
    let (said, code) = tier(&["list", "--control", control]);
    assert!(code == Some(2) && said.contains("--control FILE"), "{said}");
    // Nothing but a socket is taken away.
    std::fs::write(control, "mine").unwrap();
    let (said, _) = refusal(&other);
    assert!(said.contains("something else is there"), "{said}");
    assert_eq!(std::fs::read(control).unwrap(), b"mine");
}

#[test]
fn a_namespace_with_both_is_listed_flushed_evicted_and_resized() {
    let folder = tempfile::tempdir().unwrap();
    let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    make_log(&file, &media, &[]);
    let control = folder.path().join("control");
    let control = control.to_str().unwrap();
    let namespace = format!("{},cache=ram:1MiB", logged(&file, &media));
    let program = Program::serving(&[&namespace], &["--control", control]);
    let association = Arc::new(Association::connect(&program.address(""), 1).unwrap());
    let mut path =
        association.path(Arena::new(1, 4096, 4096).unwrap(), PathOptions::default()).unwrap();
    // A miss, a write that the cache takes over, a hit; and then what the log has, through a cache that was emptied.
    page(&mut path, Op::Read);
    path.buffer(0)[..4096].fill(7);
    page(&mut path, Op::Write);
    page(&mut path, Op::Read);
    let list = || {
        let (json, code) = tier(&["list", "--json", "--control", control]);
        assert_eq!(code, Some(0), "{json}");
        let list: serde_json::Value = serde_json::from_str(&json).unwrap();
        list["namespaces"][0].clone()
    };
    let its = list();
    let (log, cache) = (&its["log"], &its["cache"]);
    assert_eq!(log["appended_bytes"], 8192);
    let of_cache = |key: &str| cache[key].as_u64().unwrap();
    assert_eq!([of_cache("hits"), of_cache("misses"), of_cache("used_bytes")], [1, 1, 4096]);
    let (said, code) = tier(&["evict", "--control", control]);
    assert!(code == Some(0) && said.contains("1 pages evicted"), "{said}");
    page(&mut path, Op::Read);
    assert_eq!(path.buffer(0)[..4096], [7; 4096]);
    let (said, code) = tier(&["flush", "--control", control]);
    assert!(code == Some(0) && said.contains("records moved"), "{said}");
    assert_eq!(std::fs::read(&file).unwrap()[..4096], [7; 4096]);
    let (said, code) = tier(&["resize", "--size", "512KiB", "--control", control]);
    assert!(code == Some(0) && said.contains("room for 128 pages, 1 used"), "{said}");
    page(&mut path, Op::Read);
    assert_eq!(path.buffer(0)[..4096], [7; 4096]);
    let (its, hits) = (list(), 2);
    assert_eq!(
        (its["log"]["records"].as_u64(), its["cache"]["hits"].as_u64()),
        (Some(0), Some(hits))
    );
    let (text, _) = tier(&["list", "--control", control]);
    assert!(
        text.contains("log    healthy") && text.contains("cache  4.0 KiB of 512.0 KiB"),
        "{text}"
    );
    drop(path);
    program.stop();
}
