//! A demand on platforms: which carries it, what binds, what is left with a part gone, what it costs.

use narrows_cost::{Carries, CostAnswer, SizedLoss, SizedPlatform, Sizing, number};
use narrows_plan::Amount;
use narrows_units::{OpsPerSecond, Ratio};

use super::plans::labelled;
use crate::chart::sized;
use crate::document::{
    self, At, Block, Cell, Column, Depth, Document, Entry, Foot, Head, Row, Section, Sheet, Table,
};

/// The document of these demands on the same platforms.
pub fn sizings(sizings: &[Sizing], from: &str, notes: &[String]) -> Document {
    let title = vec!["Which platform carries it?".to_string(), format!("demand of {from}")];
    let more = "Ceilings are those of the described parts: software that doesn't scale to them carries less. A share of a ceiling that keeps \
                a percentile of latency was measured on other hardware; with more CPUs or drives behind one queue it is higher.";
    let remarks = notes.iter().map(|note| Entry::new("note", note.as_str())).collect();
    let first = Section::new("from", "")
        .short("")
        .with([labelled(vec![Entry::new("demand of", from)]), labelled(remarks)]);
    Document {
        head: Head { depth: Depth::Page, name: title[0].clone(), title, ..Head::default() },
        sections: std::iter::once(first).chain(sizings.iter().map(section)).collect(),
        foot: Foot { more: vec![more.into()], ..Foot::default() },
        sheet: sheet(sizings),
        json: document::json(sizings),
        ..Document::default()
    }
}

fn section(sizing: &Sizing) -> Section {
    let mut entries = vec![Entry::new("needed", needed(sizing))];
    let headroom = match &sizing.headroom {
        Some(headroom) => format!("{} of a ceiling: {}", Ratio(headroom.share), headroom.from),
        None => "unknown: measure it (narrows db WORKLOAD --p99 5ms) or give --headroom; until then no platform is called large enough".to_string(),
    };
    entries.push(Entry::new("usable", headroom));
    entries.extend(sizing.suspect.as_ref().map(|why| Entry::new("? suspect", why.as_str())));
    let answer = answer(sizing).into_iter().map(|(label, text)| Entry::new(label, text)).collect();
    let chart = sized::figure(sizing).map(|picture| {
        Block::From(
            Depth::Page,
            vec![Block::figure(
                "usable throughput against cost",
                "The line is what is needed.",
                picture,
            )],
        )
    });
    let platforms = sizing.order.iter().map(|at| &sizing.platforms[*at]);
    Section::new("", sizing.demand.as_str())
        .with([labelled(entries), Block::Table(table(sizing)), labelled(answer)])
        .with(chart)
        .with(platforms.flat_map(details))
}

/// `12,400 per second: 7,180 measured × 1.73`.
fn needed(sizing: &Sizing) -> String {
    let measured = rate(Some(sizing.measured_per_s));
    let needs = OpsPerSecond(sizing.needs_per_s);
    if sizing.growth == 1.0 {
        return format!("{needs}, as measured; --growth adds what is to come");
    }
    format!("{needs}: {measured} × {} of growth", number(sizing.growth))
}

fn rate(amount: Option<Amount>) -> String {
    let Some(amount) = amount else { return "-".to_string() };
    match amount.half {
        Some(half) if half > 0.0 => {
            format!("{} ± {}", OpsPerSecond(amount.value), OpsPerSecond(half))
        }
        _ => OpsPerSecond(amount.value).to_string(),
    }
}

/// Platforms in their order.
fn table(sizing: &Sizing) -> Table {
    let mut table = Table::new(vec![
        Column::name("platform", 0),
        Column::words("answer", At::Left(26)),
        Column::figure("ceiling", 58),
        Column::figure("usable", 70),
        Column::figure("busy", 79),
        Column::figure("cost", 98),
    ]);
    table.columns[0].under_title = false;
    table.screen.longest_name = 25;
    for platform in sizing.order.iter().map(|at| &sizing.platforms[*at]) {
        let plain = |amount: Option<Amount>| {
            amount.map_or("-".to_string(), |amount| OpsPerSecond(amount.value).to_string())
        };
        let cells = [
            platform.name.clone(),
            platform.carries.words().to_string(),
            plain(platform.ceiling_per_s),
            plain(platform.usable_per_s),
            platform.busy.map_or("-".to_string(), |busy| Ratio(busy).to_string()),
            price(platform),
        ];
        table.rows.push(Row::Cells(cells.map(Cell::from).to_vec(), Vec::new()));
    }
    table
}

fn price(platform: &SizedPlatform) -> String {
    match (&platform.cost, platform.total()) {
        (Some(cost), Some(total)) => format!("{} {}", number(total.round()), cost.currency),
        (Some(_), None) => "unknown".to_string(),
        (None, _) => "not described".to_string(),
    }
}

