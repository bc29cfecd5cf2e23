//! What somebody with rights in the same folder may try, tried.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use narrows_files::{
    Access, Dir, Refused, copy_tree, create_new, open_existing, read, read_private_text,
    remove_file, reopen,
};

const NOBODY: u32 = 65_534;

fn root() -> bool {
    let root = fs::metadata("/proc/self").is_ok_and(|us| us.uid() == 0);
    if !root {
        eprintln!("SKIPPED: needs root, to be another user than the one who made the links");
    }
    root
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// A file that must stay as it is, beside the folder that is attacked.
fn victim(dir: &Path) -> PathBuf {
    let path = dir.join("victim");
    fs::write(&path, "PRECIOUS").unwrap();
    path
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[test]
fn a_link_where_a_file_is_made_opened_or_removed_is_not_followed() {
    let dir = folder();
    let victim = victim(dir.path());
    let link = dir.path().join("link");
    symlink(&victim, &link).unwrap();
    assert_eq!(
        create_new(&link, Access::Write, 0o600).unwrap_err().kind(),
        ErrorKind::AlreadyExists
    );
    assert!(open_existing(&link, Access::Write).is_err());
    assert!(open_existing(&link, Access::Append).is_err());
    let open = Dir::open(dir.path()).unwrap();
    assert!(
        open.create_new("link", 0o600).is_err() && open.open_file("link", Access::Write).is_err()
    );
    remove_file(&link).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "PRECIOUS");
    symlink(dir.path().join("nowhere"), &link).unwrap();
    assert!(create_new(&link, Access::Write, 0o600).is_err(), "a link to nowhere is no free place");
    assert!(!dir.path().join("nowhere").exists());
}

#[test]
fn a_pipe_socket_or_folder_in_the_place_of_a_file_makes_nobody_wait() {
    let dir = folder();
    pipe(&dir.path().join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    for name in ["pipe", "socket", "folder"] {
        let path = dir.path().join(name);
        for access in [Access::Read, Access::Write, Access::Append] {
            assert!(open_existing(&path, access).is_err(), "{name} {access:?}");
        }
        assert!(read(&path, 1 << 20).is_err(), "{name}");
    }
    assert!(open_existing(&dir.path().join("pipe/"), Access::Read).is_err());
}

#[test]
fn a_link_of_another_user_on_the_way_is_refused_and_named_and_our_own_is_followed() {
    let dir = folder();
    fs::create_dir(dir.path().join("real")).unwrap();
    symlink("real", dir.path().join("way")).unwrap();
    create_new(&dir.path().join("way/ours"), Access::Write, 0o600).unwrap();
    Dir::open(&dir.path().join("way")).unwrap();
    if !root() {
        return;
    }
    lchown(dir.path().join("way"), Some(NOBODY), Some(NOBODY)).unwrap();
    for tried in [
        create_new(&dir.path().join("way/theirs"), Access::Write, 0o600).map(|_| ()),
        open_existing(&dir.path().join("way/ours"), Access::Write).map(|_| ()),
        remove_file(&dir.path().join("way/ours")),
        Dir::open(&dir.path().join("way")).map(|_| ()),
        Dir::create(&dir.path().join("way/inner"), 0o700).map(|_| ()),
        Dir::create_all(&dir.path().join("way/a/b"), 0o700).map(|_| ()),
    ] {
        let error = tried.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        let text = error.to_string();
        assert!(
            text.contains("`way`") && text.contains("65534") && text.contains("real"),
            "{text}"
        );
    }
    assert_eq!(fs::read_dir(dir.path().join("real")).unwrap().count(), 1);
}

#[test]
fn links_go_as_far_as_the_kernel_goes() {
    let dir = folder();
    symlink("b", dir.path().join("a")).unwrap();
    symlink("a", dir.path().join("b")).unwrap();
    let error = Dir::open(&dir.path().join("a")).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ELOOP));
    fs::create_dir_all(dir.path().join("x/y")).unwrap();
    symlink("../x/./y", dir.path().join("x/up")).unwrap();
    symlink(dir.path().join("x/up"), dir.path().join("absolute")).unwrap();
    create_new(&dir.path().join("absolute/../y/f"), Access::Write, 0o600).unwrap();
    assert!(dir.path().join("x/y/f").exists());
}

