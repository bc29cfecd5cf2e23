//! Somebody who may create in `public`, or who owns the database, plants functions, operators, aggregates, views, types, settings
//! and schemas that look like ours: no command runs or believes any of them, whoever's rights it has.

use std::process::{Command, Output};

use crate::common::machine::shared;
use crate::common::server::{PASSWORD, TheirServer};
use crate::common::{Fixture, LEAST, program};

/// Of each function and operator of the catalog one that takes the same and raises; those of types that can't be had are left out.
const TWINS: &str = "\
DO $do$ DECLARE f record; n int := 0; BEGIN
FOR f IN SELECT p.oid, p.proname, pg_get_function_identity_arguments(p.oid) args, pg_get_function_result(p.oid) res
    FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' LOOP
  BEGIN
    EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.proname, f.args, f.res,
      format('BEGIN RAISE EXCEPTION %L; END', 'planted function ' || f.proname));
  EXCEPTION WHEN OTHERS THEN NULL; END;
END LOOP;
FOR f IN SELECT o.oprname, o.oprleft::regtype l, o.oprright::regtype r, o.oprresult::regtype res FROM pg_catalog.pg_operator o
    WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND o.oprleft <> 0 AND o.oprright <> 0 LOOP
  n := n + 1;
  BEGIN
    EXECUTE format('CREATE FUNCTION public.planted_%s(%s, %s) RETURNS %s LANGUAGE plpgsql AS %L', n, f.l, f.r, f.res,
      format('BEGIN RAISE EXCEPTION %L; END', 'planted operator ' || f.oprname));
    EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.planted_%s)', f.oprname, f.l, f.r, n);
  EXCEPTION WHEN OTHERS THEN NULL; END;
END LOOP;
FOR f IN SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind IN ('r', 'v') LOOP
  BEGIN
    EXECUTE format('CREATE VIEW public.%I AS SELECT * FROM pg_catalog.%I WHERE public.planted_view()', f.relname, f.relname);
  EXCEPTION WHEN OTHERS THEN NULL; END;
END LOOP; END $do$";

