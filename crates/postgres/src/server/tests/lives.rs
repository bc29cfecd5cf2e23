//! Made, started, asked and removed.

use super::ends::{hold, kill_and_look};
use super::*;

#[test]
fn a_cluster_lives_restarts_and_leaves_nothing() {
    let Some(bench) = Bench::new() else { return };
    let mut cluster = bench.started();
    let pid = cluster.pid().unwrap();
    let running = Version::parse(&query(&cluster, "SHOW server_version")).unwrap();
    assert_eq!(running, bench.found.version);

    // Requested is obtained, ours wins, defaults stay.
    for (name, value) in [
        ("shared_buffers", "16MB"),
        ("listen_addresses", ""),
        ("fsync", "on"),
        ("server_encoding", "UTF8"),
        ("lc_collate", "C"),
    ] {
        // The last was dropped as a setting in version 16.
        if name != "lc_collate" || running.major < 16 {
            assert_eq!(query(&cluster, &format!("SHOW {name}")), value, "{name}");
        }
    }
    let checksums = query(&cluster, "SHOW data_checksums") == "on";
    assert_eq!(cluster.data_checksums(), Some(checksums));

    // Never root, and nobody else gets in.
    assert_ne!(fs::metadata(format!("/proc/{pid}")).unwrap().uid(), 0);
    for folder in [cluster.data_dir(), cluster.wal_dir(), cluster.socket_dir()] {
        assert_eq!(fs::metadata(folder).unwrap().mode() & 0o777, 0o700, "{}", folder.display());
    }

    // The log's folder is really elsewhere and in use.
    assert_eq!(fs::read_link(cluster.data_dir().join("pg_wal")).unwrap(), bench.wal);
    let segment = query(&cluster, "SELECT pg_walfile_name(pg_current_wal_lsn())");
    assert!(bench.wal.join(segment).is_file());

    query(&cluster, "CREATE TABLE kept AS SELECT 42 AS v");
    assert_eq!(cluster.stop().unwrap(), HowStopped::Clean);
    assert!(cluster.pid().is_none() && cluster.pids().is_empty());
    assert!(process::has_ended(pid).unwrap());
    assert!(matches!(cluster.stop(), Err(ServerError::NotRunning)));
    cluster.start(&Stop::new()).unwrap();
    assert_eq!(query(&cluster, "SELECT v FROM kept"), "42");
    assert!(cluster.log_tail(100).contains("ready to accept connections"));
    assert!(cluster.pids().len() > 1);

    let pids = cluster.pids();
    drop(cluster);
    bench.assert_nothing_left();
    assert!(pids.iter().all(|&pid| process::has_ended(pid).unwrap()));
}

#[test]
fn every_process_gets_the_processors_also_those_that_come_later() {
    let Some(bench) = Bench::new() else { return };
    let allowed = affinity::current();
    let [first, .., last] = allowed.as_slice() else {
        return eprintln!("SKIPPED: one CPU only");
    };
    let first_only = [*first];
    let mut cluster = bench.create(&Options { cpus: &first_only, ..bench.options() }).unwrap();
    cluster.start(&Stop::new()).unwrap();
    let assert_all_on = |cluster: &Cluster, cpu: u32| {
        let pids = cluster.pids();
        assert!(pids.len() > 3, "{pids:?}");
        for pid in pids {
            // A helper process may end between the two calls.
            if let Ok(cpus) = affinity::of_pid(pid) {
                assert_eq!(cpus, [cpu], "{pid} {:?}", process::name(pid));
            }
        }
    };
    assert_all_on(&cluster, *first);
    cluster.set_cpus(&[*last]).unwrap();
    assert_all_on(&cluster, *last);
    // A new session's process reads its own binding.
    let status = query(&cluster, "SELECT pg_read_file('/proc/self/status')");
    let line = status.lines().find(|line| line.starts_with("Cpus_allowed_list:")).unwrap();
    assert_eq!(line.split_whitespace().nth(1), Some(last.to_string().as_str()));
    // We ourselves were not bound.
    assert_eq!(affinity::current(), allowed);

    let error = cluster.set_cpus(&[8000]).unwrap_err();
    assert!(matches!(error, ServerError::Cpus { .. }), "{error}");
}

