//! Servers that hold a client back, step by step: every wait ends.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use narrows_engine::Stop;

use super::*;
use crate::monitor::fake::{self, answer, message, row};

/// Longer than any test: who waits for that long has missed what was to end it.
const HOUR: Duration = Duration::from_secs(3600);
const MOMENT: Duration = Duration::from_millis(300);

fn listen() -> (TcpListener, Address) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("postgres://bob@127.0.0.1:{port}/shop?sslmode=disable");
    (listener, Address::parse(&url).unwrap())
}

/// Lets one session in and hands its stream on; the listener too, for what comes after.
fn serve(
    then: impl FnOnce(TcpStream, TcpListener) + Send + 'static,
) -> (Connection, JoinHandle<()>) {
    let (listener, address) = listen();
    let server = std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        fake::read_body(&mut stream).unwrap();
        stream.write_all(&fake::admission()).unwrap();
        statement(&mut stream);
        stream.write_all(&answer(&[guard::expected(fake::PID, "bob")])).unwrap();
        then(stream, listener);
    });
    (Connection::open(&address, &[]).unwrap(), server)
}

/// Takes a message from the client.
fn statement(stream: &mut TcpStream) -> u8 {
    let mut kind = [0];
    stream.read_exact(&mut kind).unwrap();
    fake::read_body(stream).unwrap();
    kind[0]
}

/// Says the same until nobody listens any more.
fn flood(stream: &mut TcpStream, bytes: &[u8]) {
    let many = bytes.repeat(1 + (64 << 10) / bytes.len());
    while stream.write_all(&many).is_ok() {}
}

fn limits(question: Patience) -> Limits {
    Limits { question, work: Patience::silent(HOUR), ..Limits::USUAL }
}

#[test]
fn rows_without_end_have_one_and_the_error_names_it() {
    let rows = [message(b'D', &[0, 0]), message(b'D', b"\0\x01\0\0\0\x04shop")];
    for bytes in rows.into_iter().chain([message(b'N', b"SNOTICE\0\0"), message(b'S', b"a\0b\0")]) {
        let (mut connection, server) = serve(move |mut stream, _| {
            statement(&mut stream);
            flood(&mut stream, &bytes);
        });
        connection.limit(limits(Patience::within(HOUR)));
        let error = connection.query("SELECT 1").unwrap_err();
        assert!(matches!(error, WireError::TooMuch), "{error}");
        assert!(error.to_string().contains("longer than 64 MiB"), "{error}");
        assert!(matches!(connection.query("SELECT 1").unwrap_err(), WireError::Io(_)));
        drop(connection);
        server.join().unwrap();
    }
}

#[test]
fn what_is_not_kept_is_bounded_too() {
    let (mut connection, server) = serve(move |mut stream, _| {
        statement(&mut stream);
        flood(&mut stream, &message(b'D', &[0, 0]));
    });
    connection.limit(limits(Patience::within(HOUR)));
    assert!(matches!(connection.execute("VACUUM").unwrap_err(), WireError::TooMuch));
    drop(connection);
    server.join().unwrap();
}

#[test]
fn a_login_ends_in_its_time_whatever_is_said_meanwhile() {
    let notices = message(b'N', b"SNOTICE\0\0");
    let parameters = message(b'S', b"TimeZone\0UTC\0");
    let ok = message(b'R', &[0; 4]);
    for (first, drip) in
        [(vec![], notices), (vec![], parameters.clone()), (ok, parameters), (vec![], vec![])]
    {
        let (listener, address) = listen();
        let server = std::thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            fake::read_body(&mut stream).unwrap();
            stream.write_all(&first).unwrap();
            // A byte now and then is never silence.
            let mut next = drip.iter().cycle();
            loop {
                std::thread::sleep(Duration::from_millis(1));
                let said = next.next().map_or(Ok(()), |byte| stream.write_all(&[*byte]));
                let gone = stream.set_nonblocking(true).is_ok() && stream.read(&mut [0]).is_ok();
                stream.set_nonblocking(false).unwrap();
                if said.is_err() || gone {
                    return;
                }
            }
        });
        let opened = Connection::open_within(&address, &[], Vec::new(), Patience::within(MOMENT));
        let error = opened.err().expect("nobody was let in");
        assert!(matches!(error, WireError::Late(limit) if limit == MOMENT), "{error}");
        assert!(error.to_string().contains("hint: "), "{error}");
        server.join().unwrap();
    }
}

#[test]
fn a_question_has_a_time_of_its_own_and_a_statement_that_works_has_not() {
    let (mut connection, server) = serve(|mut stream, _| {
        for said in [answer(&[row(["1"])]), answer(&[])] {
            statement(&mut stream);
            std::thread::sleep(MOMENT);
            stream.write_all(&said).unwrap();
        }
        statement(&mut stream);
        // Silent until the client is gone.
        while !matches!(stream.read(&mut [0]), Ok(0) | Err(_)) {}
    });
    connection.limit(limits(Patience::within(MOMENT / 10)));
    // In this order, so that the one that works is answered after the other's time.
    connection.query_at_work("SELECT 1").unwrap();
    connection.execute("CHECKPOINT").unwrap();
    let error = connection.query("SELECT 1").unwrap_err();
    assert!(matches!(error, WireError::Late(_)), "{error}");
    drop(connection);
    server.join().unwrap();
}