#[test]
fn a_folder_is_the_one_that_was_opened_whatever_its_path_means_now() {
    let dir = folder();
    let victim = dir.path().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("data"), "PRECIOUS").unwrap();
    let ours = Dir::create(&dir.path().join("ours"), 0o711).unwrap();
    drop(ours.create_new("data", 0o600).unwrap());
    assert!(ours.is_where_it_was());
    fs::rename(dir.path().join("ours"), dir.path().join("away")).unwrap();
    fs::rename(&victim, dir.path().join("ours")).unwrap();
    assert!(!ours.is_where_it_was());
    ours.remove_tree("data").unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("ours/data")).unwrap(), "PRECIOUS");
    assert_eq!(fs::read_dir(dir.path().join("away")).unwrap().count(), 0);
}

#[test]
fn a_file_is_opened_again_only_as_itself() {
    let dir = folder();
    let path = dir.path().join("data");
    let file = create_new(&path, Access::Write, 0o600).unwrap();
    reopen(&file, &path, Access::WriteWith(libc::O_DSYNC)).unwrap();
    let victim = victim(dir.path());
    fs::rename(&victim, &path).unwrap();
    let error = reopen(&file, &path, Access::Write).unwrap_err();
    assert!(error.to_string().contains("another file"), "{error}");
}

#[test]
fn removing_a_tree_follows_no_link() {
    let dir = folder();
    let outside = dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let victim = victim(&outside);
    let tree = dir.path().join("tree");
    fs::create_dir_all(tree.join("a/b/c")).unwrap();
    fs::write(tree.join("a/b/file"), "x").unwrap();
    symlink(&outside, tree.join("a/link")).unwrap();
    symlink(&victim, tree.join("a/b/c/link")).unwrap();
    pipe(&tree.join("a/pipe"));
    let above = Dir::open(dir.path()).unwrap();
    above.remove_tree("tree").unwrap();
    assert!(!tree.exists());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "PRECIOUS");
    symlink(&outside, &tree).unwrap();
    above.remove_tree("tree").unwrap();
    assert!(fs::symlink_metadata(&tree).is_err() && victim.exists());
}

/// Ends the attacker also where the attacked side fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The attacker swaps a folder of the tree with a link to the victim's, as fast as it can, while trees are removed. What is decided
/// is that nothing outside was touched, not which of the two was faster.
#[test]
fn swapping_a_folder_with_a_link_while_its_tree_is_removed_gains_nothing() {
    let dir = folder();
    let outside = dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    for n in 0..20 {
        fs::write(outside.join(format!("precious-{n}")), "x").unwrap();
    }
    let tree = dir.path().join("tree");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _over = Over(&over);
        scope.spawn(|| {
            let (inner, aside) = (tree.join("inner"), dir.path().join("aside"));
            while !over.load(Ordering::Relaxed) {
                if fs::rename(&inner, &aside).is_ok() {
                    let _ = symlink(&outside, &inner);
                    let _ = fs::remove_dir_all(&aside);
                }
            }
        });
        let above = Dir::open(dir.path()).unwrap();
        for round in 0..100 {
            // Made aside: the attacker would otherwise lead the making out of the tree.
            let made = dir.path().join(format!("made-{round}"));
            fs::create_dir_all(made.join("inner/deeper")).unwrap();
            for n in 0..20 {
                fs::write(made.join(format!("inner/deeper/{n}")), "x").unwrap();
            }
            above.rename(made.file_name().unwrap(), "tree").unwrap();
            let removed = (0..100).any(|_| above.remove_tree("tree").is_ok());
            assert!(removed && !tree.exists());
        }
    });
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 20);
}

