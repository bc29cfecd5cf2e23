//! What the normalised text of a statement tells without a parser of SQL: its kind, the tables it names, and the columns of one that
//! it compares. Where the text leaves a doubt nothing is proposed from it.

use std::collections::BTreeSet;

use narrows_model::Consumers;

use crate::sql::{TableName, is_keyword};

/// Characters that are read of any text.
const MOST: usize = 4000;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A name or keyword: folded unless it was in quotes.
    Word { text: String, quoted: bool },
    /// What stands for a literal, or one.
    Value,
    /// An operator.
    Operator(String),
    /// `. , ( ) [ ] ;`
    Mark(char),
}

impl Token {
    /// Whether it is that keyword.
    fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Word { text, quoted: false } if text == keyword)
    }

    fn is_any(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(keyword))
    }

    /// The name, unless it is a keyword.
    fn name(&self) -> Option<&str> {
        match self {
            Token::Word { text, quoted } => (*quoted
                || !(is_keyword(text) || BOUNDARIES.contains(&text.as_str())))
            .then_some(text.as_str()),
            _ => None,
        }
    }
}

/// Words that end a list of tables or a condition without being reserved, or begin a part of a statement.
const BOUNDARIES: [&str; 7] = ["set", "values", "by", "of", "conflict", "skip", "nowait"];

/// Behind these no condition goes on.
const ENDS: [&str; 20] = [
    "group",
    "order",
    "having",
    "limit",
    "offset",
    "returning",
    "set",
    "select",
    "for",
    "union",
    "except",
    "intersect",
    "values",
    "window",
    "join",
    "left",
    "right",
    "inner",
    "full",
    "cross",
];

/// A statement's text in its parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct StatementText {
    tokens: Vec<Token>,
    cut: bool,
}

/// Columns of one table that a statement compares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Predicates {
    /// Compared for equality, with `IN` too.
    pub equal: BTreeSet<String>,
    /// Whether others are compared in another way.
    pub others: bool,
    /// Whether it can't be told which rows the condition leaves: `OR`, `NOT`, expressions, a column of which the text doesn't tell
    /// whose it is, a text that was cut.
    pub unclear: bool,
}

impl Predicates {
    /// Whether the statement asks for some of the table's rows only.
    pub fn any(&self) -> bool {
        !self.equal.is_empty() || self.others || self.unclear
    }

    /// The one column that decides which rows it is; `None` where there are several, or a doubt.
    pub fn only_column(&self) -> Option<&str> {
        let clear = self.equal.len() == 1 && !self.others && !self.unclear;
        self.equal.first().map(String::as_str).filter(|_| clear)
    }
}

/// A column as a statement writes it: the first of its tokens, the last, its qualifier and its name.
struct Column<'a> {
    first: usize,
    last: usize,
    qualifier: Option<&'a str>,
    name: &'a str,
}

/// How a statement calls a table.
struct TableReferences {
    /// Names that qualify its columns.
    names: Vec<String>,
    /// Whether a column without a qualifier is the table's: it is the only one.
    alone: bool,
    /// Whether there is a query within another, whose columns may be the table's by any name.
    nested: bool,
}

impl StatementText {
    /// Of a text without literals, or with them.
    pub fn of(text: &str) -> StatementText {
        let cut = text.chars().nth(Consumers::TEXT - 1).is_some() || text.ends_with('…');
        let text: String = text.chars().take(MOST).collect();
        StatementText { tokens: tokens(&text), cut }
    }

    /// Its first keywords: `create index`; empty where it has none.
    pub fn begins(&self, keywords: &str) -> bool {
        let mut tokens = self.tokens.iter();
        keywords.split(' ').all(|keyword| tokens.next().is_some_and(|token| token.is(keyword)))
    }

    /// Whether it builds or checks an index: by `maintenance_work_mem` and not by `work_mem`.
    pub fn builds_an_index(&self) -> bool {
        ["create index", "create unique index", "reindex", "alter table", "cluster"]
            .iter()
            .any(|kind| self.begins(kind))
    }

    /// Whether it asks for some rows only, of whatever table.
    pub fn has_a_condition(&self) -> bool {
        self.tokens.iter().any(|token| token.is("where") || token.is("on"))
    }

    /// Whether it reads or changes that table.
    pub fn names(&self, table: &TableName) -> bool {
        self.references(table).is_some()
    }

