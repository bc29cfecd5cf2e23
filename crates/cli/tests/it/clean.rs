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

/// A schema as a run of this user makes it.
fn scratch(server: &TheirServer, id: &str, owner: &str, comment: &str) {
    let schema = format!("narrows_scratch_{id}");
    server.ask(
        "shop",
        &format!(
            "CREATE SCHEMA {schema}; CREATE TABLE {schema}.t AS SELECT generate_series(1, 10000) n; \
             COMMENT ON SCHEMA {schema} IS '{comment}'; ALTER SCHEMA {schema} OWNER TO {owner}; \
             ALTER TABLE {schema}.t OWNER TO {owner}"
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
    scratch(&server, "0000beef", "app", COMMENT);
    scratch(&server, "0000cafe", "nobody2", COMMENT);
    scratch(&server, "0000f00d", "app", "the accounts of 2024");
    let listed = printed(&clean(&fixture, &[&url]));
    assert!(listed.contains("narrows_scratch_0000beef") && listed.contains("--remove"), "{listed}");
    assert!(listed.contains("cut off") && listed.lines().count() == 2, "{listed}");
    assert!(!listed.contains(PASSWORD));
    let removed = printed(&clean(&fixture, &["--remove", &url]));
    assert!(removed.contains("removed (of a run") && removed.lines().count() == 1, "{removed}");
    assert!(printed(&clean(&fixture, &[&url])).contains("nothing of narrows"));
    let left = server.everything();
    assert!(left.contains("narrows_scratch_0000cafe") && left.contains("narrows_scratch_0000f00d"));
    assert!(!left.contains("narrows_scratch_0000beef"), "{left}");
    server.ask(
        "shop",
        "DROP SCHEMA narrows_scratch_0000cafe CASCADE; DROP SCHEMA narrows_scratch_0000f00d CASCADE",
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