/// What the review's attacker had: better matches for calls without a schema, which run with the caller's rights.
const TRAPS: &str = "\
CREATE FUNCTION public.planted_view() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted view'; END $$;
CREATE FUNCTION public.obj_description(oid, text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN EXECUTE 'ALTER ROLE evil SUPERUSER'; RETURN 'made by narrows for one run; removed at its end, or by the next run here'; END $$;
CREATE FUNCTION public.planted_state(bigint, bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted aggregate'; END $$;
CREATE FUNCTION public.planted_count(bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted aggregate'; END $$;
CREATE AGGREGATE public.sum(bigint) (SFUNC = public.planted_state, STYPE = bigint, INITCOND = '0');
CREATE AGGREGATE public.max(bigint) (SFUNC = public.planted_state, STYPE = bigint, INITCOND = '0');
CREATE AGGREGATE public.count(*) (SFUNC = public.planted_count, STYPE = bigint, INITCOND = '0');
CREATE DOMAIN public.regclass AS pg_catalog.text CHECK (public.planted_view());
CREATE DOMAIN public.pg_lsn AS pg_catalog.text CHECK (public.planted_view());
CREATE DOMAIN public.text AS pg_catalog.text CHECK (public.planted_view());
CREATE TYPE public.planted AS (n int);
CREATE FUNCTION public.planted_cast(public.planted) RETURNS pg_catalog.text LANGUAGE sql AS $$ SELECT 'x'::pg_catalog.text $$;
CREATE CAST (public.planted AS pg_catalog.text) WITH FUNCTION public.planted_cast(public.planted) AS IMPLICIT;
CREATE TABLE public.planted_rows (n int);
ALTER TABLE public.planted_rows ENABLE ROW LEVEL SECURITY;
CREATE POLICY planted ON public.planted_rows USING (public.planted_view());
CREATE SCHEMA narrows_scratch_00000001;
COMMENT ON SCHEMA narrows_scratch_00000001 IS 'made by narrows for one run; removed at its end, or by the next run here';
CREATE TABLE narrows_scratch_00000001.narrows_run (id pg_catalog.text, made_at timestamptz);
CREATE TABLE narrows_scratch_00000001.kept (n int)";

/// A schema that looks like the order-entry mix's, in which everything that a table can have runs something: policies, rules, triggers,
/// defaults, domains, generated columns. Comment and setup table are those that ours has.
const ORDERS: &str = "\
CREATE FUNCTION public.planted_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted trigger'; END $$;
CREATE FUNCTION public.planted_number() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted default'; END $$;
CREATE FUNCTION public.planted_same(pg_catalog.int4) RETURNS pg_catalog.int4 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted column'; END $$;
CREATE SCHEMA narrows_orders;
COMMENT ON SCHEMA narrows_orders IS 'made by narrows for its order-entry mix; remove it with: narrows db orders --drop';
CREATE DOMAIN narrows_orders.w AS int CHECK (public.planted_view());
CREATE TABLE narrows_orders.setup (layout int, warehouses int, seed text, c_last_name int, ready boolean);
CREATE TABLE narrows_orders.loaded (w narrows_orders.w DEFAULT public.planted_number(), lines bigint, at timestamptz);
CREATE TABLE narrows_orders.item (i int, same int GENERATED ALWAYS AS (public.planted_same(i)) STORED);
INSERT INTO narrows_orders.setup VALUES (1, 1, '1', 1, true);
DO $do$ DECLARE t text; BEGIN FOREACH t IN ARRAY ARRAY['setup', 'loaded', 'item'] LOOP
  EXECUTE format('ALTER TABLE narrows_orders.%I ENABLE ROW LEVEL SECURITY', t);
  EXECUTE format('ALTER TABLE narrows_orders.%I FORCE ROW LEVEL SECURITY', t);
  EXECUTE format('CREATE POLICY planted ON narrows_orders.%I USING (public.planted_view())', t);
  EXECUTE format('CREATE TRIGGER planted BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON narrows_orders.%I FOR EACH STATEMENT EXECUTE FUNCTION public.planted_row()', t);
  EXECUTE format('CREATE RULE planted AS ON INSERT TO narrows_orders.%I DO ALSO SELECT public.planted_view()', t);
END LOOP; END $do$;
GRANT ALL ON SCHEMA narrows_orders TO PUBLIC;
GRANT ALL ON ALL TABLES IN SCHEMA narrows_orders TO PUBLIC";

/// What the owner of a database may set for everybody who comes.
const SETTINGS: [(&str, &str); 12] = [
    ("search_path", "public, pg_catalog"),
    ("role", "evil"),
    ("row_security", "on"),
    ("standard_conforming_strings", "off"),
    ("quote_all_identifiers", "on"),
    ("DateStyle", "German"),
    ("IntervalStyle", "sql_standard"),
    ("extra_float_digits", "-15"),
    ("client_min_messages", "debug5"),
    ("TimeZone", "'Asia/Kathmandu'"),
    ("bytea_output", "escape"),
    ("default_transaction_isolation", "serializable"),
];

fn evil(server: &TheirServer, database: &str, sql: &str) {
    server.ask(
        database,
        &format!("SET SESSION AUTHORIZATION evil; SET client_min_messages = error; {sql}"),
    );
}

fn narrows(fixture: &Fixture, args: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).env_remove("PGPASSWORD").env(LEAST.0, LEAST.1);
    command.args(args).output().expect("the program can be started")
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// A server with a database `shop` in whose `public` evil may create, and one, `den`, that is evil's.
fn planted(fixture: &Fixture) -> Option<TheirServer> {
    let Some(server) = TheirServer::start(fixture) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return None;
    };
    for sql in [
        &format!("ALTER ROLE owner PASSWORD '{PASSWORD}'"),
        "CREATE ROLE evil LOGIN",
        "CREATE DATABASE den OWNER evil",
        "GRANT CREATE ON DATABASE den TO app",
        "GRANT CREATE ON DATABASE shop TO evil",
    ] {
        server.ask("postgres", sql);
    }
    server.ask("shop", "GRANT CREATE ON SCHEMA public TO evil");
    server.ask("den", "GRANT CREATE ON SCHEMA public TO evil");
    // Its own search path would have it fall into its own traps.
    for database in ["shop", "den"] {
        evil(&server, database, &format!("SET search_path = pg_catalog; {TRAPS}; {TWINS}"));
        let twins = server.ask(
            database,
            "SELECT pg_catalog.count(*) FROM pg_catalog.pg_proc WHERE pronamespace = \
             (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'public')",
        );
        assert!(twins.trim().parse::<u32>().unwrap() > 1000, "{twins}");
    }
    for (name, value) in SETTINGS {
        evil(&server, "shop", &format!("ALTER DATABASE den SET {name} = {value}"));
    }
    server.ask("postgres", "ALTER ROLE app SET search_path = public, pg_catalog");
    Some(server)
}

/// Who evil is, and what it has that looks like ours; asked where its settings don't reach.
fn state(server: &TheirServer) -> String {
    let roles = server.ask("postgres", "SELECT rolname FROM pg_roles WHERE rolsuper ORDER BY 1");
    let schemas =
        server.ask("shop", "SELECT pg_catalog.string_agg(n.nspname::pg_catalog.text, ' ') FROM pg_catalog.pg_namespace n");
    let kept = server.ask(
        "shop",
        "SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relname OPERATOR(pg_catalog.=) 'kept'",
    );
    format!("{roles}|{schemas}|{kept}")
}

/// The owner of the server comes to a database in which others may create.
#[test]
fn nothing_that_others_planted_in_a_shop_runs_with_its_owners_rights() {
    nothing_planted_is_run_or_believed("owner", "shop");
}

/// The owner of the server comes to a database of somebody else's.
#[test]
fn nothing_that_others_planted_in_their_den_runs_with_the_owners_rights() {
    nothing_planted_is_run_or_believed("owner", "den");
}

#[test]
fn nothing_that_others_planted_in_their_den_runs_with_a_users_rights() {
    nothing_planted_is_run_or_believed("app", "den");
}

#[test]
fn nothing_that_others_planted_in_a_shop_runs_with_a_users_rights() {
    nothing_planted_is_run_or_believed("app", "shop");
}

fn nothing_planted_is_run_or_believed(user: &str, database: &str) {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = planted(&fixture) else { return };
    let before = state(&server);
    let data = fixture.data().display().to_string();
    let url = &server.address(user, PASSWORD, database);
    for args in [
        &["db", "clean", url][..],
        &["db", "clean", "--remove", url],
        &["run", "--observe", url, "--for", "3s"],
        &["log", "postgres", url, "--for", "3s"],
        &[
            "run",
            "--quick",
            "--layers",
            "database",
            "--workloads",
            "lookup_cached",
            "--load-here",
            "--data",
            &data,
            "--database",
            url,
        ],
        &[
            "db",
            "update",
            "--quick",
            "--window",
            "1s",
            "--load-here",
            "--data",
            &data,
            "--layers",
            "database",
            url,
        ],
        &["db", "orders", "--warehouses", "1", "--load-only", "--load-here", "--data", &data, url],
        &["db", "orders", "--drop", url],
    ] {
        // The slow ones need to be done with each kind of rights once.
        if args.contains(&"--load-here")
            && (user, database) != ("owner", "den")
            && args[1] != "update"
        {
            continue;
        }
        let output = narrows(&fixture, args);
        let text = said(&output);
        // Of an idle server, one without fsync, or a busy machine, figures may well be suspect or invalid.
        assert!(
            matches!(output.status.code(), Some(0 | 3 | 4)),
            "{user} {database} {args:?}: {text}"
        );
        assert!(!text.contains("planted"), "{user} {database} {args:?}: {text}");
        assert!(!text.contains("00000001"), "a schema of evil's was taken for ours: {text}");
        assert!(!text.contains(PASSWORD), "{text}");
    }
    assert_eq!(state(&server), before);
}

/// The mix works in no schema of somebody else's, whatever its rights there: nothing in it is read, written, or removed.
#[test]
fn a_schema_that_somebody_made_for_the_mix_is_left_alone() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = planted(&fixture) else { return };
    evil(&server, "shop", &format!("SET search_path = pg_catalog; {ORDERS}"));
    let contents = "SELECT (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n \
                    ON n.oid OPERATOR(pg_catalog.=) c.relnamespace WHERE n.nspname OPERATOR(pg_catalog.=) 'narrows_orders'), \
                    (SELECT pg_catalog.sum(n_tup_ins) FROM pg_catalog.pg_stat_user_tables)";
    // What a session inserted is counted when it ends, which a client that has left does not wait for.
    server.until_alone("shop");
    let before = (state(&server), server.ask("shop", contents));
    let data = fixture.data().display().to_string();
    for user in ["owner", "app"] {
        let url = &server.address(user, PASSWORD, "shop");
        let load = ["--warehouses", "1", "--load-only", "--load-here", "--data", &data];
        for args in [
            [&["db", "orders", url][..], &load].concat(),
            [&["db", "orders", "--keep", url][..], &load].concat(),
            vec!["db", "orders", "--drop", url],
        ] {
            let output = narrows(&fixture, &args);
            let text = said(&output);
            assert_eq!(output.status.code(), Some(2), "{user} {args:?}: {text}");
            assert!(text.contains("narrows_orders") && text.contains("hint: "), "{args:?}: {text}");
            assert!(!text.contains("planted"), "{user} {args:?}: {text}");
        }
        let removed = said(&narrows(&fixture, &["db", "clean", "--remove", url]));
        assert!(!removed.contains("planted"), "{removed}");
    }
    assert_eq!((state(&server), server.ask("shop", contents)), before);
}

#[test]
fn others_event_triggers_are_not_fired_by_us() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = TheirServer::start(&fixture) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    server.ask(
        "postgres",
        &format!("ALTER ROLE owner PASSWORD '{PASSWORD}'; CREATE ROLE evil LOGIN"),
    );
    server.ask("shop", "GRANT CREATE ON SCHEMA public TO evil");
    evil(
        &server,
        "shop",
        "CREATE FUNCTION public.audit() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF current_setting('is_superuser') = 'on' THEN EXECUTE 'ALTER ROLE evil SUPERUSER'; END IF; END $$",
    );
    // As a run of the superuser's that was cut off leaves it.
    server.ask(
        "shop",
        "CREATE SCHEMA narrows_scratch_0000beef; COMMENT ON SCHEMA narrows_scratch_0000beef IS \
         'made by narrows for one run; removed at its end, or by the next run here'; \
         CREATE TABLE narrows_scratch_0000beef.narrows_run (id text, made_at timestamptz)",
    );
    // An administrator's, which anybody's function was put into.
    server.ask("shop", "CREATE EVENT TRIGGER audit ON sql_drop EXECUTE FUNCTION public.audit()");
    server.ask(
        "shop",
        "CREATE EVENT TRIGGER audit2 ON ddl_command_end EXECUTE FUNCTION public.audit()",
    );
    let url = &server.address("owner", PASSWORD, "shop");
    let data = fixture.data().display().to_string();
    for args in [
        &["db", "clean", "--remove", url][..],
        &["db", "update", "--quick", "--load-here", "--data", &data, "--layers", "database", url],
    ] {
        let output = narrows(&fixture, args);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("event trigger audit") && text.contains("of evil"), "{text}");
        assert!(text.contains("hint: "), "{text}");
    }
    let superusers = server.ask("postgres", "SELECT rolname FROM pg_roles WHERE rolsuper");
    assert_eq!(superusers.trim(), "owner");
    // What an administrator answers for runs for us as for everybody.
    server.ask("shop", "ALTER FUNCTION public.audit() OWNER TO owner");
    server.ask("shop", "CREATE OR REPLACE FUNCTION public.audit() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'");
    let removed = narrows(&fixture, &["db", "clean", "--remove", url]);
    assert!(said(&removed).contains("removed (of an interrupted run"), "{}", said(&removed));
}
