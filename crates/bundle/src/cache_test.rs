use super::*;
use crate::testing;

struct Case {
    dir: tempfile::TempDir,
    pin: Pin,
    jar: Vec<u8>,
}

impl Case {
    fn new() -> Case {
        let jar = testing::jar(&testing::bundle());
        Case { dir: tempfile::tempdir().unwrap(), pin: testing::pin(&jar), jar }
    }

    fn cache(&self) -> PathBuf {
        self.dir.path().join("cache/postgresql")
    }

    /// A repository in a folder, with `content` where the jar belongs.
    fn mirror(&self, content: &[u8]) -> Origin {
        let base = format!("file://{}", self.dir.path().join("maven").display());
        let Ok(JarSource::File(path)) = download::place(&self.pin, Some(&base)) else { panic!() };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        Origin::Registry { mirror: Some(base) }
    }

    fn no_mirror(&self) -> Origin {
        Origin::Registry { mirror: Some("file:///nonexistent".to_owned()) }
    }

    fn ensure(&self, origin: &Origin) -> Result<Bundle, BundleError> {
        ensure(self.pin, &self.cache(), origin, &|| false, &mut |_, _| {})
    }

    /// Names in the cache except the lock.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.cache())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != LOCK)
            .collect();
        names.sort();
        names
    }
}

#[test]
fn fetched_once_then_used_without_the_repository() {
    let case = Case::new();
    let first = case.ensure(&case.mirror(&case.jar)).unwrap();
    assert!(!first.cached);
    assert_eq!(first.version, "99.1.0");
    assert!(first.bin_dir.join("postgres").is_file());
    assert!(first.source.contains(case.pin.sha256), "{}", first.source);
    assert_eq!(case.names(), ["99.1.0-amd64".to_owned(), case.pin.jar_name()]);

    let second = case.ensure(&case.no_mirror()).unwrap();
    assert_eq!(second, Bundle { cached: true, ..first });
}

#[test]
fn a_damaged_cache_is_noticed_and_repaired_from_the_kept_jar() {
    let case = Case::new();
    let bundle = case.ensure(&case.mirror(&case.jar)).unwrap();
    let program = bundle.bin_dir.join("postgres");
    let good = fs::read(&program).unwrap();
    let mut bad = good.clone();
    bad[3] ^= 1; // Same length: only the digest can tell.
    fs::write(&program, &bad).unwrap();

    assert!(!case.ensure(&case.no_mirror()).unwrap().cached);
    assert_eq!(fs::read(&program).unwrap(), good);
    assert_eq!(case.names().len(), 2, "{:?}", case.names());

    fs::remove_file(bundle.bin_dir.parent().unwrap().join("lib/liba.so")).unwrap();
    assert!(!case.ensure(&case.no_mirror()).unwrap().cached);
    assert!(case.ensure(&case.no_mirror()).unwrap().cached);
}

#[test]
fn corrupted_and_cut_content_is_refused_before_anything_is_unpacked() {
    let case = Case::new();
    let mut flipped = case.jar.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    let cut = &case.jar[..case.jar.len() - 1];
    for content in [flipped.as_slice(), cut, b""] {
        let error = case.ensure(&case.mirror(content)).unwrap_err();
        assert!(matches!(error, BundleError::Mismatch { .. }), "{error}");
        assert!(error.to_string().contains("\nhint: "), "{error}");
        assert!(case.names().is_empty(), "{:?}", case.names());
    }
    // The same through a jar given by path.
    let jar = case.dir.path().join("given.jar");
    fs::write(&jar, &flipped).unwrap();
    let error = case.ensure(&Origin::Jar(jar)).unwrap_err();
    assert!(matches!(error, BundleError::Mismatch { .. }), "{error}");
    assert!(case.names().is_empty());
}

#[test]
fn a_hostile_archive_with_the_right_digest_leaves_nothing() {
    let mut case = Case::new();
    let mut entries = testing::bundle();
    entries.push(testing::Entry::File { name: "../../evil", content: b"x", mode: 0o755 });
    case.jar = testing::jar(&entries);
    case.pin = testing::pin(&case.jar);
    let jar = case.dir.path().join("given.jar");
    fs::write(&jar, &case.jar).unwrap();
    let error = case.ensure(&Origin::Jar(jar)).unwrap_err();
    assert!(matches!(error, BundleError::Archive { .. }), "{error}");
    assert!(case.names().is_empty(), "{:?}", case.names());
    assert!(!case.dir.path().join("evil").exists());
}

#[test]
fn a_jar_without_a_server_is_refused() {
    let mut case = Case::new();
    case.jar = testing::jar(&testing::bundle()[1..]);
    case.pin = testing::pin(&case.jar);
    let error = case.ensure(&case.mirror(&case.jar)).unwrap_err().to_string();
    assert!(error.contains("no bin/postgres"), "{error}");
}

#[test]
fn a_jar_given_by_path_or_put_into_the_cache_needs_no_repository() {
    let case = Case::new();
    let jar = case.dir.path().join("given.jar");
    fs::write(&jar, &case.jar).unwrap();
    assert!(!case.ensure(&Origin::Jar(jar)).unwrap().cached);
    assert!(case.ensure(&case.no_mirror()).unwrap().cached);

    let other = Case::new();
    fs::create_dir_all(other.cache()).unwrap();
    fs::write(other.cache().join(other.pin.jar_name()), &other.jar).unwrap();
    assert!(!other.ensure(&other.no_mirror()).unwrap().cached);
}

#[test]
fn without_a_repository_the_error_says_where_to_put_the_jar() {
    let case = Case::new();
    let error = case.ensure(&case.no_mirror()).unwrap_err().to_string();
    assert!(error.contains("--postgres"), "{error}");
    assert!(
        error.contains(&case.cache().join(case.pin.jar_name()).display().to_string()),
        "{error}"
    );
}

