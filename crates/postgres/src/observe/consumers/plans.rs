//! Generic plans of the statements that take most: `EXPLAIN` without `ANALYZE`, at the end of a look, once for each.
//!
//! The text is that of `pg_stat_statements` with its `$1`, planned by `PREPARE` and `EXPLAIN EXECUTE` under
//! `plan_cache_mode = force_generic_plan`, which PostgreSQL has from 12 on, with the `search_path` of the statement's user. Nothing is
//! executed: the transaction is read only and rolled back, with a `statement_timeout` of 1 s and a `lock_timeout` of 100 ms. Tables are
//! locked as for reading, or for the change that isn't made, for as long as planning takes.
//!
//! Planning isn't harmless in itself: the planner calls functions that are marked immutable or stable, so that who may create a function
//! could have it called by whoever plans a statement with it, a superuser for instance. So a text is planned only where no function
//! of a language other than C that the planner may call is named in it, and none of somebody who is neither a superuser nor we is used by a
//! view, default, constraint, index, operator, cast, type or policy of the database. Foreign tables are left out: their servers may be asked.
//!
//! The server's transformations of a text are not ours: where a text has literals in it, several statements, or names in Unicode escapes, it
//! isn't planned. Conditions go through [`super::normalise`].
//!
//! Where HypoPG is in the database, the index that a plan suggests is tried in our session: in its memory, and in nobody else's plans.
//!
//! Source: PostgreSQL documentation, "EXPLAIN", "PREPARE", "Function Volatility Categories"; HypoPG, "Usage".

use narrows_model::{
    IndexUse, PlanNode, StatementPlan, StatementStatistics, StatementUse, TriedIndex,
};
use serde_json::Value;

use super::normalise::normalised;
use super::text;
use crate::monitor::session::{NoAnswer, SamplingSession};
use crate::wire::{Row, WireError, one_line};

/// What is named where a plan is missing.
pub(super) const PLANS: &str = "plans of the statements that take most (EXPLAIN)";

/// Statements that are planned.
const MOST_PLANS: usize = 3;
/// Of the time of all statements, what one takes at least.
const LEAST_SHARE: f64 = 0.1;
/// Blocks for each call from which on there is something to ask: 10,000 rows of the shortest.
const LEAST_BLOCKS: f64 = 34.0;
/// Characters from which on a text may have been cut.
const LONGEST_TEXT: usize = 16_000;
/// Parameters of a statement.
const MOST_PARAMETERS: usize = 1_000;
/// Columns of an index that is tried.
const MOST_COLUMNS: usize = 3;

/// What a text is searched for: functions that the planner may call, whose they are, whether something of the database uses them; foreign
/// tables.
pub(super) const HAZARDS: &str = "\
SELECT p.proname, CASE WHEN NOT o.rolsuper AND o.rolname <> current_user AND EXISTS (SELECT FROM pg_catalog.pg_depend d \
WHERE d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.refobjid = p.oid AND d.classid IN (SELECT c.oid \
FROM pg_catalog.pg_class c WHERE c.relnamespace = 'pg_catalog'::pg_catalog.regnamespace AND c.relname IN ('pg_rewrite', 'pg_attrdef', \
'pg_constraint', 'pg_class', 'pg_operator', 'pg_cast', 'pg_type', 'pg_policy', 'pg_amproc', 'pg_amop'))) \
THEN pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(p.proname) END \
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
JOIN pg_catalog.pg_roles o ON o.oid = p.proowner WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') \
AND l.lanname NOT IN ('internal', 'c') AND (p.provolatile <> 'v' OR l.lanname = 'sql') \
AND p.prorettype NOT IN ('pg_catalog.trigger'::pg_catalog.regtype, 'pg_catalog.event_trigger'::pg_catalog.regtype) \
UNION ALL SELECT relname, NULL FROM pg_catalog.pg_class WHERE relkind = 'f' LIMIT 20001";
const MOST_HAZARDS: usize = 20_000;

