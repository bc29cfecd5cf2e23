//! What the server's user can do in the folders that were handed to it, done at the very moment: `initdb` and `postgres` are programs of
//! the attacker's here.

use narrows_engine::Scratch;
use narrows_files::Dir;

use super::super::leftovers::Leftovers;
use super::*;

/// Programs in place of PostgreSQL's; each finds in `$VICTIM` a folder that its user must not write to.
struct Attacker {
    programs: tempfile::TempDir,
    victim: tempfile::TempDir,
    bench: Bench,
}

const PARSE: &str = "#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in -D) data=$2; shift;; -X) wal=$2; shift;; esac; shift; done\n";

impl Attacker {
    fn new(initdb: &str, postgres: &str) -> Attacker {
        let (programs, victim) = (open_dir(), tempfile::tempdir().unwrap());
        fs::write(victim.path().join("shadow"), "PRECIOUS").unwrap();
        let attacker = Attacker { programs, victim, bench: Bench::made_up() };
        let wrapped = format!("touch $data/PG_VERSION $data/global\n{initdb}");
        for (name, script) in [("initdb", wrapped.as_str()), ("postgres", postgres)] {
            let path = attacker.programs.path().join(name);
            let victim = attacker.victim.path().display();
            fs::write(&path, format!("{PARSE}VICTIM={victim}\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        attacker
    }

    fn create(&self) -> Result<Cluster, ServerError> {
        let mut found = self.bench.found.clone();
        found.bin_dir = self.programs.path().to_path_buf();
        Cluster::create(&found, &self.bench.user, &self.bench.options(), &Stop::new())
    }

    /// Nothing of the victim's changed and nothing was added.
    fn assert_gained_nothing(&self) {
        let names: Vec<_> =
            fs::read_dir(self.victim.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["shadow"]);
        assert_eq!(fs::read_to_string(self.victim.path().join("shadow")).unwrap(), "PRECIOUS");
        self.bench.assert_nothing_left();
    }
}

#[test]
fn links_in_the_place_of_the_settings_are_not_written_through() {
    let attacker = Attacker::new("ln -s $VICTIM/shadow $data/postgresql.auto.conf", "exit 1");
    let cluster = attacker.create().unwrap();
    let settings = cluster.data_dir().join("postgresql.auto.conf");
    let made = fs::symlink_metadata(&settings).unwrap();
    assert!(made.is_file() && fs::read_to_string(&settings).unwrap().contains("shared_buffers"));
    assert_eq!(
        made.uid(),
        fs::metadata(cluster.data_dir()).unwrap().uid(),
        "it is the server's user's"
    );
    drop(cluster);
    attacker.assert_gained_nothing();
}

#[test]
fn a_log_is_made_nowhere_else_and_not_through_links() {
    // Where the log used to lie, and where it lies: the latter is in a folder of ours, so that the link is refused to the attacker.
    let plant = "ln -s $VICTIM/cron $data.run/server.log; ln -s $VICTIM/cron $data.run/data.log; ln -sf $VICTIM/cron $data.log; true";
    let attacker = Attacker::new(plant, "echo '* * * * * root id'; echo more >&2; exit 1");
    let outcome = attacker.create();
    if attacker.bench.user.is_other() {
        let mut cluster = outcome.unwrap();
        let error = cluster.start(&Stop::new()).unwrap_err();
        let ServerError::Died { log, .. } = error else { panic!("{error}") };
        assert_eq!(log, "* * * * * root id\nmore");
        drop(cluster);
    } else {
        // Without root the attacker is ourselves and may replace the file; the log stays the one that was made.
        drop(outcome);
    }
    attacker.assert_gained_nothing();
}

#[test]
fn pipes_links_and_devices_in_the_place_of_the_servers_pid_file_are_not_waited_for() {
    for plant in ["mkfifo", "ln -s /dev/zero", "ln -s $VICTIM/shadow", "mkdir"] {
        let attacker =
            Attacker::new(":", &format!("{plant} $data/postmaster.pid\nexec sleep 1000"));
        let mut cluster = attacker.create().unwrap();
        let stop = Stop::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                until("the attacker has planted it", || {
                    fs::symlink_metadata(attacker.bench.data.join("postmaster.pid")).is_ok()
                });
                // Some looks at what lies there.
                std::thread::sleep(Duration::from_millis(50));
                stop.set();
            });
            let error = cluster.start(&stop).unwrap_err();
            assert!(matches!(error, ServerError::Stopped(_)), "{plant}: {error}");
        });
        drop(cluster);
        attacker.assert_gained_nothing();
    }
}