#[test]
fn a_failing_initdb_leaves_nothing_and_says_why() {
    let Some(mut bench) = Bench::new() else { return };
    let fake = open_dir();
    let script = "#!/bin/sh\necho \"creating directory $2 ... ok\"\ntouch $2/PG_VERSION\n\
                  echo 'initdb: error: could not write file: No space left on device' >&2\nexit 1\n";
    fs::write(fake.path().join("initdb"), script).unwrap();
    fs::set_permissions(fake.path().join("initdb"), fs::Permissions::from_mode(0o755)).unwrap();
    bench.found.bin_dir = fake.path().to_path_buf();
    let error = bench.create(&bench.options()).unwrap_err();
    assert!(matches!(error, ServerError::Initdb { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("creating directory") && text.contains("\nhint: free some space"),
        "{text}"
    );
    bench.assert_nothing_left();
}

#[test]
fn a_folder_that_exists_is_not_touched() {
    let Some(bench) = Bench::new() else { return };
    fs::create_dir(&bench.wal).unwrap();
    fs::write(bench.wal.join("precious"), b"x").unwrap();
    let error = bench.create(&bench.options()).unwrap_err();
    assert!(matches!(error, ServerError::Exists { .. }), "{error}");
    assert!(!bench.data.exists());
    assert!(bench.wal.join("precious").exists());
}

#[test]
fn a_server_that_cannot_start_shows_its_log() {
    let Some(bench) = Bench::new() else { return };
    let bad = [pair("shared_buffers", "a lot")];
    let mut cluster = bench.create(&Options { settings: &bad, ..bench.options() }).unwrap();
    let error = cluster.start(&Stop::new()).unwrap_err();
    assert!(matches!(error, ServerError::Died { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("shared_buffers") && text.contains("\nhint: this build"), "{text}");
    drop(cluster);
    bench.assert_nothing_left();
}

#[test]
fn asked_to_end_it_ends_and_leaves_nothing() {
    let Some(bench) = Bench::new() else { return };
    let stop = Stop::new();
    let mut cluster = bench.create(&bench.options()).unwrap();
    stop.set();
    assert!(matches!(cluster.start(&stop), Err(ServerError::Stopped(_))));
    assert!(cluster.pid().is_none());
    drop(cluster);
    let created = Cluster::create(&bench.found, &bench.user, &bench.options(), &stop);
    assert!(matches!(created, Err(ServerError::Stopped(_))), "{created:?}");
    bench.assert_nothing_left();
}

#[test]
fn a_long_path_puts_the_socket_elsewhere() {
    let Some(bench) = Bench::new() else { return };
    let long = bench.dir.path().join("x".repeat(90));
    fs::create_dir(&long).unwrap();
    // Characters that a list of folders gives a meaning to.
    let data = long.join("da,ta \"x\"");
    let wal = long.join("wal");
    let mut cluster =
        Cluster::create(&bench.found, &bench.user, &Options::new(&data, &wal), &Stop::new())
            .unwrap();
    cluster.start(&Stop::new()).unwrap();
    assert_eq!(query(&cluster, "SELECT 1"), "1");
    let socket = cluster.socket_dir().to_path_buf();
    assert!(!socket.starts_with(&long));
    drop(cluster);
    assert!(!socket.exists() && !socket.parent().unwrap().exists());
    assert_eq!(fs::read_dir(&long).unwrap().count(), 0);
}

#[test]
fn odd_characters_in_a_short_path_are_no_trouble() {
    let Some(bench) = Bench::new() else { return };
    let data = bench.dir.path().join("a, \"b\" 'c'");
    let wal = bench.wal;
    let mut cluster =
        Cluster::create(&bench.found, &bench.user, &Options::new(&data, &wal), &Stop::new())
            .unwrap();
    cluster.start(&Stop::new()).unwrap();
    assert!(cluster.socket_dir().starts_with(bench.dir.path()));
    assert_eq!(query(&cluster, "SELECT 1"), "1");
}

#[test]
fn a_library_and_variables_reach_the_server() {
    let Some(bench) = Bench::new() else { return };
    // Any library does; the C library is loaded already and changes nothing.
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let Some(library) = maps
        .lines()
        .filter_map(|line| line.find('/').map(|start| PathBuf::from(&line[start..])))
        .find(|path| path.file_name().is_some_and(|name| name == "libc.so.6"))
    else {
        return eprintln!("SKIPPED: no shared C library in this program");
    };
    let env = [pair("NARROWS_PLANTED", "7")];
    let options = Options { preload: Some(&library), env: &env, ..bench.options() };
    let mut cluster = bench.create(&options).unwrap();
    cluster.start(&Stop::new()).unwrap();
    let environment = fs::read(format!("/proc/{}/environ", cluster.pid().unwrap())).unwrap();
    let environment = String::from_utf8_lossy(&environment);
    for expected in [format!("LD_PRELOAD={}", library.display()), "NARROWS_PLANTED=7".to_owned()] {
        assert!(environment.split('\0').any(|entry| entry == expected), "{environment}");
    }
}

#[test]
fn an_ordinary_user_can_do_it_all() {
    let Some(bench) = Bench::new() else { return };
    if !bench.user.is_other() {
        return eprintln!("SKIPPED: all other tests run as an ordinary user already");
    }
    let Some((uid, gid)) = narrows_server::look_up("nobody") else {
        return eprintln!("SKIPPED: no user nobody");
    };
    chown(bench.dir.path(), Some(uid), Some(gid)).unwrap();
    // The build folder may be closed to others.
    let place = open_dir();
    let program = place.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(&program);
    command.uid(uid).gid(gid).current_dir("/");
    let (mut child, mut lines, pids) = hold(command, bench.dir.path());
    assert_eq!(fs::metadata(format!("/proc/{}", pids[0])).unwrap().uid(), uid);
    drop(child.stdin.take());
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("RELEASED"), "{rest}");
    assert!(child.wait().unwrap().success());
    bench.assert_nothing_left();
}

#[test]
fn the_bundle_serves() {
    let user = ServerUser::choose().unwrap();
    // Beside the test programs, so that it is fetched once per build folder.
    let cache = std::env::current_exe().unwrap().parent().unwrap().join("narrows-bundle");
    let bundle = match narrows_bundle::ensure(&cache, &|| false, &mut |_, _| {}) {
        Ok(bundle) => bundle,
        Err(error) => return eprintln!("SKIPPED: {error}"),
    };
    let found = match find(Some(&bundle.bin_dir), &user, None, &narrows_engine::Stop::new()) {
        Ok(found) => found,
        Err(error) => return eprintln!("SKIPPED: {error}"),
    };
    let dir = open_dir();
    let (data, wal) = (dir.path().join("data"), dir.path().join("wal"));
    let mut cluster =
        Cluster::create(&found, &user, &Options::new(&data, &wal), &Stop::new()).unwrap();
    cluster.start(&Stop::new()).unwrap();
    assert_eq!(query(&cluster, "SELECT count(*) FROM generate_series(1, 1000)"), "1000");
    // What the label says about the build.
    let flags = query(&cluster, "SELECT setting FROM pg_config WHERE name = 'CFLAGS'");
    assert!(flags.contains("-Os"), "{flags}");
    let configure = query(&cluster, "SELECT setting FROM pg_config WHERE name = 'CONFIGURE'");
    for absent in ["liburing", "llvm", "lz4", "zstd", "numa"] {
        assert!(!configure.contains(&format!("--with-{absent}")), "{configure}");
    }
    assert!(narrows_bundle::BUILD.contains("-Os"));
    assert_eq!(cluster.stop().unwrap(), HowStopped::Clean);
    // The layout of shared memory is another version's than that of the machine's own server.
    cluster.start(&Stop::new()).unwrap();
    kill_and_look(cluster);
}