/// Deeper than a process may have files open, and than its stack may be deep.
#[test]
fn no_depth_of_a_tree_stops_its_removal() {
    let dir = folder();
    let above = Dir::open(dir.path()).unwrap();
    let mut at = above.create_dir("tree", 0o700).unwrap();
    for _ in 0..3000 {
        drop(at.create_new("file", 0o600).unwrap());
        at = at.create_dir("d", 0o700).unwrap();
    }
    drop(at);
    above.remove_tree("tree").unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// The attacker may rename in the folder above: what stands under the new folder's name when it is opened is looked at.
#[test]
fn a_folder_that_was_put_in_the_place_of_the_new_one_is_left_alone() {
    let dir = folder();
    let (precious, new) = (dir.path().join("precious"), dir.path().join("new"));
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("file"), "PRECIOUS").unwrap();
    fs::set_permissions(&precious, fs::Permissions::from_mode(0o700)).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _over = Over(&over);
        scope.spawn(|| {
            let name = |path: &Path| std::ffi::CString::new(path.to_str().unwrap()).unwrap();
            let (precious, new) = (name(&precious), name(&new));
            while !over.load(Ordering::Relaxed) {
                // SAFETY: both names end with a zero and live for the whole call.
                unsafe {
                    libc::renameat2(
                        libc::AT_FDCWD,
                        precious.as_ptr(),
                        libc::AT_FDCWD,
                        new.as_ptr(),
                        libc::RENAME_EXCHANGE,
                    )
                };
            }
        });
        for _ in 0..2000 {
            if let Ok(made) = Dir::create(&new, 0o711) {
                assert!(made.names().unwrap().is_empty(), "it is not the new one");
            }
            // Whichever of the two is empty goes.
            let _ = fs::remove_dir(&new);
            let _ = fs::remove_dir(&precious);
        }
    });
    let kept = [&precious, &new].into_iter().find(|place| place.join("file").exists()).unwrap();
    assert_eq!(fs::read_to_string(kept.join("file")).unwrap(), "PRECIOUS");
    assert_eq!(fs::metadata(kept).unwrap().mode() & 0o777, 0o700, "its mode was changed");
}

#[test]
fn what_is_mounted_in_a_tree_stays() {
    let dir = folder();
    let (inner, elsewhere) = (dir.path().join("tree/inner"), dir.path().join("elsewhere"));
    fs::create_dir_all(&inner).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    // Another file system, and a folder of the same one.
    for (option, source) in [("-ttmpfs", Path::new("none")), ("--bind", &elsewhere)] {
        let mount = Command::new("mount").arg(option).arg(source).arg(&inner).status();
        if !mount.is_ok_and(|status| status.success()) {
            return eprintln!("SKIPPED: nothing can be mounted here");
        }
        fs::write(inner.join("theirs"), "PRECIOUS").unwrap();
        let removed = Dir::open(dir.path()).unwrap().remove_tree("tree");
        let kept = fs::read_to_string(inner.join("theirs"));
        let unmounted = Command::new("umount").arg(&inner).status().unwrap();
        assert!(unmounted.success());
        assert!(removed.unwrap_err().to_string().contains("mounted"), "{option}");
        assert_eq!(kept.unwrap(), "PRECIOUS", "{option}");
    }
}

/// Whoever owns a folder decides what lies in it: a folder of a third user's, moved there, would be emptied with our rights.
#[test]
fn nothing_is_removed_inside_a_folder_of_somebody_else() {
    let dir = folder();
    let theirs = dir.path().join("tree/theirs");
    fs::create_dir_all(&theirs).unwrap();
    fs::write(theirs.join("file"), "PRECIOUS").unwrap();
    if std::os::unix::fs::chown(&theirs, Some(NOBODY), None).is_err() {
        return eprintln!("SKIPPED: only root gives folders away");
    }
    let above = Dir::open(dir.path()).unwrap();
    let error = above.remove_tree("tree").unwrap_err();
    assert!(error.to_string().contains("belongs to user 65534"), "{error}");
    assert_eq!(fs::read_to_string(theirs.join("file")).unwrap(), "PRECIOUS");
    // Its owner's rights are enough, whoever made what is in it.
    let open = above.open_dir("tree").unwrap().open_dir("theirs").unwrap();
    open.empty().unwrap();
    above.open_dir("tree").unwrap().remove_empty_dir("theirs").unwrap();
    above.remove_tree("tree").unwrap();
}

