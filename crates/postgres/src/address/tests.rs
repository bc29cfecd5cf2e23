//! Addresses as they are written, mistyped, and filled in by what libpq asks.

use narrows_tls::{ChannelBinding, Mode, Roots};

use super::*;

/// With these variables and no home.
fn parse(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Address, AddressError> {
    Address::parse_in(text, &Surroundings { variable: &variable, home: None })
}

#[test]
fn an_address_is_taken_apart() {
    let address = Address::parse("postgres://bob:p%40ss@db7:5433/shop").unwrap();
    let tls = Tls::default();
    let db7 = Endpoint::Tcp { host: "db7".into(), at: None, port: 5433, tls };
    assert_eq!(address.endpoint, db7);
    assert_eq!((address.user.as_str(), address.database.as_str()), ("bob", "shop"));
    assert_eq!(address.password.as_ref().unwrap().reveal(), "p@ss");
    let socket = Address::parse("postgresql://bob@/shop?host=/tmp/x&port=6000").unwrap();
    assert_eq!(socket.endpoint, Endpoint::Unix { folder: "/tmp/x".into(), port: 6000 });
    let six = Address::parse("postgres://u@[::1]:5432/d").unwrap();
    let tls = Tls::default();
    assert_eq!(six.endpoint, Endpoint::Tcp { host: "::1".into(), at: None, port: 5432, tls });
    assert!(six.is_local());
}

#[test]
fn no_way_of_printing_shows_the_password() {
    let address = Address::parse("postgres://bob:hunter2@db7/shop").unwrap();
    let printed = format!("{address} {address:?}");
    assert!(!printed.contains("hunter2"), "{printed}");
    let error = Address::parse("postgres://bob:hunter2@db7/shop?sslmode=on").unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

fn tls_of(address: &str) -> Tls {
    match Address::parse(address).unwrap().endpoint {
        Endpoint::Tcp { tls, .. } => tls,
        Endpoint::Unix { .. } => panic!("{address} is no host"),
    }
}

#[test]
fn what_an_address_says_of_tls_is_kept_and_the_rest_is_libpqs() {
    let tls = tls_of(
        "postgres://db7/shop?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem&sslcert=/c&sslkey=/k\
         &channel_binding=require&sslnegotiation=postgres",
    );
    let settings = tls.settings();
    assert_eq!(settings.mode, Mode::VerifyFull);
    assert_eq!(settings.roots, Roots::File("/etc/ca.pem".into()));
    assert_eq!((&settings.certificate, &settings.key), (&Some("/c".into()), &Some("/k".into())));
    assert_eq!(settings.binding, ChannelBinding::Require);
    assert_eq!(tls_of("postgres://db7/shop").settings().mode, Mode::Prefer);
    let socket = Address::parse("postgres:///shop?host=/tmp/x&sslmode=verify-full").unwrap();
    assert!(matches!(socket.endpoint, Endpoint::Unix { .. }));
}

#[test]
fn what_the_environment_says_of_tls_is_nothing_to_a_socket() {
    for said in [
        &[("PGSSLROOTCERT", "system"), ("PGSSLMODE", "require")][..],
        &[("PGSSLNEGOTIATION", "direct")],
        &[("PGSSLMODE", "on")],
    ] {
        let variable =
            |name: &str| said.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        for socket in ["postgres:///shop", "postgres://bob@/shop?host=/tmp/x"] {
            let address = parse(socket, variable).unwrap();
            assert!(matches!(address.endpoint, Endpoint::Unix { .. }), "{socket}");
        }
        let error = parse("postgres://db7/shop", variable).unwrap_err();
        assert!(matches!(error, AddressError::Tls(_)), "{said:?}: {error}");
    }
    // What the address says itself has to be right all the same.
    for wrong in ["sslmode=on", "sslrootcert=system&sslmode=require"] {
        let error = Address::parse(&format!("postgres:///shop?{wrong}")).unwrap_err();
        assert!(matches!(error, AddressError::Tls(_)), "{wrong}: {error}");
    }
}

#[test]
fn a_name_that_begins_like_a_number_of_this_machine_is_another_machine() {
    for (host, local) in [
        ("localhost", true),
        ("127.0.0.1", true),
        ("127.3.2.1", true),
        ("[::1]", true),
        ("[::ffff:127.0.0.1]", true),
        ("127.db.example", false),
        ("127.0.0.1.example", false),
        ("128.0.0.1", false),
    ] {
        let address = Address::parse(&format!("postgres://u@{host}/d")).unwrap();
        assert_eq!(address.is_local(), local, "{host}");
    }
}

#[test]
fn what_is_refused_is_not_quoted_however_it_is_mistyped() {
    const SECRET: &str = "S3cretPw";
    let whole = [
        "postgres://app:S3cretPw/shop",
        "postgres://app:S3cretPw@h:x/shop",
        "postgres://app@h/db?password=S3cretPw",
        "postgres://app@h/db?S3cretPw=1&sslmode=S3cretPw",
        "postgres://app@h/db?sslmode=disable&sslnegotiation=S3cretPw",
        "host=h password=S3cretPw",
        "app:S3cretPw@h/shop",
        "postgres://app:S3cretPw@h/shop?channel_binding=require",
    ];
    let (mut refused, mut read) = (0, 0);
    for text in whole.iter().flat_map(|text| mistyped(text)) {
        match parse(&text, |_| None) {
            Err(error) => {
                refused += 1;
                let said = format!("{error} {error:?}");
                assert!(!said.contains(SECRET), "{text}: {said}");
                assert!(said.contains("hint: "), "{text}: {said}");
            }
            // What stands where a name stands is one.
            Ok(address) => {
                read += 1;
                let said = format!("{address} {address:?}");
                let names = format!("{} {} {:?}", address.user, address.database, address.endpoint);
                assert!(!said.contains(SECRET) || names.contains(SECRET), "{text}: {said}");
            }
        }
    }
    assert!(refused > 1000 && read > 100, "{refused} {read}");
}

/// The text itself, and with one character left out, doubled, or moved to any other place, the secret left whole.
fn mistyped(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut all = vec![text.to_string()];
    for at in 0..chars.len() {
        let (before, rest) = (&chars[..at], &chars[at + 1..]);
        let without = [before, rest].concat();
        for to in 0..=without.len() {
            let mut moved = without.clone();
            moved.insert(to, chars[at]);
            all.push(moved.iter().collect());
        }
        all.push([before, &[chars[at]; 2], rest].concat().iter().collect());
        all.push(without.iter().collect());
    }
    all.retain(|text| text.contains("S3cretPw"));
    all
}

#[test]
fn bad_addresses_say_why() {
    assert_eq!(Address::parse("mysql://x"), Err(AddressError::Scheme));
    assert!(matches!(Address::parse("postgres://h:99999/d"), Err(AddressError::Port)));
    for unescaped in
        ["postgres://u:s3cr/et@h/db", "postgres://u:12/et@h/db", "postgres://u:s?et@h/db"]
    {
        assert_eq!(Address::parse(unescaped), Err(AddressError::Unescaped), "{unescaped}");
    }
    assert_eq!(Address::parse("postgres://u%zz@h/d"), Err(AddressError::Escape));
    for wrong in ["mysql://x", "postgres://h:99999/d", "postgres://u%zz@h/d"] {
        let error = Address::parse(wrong).unwrap_err().to_string();
        assert!(error.contains("\nhint: "), "{error}");
    }
    for wrong in ["sslmode=on", "sslnegotiation=direct", "sslrootcert=system&sslmode=require"] {
        let error = Address::parse(&format!("postgres://h/d?{wrong}")).unwrap_err();
        assert!(matches!(error, AddressError::Tls(_)), "{wrong}: {error:?}");
        assert!(error.to_string().contains("\nhint: "), "{error}");
    }
    assert!(matches!(Address::parse("postgres://h/d?fallback=1"), Err(AddressError::Parameter(_))));
}

/// Variables from a list.
fn of<'a>(said: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
    |name| said.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
}

#[test]
fn words_and_variables_say_what_they_say_to_psql() {
    let tcp =
        |host: &str, port| Endpoint::Tcp { host: host.into(), at: None, port, tls: Tls::default() };
    let said = [
        ("PGHOST", "db7"),
        ("PGPORT", "5433"),
        ("PGUSER", "bob"),
        ("PGDATABASE", "shop"),
        ("USER", "eve"),
    ];
    let address = parse("postgres://", of(&said)).unwrap();
    assert_eq!(address.endpoint, tcp("db7", 5433));
    assert_eq!((address.user.as_str(), address.database.as_str()), ("bob", "shop"));
    // What the address says goes before; without a database it is the user's name.
    let address = parse("host=db8 user=carl port=1", of(&said[..3])).unwrap();
    assert_eq!(address.endpoint, tcp("db8", 1));
    assert_eq!((address.user.as_str(), address.database.as_str()), ("carl", "carl"));
    let address = parse("host=/tmp/x application_name=shop connect_timeout=3", of(&[])).unwrap();
    assert_eq!(address.endpoint, Endpoint::Unix { folder: "/tmp/x".into(), port: 5432 });
    assert_eq!(parse("port=x", of(&[])), Err(AddressError::Port));
    for refused in ["requirepeer", "require_auth", "foo"] {
        let error = parse(&format!("host=h {refused}=a"), of(&[])).unwrap_err();
        assert_eq!(error, AddressError::Parameter(Some(refused.to_string())));
        assert!(error.to_string().contains(refused), "{error}");
    }
    let unknown = parse("postgres://bob:S3cret@h/d?foo=1", of(&[])).unwrap_err();
    assert_eq!(unknown, AddressError::Parameter(None), "beside a password nothing is named");
}

#[test]
fn a_host_may_be_reached_at_a_number_and_keeps_its_name() {
    let place = |text: &str, said: &[(&str, &str)]| {
        let address = parse(text, of(said)).unwrap();
        let Endpoint::Tcp { host, at, .. } = address.endpoint.clone() else {
            panic!("{address} is no host")
        };
        (host, at.map(|at| at.to_string()), address.is_local(), address.to_string())
    };
    let (host, at, local, shown) = place("host=db7 hostaddr=127.0.0.1 user=u dbname=d", &[]);
    assert_eq!((host.as_str(), at.as_deref(), local), ("db7", Some("127.0.0.1"), true));
    assert_eq!(shown, "postgres://u@db7:5432/d?hostaddr=127.0.0.1");
    assert_eq!(parse(&shown, of(&[])).unwrap().to_string(), shown);
    // Without a name the number stands for it, as in libpq, and the variable says the same.
    let numbers = [("PGHOSTADDR", "192.0.2.7")];
    let (host, at, local, shown) = place("postgres://u@/d", &numbers);
    assert_eq!((host.as_str(), at.as_deref(), local), ("192.0.2.7", Some("192.0.2.7"), false));
    assert_eq!(shown, "postgres://u@192.0.2.7:5432/d");
    assert_eq!(place("postgres://u@db7/d", &numbers).1.as_deref(), Some("192.0.2.7"));
    assert_eq!(parse("host=h hostaddr=db7", of(&[])), Err(AddressError::HostAddress));
}

#[test]
fn what_is_asked_of_sessions_comes_from_the_address_alone() {
    let session = |text: &str| parse(text, of(&[("PGOPTIONS", "-c x.y=1")])).unwrap().session;
    assert_eq!(session("postgres://u@h/d"), Box::default());
    let asked =
        session("postgres://u@h/d?options=-c%20work_mem%3D1MB&target_session_attrs=primary");
    assert_eq!(asked.options.as_deref(), Some("-c work_mem=1MB"));
    assert_eq!(asked.server, Some(ServerRole::Primary));
    for (word, server) in [
        ("any", None),
        ("prefer-standby", None),
        ("read-write", Some(ServerRole::Primary)),
        ("standby", Some(ServerRole::Standby)),
    ] {
        assert_eq!(session(&format!("host=h target_session_attrs={word}")).server, server);
    }
    let wrong = parse("host=h target_session_attrs=master", of(&[]));
    assert_eq!(wrong, Err(AddressError::SessionAttributes));
}

#[test]
fn an_address_is_shown_as_it_was_typed_and_its_password_never() {
    for (text, shown) in [
        ("postgres://monitor@127.0.0.1:5999/shop", "postgres://monitor@127.0.0.1:5999/shop"),
        ("postgres://app:S3cret@h/x", "postgres://app:***@h/x"),
        ("postgres://app@h/x?password=S3cret&port=1", "postgres://app@h/x?password=***&port=1"),
        ("host=h dbname='a b'", "host=h dbname='a b'"),
        ("host=h password='S3 cret' dbname='a b'", "host=h password=*** dbname='a b'"),
        ("host=h password=a://S3cret", "host=h password=***"),
    ] {
        assert_eq!(Address::shown(text).as_deref(), Some(shown), "{text}");
    }
    for unread in ["postgres://app:S3cret/x", "mysql://app:S3cret@h/x", "app:S3cret@h", "shop"] {
        assert_eq!(Address::shown(unread), None, "{unread}");
    }
    let address = Address::parse("postgres://bob%40corp:S3cret@db7/shop").unwrap();
    assert_eq!(address.masked(), "postgres://bob@corp:***@db7:5432/shop");
    let open = parse("postgres://bob@db7/shop", of(&[])).unwrap();
    assert_eq!(open.masked(), open.to_string());
}

#[test]
fn a_service_stands_between_the_address_and_the_variables() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("services");
    let text = "[prod]\nhost=db7\nuser=app\nsslmode=verify-full\npassword=p=q\n[bad]\nhots=db7\n";
    std::fs::write(&file, text).unwrap();
    let file = file.display().to_string();
    let said = [("PGSERVICEFILE", file.as_str()), ("PGHOST", "db9"), ("PGPORT", "6000")];
    let address = parse("service=prod user=bob", of(&said)).unwrap();
    let Endpoint::Tcp { host, port, tls, .. } = &address.endpoint else { panic!("{address}") };
    assert_eq!((host.as_str(), *port, address.user.as_str()), ("db7", 6000, "bob"));
    assert_eq!(tls.settings().mode, Mode::VerifyFull);
    assert_eq!(address.password.unwrap().reveal(), "p=q");
    let by_variable = [&said[..], &[("PGSERVICE", "prod")]].concat();
    assert_eq!(parse("postgres:///shop", of(&by_variable)).unwrap().user, "app");
    assert_eq!(parse("service=bad", of(&said)), Err(AddressError::Parameter(None)));
    assert!(matches!(parse("service=none", of(&said)), Err(AddressError::Service(_))));
}