#[test]
fn a_folder_that_links_out_of_the_data_folder_is_not_emptied() {
    let plant = "ln -s $VICTIM $data/base; mkdir -p $data/deep/er; ln -s $VICTIM $data/deep/er/link; ln -s $VICTIM $data.run/link";
    let attacker = Attacker::new(plant, "exit 1");
    drop(attacker.create().unwrap());
    attacker.assert_gained_nothing();
}

#[test]
fn a_standby_is_made_through_no_link() {
    for plant in [
        "ln -s $VICTIM/shadow $data/standby.signal",
        "ln -s $VICTIM $data/base",
        "ln -s $VICTIM/new $data/standby.signal",
    ] {
        let attacker = Attacker::new(plant, "exit 1");
        let primary = Attacker::new("mkdir $data/base; echo row > $data/base/1", "exit 1");
        let primary_cluster = primary.create().unwrap();
        let mut cluster = attacker.create().unwrap();
        cluster.follow(&primary_cluster, "standby").unwrap();
        assert_eq!(fs::read_to_string(cluster.data_dir().join("base/1")).unwrap(), "row\n");
        assert!(fs::symlink_metadata(cluster.data_dir().join("standby.signal")).unwrap().is_file());
        drop((cluster, primary_cluster));
        attacker.assert_gained_nothing();
        // In the primary, whose files are read: what they lead to is not read with rights that the server's user lacks.
        let reader = Attacker::new(":", "exit 1");
        let primary = Attacker::new("ln -s $VICTIM/shadow $data/base", "exit 1");
        let primary_cluster = primary.create().unwrap();
        let mut cluster = reader.create().unwrap();
        assert!(cluster.follow(&primary_cluster, "standby").is_err());
        drop((cluster, primary_cluster));
        primary.assert_gained_nothing();
    }
}

const START_IN: &str = "NARROWS_TEST_START_IN";

/// Not a test by itself: what the next runs in another process.
#[test]
fn starter() {
    let Some(dir) = std::env::var_os(START_IN).map(PathBuf::from) else { return };
    let user = ServerUser::choose().unwrap();
    let found = find(None, &user, None, &narrows_engine::Stop::new()).unwrap();
    let scratch = Scratch::create(&dir, "killed").unwrap();
    let (data, wal) = (scratch.path().join("data"), scratch.path().join("wal"));
    let _ = Cluster::create(&found, &user, &Options::new(&data, &wal), &Stop::new());
}

/// Killed while `initdb` works, at several places of its work, and the next start comes at once.
#[test]
fn initdb_ends_with_us_and_what_it_shares_goes_with_the_next_start() {
    let Some(bench) = Bench::new() else { return };
    for reached in ["PG_VERSION", "postgresql.conf", "global/pg_control", "base/1/PG_VERSION"] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["server::tests::attacks::starter", "--exact"])
            .env(START_IN, bench.dir.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let data = bench.dir.path().join("narrows-scratch-killed/data");
        until("initdb gets that far", || data.join(reached).exists());
        let leftovers =
            Leftovers::of(&Dir::open(&data).unwrap(), bench.found.version.major, 0).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        // Its programs hold the folder until the kernel has ended them, which takes a moment.
        let mut swept = sweep(bench.dir.path());
        until("initdb has ended", || {
            if swept.removed.is_empty() {
                swept = sweep(bench.dir.path());
            }
            !swept.removed.is_empty()
        });
        assert_eq!(swept.removed.len(), 1, "{reached}: {swept:?}");
        bench.assert_nothing_left();
        assert!(leftovers.interlocks().is_empty(), "{reached}");
        let names_it = |pid: &u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&*data.to_string_lossy())
        };
        let pids = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok());
        assert_eq!(pids.filter(names_it).count(), 0, "{reached}");
    }
}

/// As Ctrl-C does it: a server on a drive that hangs answers no signal but the last.
#[test]
fn a_server_that_hangs_is_not_waited_for_once_a_stop_is_asked_for() {
    let Some(bench) = Bench::new() else { return };
    let mut cluster = bench.create(&bench.options()).unwrap();
    let stop = Stop::new();
    cluster.start(&stop).unwrap();
    // SAFETY: the server was started by this test and runs.
    unsafe { libc::kill(cluster.pid().unwrap() as libc::pid_t, libc::SIGSTOP) };
    stop.set();
    // Otherwise it would wait a minute for the fast way.
    let began = Instant::now();
    assert_eq!(cluster.stop().unwrap(), HowStopped::Killed);
    assert!(began.elapsed() < Duration::from_secs(30));
    drop(cluster);
    bench.assert_nothing_left();
}
