use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

struct Machine {
    dir: tempfile::TempDir,
    user: ServerUser,
    stop: Stop,
}

impl Machine {
    fn new() -> Machine {
        let dir = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Machine { dir, user: ServerUser::choose().unwrap(), stop: Stop::new() }
    }

    fn program(&self, path: &str, script: &str) -> PathBuf {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Written elsewhere and renamed: a file open for writing in a forked sibling test can't be run.
        fs::write(path.with_extension("new"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path.with_extension("new"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(path.with_extension("new"), &path).unwrap();
        path
    }

    fn server(&self, bin: &str, version: &str) -> PathBuf {
        for name in ["postgres", "initdb"] {
            let script = format!("echo '{name} (PostgreSQL) {version}'");
            self.program(&format!("{bin}/{name}"), &script);
        }
        self.dir.path().join(bin)
    }

    fn search(&self, path: &[&str], usual: &[&str]) -> Search<'_> {
        let full =
            |names: &[&str]| names.iter().map(|n| self.dir.path().join(n)).collect::<Vec<_>>();
        let run_as = RunAs { user: &self.user, stop: &self.stop };
        Search { path: std::env::join_paths(full(path)).unwrap(), usual: full(usual), run_as }
    }

    fn found(&self, search: &Search<'_>) -> ServerBinaries {
        search.find(None, None).unwrap()
    }
}

#[test]
fn the_newest_release_wins_and_path_wins_among_equals() {
    let machine = Machine::new();
    machine.server("old/bin", "15.3");
    let new = machine.server("new/bin", "17.2 (Some 17.2-1)");
    machine.server("same/bin", "17.2");
    machine.server("beta/bin", "18beta1");
    machine.server("ancient/bin", "9.6.1");
    let search =
        machine.search(&["old/bin", "new/bin"], &["same/bin", "beta/bin", "ancient/bin", "none"]);
    let found = machine.found(&search);
    assert_eq!(found.bin_dir, new);
    assert_eq!((found.version.major, found.version.minor), (17, 2));
    assert_eq!(found.version_text, "17.2 (Some 17.2-1)");
    assert_eq!((found.origin, found.build), (Origin::Packaged, None));
}

#[test]
fn a_link_in_path_leads_to_the_folder_with_initdb() {
    let machine = Machine::new();
    let bin = machine.server("lib/17/bin", "17.2");
    fs::create_dir(machine.dir.path().join("links")).unwrap();
    symlink(bin.join("postgres"), machine.dir.path().join("links/postgres")).unwrap();
    assert_eq!(machine.found(&machine.search(&["links"], &["lib/17/bin"])).bin_dir, bin);
}

#[test]
fn pg_config_counts_only_if_it_belongs_to_the_server() {
    let machine = Machine::new();
    let bin = machine.server("lib/17/bin", "17.2");
    let script = |bindir: &Path| {
        format!(
            "case $1 in --bindir) echo {};; --configure) echo \"'--with-x'\";; *) echo -O2;; esac",
            bindir.display()
        )
    };
    machine.program("usr/pg_config", &script(Path::new("/usr/bin")));
    let search = machine.search(&["usr"], &["lib/17/bin"]);
    assert_eq!(machine.found(&search).build, None);
    machine.program("usr/pg_config", &script(&bin));
    let build = machine.found(&search).build;
    assert_eq!(build.as_deref(), Some("CONFIGURE = '--with-x' CFLAGS = -O2"));
}

#[test]
fn what_was_given_is_taken_or_refused_and_nothing_else_is_tried() {
    let machine = Machine::new();
    let old = machine.server("old/bin", "14.1");
    machine.server("new/bin", "17.2");
    let search = machine.search(&["new/bin"], &[]);
    let given = |path: &Path| search.find(Some(path), None);
    for path in [old.clone(), old.join("postgres"), machine.dir.path().join("old")] {
        let found = given(&path).unwrap();
        assert_eq!((found.bin_dir, found.origin), (old.clone(), Origin::Given));
    }
    machine.server("ancient", "9.6.1");
    machine.server("mixed", "16.1");
    machine.program("mixed/initdb", "echo 'initdb (PostgreSQL) 15.1'");
    machine.server("broken", "16.1");
    machine.program("broken/postgres", "echo no library >&2; exit 127");
    machine.program("lonely/postgres", "echo 'postgres (PostgreSQL) 17.1'");
    for (name, why) in [
        ("ancient", "oldest supported"),
        ("mixed", "initdb is 15.1"),
        ("broken", "no library"),
        ("lonely", "no initdb"),
        ("absent", "No such file"),
    ] {
        let error = given(&machine.dir.path().join(name)).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("\nhint: "), "{error}");
    }
}

#[test]
fn the_bundle_is_fetched_only_where_there_is_nothing_else() {
    let machine = Machine::new();
    let bin_dir = machine.server("bundle/bin", "18.6");
    machine.server("some/bin", "13.1");
    let mut fetched = 0;
    let mut fetch = || {
        fetched += 1;
        let (version, source) = ("18.6.0".to_owned(), "x".to_owned());
        Ok(Bundle { bin_dir: bin_dir.clone(), version, source, cached: true })
    };
    let some = machine.search(&[], &["some/bin"]);
    let found = some.find(None, Some(&mut fetch)).unwrap();
    assert_eq!(found.origin, Origin::Packaged);
    let none = machine.search(&[], &[]);
    let found = none.find(None, Some(&mut fetch)).unwrap();
    assert_eq!(fetched, 1);
    assert_eq!((found.origin, found.version.major), (Origin::Bundle, 18));
    assert!(found.build.is_some_and(|build| build.contains("-Os")));
}

#[test]
fn without_any_the_error_names_those_that_did_not_do() {
    let machine = Machine::new();
    machine.server("ancient/bin", "9.6.1");
    let search = machine.search(&["ancient/bin"], &[]);
    let error = search.find(None, None).unwrap_err().to_string();
    assert!(error.contains("ancient/bin won't do: it is version 9.6"), "{error}");
    assert!(error.contains("--postgres"), "{error}");
}

#[test]
fn a_stop_ends_the_search_while_a_program_does_not_answer() {
    let machine = Machine::new();
    machine.server("fine/bin", "17.2");
    machine.server("silent/bin", "17.2");
    // The server's user writes here; the way to the programs stays closed to others, or they would not be run.
    let open = machine.dir.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    // It says so before it falls silent, and only then is there a stop: no time decides.
    let asked = open.join("asked");
    machine.program("silent/bin/postgres", &format!("echo > {}; sleep 600", asked.display()));
    let search = machine.search(&["fine/bin"], &["silent/bin"]);
    let outcome = std::thread::scope(|scope| {
        let outcome = scope.spawn(|| search.find(None, None));
        while !asked.exists() && !outcome.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
        }
        machine.stop.set();
        outcome.join().unwrap()
    });
    assert!(asked.exists(), "the silent program was asked");
    assert!(matches!(outcome, Err(FindError::Stopped)), "{outcome:?}");
}

#[test]
fn patterns_find_folders() {
    let machine = Machine::new();
    for version in ["14", "9.6", "x14"] {
        fs::create_dir_all(machine.dir.path().join(format!("pgsql-{version}/bin"))).unwrap();
    }
    let found = expand(&format!("{}/pgsql-*4/bin", machine.dir.path().display()));
    assert_eq!(found, ["pgsql-14/bin", "pgsql-x14/bin"].map(|name| machine.dir.path().join(name)));
    assert!(expand("/nonexistent/*/bin").is_empty());
}
