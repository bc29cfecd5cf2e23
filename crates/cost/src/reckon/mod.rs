//! A description of costs as a sheet: what it costs over its years, what that is per throughput, per core and per operation, what a core
//! and a microsecond are worth, how long a page earns its memory, what outages cost.

mod cache;
mod caps;
mod cold;
mod cpu;
mod items;
mod licence;
mod measured;
mod outage;
mod power;
mod scaling;
mod server;
mod work;

pub use measured::{Measured, MeasuredIo};

use narrows_plan::{Description, PlanError, Source};

use crate::answer::CostAnswer;
use crate::day::Day;
use crate::entry::{CostEntry, Document, Text};
use crate::figures::Reader;
use crate::published::Published;
use crate::rules::Rules;
use crate::sheet::{Basis, Expr, Given, Group, MOST, Range, Sheet, WhatIf};
use crate::syntax;
use server::Server;

/// Years over which costs are added up, where the description doesn't say.
const USUAL_YEARS: f64 = 3.0;
/// Nobody plans for longer.
const YEARS: (f64, f64) = (0.1, 20.0);
/// Entries of one kind in a description.
const ENTRIES_MAX: usize = 200;

/// What a description is reckoned with.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Rules of licensing.
    pub rules: &'a Rules,
    /// Figures to be taken instead of given ones.
    pub what_if: &'a [WhatIf],
    /// What a run measured.
    pub measured: Option<&'a Measured>,
    /// The day on which it is asked: a price of a later one is refused. `None` where nobody asks.
    pub today: Option<&'a Day>,
}

/// A sheet while it is filled.
struct Reckoning<'a> {
    reader: Reader<'a>,
    question: Question<'a>,
    sheet: Sheet,
    currency: String,
    years: Expr,
    notes: Vec<String>,
    /// The most cores, and threads, of a server that its products use.
    most_cores: Option<f64>,
    most_threads: Option<f64>,
}