#[test]
fn a_copy_takes_plain_files_and_follows_no_link() {
    let (from, to) = (folder(), folder());
    fs::create_dir_all(from.path().join("base/1")).unwrap();
    fs::write(from.path().join("base/1/2"), "rows").unwrap();
    fs::set_permissions(from.path().join("base/1/2"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(from.path().join("pg_wal"), "theirs").unwrap();
    fs::create_dir(to.path().join("old")).unwrap();
    fs::write(to.path().join("pg_wal"), "ours").unwrap();
    let open = |dir: &tempfile::TempDir| Dir::open(dir.path()).unwrap();
    copy_tree(&open(&from), &open(&to), &["pg_wal"]).unwrap();
    let text = |name: &str| fs::read_to_string(to.path().join(name)).unwrap();
    assert_eq!((text("base/1/2").as_str(), text("pg_wal").as_str()), ("rows", "ours"));
    assert!(!to.path().join("old").exists());
    let mode = fs::metadata(to.path().join("base/1/2")).unwrap().mode() & 0o777;
    assert_eq!(mode, 0o640);

    let victim = victim(from.path());
    symlink(&victim, from.path().join("base/link")).unwrap();
    assert!(copy_tree(&open(&from), &open(&to), &[]).is_err());
    // In the target too, between the look and the write: what is there is never written through.
    fs::remove_file(from.path().join("base/link")).unwrap();
    let elsewhere = to.path().join("elsewhere");
    symlink(&elsewhere, to.path().join("kept")).unwrap();
    fs::write(from.path().join("kept"), "x").unwrap();
    copy_tree(&open(&from), &open(&to), &["kept"]).unwrap();
    assert!(!elsewhere.exists());
}

#[test]
fn input_without_end_is_refused() {
    let dir = folder();
    assert!(matches!(read(Path::new("/dev/zero"), 1 << 20), Err(Refused::NotPlain(_))));
    assert!(matches!(read(dir.path(), 1 << 20), Err(Refused::NotPlain(_))));
    pipe(&dir.path().join("pipe"));
    assert!(matches!(read(&dir.path().join("pipe"), 1 << 20), Err(Refused::NotPlain(_))));
    symlink("/dev/zero", dir.path().join("link")).unwrap();
    assert!(matches!(read(&dir.path().join("link"), 1 << 20), Err(Refused::NotPlain(_))));
    let long = dir.path().join("long");
    fs::File::create(&long).unwrap().set_len((1 << 20) + 1).unwrap();
    assert!(matches!(read(&long, 1 << 20), Err(Refused::Long { .. })));
    assert_eq!(read(&long, 2 << 20).unwrap().len(), (1 << 20) + 1);
    // A file of the kernel says that it has no length.
    assert!(!read(Path::new("/proc/self/status"), 1 << 20).unwrap().is_empty());
    assert!(matches!(read(Path::new("/proc/self/status"), 10), Err(Refused::Long { .. })));
    assert!(matches!(read(&dir.path().join("none"), 10), Err(Refused::System(_))));
}

#[test]
fn a_secret_is_read_from_its_owner_s_file_alone() {
    let dir = folder();
    let path = dir.path().join("key");
    fs::write(&path, "S3cret").unwrap();
    for (mode, allowed) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        match read_private_text(&path, 100) {
            Ok(text) => assert!(allowed && text == "S3cret"),
            Err(refused) => {
                assert!(
                    !allowed && matches!(refused, Refused::Others { mode: its } if its == mode)
                );
                assert!(refused.to_string().contains("chmod 600"), "{refused}");
            }
        }
    }
    if root() {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        lchown(&path, Some(NOBODY), None).unwrap();
        let refused = read_private_text(&path, 100).unwrap_err();
        assert!(matches!(refused, Refused::NotOurs { owner: NOBODY }), "{refused}");
    }
}

#[test]
fn a_name_is_one_name() {
    let dir = folder();
    let open = Dir::open(dir.path()).unwrap();
    for name in ["", ".", "..", "a/b", "/a", "a/", "../x"] {
        assert_eq!(
            open.create_new(name, 0o600).unwrap_err().kind(),
            ErrorKind::InvalidInput,
            "{name}"
        );
        assert_eq!(open.remove_tree(name).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        assert!(open.open_dir(name).is_err(), "{name}");
    }
}

/// As folders are in which everybody may put something and nobody may look.
#[test]
fn a_folder_that_may_not_be_listed_can_be_written_to() {
    let dir = folder();
    let drop_box = Dir::create(&dir.path().join("box"), 0o300).unwrap();
    drop_box.create_new("x", 0o600).unwrap();
    create_new(&dir.path().join("box/y"), Access::Write, 0o600).unwrap();
    if !root() {
        assert!(drop_box.names().is_err());
    }
    drop_box.set_mode(0o700).unwrap_or_else(|_| {
        fs::set_permissions(dir.path().join("box"), fs::Permissions::from_mode(0o700)).unwrap();
    });
}

#[test]
fn modes_are_those_asked_for() {
    let dir = folder();
    for mode in [0o711, 0o700, 0o755] {
        let made = Dir::create(&dir.path().join(format!("{mode:o}")), mode).unwrap();
        assert_eq!(made.mode().unwrap(), mode);
    }
    let all = Dir::create_all(&dir.path().join("a/b/c"), 0o755).unwrap();
    assert_eq!(all.mode().unwrap(), 0o755);
    Dir::create_all(&dir.path().join("a/b/c"), 0o700).unwrap();
    assert_eq!(all.mode().unwrap(), 0o755, "what exists stays as it is");
}
