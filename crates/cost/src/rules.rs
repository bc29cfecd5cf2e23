//! Rules of licensing, and published figures, as data: what is counted, by which factor, in which packs, within which limits, and for how much.
//!
//! The rules that come with narrows are facts with the place where they were published; they are no legal advice, and prices are list
//! prices of one day. A file of the user's overrides a rule by its id or adds one. A price that nobody published stays unknown.

use serde::{Deserialize, Serialize};
use toml::Spanned;

use narrows_plan::{PlanError, Source};

use crate::day::Day;
use crate::entry::{Figure, Text};
use crate::figures::Reader;
use crate::published::{Published, PublishedEntry};
use crate::sheet::Range;
use crate::syntax;

/// Files that come with narrows, and what stands in them.
const SHIPPED: [(&str, &str); 2] = [
    ("rules/licences.toml", include_str!("../rules/licences.toml")),
    ("rules/figures.toml", include_str!("../rules/figures.toml")),
];

/// What the file is, in refusals.
const WHOLE: &str = "rules of licensing";

/// Refuses an id that a file has twice: which of both would hold?
fn once(reader: Reader<'_>, here: &mut Vec<String>, id: &str, at: &Text) -> Result<(), PlanError> {
    if here.iter().any(|known| known == id) {
        let why = format!("`{id}` stands twice in this file");
        return Err(reader.refused(at, WHOLE, why, "give each an id of its own, or drop one"));
    }
    here.push(id.to_string());
    Ok(())
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Counts {
    /// Physical cores.
    Core,
    /// Occupied sockets.
    Socket,
    /// Virtual CPUs of a cloud's instance.
    Vcpu,
    /// Servers.
    Server,
    /// Nothing: it is free.
    None,
}

impl Counts {
    /// For people, of several.
    pub fn plural(self) -> &'static str {
        match self {
            Counts::Core => "cores",
            Counts::Socket => "sockets",
            Counts::Vcpu => "vCPUs",
            Counts::Server => "servers",
            Counts::None => "nothing",
        }
    }
}

/// How often a price is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Term {
    /// Once, and support each year.
    Once,
    /// Each month.
    Month,
    /// Each year.
    Year,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesDocument {
    #[serde(default)]
    rule: Vec<Spanned<RuleEntry>>,
    #[serde(default)]
    figure: Vec<Spanned<PublishedEntry>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    id: Text,
    title: Text,
    counts: Counts,
    factor: Option<Figure>,
    pack: Option<Figure>,
    least_per_socket: Option<Figure>,
    least: Option<Figure>,
    most_sockets: Option<Figure>,
    most_vcpus: Option<Figure>,
    most_cores: Option<Figure>,
    most_threads: Option<Figure>,
    most_used_sockets: Option<Figure>,
    most_memory: Option<Text>,
    price: Option<Figure>,
    term: Option<Term>,
    support_per_year: Option<Text>,
    currency: Option<Text>,
    date: Text,
    source: Text,
    note: Option<Text>,
    needs: Option<Text>,
    family: Option<Text>,
    factor_without_threads: Option<Figure>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rule {
    /// Its name in descriptions.
    pub id: String,
    /// The product.
    pub title: String,
    /// What is counted.
    pub counts: Counts,
    /// Licences for each counted thing.
    pub factor: Range,
    /// Licences are sold in packs of so many; the price is that of a pack.
    pub pack: Option<f64>,
    /// Counted things of a socket, at least.
    pub least_per_socket: Option<f64>,
    /// Licences of a server, at least.
    pub least: Option<f64>,
    /// Sockets of a server that it may run on.
    pub most_sockets: Option<f64>,
    /// vCPUs of an instance that it may run on.
    pub most_vcpus: Option<f64>,
    /// Cores of a server that it uses at most.
    pub most_cores: Option<f64>,
    /// Threads of CPUs of a server that it uses at most.
    pub most_threads: Option<f64>,
    /// Sockets of a server whose cores it uses at most.
    pub most_used_sockets: Option<f64>,
    /// Memory of a server that it uses at most, bytes.
    pub most_memory: Option<f64>,
    /// Of a licence, or of a pack.
    pub price: Option<Range>,
    /// How often the price is paid.
    pub term: Term,
    /// Support for a year as a share of the price.
    pub support_per_year: Option<Range>,
    /// What the price counts.
    pub currency: Option<String>,
    /// When the source said so.
    pub date: String,
    /// Where it was published.
    pub source: String,
    /// What the rule leaves out.
    pub note: Option<String>,
    /// The rule that it is an option of.
    pub needs: Option<String>,
    /// Editions of one product: two of them don't cover the same processors.
    pub family: Option<String>,
    /// The factor where a core has one thread.
    pub factor_without_threads: Option<Range>,
}

/// Rules by id.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rules {
    rules: Vec<Rule>,
    figures: Vec<Published>,
}