#[test]
fn leftovers_of_a_killed_process_are_removed() {
    let case = Case::new();
    fs::create_dir_all(case.cache().join(format!("{PART}1/bin"))).unwrap();
    fs::write(case.cache().join(format!("{PART}1.jar")), b"half").unwrap();
    case.ensure(&case.mirror(&case.jar)).unwrap();
    assert_eq!(case.names().len(), 2, "{:?}", case.names());
}

#[test]
fn a_cache_that_others_may_write_to_is_refused_and_left_as_it_is() {
    for inner in [false, true] {
        let case = Case::new();
        case.ensure(&case.mirror(&case.jar)).unwrap();
        let open = if inner { case.cache().join(case.pin.folder()) } else { case.cache() };
        fs::set_permissions(&open, Permissions::from_mode(0o1777)).unwrap();
        let error = case.ensure(&case.no_mirror()).unwrap_err();
        assert!(matches!(error, BundleError::Untrusted { .. }), "{error}");
        assert_eq!(fs::metadata(&open).unwrap().permissions().mode() & 0o7777, 0o1777);
    }
}

#[test]
fn many_at_once_unpack_it_once() {
    let case = Case::new();
    let origin = case.mirror(&case.jar);
    let fresh = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| case.ensure(&origin).unwrap())).collect();
        runs.into_iter().map(|run| run.join().unwrap()).filter(|b| !b.cached).count()
    });
    assert_eq!(fresh, 1);
}

#[test]
fn a_parent_of_the_cache_that_others_may_change_is_refused_and_a_sticky_one_is_not() {
    let case = Case::new();
    case.ensure(&case.mirror(&case.jar)).unwrap();
    let parent = case.dir.path().join("cache");
    for (mode, trusted) in [(0o755, true), (0o1777, true), (0o777, false), (0o775, false)] {
        fs::set_permissions(&parent, Permissions::from_mode(mode)).unwrap();
        let found = case.ensure(&case.no_mirror());
        assert_eq!(found.is_ok(), trusted, "{mode:o}: {found:?}");
        if let Err(error) = found {
            let said = error.to_string();
            assert!(said.contains(&format!("{}: others may", parent.display())), "{said}");
            assert!(said.contains("\nhint: "), "{said}");
        }
    }
}

/// Users and links of others take root to be made.
fn is_root() -> bool {
    let root = narrows_files::euid() == 0;
    if !root {
        eprintln!("SKIPPED: needs root, to make folders and links of another user");
    }
    root
}

const NOBODY: u32 = 65_534;

#[test]
fn a_link_or_a_folder_of_another_user_on_the_way_is_refused_and_our_own_link_is_followed() {
    if !is_root() {
        return;
    }
    let case = Case::new();
    case.ensure(&case.mirror(&case.jar)).unwrap();
    let real = case.dir.path().join("cache");
    let link = case.dir.path().join("link");
    std::os::unix::fs::symlink("cache", &link).unwrap();
    let through =
        || ensure(case.pin, &link.join("postgresql"), &case.no_mirror(), &|| false, &mut |_, _| {});
    assert!(through().unwrap().cached);
    std::os::unix::fs::lchown(&link, Some(NOBODY), None).unwrap();
    let error = through().unwrap_err();
    assert!(matches!(&error, BundleError::Untrusted { path, .. } if *path == link), "{error}");
    // A link behind an honest link.
    let outer = case.dir.path().join("outer");
    std::os::unix::fs::symlink(&link, &outer).unwrap();
    let cache = outer.join("postgresql");
    let error = ensure(case.pin, &cache, &case.no_mirror(), &|| false, &mut |_, _| {}).unwrap_err();
    assert!(matches!(&error, BundleError::Untrusted { path, .. } if *path == link), "{error}");
    std::os::unix::fs::chown(&real, Some(NOBODY), None).unwrap();
    let error = case.ensure(&case.no_mirror()).unwrap_err();
    assert!(matches!(&error, BundleError::Untrusted { path, .. } if *path == real), "{error}");
}

#[test]
fn a_planted_lock_or_part_is_not_written_through() {
    let case = Case::new();
    fs::create_dir_all(case.cache()).unwrap();
    let victim = case.dir.path().join("victim");
    fs::write(&victim, "PRECIOUS").unwrap();
    let part = case.cache().join(format!("{PART}{}.jar", std::process::id()));
    std::os::unix::fs::symlink(&victim, &part).unwrap();
    case.ensure(&case.mirror(&case.jar)).unwrap();
    fs::remove_dir_all(case.cache()).unwrap();
    fs::create_dir_all(case.cache()).unwrap();
    std::os::unix::fs::symlink(&victim, case.cache().join(LOCK)).unwrap();
    let error = case.ensure(&case.mirror(&case.jar)).unwrap_err();
    assert!(matches!(error, BundleError::Cache { doing: "lock", .. }), "{error}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "PRECIOUS");
}

#[test]
fn a_stop_ends_the_waiting_for_another_process_that_fills_the_cache() {
    let case = Case::new();
    fs::create_dir_all(case.cache()).unwrap();
    let held = File::create(case.cache().join(LOCK)).unwrap();
    held.lock().unwrap();
    let looked = std::cell::Cell::new(0);
    let stop = || {
        looked.set(looked.get() + 1);
        looked.get() > 2
    };
    let waited = ensure(case.pin, &case.cache(), &case.mirror(&case.jar), &stop, &mut |_, _| {});
    assert!(matches!(waited, Err(BundleError::Stopped)), "{waited:?}");
}