impl Reckoning<'_> {
    /// A figure of the description with its source and date.
    fn given(
        &mut self,
        place: (Group, &str),
        title: &str,
        unit: &str,
        value: Option<Range>,
        from: &From,
    ) -> Expr {
        self.given_within(place, title, unit, (value, (0.0, MOST)), from)
    }

    /// A share, from nothing to all.
    fn share(&mut self, place: (Group, &str), title: &str, value: Range, from: &From) -> Expr {
        self.given_within(place, title, "", (Some(value), (0.0, 1.0)), from)
    }

    /// A figure with what it may be changed to.
    fn given_within(
        &mut self,
        place: (Group, &str),
        title: &str,
        unit: &str,
        (value, within): (Option<Range>, (f64, f64)),
        from: &From,
    ) -> Expr {
        let given = Given {
            value,
            basis: from.basis,
            source: from.source.clone(),
            date: from.date.clone(),
            within,
        };
        self.sheet.given(place, title, unit, given)
    }

    /// Refuses a name whose key another one has.
    fn new_key(&self, what: &str, names: &[String], name: &Text) -> Result<String, PlanError> {
        let key = items::key_of(name.get_ref());
        if key.is_empty() || names.contains(&key) {
            let why = format!("`{}` is named twice, or as good as", name.get_ref().trim());
            let hint = "give each a name of its own; letters and digits tell them apart";
            return Err(self.reader.refused(name, what, why, hint));
        }
        Ok(key)
    }

    /// Refuses more entries than anybody reads.
    fn few<T>(&self, what: &str, entries: &[toml::Spanned<T>]) -> Result<(), PlanError> {
        if entries.len() <= ENTRIES_MAX {
            return Ok(());
        }
        let why = format!("{} of them", entries.len());
        let hint = format!("at most {ENTRIES_MAX} are reckoned; add up what belongs together");
        Err(self.reader.source.error(&entries[ENTRIES_MAX].span(), what, why, hint))
    }

    /// Source and date of a figure. A price has both; without them nobody could check it.
    fn priced(
        &self,
        what: &str,
        known: bool,
        at: std::ops::Range<usize>,
        (source, date): (&Option<Text>, &Option<Text>),
    ) -> Result<From, PlanError> {
        let missing = |key: &str, hint: &str| {
            let why = format!("a price needs its {key}");
            Err(self.reader.source.error(&at, what, why, hint))
        };
        let (source, date) = match (source, date) {
            (Some(source), Some(date)) => (source, date),
            _ if !known => {
                let source = "nobody gave a price".to_string();
                return Ok(From { basis: Basis::Price, source, date: None });
            }
            (None, _) => {
                return missing("source", "add source = \"…\": who quoted or published it");
            }
            (_, None) => {
                return missing("date", "add date = \"2026-11\": when it was quoted or published");
            }
        };
        Ok(From {
            basis: Basis::Price,
            source: self.reader.prose(&format!("{what}: source"), source)?,
            date: Some(self.reader.date(&format!("{what}: date"), date)?),
        })
    }

    /// The published figure of that name, which is a price or a ratio as it is needed.
    fn published(&self, what: &str, id: &Text, kind: NeededFigure) -> Result<Published, PlanError> {
        let rules = self.question.rules;
        if let Some(figure) = rules.figure(id.get_ref().trim()) {
            let (fits, needed) = kind.fits(figure);
            if !fits {
                let is = match &figure.of {
                    Some(of) => format!("`{}` is the price of a {of}", figure.id),
                    None => format!("`{}` is a ratio and no price", figure.id),
                };
                let hint = format!("{needed} is needed here; narrows cost --list-rules lists them");
                return Err(self.reader.refused(id, what, is, hint));
            }
            return Ok(figure.clone());
        }
        let names = rules.figures().iter().map(|figure| figure.id.as_str());
        let hint = match narrows_limits::table::nearest(id.get_ref(), names.clone()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("known are {}", names.collect::<Vec<_>>().join(", ")),
        };
        let why = format!("no published figure is named `{}`", id.get_ref());
        Err(self.reader.refused(id, what, why, hint))
    }

    /// A published price with its source; unknown where it counts another currency.
    fn of_published(&mut self, figure: &Published) -> (Option<Range>, From) {
        let same = figure.currency.as_deref() == Some(self.currency.as_str());
        if !same {
            let there = figure.currency.as_deref().unwrap_or("no currency");
            self.notes.push(format!(
                "{}: published in {there}, the description is in {}: give a price of yours",
                figure.title, self.currency
            ));
        }
        let from = From {
            basis: Basis::Price,
            source: format!("{}; {}", figure.title, figure.source),
            date: Some(figure.date.clone()),
        };
        (Some(figure.value).filter(|_| same), from)
    }

    /// Where a figure that is no price comes from; it has to be said.
    fn sourced(
        &self,
        what: &str,
        at: std::ops::Range<usize>,
        source: &Option<Text>,
    ) -> Result<From, PlanError> {
        let Some(source) = source else {
            let why = "a figure by hand needs its source";
            let hint = "add source = \"…\": where the figures come from, in one line";
            return Err(self.reader.source.error(&at, what, why, hint));
        };
        let source = self.reader.prose(&format!("{what}: source"), source)?;
        Ok(From { basis: Basis::Described, source, date: None })
    }

    /// `USD per core`.
    fn per(&self, what: &str) -> String {
        format!("{} per {what}", self.currency)
    }
}

/// What a published figure has to be.
#[derive(Debug, Clone, Copy)]
enum NeededFigure {
    /// Of anything.
    Price,
    /// Of a kilowatt-hour.
    Electricity,
    /// The site's power over that of its machines.
    Pue,
}

impl NeededFigure {
    fn fits(self, figure: &Published) -> (bool, &'static str) {
        match self {
            NeededFigure::Price => (figure.of.is_some(), "a price"),
            NeededFigure::Electricity => {
                (figure.of.as_deref() == Some("kWh") && figure.per == "once", "the price of a kWh")
            }
            NeededFigure::Pue => {
                let ratio = figure.of.is_none()
                    && figure.value.low >= power::PUE.0
                    && figure.value.high <= power::PUE.1;
                (ratio, "a ratio from 1 to 5")
            }
        }
    }
}