impl Rules {
    /// Those that come with narrows.
    ///
    /// # Panics
    /// Not: the tests read them.
    pub fn shipped() -> Rules {
        let mut rules = Rules { rules: Vec::new(), figures: Vec::new() };
        for (file, text) in SHIPPED {
            rules.extend(file, text, None).expect("the tests read the shipped rules");
        }
        rules
    }

    /// Adds those of a text; one with a known id takes its place. No figure in it is published after `today`.
    ///
    /// # Errors
    /// What is wrong with it, by line.
    pub fn extend(&mut self, file: &str, text: &str, today: Option<&Day>) -> Result<(), PlanError> {
        let source = Source { file, text };
        let reader = Reader { source, today };
        let document: RulesDocument =
            toml::from_str(text).map_err(|error| syntax::refused(source, &error, WHOLE))?;
        if document.rule.is_empty() && document.figure.is_empty() {
            let hint = "the guide's page on costs has an example of each";
            let why = "has no [[rule]] and no [[figure]]";
            return Err(source.error(&(0..0), WHOLE, why, hint));
        }
        let mut here: Vec<String> = Vec::new();
        for entry in &document.rule {
            let rule = read(reader, entry.get_ref())?;
            once(reader, &mut here, &rule.id, &entry.get_ref().id)?;
            match self.rules.iter_mut().find(|known| known.id == rule.id) {
                Some(known) => *known = rule,
                None => self.rules.push(rule),
            }
        }
        here.clear();
        for entry in &document.figure {
            let figure = Published::read(reader, entry.get_ref())?;
            once(reader, &mut here, &figure.id, entry.get_ref().id())?;
            match self.figures.iter_mut().find(|known| known.id == figure.id) {
                Some(known) => *known = figure,
                None => self.figures.push(figure),
            }
        }
        Ok(())
    }

    /// The published figure of that name.
    pub fn figure(&self, id: &str) -> Option<&Published> {
        self.figures.iter().find(|figure| figure.id == id)
    }

    /// All published figures.
    pub fn figures(&self) -> &[Published] {
        &self.figures
    }

    /// The rule of that name.
    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// All of them.
    pub fn all(&self) -> &[Rule] {
        &self.rules
    }
}