/// Whether HypoPG is there, and where.
const HYPOPG: &str = "\
SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace \
WHERE e.extname = 'hypopg' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')";

/// A statement that is worth a plan.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    id: String,
    user: String,
    text: String,
}

/// Of the statements of our session's database those with most time that read more than a few blocks or wrote temporary files; `texts` is the
/// answer that has their texts as the server keeps them.
pub(super) fn candidates(
    database: &str,
    statistics: &StatementStatistics,
    texts: &[Row],
) -> Vec<Candidate> {
    let worth = |used: &&StatementUse| {
        let took = used.took;
        used.database == database
            && took.exec_ns > 0.0
            && took.exec_ns >= LEAST_SHARE * statistics.all.exec_ns
            && (took.temp_blocks > 0.0
                || took.blocks_hit + took.blocks_read >= LEAST_BLOCKS * took.calls)
    };
    let candidate = |used: &StatementUse| {
        let is_its = |row: &&Row| {
            let name = |column: usize| text(row, column).map(one_line);
            text(row, 2) == Some(used.id.as_str())
                && name(4).as_ref() == Some(&used.user)
                && name(5).as_deref() == Some(database)
        };
        let text = text(texts.iter().find(is_its)?, 6)?.to_string();
        is_planned(used.text.as_deref()?).then(|| Candidate {
            id: used.id.clone(),
            user: used.user.clone(),
            text,
        })
    };
    let mut found: Vec<&StatementUse> = statistics.list.iter().filter(worth).collect();
    found.sort_by(|a, b| b.took.exec_ns.total_cmp(&a.took.exec_ns));
    found.into_iter().filter_map(candidate).take(MOST_PLANS).collect()
}

/// Whether it is a statement that has a plan, by its normalised text.
fn is_planned(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty());
    let first = first.unwrap_or_default();
    ["select", "insert", "update", "delete", "with"].iter().any(|w| first.eq_ignore_ascii_case(w))
}

/// Functions and foreign tables that keep a text from being planned.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Hazards {
    names: Vec<String>,
    /// What keeps every text from it.
    everywhere: Option<String>,
}

impl Hazards {
    /// From the answer to [`HAZARDS`].
    pub(super) fn of(rows: &[Row]) -> Hazards {
        let used = rows.iter().find_map(|row| text(row, 1)).map(|function| {
            format!(
                "a database in which no view, default, constraint, index or the like uses {}, which planning may call and which is neither \
                 a superuser's nor this role's",
                one_line(function)
            )
        });
        let many =
            (rows.len() > MOST_HAZARDS).then(|| "a database with fewer functions".to_string());
        let names = rows.iter().filter_map(|row| Some(text(row, 0)?.to_lowercase())).collect();
        Hazards { names, everywhere: used.or(many) }
    }

    /// Why the text isn't planned, as what it would need.
    fn refusal(&self, sql: &str) -> Option<String> {
        if self.everywhere.is_some() {
            return self.everywhere.clone();
        }
        let folded = sql.to_lowercase();
        let in_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let words: Vec<&str> = folded.split(|c| !in_name(c)).collect();
        let named = self.names.iter().find(|name| match name.chars().all(in_name) {
            true => words.contains(&name.as_str()),
            // In quotes: as it stands, or with its own quotes doubled.
            false => folded.contains(name.as_str()) || folded.contains(&name.replace('"', "\"\"")),
        })?;
        Some(format!(
            "a statement without {}, a function that planning may call, or a foreign table",
            one_line(named)
        ))
    }
}

/// The text as it can be prepared, and how many parameters it has; or what it would need.
fn prepared(sql: &str) -> Result<(&str, usize), &'static str> {
    if sql.chars().count() >= LONGEST_TEXT {
        return Err("a shorter text: it may have been cut");
    }
    let sql = sql.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    let unicode = ["U&\"", "u&\""].iter().any(|begins| sql.contains(begins));
    if sql.contains([';', '\'', '\0']) || unicode {
        return Err(
            "a text of one statement without literals, and without names in Unicode escapes",
        );
    }
    let mut parameters = 0;
    for part in sql.split('$').skip(1) {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        // Of a literal in dollars, or of a name with one in it.
        let Ok(parameter) = part[..digits].parse::<usize>() else {
            return Err("a text without dollars but those of parameters");
        };
        parameters = parameters.max(parameter);
    }
    if parameters > MOST_PARAMETERS {
        return Err("a statement with fewer parameters");
    }
    Ok((sql, parameters))
}