/// The smallest that does, why the one before it doesn't, and the next.
fn answer(sizing: &Sizing) -> Vec<(&'static str, String)> {
    let by = if sizing.by_cost { "cheapest" } else { "smallest" };
    let order = &sizing.order;
    let named = |at: usize| &sizing.platforms[at];
    let mut words = Vec::new();
    let Some(smallest) = sizing.smallest else {
        if sizing.platforms.iter().all(|platform| platform.carries == Carries::HeadroomUnknown) {
            words.push((
                "answer",
                "each has a ceiling above the need; how much of it may be used is not known"
                    .to_string(),
            ));
        } else {
            words.push(("answer", "none of these is known to carry it".to_string()));
        }
        return words;
    };
    words.push(("answer", format!("{} is the {by} that carries it", named(smallest).name)));
    let place = order.iter().position(|at| *at == smallest).unwrap_or(0);
    if let Some(before) = place.checked_sub(1).map(|before| named(order[before])) {
        words.push(("not", format!("{}: {}", before.name, why_not(before))));
    }
    match sizing.smallest_surviving {
        Some(at) if at == smallest => {
            words.push(("a part gone", "it still carries it, whichever part is gone".to_string()));
        }
        Some(at) => words.push((
            "a part gone",
            format!("{} is the {by} that carries it with any one part gone", named(at).name),
        )),
        None => words.push(("a part gone", "none carries it with any one part gone".to_string())),
    }
    let more = order[place + 1..].iter().find(|at| named(**at).carries == Carries::Yes);
    words.extend(more.map(|at| ("next", format!("{} carries it too", named(*at).name))));
    words
}

fn why_not(platform: &SizedPlatform) -> String {
    let binding = platform.binding.join(", ");
    let held = if binding.is_empty() { String::new() } else { format!(", held by {binding}") };
    format!("{}{held}", platform.carries.words())
}

/// What binds a platform, what is left with a part gone, and its costs in short.
fn details(platform: &SizedPlatform) -> [Block; 2] {
    let mut entries = Vec::new();
    if !platform.binding.is_empty() {
        entries.push(Entry::new("  bottleneck", platform.binding.join(", ")));
    }
    entries.extend(platform.losses.iter().map(|loss| Entry::new("  without", lost(loss))));
    entries.extend(platform.cost.as_ref().and_then(costs).map(|text| Entry::new("  costs", text)));
    for note in &platform.notes {
        entries.push(Entry::new("  taken", note.as_str()));
    }
    [Block::Heading(platform.name.as_str().into()), labelled(entries)]
}

/// `one of 8 drives nvme: 61,000/s usable, carries it`.
fn lost(loss: &SizedLoss) -> String {
    match (&loss.stops, loss.usable_per_s) {
        (Some(why), _) => format!("{}: it stops, {why}", loss.part),
        (None, Some(rate)) => {
            format!("{}: {} usable, {}", loss.part, OpsPerSecond(rate), loss.carries.words())
        }
        (None, None) => format!("{}: {}", loss.part, loss.carries.words()),
    }
}

/// `3,231,000 USD: licences 3,192,000, the rest 39,000`, or what is unknown.
fn costs(cost: &CostAnswer) -> Option<String> {
    let total = match cost.value("total") {
        Some(total) => total,
        None => return Some(format!("unknown: {}", cost.unknown.join(", "))),
    };
    let licences: f64 = cost
        .lines
        .iter()
        .filter(|line| line.key.starts_with("licence.") && line.key.ends_with(".sum"))
        .filter_map(|line| line.value)
        .sum();
    let [total_words, licence_words, rest] =
        [total, licences, total - licences].map(|value| number(value.round()));
    Some(format!(
        "{total_words} {}: licences {licence_words}, the rest {rest}; `narrows cost {}` has every line",
        cost.currency, cost.file
    ))
}

/// One row for each demand on each platform.
fn sheet(sizings: &[Sizing]) -> Sheet {
    let mut sheet = Sheet::new(&[
        "demand",
        "platform",
        "answer",
        "needs_per_s",
        "ceiling_per_s",
        "usable_per_s",
        "busy",
        "binding",
        "survives_any_loss",
        "cost",
        "currency",
    ]);
    let figure = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for sizing in sizings {
        for platform in &sizing.platforms {
            sheet.rows.push(vec![
                sizing.demand.clone(),
                platform.name.clone(),
                platform.carries.words().to_string(),
                sizing.needs_per_s.to_string(),
                figure(platform.ceiling_per_s.map(|rate| rate.value)),
                figure(platform.usable_per_s.map(|rate| rate.value)),
                figure(platform.busy),
                platform.binding.join("; "),
                platform.survives().to_string(),
                figure(platform.total()),
                platform.cost.as_ref().map(|cost| cost.currency.clone()).unwrap_or_default(),
            ]);
        }
    }
    sheet
}