    /// What it compares of that table's columns; `None` where it doesn't name the table.
    pub fn predicates(&self, table: &TableName) -> Option<Predicates> {
        let of = self.references(table)?;
        let mut found = Predicates { unclear: self.cut, ..Predicates::default() };
        let mut in_condition = false;
        for (at, token) in self.tokens.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| self.tokens.get(at));
            let after = self.tokens.get(at + 1);
            let opens = token.is("where")
                || token.is("on")
                    && !before.is_some_and(|token| token.is("distinct"))
                    && !after.is_some_and(|token| token.is("conflict"));
            if opens {
                in_condition = true;
            } else if token.is_any(&ENDS) {
                in_condition = false;
            } else if in_condition {
                found.unclear |= token.is_any(&["or", "not", "case", "exists"]);
                self.compare(at, &of, &mut found);
            }
        }
        Some(found)
    }

    /// The comparison at that token, where it is one.
    fn compare(&self, at: usize, of: &TableReferences, found: &mut Predicates) {
        let equal = matches!(&self.tokens[at], Token::Operator(text) if text == "=")
            || self.tokens[at].is("in");
        let other = matches!(&self.tokens[at], Token::Operator(text)
            if text.contains(['<', '>', '~', '@', '&']) || text == "!=")
            || self.tokens[at].is_any(&["like", "ilike", "between", "is", "similar"]);
        if !(equal || other) {
            return;
        }
        let mine = |column: &Column| match column.qualifier {
            Some(name) => of.names.iter().any(|known| known == name),
            None => of.alone,
        };
        // `order_no = $1` beside several tables, or `x.order_no = $1` of a query within.
        let anybodys = |column: &Column| match column.qualifier {
            Some(_) => of.nested && !mine(column),
            None => !of.alone,
        };
        let left = self.column_before(at);
        let right = self.column_after(at).filter(|_| equal);
        found.unclear |= left.iter().chain(&right).any(anybodys);
        let left_mine = left.as_ref().filter(|column| mine(column));
        let right_mine = right.as_ref().filter(|column| mine(column));
        match (left_mine, right_mine) {
            (Some(_), Some(_)) => found.unclear = true,
            (Some(column), None) if !self.begins_a_term(column) => found.unclear = true,
            (None, Some(column)) if !self.ends_a_term(column) => found.unclear = true,
            (Some(column), None) | (None, Some(column)) if equal => {
                found.equal.insert(column.name.to_string());
            }
            (Some(_), None) | (None, Some(_)) => found.others = true,
            // An expression on the left of it: whose, the text alone doesn't tell.
            (None, None) => {
                let value = at.checked_sub(1).is_some_and(|at| self.tokens[at] == Token::Value);
                found.unclear |= left.is_none() && (!value || right.is_none());
            }
        }
    }

    fn column_before(&self, at: usize) -> Option<Column<'_>> {
        let last = at.checked_sub(1)?;
        let name = self.tokens[last].name()?;
        let dot = last.checked_sub(1).filter(|at| self.tokens[*at] == Token::Mark('.'));
        let Some(dot) = dot else {
            return Some(Column { first: last, last, qualifier: None, name });
        };
        let first = dot.checked_sub(1)?;
        Some(Column { first, last, qualifier: Some(self.tokens[first].name()?), name })
    }

    fn column_after(&self, at: usize) -> Option<Column<'_>> {
        let first = at + 1;
        let name = self.tokens.get(first)?.name()?;
        let dot = self.tokens.get(first + 1) == Some(&Token::Mark('.'));
        let column = if dot {
            let last = first + 2;
            Column { first, last, qualifier: Some(name), name: self.tokens.get(last)?.name()? }
        } else {
            Column { first, last: first, qualifier: None, name }
        };
        // A function.
        (self.tokens.get(column.last + 1) != Some(&Token::Mark('('))).then_some(column)
    }

    /// Whether nothing is done to the column before it is compared.
    fn begins_a_term(&self, column: &Column) -> bool {
        let before = |at: usize| at.checked_sub(1).map(|at| &self.tokens[at]);
        match before(column.first) {
            Some(Token::Mark('(')) => {
                // `f(a = 1)` is an argument; `((a = 1)` is none.
                let of = before(column.first - 1);
                of.is_none_or(|token| token.name().is_none())
            }
            Some(token) => token.is_any(&["where", "and", "on"]),
            None => false,
        }
    }

    fn ends_a_term(&self, column: &Column) -> bool {
        match self.tokens.get(column.last + 1) {
            None | Some(Token::Mark(')' | ';')) => true,
            Some(token) => token.is("and") || token.is("where") || token.is_any(&ENDS),
        }
    }

    /// How it calls the table; `None` where it doesn't.
    fn references(&self, table: &TableName) -> Option<TableReferences> {
        let mut names = Vec::new();
        let (mut tables, mut selects, mut in_from) = (0, 0, false);
        let mut at = 0;
        while at < self.tokens.len() {
            let token = &self.tokens[at];
            selects += usize::from(token.is("select"));
            let begins = token.is_any(&["from", "join", "using", "update", "into"]);
            let goes_on = in_from && *token == Token::Mark(',');
            if begins {
                in_from = true;
            } else if token.is("where") || token.is("on") || token.is_any(&ENDS[..14]) {
                in_from = false;
            }
            let mut next = at + 1;
            while self.tokens.get(next).is_some_and(|token| token.is("only")) {
                next += 1;
            }
            at += 1;
            if !(begins || goes_on) || self.tokens.get(next).and_then(Token::name).is_none() {
                continue;
            }
            tables += 1;
            names.extend(self.called(next, table));
        }
        let alone = tables == 1 && selects <= 1;
        (!names.is_empty()).then_some(TableReferences { names, alone, nested: selects > 1 })
    }

    /// If the table's name stands there: how its columns are qualified.
    fn called(&self, at: usize, table: &TableName) -> Option<String> {
        let first = self.tokens.get(at)?.name()?;
        let dot = self.tokens.get(at + 1) == Some(&Token::Mark('.'));
        let (schema, last) = if dot { (Some(first), at + 2) } else { (None, at) };
        let name = self.tokens.get(last)?.name()?;
        let other_schema =
            schema.zip(table.schema.as_deref()).is_some_and(|(named, is)| named != is);
        // A function.
        let called = self.tokens.get(last + 1) == Some(&Token::Mark('('));
        if name != table.name || other_schema || called && !self.begins("insert") {
            return None;
        }
        let behind = last + 1 + usize::from(self.tokens.get(last + 1).is_some_and(|t| t.is("as")));
        let alias = self.tokens.get(behind).and_then(Token::name);
        Some(alias.unwrap_or(name).to_string())
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            '"' | '\'' => {
                let mut inside = String::new();
                while let Some(next) = chars.next() {
                    if next != c {
                        inside.push(next);
                    } else if chars.next_if_eq(&c).is_some() {
                        inside.push(c);
                    } else {
                        break;
                    }
                }
                let name = Token::Word { text: inside, quoted: true };
                tokens.push(if c == '"' { name } else { Token::Value });
            }
            '$' | '?' | '0'..='9' => {
                while chars.next_if(|c| c.is_alphanumeric() || "_$".contains(*c)).is_some() {}
                tokens.push(Token::Value);
            }
            c if c.is_alphabetic() || c == '_' => {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || "_$".contains(*c)) {
                    word.push(c);
                }
                tokens.push(Token::Word { text: word.to_lowercase(), quoted: false });
            }
            c if OPERATOR.contains(c) => {
                let mut text = String::from(c);
                while let Some(c) = chars.next_if(|c| OPERATOR.contains(*c)) {
                    text.push(c);
                }
                tokens.push(Token::Operator(text));
            }
            c => tokens.push(Token::Mark(c)),
        }
    }
    tokens
}