/// Asks for the `search_path` that sessions of that user begin with, as far as roles and databases set one, and for the user's name as it stands
/// in there for `$user`. Our own session has another one.
fn search_path(user: &str) -> Option<String> {
    let user = literal(user)?;
    Some(format!(
        "SELECT coalesce((SELECT pg_catalog.substr(c.setting, 13) FROM pg_catalog.pg_db_role_setting s \
         CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) c (setting) LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole \
         LEFT JOIN pg_catalog.pg_database d ON d.oid = s.setdatabase WHERE c.setting LIKE 'search\\_path=%' \
         AND (s.setrole = 0 OR r.rolname = {user}) AND (s.setdatabase = 0 OR d.datname = pg_catalog.current_database()) \
         ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1), '\"$user\", public'), pg_catalog.quote_ident({user})"
    ))
}

/// A literal of the server's, whatever `standard_conforming_strings` is; `None` where it can't be one.
fn literal(text: &str) -> Option<String> {
    (!text.contains(['\\', '\0'])).then(|| format!("'{}'", text.replace('\'', "''")))
}

/// The name in quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The name as PostgreSQL shows it, but for keywords.
fn shown(name: &str) -> String {
    let first = |c: char| c.is_ascii_lowercase() || c == '_';
    let plain =
        name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit() || c == '$');
    one_line(&if plain { name.to_string() } else { quoted(name) })
}

/// What a session of ours plans with.
pub(super) struct Planner<'a> {
    pub(super) session: &'a mut SamplingSession,
    pub(super) hazards: Hazards,
    /// Indexes whose columns are known.
    pub(super) indexes: &'a [IndexUse],
    hypopg: Option<String>,
}

/// What a plan would need.
pub(super) type Refused = String;