fn read(reader: Reader<'_>, entry: &RuleEntry) -> Result<Rule, PlanError> {
    let id = reader.prose("rule: id", &entry.id)?;
    let of = |key: &str| format!("rule {id}: {key}");
    let known = |figure: &Option<Figure>, key: &str| -> Result<Option<Range>, PlanError> {
        let Some(figure) = figure else { return Ok(None) };
        reader.within(&of(key), figure, 0.001..=1e9)
    };
    let exact = |figure: &Option<Figure>, key: &str| {
        figure.as_ref().map(|figure| reader.whole(&of(key), figure, 1.0..=1e6)).transpose()
    };
    let price = match &entry.price {
        Some(figure) => reader.price(&of("price"), figure)?,
        None => None,
    };
    checked(reader, &id, entry, price)?;
    let share = entry.support_per_year.as_ref();
    let memory = entry.most_memory.as_ref();
    let text = |text: &Option<Text>, key: &str| {
        text.as_ref().map(|text| reader.prose(&of(key), text)).transpose()
    };
    Ok(Rule {
        title: reader.prose(&of("title"), &entry.title)?,
        counts: entry.counts,
        factor: known(&entry.factor, "factor")?.unwrap_or(Range::exact(1.0)),
        pack: exact(&entry.pack, "pack")?,
        least_per_socket: exact(&entry.least_per_socket, "least_per_socket")?,
        least: exact(&entry.least, "least")?,
        most_sockets: exact(&entry.most_sockets, "most_sockets")?,
        most_vcpus: exact(&entry.most_vcpus, "most_vcpus")?,
        most_cores: exact(&entry.most_cores, "most_cores")?,
        most_threads: exact(&entry.most_threads, "most_threads")?,
        most_used_sockets: exact(&entry.most_used_sockets, "most_used_sockets")?,
        most_memory: memory
            .map(|text| reader.size(&of("most_memory"), text))
            .transpose()?
            .map(|range| range.value),
        price,
        term: entry.term.unwrap_or(Term::Once),
        support_per_year: share
            .map(|text| reader.share(&of("support_per_year"), text))
            .transpose()?,
        currency: entry.currency.as_ref().map(|text| reader.currency(text)).transpose()?,
        date: reader.date(&of("date"), &entry.date)?,
        source: reader.prose(&of("source"), &entry.source)?,
        note: text(&entry.note, "note")?,
        needs: text(&entry.needs, "needs")?,
        family: text(&entry.family, "family")?,
        factor_without_threads: known(&entry.factor_without_threads, "factor_without_threads")?,
        id,
    })
}

