//! What is bought or rented: a line for each price, and what it comes to over the years.

use narrows_plan::{Description, PlanError};
use toml::Spanned;

use super::server::Server;
use super::work::Work;
use super::{From, Reckoning};
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
) -> Result<Vec<Expr>, PlanError> {
    let mut sums = Vec::new();
    if let Some((price, unpriced)) = platform.and_then(Description::price) {
        sums.push(parts(r, price, unpriced));
    }
    r.few("cost.item", items)?;
    let mut names: Vec<String> = Vec::new();
    for item in items {
        let name = r.reader.prose("cost.item: name", &item.get_ref().name)?;
        names.push(r.new_key("cost.item", &names, &item.get_ref().name)?);
        sums.push(one(r, &name, item, work)?);
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

fn one(
    r: &mut Reckoning<'_>,
    name: &str,
    item: &Spanned<ItemEntry>,
    work: Option<&Work>,
) -> Result<Expr, PlanError> {
    let entry = item.get_ref();
    let what = format!("item {name}");
    let published = match &entry.figure {
        Some(id) => Some(r.published(&what, id)?),
        None => None,
    };
    let (price, from) = match &published {
        Some(figure) => {
            let beside = [
                entry.price.is_some(),
                entry.per.is_some(),
                entry.date.is_some(),
                entry.source.is_some(),
            ];
            if beside.contains(&true) {
                let why = "has a figure, which has its price, per, date and source";
                let hint = "leave these out, or leave figure out";
                return Err(r.reader.source.error(&item.span(), what, why, hint));
            }
            r.of_published(figure)
        }
        None => {
            let price = match &entry.price {
                Some(figure) => r.reader.price(&format!("{what}: price"), figure)?,
                None => None,
            };
            let from = (&entry.source, &entry.date);
            (price, r.priced(&what, price.is_some(), item.span(), from)?)
        }
    };
    let per = match &published {
        Some(figure) => figure.per.as_str(),
        None => entry.per.as_ref().map_or("once", |per| per.get_ref().trim()),
    };
    // What a published price counts: `USD per GB and month`.
    let counted = published.as_ref().and_then(|figure| figure.of.clone());
    let of = |often: &str| match &counted {
        Some(counted) => format!("{counted} and {often}"),
        None => often.to_string(),
    };
    let (unit, times) = match per {
        "once" => (r.currency.clone(), Expr::Number(1.0)),
        "year" => (r.per(&of("year")), r.years.clone()),
        "month" => (r.per(&of("month")), Expr::Number(MONTHS) * r.years.clone()),
        "hour" => (r.per(&of("hour")), Expr::Number(HOURS) * r.years.clone()),
        "rate" => match work {
            Some(work) => (r.per(&work.unit), work.rate.clone()),
            None => {
                let why = "is per rate, and no [cost.work] has a rate";
                let hint = "add [cost.work] with name, rate and source";
                return Err(r.reader.source.error(&item.span(), what, why, hint));
            }
        },
        other => {
            let why = format!("`{other}` is not known");
            let hint = "per = \"once\", \"hour\", \"month\", \"year\" or \"rate\"";
            return Err(r.reader.source.error(&item.span(), format!("{what}: per"), why, hint));
        }
    };
    let key = |last: &str| format!("item.{}.{last}", key_of(name));
    let price = r.given((Group::Cost, &key("price")), name, &unit, price, &from);
    let count = match &entry.count {
        Some(figure) => {
            let count = r.reader.count(&format!("{what}: count"), figure)?;
            let from =
                From { basis: Basis::Described, source: "the description".into(), date: None };
            Some(r.given(
                (Group::Cost, &key("count")),
                &format!("{name}: how many"),
                "",
                count,
                &from,
            ))
        }
        None => None,
    };
    if per == "once" && count.is_none() {
        return Ok(price);
    }
    let mut sum = price;
    if let Some(count) = count {
        sum = sum * count;
    }
    if per != "once" {
        sum = sum * times;
    }
    let currency = r.currency.clone();
    let title = format!("{name} over the years");
    let title = if per == "once" || per == "rate" { format!("{name}: all") } else { title };
    Ok(r.sheet.computed((Group::Cost, &key("sum")), &title, &currency, sum))
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