/// A client that is asked to stop in the middle of something that the server holds back, and what it says in the end.
fn stopped(
    server: impl FnOnce(TcpStream, TcpListener, Sender<()>) -> Option<TcpStream> + Send + 'static,
    client: impl FnOnce(&mut Connection) -> WireError + Send + 'static,
) -> WireError {
    let (inside, is_inside): (Sender<()>, Receiver<()>) = channel();
    let (over, is_over) = channel();
    let (mut connection, server) = serve(move |stream, listener| {
        // Kept open, and not read, until the client has ended.
        let _open = server(stream, listener, inside);
        is_over.recv().unwrap();
    });
    connection.limit(Limits::hours(HOUR));
    let stop = Stop::new();
    connection.heed(Some(&stop));
    let client = std::thread::spawn(move || {
        let error = client(&mut connection);
        assert!(connection.is_closed() || error.code().is_some());
        error
    });
    is_inside.recv().unwrap();
    stop.set();
    let error = client.join().unwrap();
    over.send(()).unwrap();
    server.join().unwrap();
    error
}

#[test]
fn a_stop_ends_a_statement_by_a_cancel_request() {
    let error = stopped(
        |mut stream, listener, inside| {
            statement(&mut stream);
            inside.send(()).unwrap();
            let mut other = listener.accept().unwrap().0;
            // CancelRequest, with the key of this session (PostgreSQL documentation, "Message Formats").
            let code: u32 = 80_877_102;
            let key = [code.to_be_bytes(), fake::PID.to_be_bytes(), 42_u32.to_be_bytes()].concat();
            assert_eq!(fake::read_body(&mut other).unwrap(), key);
            drop(other);
            let error = message(b'E', b"SERROR\0C57014\0Mcanceled\0\0");
            stream.write_all(&[error, message(b'Z', b"I")].concat()).unwrap();
            None
        },
        |connection| connection.execute("CREATE INDEX").unwrap_err(),
    );
    assert_eq!(error.code(), Some("57014"));
}

#[test]
fn a_stop_ends_the_wait_for_a_server_that_stalls_drips_or_floods() {
    let stalls = |mut stream: TcpStream| while !matches!(stream.read(&mut [0]), Ok(0) | Err(_)) {};
    let drips = |mut stream: TcpStream| {
        while stream.write_all(b"N").is_ok() && stream.write_all(&[0, 0, 0, 5, 0]).is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let floods = |mut stream: TcpStream| {
        // Slowly enough for the stop to come before the longest answer.
        while stream.write_all(&message(b'D', &[0, 0]).repeat(100)).is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    for way in [stalls as fn(TcpStream), drips, floods] {
        let error = stopped(
            move |mut stream, _listener, inside| {
                statement(&mut stream);
                inside.send(()).unwrap();
                way(stream);
                None
            },
            |connection| connection.execute("VACUUM").unwrap_err(),
        );
        assert!(matches!(error, WireError::GivenUp), "{error}");
    }
}

#[test]
fn a_stop_ends_a_copy_into_a_server_that_reads_no_more() {
    let error = stopped(
        |mut stream, _listener, inside| {
            statement(&mut stream);
            stream.write_all(&message(b'G', &[0, 0, 0])).unwrap();
            statement(&mut stream);
            inside.send(()).unwrap();
            Some(stream)
        },
        |connection| {
            let rows = vec![b'x'; 1 << 16];
            let copied = connection.copy_in::<WireError>("COPY t FROM STDIN", |out| {
                out.extend_from_slice(&rows);
                Ok(())
            });
            copied.unwrap_err()
        },
    );
    assert!(matches!(error, WireError::GivenUp), "{error}");
}

#[test]
fn a_stop_ends_connecting_to_who_accepts_and_says_nothing() {
    let (listener, address) = listen();
    let stop = Stop::new();
    let (began, has_begun) = channel();
    let server = std::thread::spawn(move || {
        let stream = listener.accept().unwrap();
        began.send(()).unwrap();
        stream
    });
    let client = {
        let stop = stop.clone();
        let address = address.clone();
        std::thread::spawn(move || {
            let patience = Patience::within(HOUR);
            Connection::open_within(&address, &[], vec![stop], patience).err().unwrap()
        })
    };
    has_begun.recv().unwrap();
    stop.set();
    let error = client.join().unwrap();
    assert!(matches!(error, WireError::GivenUp | WireError::Stopped), "{error}");
    drop(server.join().unwrap());
    // And before anything was tried.
    let error = Connection::open_heeding(&address, &[], &[&stop]).err().unwrap();
    assert!(error.is_gone(), "{error}");
}

#[test]
fn a_session_that_is_otherwise_than_asked_for_is_refused() {
    let (listener, address) = listen();
    let server = std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        fake::read_body(&mut stream).unwrap();
        stream.write_all(&fake::admission()).unwrap();
        statement(&mut stream);
        let mut found = guard::expected(fake::PID, "bob");
        found[0] = Some("\"$user\", public".to_string());
        stream.write_all(&answer(&[found])).unwrap();
        assert_eq!(stream.read(&mut [0; 64]).unwrap_or(0), 0, "nothing more is asked of it");
    });
    let error = Connection::open(&address, &[]).err().unwrap();
    assert!(matches!(error, WireError::Unfixed { name: "search_path", .. }), "{error}");
    server.join().unwrap();
}
