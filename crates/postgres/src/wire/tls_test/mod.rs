//! TLS with a real server where the machine has one; skipped loudly elsewhere. What the server says of a session is the oracle.

mod server;

use std::sync::mpsc;
use std::time::Duration;

use narrows_engine::Stop;
use narrows_tls::TlsError;

use self::server::{Server, named};
use super::{Connection, WireError};
use crate::address::Address;
use crate::session::PostgresSession;
use narrows_layer_database::Value;
use narrows_layer_database::kind::Session as _;
use narrows_layer_database::load::{self, ByKey, LoadPlan};
use narrows_layer_database::poller::Poller;

/// The error of what must not succeed, which has a reason and a hint.
fn refused(what: &str, result: Result<String, WireError>) -> WireError {
    let error = result.err().unwrap_or_else(|| panic!("{what} was taken"));
    assert!(error.to_string().contains("\nhint: "), "{what}: {error}");
    error
}

#[test]
fn every_mode_gives_what_it_promises_with_every_certificate() {
    let Some(server) = Server::start() else { return };
    server.control_says("CREATE ROLE bare LOGIN; CREATE ROLE certified LOGIN");
    server.control_says("CREATE ROLE tied LOGIN PASSWORD 'blue'");
    without(&server);
    let root = named(&server.own_certificate("root", "/CN=root"));
    let other = named(&server.own_certificate("other", "/CN=other"));
    server.certificate("gone", "/CN=localhost", "DNS:localhost", "-1", "root");
    server.certificate("good", "/CN=x", "DNS:localhost,IP:127.0.0.1", "9", "root");
    server.show("good");
    good(&server, &root, &other);
    passwords(&server);
    server.certificate("far", "/CN=localhost", "DNS:db7.example", "9", "root");
    server.show("far");
    let ask = |parameters: &str| server.encryption("owner", "localhost", parameters);
    assert_eq!(ask(&format!("sslmode=verify-ca&sslrootcert={root}")).unwrap(), "TLSv1.3");
    let error = refused("another host", ask(&format!("sslmode=verify-full&sslrootcert={root}")));
    assert!(matches!(&error, WireError::Tls(TlsError::Name { .. })), "{error}");
    assert!(error.to_string().contains("db7.example, not for localhost"), "{error}");
    server.show("gone");
    assert_eq!(ask("sslmode=require").unwrap(), "TLSv1.3");
    let error = refused("an old one", ask(&format!("sslmode=verify-ca&sslrootcert={root}")));
    assert!(matches!(&error, WireError::Tls(TlsError::Time { .. })), "{error}");
    own(&server, &other);
    old(&server, &root);
}