/// What a rule can't say at once.
fn checked(
    reader: Reader<'_>,
    id: &str,
    entry: &RuleEntry,
    price: Option<Range>,
) -> Result<(), PlanError> {
    let refuse =
        |why: &str, hint: &str| Err(reader.refused(&entry.id, &format!("rule {id}"), why, hint));
    let costs = price.is_some_and(|price| price.high > 0.0);
    if costs && entry.currency.is_none() {
        return refuse("a price needs its currency", "add currency = \"USD\"");
    }
    if costs && entry.counts == Counts::None {
        return refuse(
            "counts nothing, so nothing has that price",
            "counts = \"server\" has a price for each server",
        );
    }
    let subscribed = !matches!(entry.term, None | Some(Term::Once));
    if subscribed && entry.support_per_year.is_some() {
        return refuse(
            "is paid each month or year, which has no support beside it",
            "add the support to the price, or take term = \"once\"",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_rules_are_read_each_once_and_a_price_has_its_currency() {
        let rules = Rules::shipped();
        assert!(rules.all().len() >= 5);
        for rule in rules.all() {
            let same = rules.all().iter().filter(|other| other.id == rule.id);
            assert_eq!(same.count(), 1, "{}", rule.id);
            assert_eq!(rule.price.is_some(), rule.currency.is_some(), "{}", rule.id);
            assert!(rule.source.contains("http") || rule.counts == Counts::None, "{}", rule.id);
        }
        assert!(rules.figures().len() >= 8);
        for figure in rules.figures() {
            assert!(figure.source.contains("http"), "{}", figure.id);
            assert_eq!(figure.of.is_some(), figure.currency.is_some(), "{}", figure.id);
        }
    }

    #[test]
    fn a_users_rule_takes_the_place_of_one_that_comes_with_narrows() {
        let mut rules = Rules::shipped();
        let known = rules.all()[0].id.clone();
        let text = format!(
            "[[rule]]\nid = \"{known}\"\ntitle = \"Ours\"\ncounts = \"core\"\nprice = \"900 to 1100\"\n\
             currency = \"EUR\"\ndate = \"2026-11\"\nsource = \"contract 7\"\n"
        );
        let before = rules.all().len();
        rules.extend("ours.toml", &text, None).unwrap();
        assert_eq!(rules.all().len(), before);
        assert_eq!(rules.get(&known).unwrap().price, Some(Range::between(900.0, 1100.0)));
    }

    #[test]
    fn what_is_no_rule_is_refused_by_line() {
        let mut rules = Rules::shipped();
        let today = Day::new(2026, 11, 29);
        let rule = |more: &str| {
            format!("[[rule]]\nid=\"a\"\ntitle=\"A\"\ncounts=\"core\"\nsource=\"b\"\n{more}\n")
        };
        let figure = |more: &str| {
            format!("[[figure]]\nid=\"a\"\ntitle=\"A\"\nvalue=1\nsource=\"b\"\n{more}\n")
        };
        let dated = "date=\"2026\"";
        for (text, words) in [
            (String::new(), "no [[rule]] and no [[figure]]"),
            (rule("date=\"2026-12\""), "is in the future"),
            (rule(&format!("{dated}\nprice=1\ncurrency=\"usd\"")), "is no currency"),
            (rule(&format!("{dated}\npack=\"2 to 4\"")), "no whole number"),
            (rule(&format!("{dated}\nleast_per_socket=1.5")), "no whole number"),
            (rule(&format!("{dated}\nmost_cores=\"unknown\"")), "is unknown"),
            (rule(&format!("{dated}\nmost_threads=0")), "out of bounds"),
            (rule(&format!("{dated}\nprise=3")), "did you mean `price`?"),
            (rule(&format!("{dated}\nprice=true")), "is no number, no range"),
            (rule(dated) + &rule(dated), "stands twice in this file"),
            (figure(dated) + &figure(dated), "stands twice in this file"),
            (figure(&format!("{dated}\nof=\"GB\"")), "in which currency"),
            (figure(&format!("{dated}\ncurrency=\"EUR\"")), "in which currency"),
            (figure(&format!("{dated}\nof=\"GB\"\ncurrency=\"€\"")), "is no currency"),
            (figure("date=\"2027\""), "is in the future"),
        ] {
            let error = rules.extend("ours.toml", &text, Some(&today)).unwrap_err().to_string();
            assert!(error.contains(words), "{text}\n→ {error}");
            assert!(error.contains("ours.toml, line") && error.contains("\nhint: "), "{error}");
        }
        for (text, words) in [
            ("[[rule]]\nid = \"a\"\n", "missing field"),
            (
                "[[rule]]\nid=\"a\"\ntitle=\"A\"\ncounts=\"chair\"\ndate=\"2026\"\nsource=\"b\"\n",
                "chair",
            ),
            (
                "[[rule]]\nid=\"a\"\ntitle=\"A\"\ncounts=\"core\"\ndate=\"soon\"\nsource=\"b\"\n",
                "is no date",
            ),
            (
                "[[rule]]\nid=\"a\"\ntitle=\"A\"\ncounts=\"core\"\nprice=-1\ndate=\"2026\"\nsource=\"b\"\n",
                "out of bounds",
            ),
            (
                "[[rule]]\nid=\"a\"\ntitle=\"A\"\ncounts=\"core\"\nprice=1\ndate=\"2026\"\nsource=\"b\"\n",
                "needs its currency",
            ),
            (
                "[[rule]]\nid=\"a\"\ntitle=\"A\"\ncounts=\"none\"\nprice=1\ncurrency=\"EUR\"\ndate=\"2026\"\nsource=\"b\"\n",
                "counts nothing",
            ),
            (
                "[[rule]]\nid=\"a\"\ntitle=\"A\"\ncounts=\"core\"\nprice=1\nterm=\"year\"\nsupport_per_year=\"20 %\"\n\
                 currency=\"EUR\"\ndate=\"2026\"\nsource=\"b\"\n",
                "no support beside it",
            ),
        ] {
            let error = rules.extend("ours.toml", text, Some(&today)).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("ours.toml, line"), "{error}");
        }
    }
}
