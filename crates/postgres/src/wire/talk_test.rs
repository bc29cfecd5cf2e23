//! What a connection makes of a server that says what the test says.

use std::net::TcpListener;

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
