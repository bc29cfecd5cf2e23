//! Watts as money.

use narrows_plan::PlanError;
use toml::Spanned;

use super::items::HOURS;
use super::server::Server;
use super::{From, NeededFigure, Reckoning};
use crate::entry::PowerEntry;
use crate::sheet::{Basis, Expr, Group, Range};

const WATTS_OF_A_KILOWATT: f64 = 1000.0;
/// What the site's power over that of its machines may be.
pub(super) const PUE: (f64, f64) = (1.0, 5.0);

/// What power costs, and how much it is.
pub(super) struct Power {
    /// Over the years.
    pub sum: Expr,
    /// Each year.
    pub each_year: Expr,
    /// With the site's, kW.
    pub kilowatts: Expr,
}

pub(super) fn add(
    r: &mut Reckoning<'_>,
    entry: Option<&Spanned<PowerEntry>>,
    server: &Server,
) -> Result<Option<Power>, PlanError> {
    let Some(spanned) = entry else { return Ok(None) };
    let entry = spanned.get_ref();
    for (written, named, keys) in [
        (entry.price_per_kwh.is_some(), &entry.price_figure, "price_per_kwh and price_figure"),
        (entry.pue.is_some(), &entry.pue_figure, "pue and pue_figure"),
    ] {
        if let (true, Some(figure)) = (written, named) {
            let why = format!("has {keys}: which of both holds?");
            return Err(r.reader.refused(figure, "cost.power", why, "leave one out"));
        }
    }
    let watts = r.reader.within("cost.power: watts", &entry.watts, 0.0..=1e7)?;
    let price = match &entry.price_per_kwh {
        Some(figure) => r.reader.within("cost.power: price_per_kwh", figure, 0.0..=1e4)?,
        None => None,
    };
    let pue = match &entry.pue {
        Some(figure) => r.reader.within("cost.power: pue", figure, PUE.0..=PUE.1)?,
        None => Some(Range::exact(1.0)),
    };
    let from = r.priced("cost.power", true, spanned.span(), (&entry.source, &entry.date))?;
    let (price, price_from) = match &entry.price_figure {
        Some(id) => {
            let figure = r.published("cost.power: price_figure", id, NeededFigure::Electricity)?;
            r.of_published(&figure)
        }
        None => (price, from.clone()),
    };
    let (pue, pue_from) = match &entry.pue_figure {
        Some(id) => {
            let figure = r.published("cost.power: pue_figure", id, NeededFigure::Pue)?;
            (
                Some(figure.value),
                From { basis: Basis::Described, source: figure.source, date: Some(figure.date) },
            )
        }
        None => (pue, From { basis: Basis::Described, ..from.clone() }),
    };
    let described = From { basis: Basis::Described, ..from.clone() };
    let at = |key: &'static str| (Group::Cost, key);
    let watts =
        r.given(at("power.watts"), "power of one server at its load", "W", watts, &described);
    let unit = r.per("kWh");
    let price = r.given(at("power.price"), "electricity", &unit, price, &price_from);
    let pue = match entry.pue.is_some() || entry.pue_figure.is_some() {
        true => r.given_within(
            at("power.pue"),
            "power of the whole site over that of its machines",
            "",
            (pue, PUE),
            &pue_from,
        ),
        false => {
            r.notes.push(
                "power: without pue, cooling and losses of the site are not in it".to_string(),
            );
            Expr::Number(1.0)
        }
    };
    let mut all = watts;
    for factor in [server.servers.clone(), pue] {
        if factor != Expr::Number(1.0) {
            all = all * factor;
        }
    }
    let all = all / WATTS_OF_A_KILOWATT;
    let kilowatts =
        r.sheet.computed(at("power.kilowatts"), "power of all servers with the site's", "kW", all);
    let currency = r.currency.clone();
    let each_year = kilowatts.clone() * HOURS * price.clone();
    let sum = kilowatts.clone() * HOURS * r.years.clone() * price;
    let title = "electricity over the years";
    let sum = r.sheet.computed(at("power.sum"), title, &currency, sum);
    Ok(Some(Power { sum, each_year, kilowatts }))
}