/// Where a figure comes from.
#[derive(Debug, Clone)]
struct From {
    basis: Basis,
    source: String,
    date: Option<String>,
}

/// Whether a text describes a platform too, which `narrows_plan` reads.
pub fn describes_a_platform(text: &str) -> bool {
    let Ok(document) = text.parse::<toml::Table>() else { return false };
    PLATFORM_TABLES.iter().any(|table| document.contains_key(*table))
}

/// What the file is, in refusals.
const WHOLE: &str = "the description";

const PLATFORM_TABLES: [&str; 7] =
    ["machine", "switch", "drives", "array", "adapter", "link", "database"];

/// Reckons what a description costs.
///
/// # Errors
/// The first thing that is wrong with the description, with its line and a hint.
pub fn cost(
    file: &str,
    text: &str,
    platform: Option<&Description>,
    question: Question<'_>,
) -> Result<CostAnswer, PlanError> {
    let source = Source { file, text };
    let reader = Reader { source, today: question.today };
    let document = read(source, platform.is_some())?;
    let name = reader.prose("name", &document.name)?;
    let note = document.note.as_ref().map(|note| reader.prose("note", note)).transpose()?;
    let none = CostEntry::default();
    let priced = platform.is_some_and(|platform| platform.price().is_some());
    let entry = match &document.cost {
        Some(entry) => entry,
        None if priced => &none,
        None => {
            let why = "says nothing of costs";
            let hint =
                "add a table [cost] with [[cost.item]]s; the guide's page on costs has an example";
            return Err(source.error(&document.name.span(), "the description", why, hint));
        }
    };
    let Some(currency) = &document.currency else {
        let hint = "add currency = \"USD\" at the top";
        return Err(source.error(&document.name.span(), "currency", "prices have none", hint));
    };
    let currency = reader.currency(currency)?;
    let mut sheet = Sheet::new(question.what_if);
    let years = match &entry.years {
        Some(figure) => reader.within("cost: years", figure, YEARS.0..=YEARS.1)?,
        None => Some(Range::exact(USUAL_YEARS)),
    };
    let mut given = Given::described(years, YEARS);
    if entry.years.is_none() {
        given.source = "taken, since years is not given".to_string();
    }
    let years = sheet.given((Group::Cost, "years"), "years that are reckoned", "years", given);
    let mut reckoning = Reckoning {
        reader,
        question,
        sheet,
        currency,
        years,
        notes: Vec::new(),
        most_cores: None,
        most_threads: None,
    };
    let total = reckoning.filled(entry, platform)?;
    if let Some(why) = reckoning.sheet.refused() {
        let hint = "a share is written as 0.2 or 20%; the description has the same bounds";
        return Err(source.error(&(0..0), "--what-if", why, hint));
    }
    Ok(CostAnswer::of(Reckoned {
        name,
        file: file.to_string(),
        note,
        currency: reckoning.currency,
        sheet: reckoning.sheet,
        total,
        notes: reckoning.notes,
        most_cores: reckoning.most_cores,
        most_threads: reckoning.most_threads,
    }))
}

/// What is paid, and how often.
#[derive(Debug, Default)]
struct Sums {
    /// All of it over the years.
    all: Vec<Expr>,
    paid_once: Vec<Expr>,
    /// In one year.
    paid_each_year: Vec<Expr>,
}

impl Sums {
    fn once(&mut self, sum: Expr) {
        self.paid_once.push(sum.clone());
        self.all.push(sum);
    }

    fn each_year(&mut self, sum: Expr, in_one: Expr) {
        self.paid_each_year.push(in_one);
        self.all.push(sum);
    }

    /// What is bought once and has a share of it to be paid each year.
    fn both(&mut self, sum: Expr, once: Expr, in_one: Expr) {
        self.paid_once.push(once);
        self.each_year(sum, in_one);
    }
}

