//! `narrows db clean` as users meet it: what it lists, what it removes, and what it never touches.

use std::process::{Command, Output};

use crate::common::server::{PASSWORD, TheirServer};
use crate::common::{Fixture, program};

const COMMENT: &str = "made by narrows for one run; removed at its end, or by the next run here";

fn clean(fixture: &Fixture, args: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).env_remove("PGPASSWORD");
    command.args(["db", "clean"]).args(args).output().expect("the program can be started")
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The table that only a run makes.
const MARK: &str = "narrows_run (id text, made_at timestamptz)";

/// A schema as a run of this user makes it.
fn scratch(server: &TheirServer, id: &str, owner: &str, comment: &str, mark: &str) {
    let schema = format!("narrows_scratch_{id}");
    server.ask(
        "shop",
        &format!(
            "CREATE SCHEMA {schema} AUTHORIZATION {owner}; COMMENT ON SCHEMA {schema} IS '{comment}'; SET ROLE {owner}; \
             CREATE TABLE {schema}.t AS SELECT generate_series(1, 10000) n; CREATE TABLE {schema}.{mark}"
        ),
    );
}

#[test]
fn only_what_is_ours_is_listed_and_removed() {
    let fixture = Fixture::new();
    let Some(server) = TheirServer::start(&fixture) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    // One of the same name without our comment is there from the start.
    let url = server.app();
    let before = server.everything();
    assert!(printed(&clean(&fixture, &[&url])).contains("nothing of narrows"));
    scratch(&server, "0000beef", "app", COMMENT, MARK);
    scratch(&server, "0000cafe", "nobody2", COMMENT, MARK);
    scratch(&server, "0000f00d", "app", "the accounts of 2024", MARK);
    // A comment alone is what everybody can write, and so is a name; what others put in makes it theirs too.
    scratch(&server, "0000f001", "app", COMMENT, "accounts (id text)");
    scratch(&server, "0000f002", "app", COMMENT, "narrows_run (id int)");
    scratch(&server, "0000f003", "app", COMMENT, MARK);
    server.ask("shop", "CREATE TABLE narrows_scratch_0000f003.theirs (n int)");
    let listed = printed(&clean(&fixture, &[&url]));
    assert!(listed.contains("narrows_scratch_0000beef") && listed.contains("--remove"), "{listed}");
    assert!(listed.contains("interrupted") && listed.lines().count() == 2, "{listed}");
    assert!(!listed.contains(PASSWORD));
    // What others hung on it stays, and so does what it hangs on.
    server.ask("shop", "CREATE VIEW public.report AS SELECT * FROM narrows_scratch_0000beef.t");
    let kept = clean(&fixture, &["--remove", &url]);
    let said = String::from_utf8_lossy(&kept.stderr).into_owned();
    assert_eq!(kept.status.code(), Some(2), "{said}");
    assert!(
        said.contains("2BP01")
            && said.contains("report depends on")
            && said.contains("hint: others"),
        "{said}"
    );
    assert!(server.everything().contains("narrows_scratch_0000beef"));
    server.ask("shop", "DROP VIEW public.report");
    let removed = printed(&clean(&fixture, &["--remove", &url]));
    assert!(
        removed.contains("removed (of an interrupted run") && removed.lines().count() == 1,
        "{removed}"
    );
    assert!(printed(&clean(&fixture, &[&url])).contains("nothing of narrows"));
    let left = server.everything();
    assert!(left.contains("narrows_scratch_0000cafe") && left.contains("narrows_scratch_0000f00d"));
    assert!(!left.contains("narrows_scratch_0000beef"), "{left}");
    server.ask(
        "shop",
        "DROP SCHEMA narrows_scratch_0000cafe, narrows_scratch_0000f00d, narrows_scratch_0000f001, narrows_scratch_0000f002, \
         narrows_scratch_0000f003 CASCADE",
    );
    assert_eq!(server.everything(), before);
    assert_eq!(server.sessions_left(), "");
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_hint() {
    let fixture = Fixture::new();
    for url in ["mysql://bob@db/x", "postgres://bob@127.0.0.1:1/x"] {
        let output = clean(&fixture, &[url]);
        assert_eq!(output.status.code(), Some(2), "{url}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("hint:"), "{url}: {said}");
    }
    assert_eq!(clean(&fixture, &[]).status.code(), Some(2), "no URL");
}