/// Characters of operators, and of the cast.
const OPERATOR: &str = "=<>!~*/+-|&^%@#:";

#[cfg(test)]
mod tests {
    use super::*;

    fn predicates(text: &str) -> Option<Predicates> {
        let table = TableName::parse("public.orders").unwrap();
        StatementText::of(text).predicates(&table)
    }

    fn column(text: &str) -> Option<String> {
        predicates(text)
            .unwrap_or_else(|| panic!("no table: {text}"))
            .only_column()
            .map(str::to_string)
    }

    #[test]
    fn the_one_column_of_an_equality_is_read() {
        for text in [
            "SELECT * FROM orders WHERE customer = $1",
            "SELECT * FROM public.orders o WHERE o.customer = ? ORDER BY o.id LIMIT $2",
            "UPDATE orders SET state = $1, total = $2 WHERE customer = $3 RETURNING id",
            "DELETE FROM ONLY orders WHERE (customer = $1)",
            "select sum(total) from Orders AS o where $1 = Customer",
            "SELECT * FROM orders WHERE customer = ANY($1)",
            "SELECT * FROM orders WHERE customer IN ($1, $2)",
            "SELECT * FROM customers c JOIN orders o ON o.customer = c.id",
            "SELECT * FROM customers c, orders o WHERE c.id = o.customer AND c.name = $1",
        ] {
            assert_eq!(column(text).as_deref(), Some("customer"), "{text}");
        }
        assert_eq!(
            column("SELECT * FROM orders WHERE \"Customer\" = $1").as_deref(),
            Some("Customer")
        );
    }