impl<'a> Planner<'a> {
    /// Looks for HypoPG.
    ///
    /// # Errors
    /// The connection broke.
    pub(super) fn new(
        session: &'a mut SamplingSession,
        hazards: Hazards,
        indexes: &'a [IndexUse],
    ) -> Result<Planner<'a>, WireError> {
        let rows = session.ask_aside(HYPOPG)?.unwrap_or_default();
        let hypopg = rows.first().and_then(|row| text(row, 0)).map(str::to_string);
        Ok(Planner { session, hazards, indexes, hypopg })
    }

    /// The plan, or why there is none.
    ///
    /// # Errors
    /// The connection broke.
    pub(super) fn plan(
        &mut self,
        of: &Candidate,
    ) -> Result<Result<StatementPlan, Refused>, WireError> {
        if let Some(refusal) = self.hazards.refusal(&of.text) {
            return Ok(Err(refusal));
        }
        let (sql, parameters) = match prepared(&of.text) {
            Ok(prepared) => prepared,
            Err(needs) => return Ok(Err(needs.to_string())),
        };
        let path = match search_path(&of.user) {
            Some(question) => self.session.ask_aside(&question)?.unwrap_or_default(),
            None => Vec::new(),
        };
        let path = path.first().and_then(|row| {
            // Each `"$user"` is the name of the statement's user.
            Some(text(row, 0)?.replace("\"$user\"", text(row, 1)?))
        });
        let Some(path) = path.and_then(|path| literal(&path)) else {
            return Ok(Err("the search_path of its user".to_string()));
        };
        let explained = match self.explain(sql, parameters, &path)? {
            Ok(explained) => explained,
            Err(refused) => return Ok(Err(refused)),
        };
        let Some(mut plan) = plan_of(&of.id, &explained) else {
            return Ok(Err("a plan in JSON".to_string()));
        };
        if let Some(suggested) = suggested(&explained, self.indexes)
            && let Some(schema) = self.hypopg.clone()
        {
            plan.tried = self.with_index(&schema, &suggested, (sql, parameters), &path)?;
        }
        Ok(Ok(plan))
    }

    /// Plans it in a transaction of its own, with a `search_path` that is a literal.
    fn explain(
        &mut self,
        sql: &str,
        parameters: usize,
        path: &str,
    ) -> Result<Result<Value, Refused>, WireError> {
        let begin = format!(
            "BEGIN READ ONLY; SET LOCAL statement_timeout = '1s'; SET LOCAL lock_timeout = '100ms'; \
             SET LOCAL plan_cache_mode = force_generic_plan; SELECT pg_catalog.set_config('search_path', {path}, true)"
        );
        let mut answer = self.session.ask_aside(&begin)?.map(|_| Vec::new());
        let mut is_prepared = false;
        if answer.is_ok() {
            answer = self.session.ask_aside(&format!("PREPARE narrows_plan AS {sql}"))?;
            is_prepared = answer.is_ok();
        }
        if is_prepared {
            let nulls = vec!["NULL"; parameters].join(", ");
            let arguments = if parameters == 0 { String::new() } else { format!(" ({nulls})") };
            let explain = format!("EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE narrows_plan{arguments}");
            answer = self.session.ask_aside(&explain)?;
        }
        // Whatever became of it: the transaction ends, and nothing stays prepared.
        let _ = self.session.ask_aside("ROLLBACK")?;
        if is_prepared {
            let _ = self.session.ask_aside("DEALLOCATE narrows_plan")?;
        }
        Ok(match answer {
            Ok(rows) => rows
                .first()
                .and_then(|row| serde_json::from_str(text(row, 0)?).ok())
                .ok_or_else(|| "a plan in JSON".to_string()),
            Err(NoAnswer::Late) => {
                Err("a server that plans it within 1 s and gives its locks within 100 ms".into())
            }
            Err(NoAnswer::Refused(code)) => Err(needs(&code)),
        })
    }

    /// Plans it once more with an index that is in our session's memory alone.
    fn with_index(
        &mut self,
        schema: &str,
        index: &Suggested,
        (sql, parameters): (&str, usize),
        path: &str,
    ) -> Result<Option<TriedIndex>, WireError> {
        let Some(create) = literal(&index.statement()) else { return Ok(None) };
        let create = format!("SELECT indexname FROM {schema}.hypopg_create_index({create})");
        let made = self.session.ask_aside(&create)?.unwrap_or_default();
        let mut tried = None;
        if let Some(name) = made.first().and_then(|row| text(row, 0))
            && let Ok(explained) = self.explain(sql, parameters, path)?
            && let Some(plan) = plan_of("", &explained)
        {
            let name = shown(name);
            tried = Some(TriedIndex {
                table: index.table_shown(),
                columns: index.columns.iter().map(|c| shown(c)).collect::<Vec<_>>().join(", "),
                used: plan.nodes.iter().any(|node| node.index.as_deref() == Some(&name)),
                cost: plan.cost,
            });
        }
        let _ = self.session.ask_aside(&format!("SELECT {schema}.hypopg_reset()"))?;
        Ok(tried)
    }
}

/// What a statement that the server refuses to plan would need.
fn needs(code: &str) -> String {
    match code {
        "42501" => "rights on the statement's tables: SELECT, and that of the change where it makes one".to_string(),
        "42P01" | "3F000" | "42883" | "42704" | "42703" => {
            "USAGE on the schema of the statement's tables, or the search_path that its sessions set themselves: they are not found by that of their user".to_string()
        }
        "42601" | "42P18" | "42P02" | "42804" | "42P08" => {
            "values for its parameters: their types can't be told from the text".to_string()
        }
        code => format!("a server that doesn't refuse to plan it (SQLSTATE {code})"),
    }
}

/// An index that a plan suggests, names as they are.
#[derive(Debug, Clone, PartialEq)]
struct Suggested {
    schema: String,
    table: String,
    columns: Vec<String>,
}

