//! What is bought or rented: a line for each price, and what it comes to over the years.

use narrows_plan::{Description, PlanError};
use toml::Spanned;

use super::server::Server;
use super::work::Work;
use super::{From, NeededFigure, Reckoning, Sums};
use crate::entry::ItemEntry;
use crate::sheet::{Basis, Expr, Group, Range};

const MONTHS: f64 = 12.0;
/// Hours of a year of 365 days.
pub(super) const HOURS: f64 = 8760.0;

pub(super) fn add(
    r: &mut Reckoning<'_>,
    items: &[Spanned<ItemEntry>],
    platform: Option<&Description>,
    (work, server): (Option<&Work>, &Server),
) -> Result<Sums, PlanError> {
    let mut sums = Sums::default();
    if let Some((price, unpriced)) = platform.and_then(Description::price) {
        sums.once(parts(r, price, unpriced));
    }
    r.few("cost.item", items)?;
    let mut names: Vec<String> = Vec::new();
    for item in items {
        let name = r.reader.prose("cost.item: name", &item.get_ref().name)?;
        names.push(r.new_key("cost.item", &names, &item.get_ref().name)?);
        one(r, &name, item, work, &mut sums)?;
    }
    let many = r.sheet.value(&server.servers).filter(|many| *many > 1.0);
    let once: Vec<&str> = items
        .iter()
        .filter(|item| item.get_ref().count.is_none() && item.get_ref().figure.is_none())
        .map(|item| item.get_ref().name.get_ref().trim())
        .collect();
    if let Some(many) = many.filter(|_| !once.is_empty()) {
        r.notes.push(format!(
            "paid once for all {many} servers, since they have no count: {}",
            once.join(", ")
        ));
    }
    Ok(sums)
}

/// The prices that stand beside the parts of the platform.
fn parts(r: &mut Reckoning<'_>, price: f64, unpriced: &[String]) -> Expr {
    let value = unpriced.is_empty().then_some(Range::exact(price));
    let source = match unpriced {
        [] => "prices beside the parts of the description, without source and day".to_string(),
        some => format!("no price of {}", some.join(", ")),
    };
    let from = From { basis: Basis::Price, source, date: None };
    let currency = r.currency.clone();
    r.given((Group::Cost, "parts"), "parts of the platform", &currency, value, &from)
}

/// Adds what one item costs over the years.
fn one(
    r: &mut Reckoning<'_>,
    name: &str,
    item: &Spanned<ItemEntry>,
    work: Option<&Work>,
    sums: &mut Sums,
) -> Result<(), PlanError> {
    let what = format!("item {name}");
    let paid = paid(r, &what, item)?;
    let (unit, often) = often(r, &what, item, &paid, work)?;
    let key = |last: &str| format!("item.{}.{last}", key_of(name));
    let mut price = r.given((Group::Cost, &key("price")), name, &unit, paid.price, &paid.from);
    let count = &item.get_ref().count;
    if let Some(figure) = count {
        let count = r.reader.count(&format!("{what}: count"), figure)?;
        let from = From { basis: Basis::Described, source: "the description".into(), date: None };
        let title = format!("{name}: how many");
        price = price * r.given((Group::Cost, &key("count")), &title, "", count, &from);
    }
    let (sum, each_year) = match often {
        Often::Once => (price, None),
        Often::Rate(rate) => (price * rate, None),
        Often::Year => (price.clone() * r.years.clone(), Some(price)),
        Often::TimesAYear(times) => {
            let times = Expr::Number(times);
            let all = price.clone() * (times.clone() * r.years.clone());
            (all, Some(price * times))
        }
    };
    // A price alone, paid once, is its own sum.
    let sum = match sum {
        Expr::Line(_) => sum,
        sum => {
            let currency = r.currency.clone();
            let title = format!("{name}: all");
            r.sheet.computed((Group::Cost, &key("sum")), &title, &currency, sum)
        }
    };
    match each_year {
        Some(each_year) => sums.each_year(sum, each_year),
        None => sums.once(sum),
    }
    Ok(())
}

/// How often a price is paid.
enum Often {
    Once,
    /// Once, for each unit of that rate.
    Rate(Expr),
    Year,
    TimesAYear(f64),
}

/// A price, how often it is paid, and what it counts where that is published with it.
struct Paid {
    price: Option<Range>,
    from: From,
    per: String,
    of: Option<String>,
}

/// The price that stands in the description, or the published one that it names.
fn paid(r: &mut Reckoning<'_>, what: &str, item: &Spanned<ItemEntry>) -> Result<Paid, PlanError> {
    let entry = item.get_ref();
    let Some(id) = &entry.figure else {
        let price = match &entry.price {
            Some(figure) => r.reader.price(&format!("{what}: price"), figure)?,
            None => None,
        };
        let sources = (&entry.source, &entry.date);
        let from = r.priced(what, price.is_some(), item.span(), sources)?;
        let per = entry.per.as_ref().map_or("once", |per| per.get_ref().trim()).to_string();
        return Ok(Paid { price, from, per, of: None });
    };
    let beside = [&entry.per, &entry.date, &entry.source];
    if entry.price.is_some() || beside.iter().any(|text| text.is_some()) {
        let why = "has a figure, which has its price, per, date and source";
        let hint = "leave these out, or leave figure out";
        return Err(r.reader.source.error(&item.span(), what, why, hint));
    }
    let figure = r.published(what, id, NeededFigure::Price)?;
    if let (Some(of), None) = (&figure.of, &entry.count) {
        let why = format!("`{}` is the price of a {of}, and no count says how many", figure.id);
        return Err(r.reader.refused(id, what, why, format!("add count = …, in {of}")));
    }
    let (price, from) = r.of_published(&figure);
    Ok(Paid { price, from, per: figure.per, of: figure.of })
}

/// What a price counts, `USD per GB and month`, and how often it is paid.
fn often(
    r: &Reckoning<'_>,
    what: &str,
    item: &Spanned<ItemEntry>,
    paid: &Paid,
    work: Option<&Work>,
) -> Result<(String, Often), PlanError> {
    let refuse = |what: String, why: &str, hint: &str| {
        Err(r.reader.source.error(&item.span(), what, why, hint))
    };
    let per = paid.per.as_str();
    let often = match per {
        "once" => {
            let unit = paid.of.as_ref().map_or(r.currency.clone(), |of| r.per(of));
            return Ok((unit, Often::Once));
        }
        "rate" => {
            let Some(work) = work else {
                let hint = "add [cost.work] with name, rate and source";
                return refuse(
                    what.to_string(),
                    "is per rate, and no [cost.work] has a rate",
                    hint,
                );
            };
            return Ok((r.per(&work.unit), Often::Rate(work.rate.clone())));
        }
        "year" => Often::Year,
        "month" => Often::TimesAYear(MONTHS),
        "hour" => Often::TimesAYear(HOURS),
        other => {
            let hint = "per = \"once\", \"hour\", \"month\", \"year\" or \"rate\"";
            return refuse(format!("{what}: per"), &format!("`{other}` is not known"), hint);
        }
    };
    let counted = paid.of.as_ref().map_or(per.to_string(), |of| format!("{of} and {per}"));
    Ok((r.per(&counted), often))
}

/// A name as a part of a key: lower case, words joined.
pub(super) fn key_of(name: &str) -> String {
    let mut key = String::new();
    for c in name.chars() {
        if c.is_alphanumeric() {
            key.extend(c.to_lowercase());
        } else if !key.ends_with('-') && !key.is_empty() {
            key.push('-');
        }
    }
    key.trim_end_matches('-').to_string()
}