#[test]
fn the_password_file_is_asked_last() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".pgpass");
    std::fs::write(&file, "db7:5432:shop:bob:from-file\n").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let password = |text: &str, said: &[(&str, &str)]| {
        let surroundings = Surroundings { variable: &of(said), home: Some(home.path()) };
        let address = Address::parse_in(text, &surroundings).unwrap();
        address.password.map(|password| password.reveal().to_string())
    };
    let url = "postgres://bob@db7/shop";
    assert_eq!(password(url, &[]).as_deref(), Some("from-file"));
    assert_eq!(password(url, &[("PGPASSWORD", "variable")]).as_deref(), Some("variable"));
    assert_eq!(password("postgres://bob:own@db7/shop", &[]).as_deref(), Some("own"));
    assert_eq!(password(url, &[("PGPASSFILE", "/none")]), None);
    assert_eq!(password("postgres://eve@db7/shop", &[]), None);
}

#[test]
fn what_may_be_an_address_is_known_by_its_form() {
    for text in ["postgres://h/d", "mysql://x", "host=h password=x", "service=prod"] {
        assert!(Address::is_one(text), "{text}");
    }
    for text in ["storage=2x", "managed", "7f3a", "/var/tmp/x=y"] {
        assert!(!Address::is_one(text), "{text}");
    }
}