    #[test]
    fn a_doubt_proposes_nothing() {
        for text in [
            "SELECT * FROM orders WHERE customer = $1 OR total = $2",
            "SELECT * FROM orders WHERE customer = $1 AND total = $2",
            "SELECT * FROM orders WHERE customer = $1 AND total > $2",
            "SELECT * FROM orders WHERE customer > $1",
            "SELECT * FROM orders WHERE lower(customer) = $1",
            "SELECT * FROM orders WHERE customer::text = $1",
            "SELECT * FROM orders WHERE total + $1 = $2",
            "SELECT * FROM orders WHERE NOT customer = $1",
            "SELECT * FROM orders WHERE customer = billed",
            "SELECT * FROM orders WHERE $1 = customer + 1",
            "SELECT * FROM orders WHERE customer <> $1",
            "SELECT * FROM orders GROUP BY customer HAVING sum(total) = $1",
            "SELECT * FROM orders",
            "SELECT customer = $1 FROM orders",
            // Whose column it is can't be told.
            "SELECT * FROM orders, customers WHERE customer = $1",
            "SELECT * FROM orders o JOIN customers c ON o.customer = c.id WHERE order_no = $1",
            "SELECT * FROM customers c JOIN orders o ON o.customer = c.id WHERE $1 = order_no",
            "WITH x AS (SELECT * FROM orders WHERE customer = $1) SELECT * FROM x",
            "WITH x AS (SELECT * FROM orders o WHERE o.state = $1) SELECT * FROM x WHERE x.customer = $2",
            "SELECT * FROM orders WHERE id IN (SELECT order_id FROM lines WHERE item = $1)",
        ] {
            assert_eq!(column(text), None, "{text}");
        }
        let long = format!("SELECT * FROM orders WHERE customer = $1 AND {}", "x".repeat(400));
        assert_eq!(column(&long), None, "it was cut");
    }

    #[test]
    fn a_condition_is_told_from_none() {
        let any = |text: &str| predicates(text).is_some_and(|found| found.any());
        assert!(any("SELECT * FROM orders WHERE lower(customer) = $1"));
        assert!(any("SELECT * FROM orders WHERE total > $1"));
        // Whose column it is can't be told: nobody may say that there is no condition.
        for text in [
            "SELECT * FROM orders o JOIN customers c ON c.id = c.billed WHERE order_no = $1",
            "SELECT * FROM orders, customers WHERE total > $1",
            "WITH x AS (SELECT * FROM orders WHERE customer = $1) SELECT * FROM x",
            "WITH x AS (SELECT * FROM orders WHERE total BETWEEN $1 AND $2) SELECT * FROM x",
            "SELECT * FROM (SELECT * FROM orders) t WHERE t.customer = $1",
            "SELECT * FROM orders UNION ALL SELECT * FROM archive WHERE customer = $1",
        ] {
            assert!(any(text), "{text}");
        }
        // Another table's by its qualifier.
        assert!(!any("SELECT * FROM orders o CROSS JOIN customers c WHERE c.name = $1"));
        assert!(!any("SELECT count(*) FROM orders"));
        assert!(!any("SELECT state, sum(total) FROM orders GROUP BY state ORDER BY state"));
    }

    #[test]
    fn tables_are_told_from_columns_functions_and_other_schemas() {
        let table = TableName::parse("public.orders").unwrap();
        for (text, named) in [
            ("SELECT orders FROM lines", false),
            ("SELECT a, orders FROM lines", false),
            ("SELECT * FROM archive.orders", false),
            ("SELECT * FROM orders(1)", false),
            ("SELECT * FROM lines JOIN orders USING (id)", true),
            ("INSERT INTO orders (id) VALUES ($1)", true),
            ("COPY orders FROM STDIN", false),
            ("SELECT * FROM \"Orders\"", false),
            ("", false),
        ] {
            assert_eq!(StatementText::of(text).names(&table), named, "{text}");
        }
    }

    #[test]
    fn what_uses_maintenance_work_mem_is_known_by_its_first_words() {
        assert!(StatementText::of("CREATE INDEX ON orders (customer)").builds_an_index());
        assert!(!StatementText::of("CREATE TABLE x AS SELECT 1").builds_an_index());
    }
}