impl Suggested {
    fn statement(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|column| quoted(column)).collect();
        let on = format!("{}.{}", quoted(&self.schema), quoted(&self.table));
        format!("CREATE INDEX ON {on} ({})", columns.join(", "))
    }

    fn table_shown(&self) -> String {
        format!("{}.{}", shown(&self.schema), shown(&self.table))
    }
}

fn word<'v>(node: &'v Value, key: &str) -> Option<&'v str> {
    node.get(key)?.as_str()
}

fn below(node: &Value) -> &[Value] {
    node.get("Plans").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The node itself and those below it, each with its depth.
fn nodes(explained: &Value) -> Vec<(u32, &Value)> {
    let mut found = Vec::new();
    let mut left: Vec<(u32, &Value)> = explained
        .get(0)
        .and_then(|all| all.get("Plan"))
        .map(|top| vec![(0, top)])
        .unwrap_or_default();
    while let Some((depth, node)) = left.pop() {
        found.push((depth, node));
        left.extend(below(node).iter().rev().map(|node| (depth + 1, node)));
    }
    found
}

/// The index that a node reads, and what it is searched for: of a bitmap its only index scan's.
fn index_of(node: &Value) -> (Option<&str>, Option<&str>) {
    let of = |node| (word(node, "Index Name"), word(node, "Index Cond"));
    match (word(node, "Node Type"), below(node)) {
        (Some("Bitmap Heap Scan"), [only])
            if word(only, "Node Type") == Some("Bitmap Index Scan") =>
        {
            of(only)
        }
        _ => of(node),
    }
}

/// In the small form that is kept; `None` where it is no plan.
fn plan_of(id: &str, explained: &Value) -> Option<StatementPlan> {
    let number = |node: &Value, key: &str| {
        node.get(key).and_then(Value::as_f64).filter(|n| n.is_finite()).unwrap_or(0.0)
    };
    let all = nodes(explained);
    let (_, top) = all.first()?;
    let node = |(depth, node): &(u32, &Value)| {
        let (index, condition) = index_of(node);
        let filter = word(node, "Filter").map(normalised);
        let table = word(node, "Relation Name").map(|name| match word(node, "Schema") {
            Some(schema) => format!("{}.{}", shown(schema), shown(name)),
            None => shown(name),
        });
        PlanNode {
            depth: *depth,
            kind: word(node, "Node Type").map(one_line).unwrap_or_default(),
            table,
            index: index.map(shown),
            index_condition: condition.map(normalised),
            filtered_equal: filter
                .as_deref()
                .and_then(equal_columns)
                .unwrap_or_default()
                .iter()
                .map(|column| shown(column))
                .collect(),
            filter,
            rows: number(node, "Plan Rows"),
            cost: number(node, "Total Cost"),
        }
    };
    Some(StatementPlan {
        id: id.to_string(),
        cost: number(top, "Total Cost"),
        nodes: all.iter().take(StatementPlan::NODES).map(node).collect(),
        tried: None,
    })
}

/// The index that would leave out what the dearest scan with a filter throws away: behind the columns of the index that it reads, where that
/// is one of `indexes` with plain columns.
fn suggested(explained: &Value, indexes: &[IndexUse]) -> Option<Suggested> {
    let of = |node: &Value| {
        let (schema, table) = (word(node, "Schema")?, word(node, "Relation Name")?);
        let kind = word(node, "Node Type")?;
        let added = equal_columns(&normalised(word(node, "Filter")?))?;
        let mut columns = match index_of(node).0 {
            None if kind == "Seq Scan" => Vec::new(),
            None => return None,
            Some(index) => {
                let name = format!("{}.{}", quoted(schema), quoted(index));
                let is_it = |one: &&IndexUse| {
                    split(&one.name, '.').is_some_and(|parts| {
                        parts.iter().map(|part| quoted(part)).collect::<Vec<_>>().join(".") == name
                    })
                };
                split(&indexes.iter().find(is_it)?.columns, ',')?
            }
        };
        columns.extend(added);
        let cost = node.get("Total Cost").and_then(Value::as_f64)?;
        let suggested = Suggested { schema: schema.to_string(), table: table.to_string(), columns };
        (suggested.columns.len() <= MOST_COLUMNS).then_some((cost, suggested))
    };
    let found = nodes(explained).into_iter().filter_map(|(_, node)| of(node));
    found.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, suggested)| suggested)
}