/// A server without TLS.
fn without(server: &Server) {
    let ask = |parameters: &str| server.encryption("owner", "localhost", parameters);
    for mode in ["disable", "allow", "prefer"] {
        assert_eq!(ask(&format!("sslmode={mode}")).unwrap(), "none", "{mode}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let error = refused(mode, ask(&format!("sslmode={mode}")));
        assert!(matches!(error, WireError::NoTls(asked) if asked == mode), "{mode}: {error}");
    }
    // There is none on a socket, whatever is asked.
    let url = format!("sslmode=verify-full&host={}", server.data().display());
    assert_eq!(ask(&url).unwrap(), "none");
}

/// A certificate that an authority signed for this host.
fn good(server: &Server, root: &str, other: &str) {
    let ask = |parameters: &str| server.encryption("owner", "localhost", parameters);
    for (mode, got) in [
        ("disable", "none"),
        ("allow", "none"),
        ("prefer", "TLSv1.3"),
        ("require", "TLSv1.3"),
        ("verify-ca", "TLSv1.3"),
        ("verify-full", "TLSv1.3"),
    ] {
        let parameters = format!("sslmode={mode}&sslrootcert={root}");
        assert_eq!(ask(&parameters).unwrap(), got, "{mode}");
        let address = server.encryption("owner", "127.0.0.1", &parameters);
        assert_eq!(address.unwrap(), got, "{mode}, by address");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let error = refused(mode, ask(&format!("sslmode={mode}&sslrootcert={other}")));
        let untrusted = matches!(&error, WireError::Tls(TlsError::Untrusted { .. }));
        assert!(untrusted, "{mode} by another authority: {error}");
    }
    // The server's word on who is admitted how is followed where the mode allows it.
    let by = |user: &str, mode: &str| {
        server.encryption(user, "localhost", &format!("sslmode={mode}&sslrootcert={root}"))
    };
    assert_eq!(by("bare", "prefer").unwrap(), "none");
    let error = refused("hostnossl", by("bare", "require"));
    assert_eq!(error.code(), Some("28000"), "{error}");
    assert!(error.to_string().contains("sslmode=disable"), "{error}");
    let error = refused("hostssl", by("tied", "disable"));
    assert!(error.to_string().contains("sslmode=require"), "{error}");
}

/// Passwords and certificates of the client.
fn passwords(server: &Server) {
    let tied = |password: &str, parameters: &str| {
        server.encryption(&format!("tied:{password}"), "localhost", parameters)
    };
    for binding in ["disable", "prefer", "require"] {
        let parameters = format!("sslmode=allow&channel_binding={binding}");
        // Without TLS nobody is admitted, so that `allow` has to come to it.
        if binding != "require" {
            assert_eq!(tied("blue", &parameters).unwrap(), "TLSv1.3", "{binding}");
        }
        let parameters = format!("sslmode=require&channel_binding={binding}");
        assert_eq!(tied("blue", &parameters).unwrap(), "TLSv1.3", "{binding}");
    }
    let error = refused("a wrong password", tied("red", "sslmode=prefer"));
    assert_eq!(error.code(), Some("28P01"), "{error}");
    let asked = server.encryption("owner", "localhost", "channel_binding=require");
    let error = refused("no password to tie", asked);
    assert!(matches!(error, WireError::Binding(_)), "{error}");

    let certified = |parameters: &str| server.encryption("certified", "localhost", parameters);
    let (root, data) = (server.file("root.pem"), server.data().join("root.crt"));
    std::fs::copy(root, &data).unwrap();
    std::fs::set_permissions(&data, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    server.set(&[("ssl_ca_file", "root.crt")]);
    let error = refused("no certificate", certified("sslmode=require"));
    assert!(error.to_string().contains("sslcert=FILE"), "{error}");
    let ours = |name: &str, authority: &str| {
        let certificate = server.certificate(name, "/CN=certified", "", "9", authority);
        let key = server.file(&format!("{name}.key"));
        format!("sslmode=require&sslcert={}&sslkey={}", named(&certificate), named(&key))
    };
    assert_eq!(certified(&ours("client", "root")).unwrap(), "TLSv1.3");
    let error = refused("a certificate of nobody", certified(&ours("nobody", "other")));
    assert!(matches!(error, WireError::Tls(TlsError::Refused { .. })), "{error}");
    let mixed = format!(
        "sslmode=require&sslcert={}&sslkey={}",
        named(&server.file("client.pem")),
        named(&server.file("nobody.key"))
    );
    let error = refused("another's key", certified(&mixed));
    assert!(error.to_string().contains("another certificate"), "{error}");
}

/// A certificate that signed itself.
fn own(server: &Server, other: &str) {
    let own = named(&server.own_certificate("own", "/CN=localhost"));
    server.show("own");
    let ask = |parameters: &str| server.encryption("owner", "localhost", parameters);
    assert_eq!(ask("sslmode=require").unwrap(), "TLSv1.3");
    assert_eq!(ask(&format!("sslmode=verify-full&sslrootcert={own}")).unwrap(), "TLSv1.3");
    for roots in [format!("sslmode=verify-ca&sslrootcert={other}"), "sslrootcert=system".into()] {
        let error = refused(&roots, ask(&roots));
        let untrusted = matches!(
            &error,
            WireError::Tls(TlsError::Untrusted { .. } | TlsError::NoSystemRoots { .. })
        );
        assert!(untrusted, "{roots}: {error}");
    }
}

/// A certificate in the old form, and TLS 1.2.
fn old(server: &Server, root: &str) {
    server.certificate("old", "/CN=localhost", "", "9", "root");
    server.show("old");
    let full = format!("sslmode=verify-full&sslrootcert={root}");
    assert_eq!(server.encryption("owner", "localhost", &full).unwrap(), "TLSv1.3");
    server.set(&[("ssl_max_protocol_version", "TLSv1.2")]);
    assert_eq!(server.encryption("owner", "localhost", &full).unwrap(), "TLSv1.2");
    server.show("good");
    assert_eq!(server.encryption("owner", "localhost", &full).unwrap(), "TLSv1.2");
}

/// Answers that need several records and several looks, in both loops; what is sent is answered.
#[test]
fn a_load_over_tls_loses_nothing_and_a_statement_over_it_can_be_cancelled() {
    let Some(server) = Server::start() else { return };
    server.own_certificate("own", "/CN=localhost");
    server.show("own");
    let address = server.address("owner", "127.0.0.1", "sslmode=require");
    let stop = Stop::new();
    // An answer that nobody is woken for would be waited for without end.
    let (over, ended) = mpsc::channel();
    let hurry = stop.clone();
    std::thread::spawn(move || {
        while ended.recv_timeout(Duration::from_secs(120)) == Ok(()) {}
        hurry.set();
    });
    for (bytes, open_rate_per_s) in [(1, None), (100_000, None), (30_000, Some(400.0))] {
        let statement = format!("SELECT repeat('x', {bytes}) WHERE $1::bigint > 0");
        let plan = LoadPlan {
            server: &address,
            settings: &[],
            programs: &ByKey::select(statement, 10),
            sessions: 3,
            cpus: &[],
            open_rate_per_s,
            warm_up: Duration::from_millis(5),
            window: Duration::from_millis(150),
            seed: 1,
        };
        let seen = load::run(&plan, &stop, |window, _| Ok(window.wait_end(&stop)?)).unwrap().0;
        over.send(()).unwrap();
        assert!(seen.span_operations >= 3, "{seen:?}");
        assert_eq!((seen.errors, seen.wrong, seen.span_skipped), (0, 0, 0), "{seen:?}");
    }
    let mut connection = Connection::open(&address, &[]).unwrap();
    woken_once(&address);
    drop(over);
    connection.heed(Some(&stop));
    let error = connection.execute("SELECT pg_sleep(600)").unwrap_err();
    assert_eq!(error.code(), Some("57014"), "{error}");
    // Two megabytes, in both ways.
    connection.heed(None);
    let long = "y".repeat(2_000_000);
    assert_eq!(connection.one(&format!("SELECT '{long}'")).unwrap(), Some(long));
}

/// An answer in one record wakes who waits once, however many reads it takes.
fn woken_once(address: &Address) {
    let statement = "SELECT repeat('x', 5000) WHERE $1::bigint > 0".to_string();
    let mut session = PostgresSession::open(address, &[], &[statement], &[]).unwrap();
    session.shrink();
    let mut poller = Poller::for_this_thread();
    poller.add(session.descriptor(), 0).unwrap();
    session.begin().run(0, &[Value::Int8(1)]);
    session.send().unwrap();
    loop {
        // A signal, or an old kernel, ends a wait early.
        let woken = (0..3).any(|_| poller.wait(Duration::from_secs(10)).unwrap() > 0);
        assert!(woken, "nobody is woken");
        if session.receive().unwrap() {
            break;
        }
    }
    let rows = session.heard().0.map(|answer| answer.rows()).ok();
    assert_eq!(rows, Some(1));
}
