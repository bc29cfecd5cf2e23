//! What a connection makes of a server that says what the test says.

use std::net::TcpListener;

use super::stream::Unreached;
use super::*;
use crate::monitor::fake;

#[test]
fn a_length_that_nobody_could_mean_is_refused_before_room_is_made_for_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        assert!(stream.read(&mut [0; 512]).unwrap() > 0);
        stream.write_all(b"E\xf8\0\0)SFATAL\0").unwrap();
    });
    let address =
        Address::parse(&format!("postgres://bob@127.0.0.1:{port}/shop?sslmode=disable")).unwrap();
    let error = Connection::open(&address, &[]).err().expect("it is refused");
    server.join().unwrap();
    assert!(matches!(error, WireError::Long { bytes: 0xf800_0029 }), "{error}");
    assert!(error.to_string().contains("4160749609 bytes"), "{error}");
}

#[test]
fn a_refusal_before_tls_is_told_as_one_that_nobody_vouches_for() {
    let fields = b"SFATAL\0C53300\0Msorry, too many\x1b[2J clients\0\0";
    let length = (fields.len() as u32 + 4).to_be_bytes();
    for (answer, told) in [
        (
            &[b"E", &length[..], fields].concat()[..],
            "FATAL 53300: sorry, too many\u{fffd}[2J clients",
        ),
        (b"Efork failed\n\0", "in another form"),
        (&[b"E", &length[..], b"SFATAL"].concat(), "closed the connection"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = answer.to_vec();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut [0; 8]).unwrap();
            stream.write_all(&answer).unwrap();
        });
        let url = format!("postgres://bob@127.0.0.1:{port}/shop?sslmode=require");
        let error = Connection::open(&Address::parse(&url).unwrap(), &[]).err().unwrap();
        server.join().unwrap();
        assert!(error.to_string().contains(told), "{error}");
        // So nobody acts upon it.
        assert_eq!(error.code(), None, "{error}");
        assert_eq!(matches!(error, WireError::BeforeTls(_)), told.contains("53300"));
    }
}

/// What becomes of a connection with these parameters to a server that is a primary or, where `follows`, a standby; and the packet that
/// it was started with.
fn asked_with(parameters: &str, follows: bool) -> (Result<(), WireError>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let start = fake::read_body(&mut stream).unwrap();
        stream.write_all(&fake::admission()).unwrap();
        let mut kind = [0];
        while stream.read_exact(&mut kind).is_ok() && kind == *b"Q" {
            let asked = String::from_utf8(fake::read_body(&mut stream).unwrap()).unwrap();
            let row = match asked.contains("pg_is_in_recovery") {
                true => fake::row([if follows { "t" } else { "f" }]),
                false => guard::expected(fake::PID, "bob"),
            };
            stream.write_all(&fake::answer(&[row])).unwrap();
        }
        String::from_utf8(start).unwrap()
    });
    let url = format!("postgres://bob@127.0.0.1:{port}/shop?sslmode=disable&{parameters}");
    let opened = Connection::open(&Address::parse(&url).unwrap(), &[]).map(drop);
    (opened, server.join().unwrap())
}

#[test]
fn options_of_an_address_go_to_the_server_and_its_role_is_looked_at() {
    let (opened, start) = asked_with("options=-c%20work_mem%3D1MB", false);
    opened.unwrap();
    assert!(start.contains("options\0-c work_mem=1MB\0"), "{start:?}");
    assert!(!asked_with("target_session_attrs=any", true).1.contains("options\0"));
    for (wanted, follows, refused) in [
        ("any", true, None),
        ("primary", false, None),
        ("standby", true, None),
        ("read-write", true, Some("asks for a primary, and the server is a standby")),
        ("standby", false, Some("asks for a standby, and the server is a primary")),
    ] {
        let (opened, _) = asked_with(&format!("target_session_attrs={wanted}"), follows);
        match refused {
            None => opened.unwrap(),
            Some(part) => {
                let said = opened.unwrap_err().to_string();
                assert!(said.contains(part) && said.contains("\nhint: "), "{said}");
            }
        }
    }
}

#[test]
fn nobody_who_answers_is_told_with_the_address_once_and_what_fits() {
    let said = |address: &str| {
        let address = Address::parse(address).unwrap();
        Connection::open(&address, &[]).err().expect("nobody is there").to_string()
    };
    let refused = said("postgres://monitor:S3cret@127.0.0.1:1/shop");
    let head = "cannot connect to postgres://monitor:***@127.0.0.1:1/shop: ";
    assert!(refused.starts_with(head) && refused.contains("on port 1?"), "{refused}");
    // A number goes before the name, which leads nowhere.
    let reached = said("host=nosuchhost.invalid hostaddr=127.0.0.1 port=1 user=u dbname=d");
    assert!(reached.contains("cannot connect to postgres://u@nosuchhost.invalid"), "{reached}");
    let folder = tempfile::tempdir().unwrap();
    let socket = format!("host={} port=5999 user=u dbname=d", folder.path().display());
    let missing = said(&socket);
    let place = format!("no PostgreSQL listens at {}", folder.path().display());
    assert!(missing.starts_with(&place) && missing.contains(".s.PGSQL.5999"), "{missing}");
    assert!(!missing.contains("os error"), "{missing}");
    let lookup = Unreached::Lookup(io::Error::other("Name or service not known"));
    let address = Address::parse("postgres://u@nosuchhost.invalid/d").unwrap();
    let unknown = lookup.of(&address).to_string();
    assert!(unknown.starts_with("no host of that name: nosuchhost.invalid\n"), "{unknown}");
    assert!(unknown.contains("/etc/hosts") && !unknown.contains("running"), "{unknown}");
}

#[test]
fn a_servers_last_word_is_told_and_not_that_it_hung_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 4096];
        assert!(stream.read(&mut asked).unwrap() > 0);
        // Let in, and as was asked for.
        stream.write_all(&fake::admission()).unwrap();
        assert!(stream.read(&mut asked).unwrap() > 0);
        stream.write_all(&fake::answer(&[guard::expected(fake::PID, "bob")])).unwrap();
        assert!(stream.read(&mut asked).unwrap() > 0);
        let fields = b"SFATAL\0C57P01\0Mterminating connection\0\0";
        stream
            .write_all(&[b"E", &(fields.len() as u32 + 4).to_be_bytes()[..], fields].concat())
            .unwrap();
    });
    let address =
        Address::parse(&format!("postgres://bob@127.0.0.1:{port}/shop?sslmode=disable")).unwrap();
    let mut connection = Connection::open(&address, &[]).unwrap();
    let error = connection.query("SELECT 1").unwrap_err();
    server.join().unwrap();
    assert_eq!(error.code(), Some("57P01"), "{error}");
    assert!(error.to_string().contains("hint: the server was stopped or restarted"), "{error}");
    // After that there is nobody.
    assert!(matches!(connection.query("SELECT 1").unwrap_err(), WireError::Io(_)));
}