/// A filled sheet.
pub(crate) struct Reckoned {
    pub name: String,
    pub file: String,
    pub note: Option<String>,
    pub currency: String,
    pub sheet: Sheet,
    pub total: Expr,
    pub notes: Vec<String>,
    pub most_cores: Option<f64>,
    pub most_threads: Option<f64>,
}

impl Reckoning<'_> {
    /// All lines; the total is what is bought, licensed and burnt, without outages.
    fn filled(
        &mut self,
        entry: &CostEntry,
        platform: Option<&Description>,
    ) -> Result<Expr, PlanError> {
        let server = Server::described(self, entry.server.as_ref(), platform)?;
        let work = work::described(self, entry.work.as_ref())?;
        let mut sums = items::add(self, &entry.item, platform, (work.as_ref(), &server))?;
        let power = power::add(self, entry.power.as_ref(), &server)?;
        if let Some(power) = &power {
            sums.each_year(power.sum.clone(), power.each_year.clone());
        }
        let licences = licence::add(self, &entry.licence, &server, &mut sums)?;
        (self.most_cores, self.most_threads) =
            (licences.used.most_cores, licences.used.most_threads);
        if sums.all.is_empty() {
            let why = "has no [[cost.item]], no [[cost.licence]] and no [cost.power]";
            let hint = "name what is bought: [[cost.item]] name, price, source, date";
            return Err(self.reader.source.error(&(0..0), "cost", why, hint));
        }
        let currency = self.currency.clone();
        let years = self.sheet.value(&self.years);
        let years = years.map_or("its years".to_string(), |years| match years {
            1.0 => "1 year".to_string(),
            years => format!("{} years", crate::sheet::number(years)),
        });
        let total = self.sheet.headline(
            (Group::Cost, "total"),
            &format!("all of it over {years}"),
            &currency,
            Expr::sum(sums.all),
        );
        let per_year = total.clone() / self.years.clone();
        let unit = self.per("year");
        self.sheet.headline((Group::Cost, "per_year"), "all of it per year", &unit, per_year);
        for (key, title, unit, parts) in [
            ("total.once", "of it paid once", &currency, sums.paid_once),
            ("total.each_year", "of it paid each year", &unit, sums.paid_each_year),
        ] {
            self.sheet.headline((Group::Cost, key), title, unit, Expr::sum(parts));
        }
        let scaled = scaling::add(self, entry.scaling.as_ref())?;
        let counted = work.as_ref().or(scaled.as_ref());
        let counts = (licences.count.as_ref(), power.as_ref().map(|power| &power.kilowatts));
        work::shares(self, counted, &server, counts, &total);
        let core = cpu::money_of_a_core(self, &licences, &total, &server);
        cpu::of_work(self, (work.as_ref(), entry.work.as_ref()), &core, &server)?;
        cpu::saved(self, &entry.saved, &core, &server)?;
        measured::add(self, &core, &server, &total);
        cache::add(self, entry.cache.as_ref(), &core, &server)?;
        outage::add(self, entry, &total)?;
        Ok(total)
    }
}

/// The file's document; its other tables are a platform's, or nobody's.
fn read(source: Source<'_>, with_platform: bool) -> Result<Document, PlanError> {
    if source.text.trim().is_empty() {
        let hint = "the guide's page on costs has a first description";
        return Err(source.error(&(0..0), "the description", "the file is empty", hint));
    }
    let document: Document =
        toml::from_str(source.text).map_err(|error| syntax::refused(source, &error, WHOLE))?;
    if !with_platform {
        let table: toml::Table =
            toml::from_str(source.text).map_err(|error| syntax::refused(source, &error, WHOLE))?;
        let known = ["name", "note", "currency", "cost"];
        if let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) {
            let at = source.text.find(key.as_str()).unwrap_or(0);
            let why = format!("`{key}` is not known here");
            let hint = "what costs is below [cost]: [[cost.item]], [[cost.licence]], [cost.power]";
            return Err(source.error(&(at..at), "the description", why, hint));
        }
    }
    Ok(document)
}