/// Names between separators, without their quotes.
fn split(names: &str, separator: char) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = names;
    loop {
        let (name, after) = name(rest.trim_start())?;
        found.push(name);
        let after = after.trim_start();
        if after.is_empty() {
            return Some(found);
        }
        rest = after.strip_prefix(separator)?;
    }
}

/// The name that a text begins with, without its quotes, and what follows.
fn name(text: &str) -> Option<(String, &str)> {
    let Some(inside) = text.strip_prefix('"') else {
        let end = text
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(text.len());
        let begins = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        return begins.then(|| (text[..end].to_string(), &text[end..]));
    };
    let (mut name, mut chars) = (String::new(), inside.char_indices().peekable());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if chars.next_if(|(_, next)| *next == '"').is_some() => name.push('"'),
            '"' => return Some((name, &inside[at + 1..])),
            c => name.push(c),
        }
    }
    None
}

/// Columns that a filter compares with parameters for equality, where it does nothing else: as the server writes one, `(a = $1)` or
/// `((t.a = $1) AND ((t.b)::text = $2))`. `None` where a doubt is left.
fn equal_columns(filter: &str) -> Option<Vec<String>> {
    let inside = inside(filter)?;
    let mut columns = Vec::new();
    let mut rest = inside;
    if !rest.starts_with('(') || term(inside).is_some() {
        return term(inside).map(|column| vec![column]);
    }
    loop {
        let end = closing(rest)?;
        let column = term(&rest[1..end])?;
        if !columns.contains(&column) {
            columns.push(column);
        }
        rest = &rest[end + 1..];
        if rest.is_empty() {
            return Some(columns);
        }
        rest = rest.strip_prefix(" AND ")?;
    }
}

/// What is between the parentheses that a text begins and ends with.
fn inside(text: &str) -> Option<&str> {
    let end = closing(text)?;
    (end + 1 == text.len()).then(|| &text[1..end])
}

/// Where the parenthesis ends that a text begins with.
fn closing(text: &str) -> Option<usize> {
    if !text.starts_with('(') {
        return None;
    }
    let (mut depth, mut in_name) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => in_name = !in_name,
            '(' if !in_name => depth += 1,
            ')' if !in_name => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The column of `t.a = $1`, `(t.a)::text = $1`, `a = ANY ($1)`.
fn term(text: &str) -> Option<String> {
    let (column, after) = match closing(text) {
        Some(end) => (&text[1..end], text[end + 1..].strip_prefix("::text")?),
        None => {
            let (_, after) = column(text)?;
            (&text[..text.len() - after.len()], after)
        }
    };
    let (name, rest) = self::column(column)?;
    let value = after.strip_prefix(" = ")?;
    let value = value.strip_prefix("ANY ").and_then(inside).unwrap_or(value);
    (rest.is_empty() && is_value(value)).then_some(name)
}

/// The column's name that a text begins with, and what follows.
fn column(text: &str) -> Option<(String, &str)> {
    let (first, after) = name(text)?;
    match after.strip_prefix('.') {
        Some(after) => name(after),
        None => Some((first, after)),
    }
}

/// `$1`, `?`, each with a cast or without.
fn is_value(text: &str) -> bool {
    let text = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let (value, cast) = text.split_once("::").unwrap_or((text, "text"));
    let digits = value.strip_prefix('$');
    let parameter = digits.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let type_name = |c: char| c.is_alphanumeric() || "_ []\".".contains(c);
    (parameter || value == "?") && cast.chars().all(type_name)
}

#[cfg(test)]
#[path = "plans_test.rs"]
mod tests;
