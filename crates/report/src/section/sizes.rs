//! A demand on platforms: which carries it, what binds, what is left with a part gone, what it costs.

use narrows_cost::{Carries, CostAnswer, HeadroomOf, SizedLoss, SizedPlatform, Sizing, number};
use narrows_plan::{Amount, LostKind};
use narrows_units::{OpsPerSecond, Ratio};

use super::costs::numbered;
use super::plans::labelled;
use crate::chart::sized;
use crate::document::{
    self, At, Block, Cell, Column, Depth, Document, Entry, Foot, Head, Row, Section, Sheet, Table,
};

/// The document of these demands on the same platforms.
pub fn sizings(sizings: &[Sizing], from: &str, notes: &[String]) -> Document {
    let title = vec!["Which platform carries it?".to_string(), format!("demand of {from}")];
    let more = "Ceilings are those of the described parts: software that doesn't scale to them carries less. How busy CPUs and drives may be was \
                measured on others; more of them behind one queue may be busier for the same percentile. With a part gone, what a rebuild takes \
                is not in it. A rate without ± has no interval, and carries a need only with a third to spare; given figures without a range count as \
                exact.";
    let remarks = notes.iter().map(|note| Entry::new("note", note.as_str())).collect();
    let first = Section::new("from", "")
        .short("")
        .with([labelled(vec![Entry::new("demand of", from)]), labelled(remarks)]);
    Document {
        head: Head { depth: Depth::Page, name: title[0].clone(), title, ..Head::default() },
        sections: std::iter::once(first).chain(sizings.iter().map(section)).collect(),
        foot: Foot { more: vec![more.into()], ..Foot::default() },
        sheet: sheet(sizings),
        json: document::json(
            &serde_json::json!({"demand_of": from, "notes": notes, "sizings": sizings}),
        ),
        ..Document::default()
    }
}

fn section(sizing: &Sizing) -> Section {
    let mut entries = vec![Entry::new("needed", needed(sizing))];
    for headroom in &sizing.headroom {
        let share = Ratio(headroom.share);
        let doubt = headroom.half.map(|half| format!(" ± {}", Ratio(half / headroom.share)));
        let (doubt, of) = (doubt.unwrap_or_default(), headroom.of.words());
        entries.push(Entry::new("usable", format!("{share}{doubt} {of}: {}", headroom.from)));
    }
    entries.extend(lacking(sizing).map(|text| Entry::new("usable", text)));
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
        .with(platforms.flat_map(|platform| details(platform, sizing.growth_per_year)))
}

/// Parts that nothing says how much may be used of, and how that is found out.
fn lacking(sizing: &Sizing) -> Option<String> {
    let known = |of| sizing.headroom.iter().any(|headroom| headroom.of == of);
    if known(HeadroomOf::All) {
        return None;
    }
    let workload = match sizing.demand.as_str() {
        "lookup_cached" => "lookup",
        "lookup_uncached" => "lookup --from drive",
        own @ ("batch" | "update" | "commit") => own,
        // Of what others run there is no such load: one that is like it stands in.
        _ => "update",
    };
    let cpus = format!("narrows db {workload} --p99 5ms, on a quiet machine");
    let drives = "narrows block calibrate, then --calibration RUN";
    Some(match (known(HeadroomOf::Cpus), known(HeadroomOf::Drives)) {
        (false, false) => format!(
            "unknown: measure it ({cpus}; for drives {drives}) or give --headroom; until then no platform is called large enough"
        ),
        (true, false) => format!(
            "unknown of drives and links: where these bind, measure it ({drives}) or give --headroom"
        ),
        (false, true) => format!(
            "unknown of CPUs and links: where these bind, measure it ({cpus}) or give --headroom"
        ),
        (true, true) => {
            "unknown of links and memory: where these bind, give --headroom".to_string()
        }
    })
}

/// `12,400 per second: 7,180 measured × 1.73`.
fn needed(sizing: &Sizing) -> String {
    let measured = rate(Some(sizing.measured_per_s));
    if sizing.growth == 1.0 {
        return format!("{measured}; --growth adds what is to come");
    }
    let needs = rate(Some(sizing.needs_per_s));
    let (growth, each) = (number(sizing.growth), number(1.0 + sizing.growth_per_year));
    let years = number(sizing.growth.ln() / sizing.growth_per_year.ln_1p());
    format!("{needs}: {measured} × {growth} of growth, {each} to the power of {years}")
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
    let Some(cost) = &platform.cost else { return "not described".to_string() };
    let Some(total) = platform.total() else { return "unknown".to_string() };
    let doubt = cost
        .line("total")
        .and_then(|line| line.interval)
        .map(|[low, high]| format!(" ± {}", Ratio(((high - low) / 2.0 / total).abs())));
    format!("{} {}{}", number(total.round()), cost.currency, doubt.unwrap_or_default())
}

/// The smallest that does, why the one before it doesn't, and the next.
fn answer(sizing: &Sizing) -> Vec<(&'static str, String)> {
    let by = if sizing.not_by_cost.is_none() { "cheapest" } else { "smallest" };
    let order = &sizing.order;
    let named = |at: usize| &sizing.platforms[at];
    let mut words = Vec::new();
    words.extend(sizing.not_by_cost.as_ref().map(|why| ("costs", format!("not compared: {why}"))));
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
    words.extend(as_dear(sizing, smallest).map(|text| ("doubt", text)));
    let place = order.iter().position(|at| *at == smallest).unwrap_or(0);
    if let Some(before) = place.checked_sub(1).map(|before| named(order[before])) {
        words.push(("not", format!("{}: {}", before.name, why_not(before))));
    }
    words.push(("a part gone", gone(named(smallest))));
    if let Some(at) = sizing.smallest_surviving.filter(|at| *at != smallest) {
        let text = format!(
            "{} is the {by} that carries it with any part gone but the data's own machine",
            named(at).name
        );
        words.push(("a part gone", text));
    }
    let more = order[place + 1..].iter().find(|at| named(**at).carries == Carries::Yes);
    words.extend(more.map(|at| ("next", format!("{} carries it too", named(*at).name))));
    words
}

/// Others that carry it and whose costs can't be told apart from the cheapest one's.
fn as_dear(sizing: &Sizing, smallest: usize) -> Option<String> {
    let range = |at: usize| {
        let line = sizing.platforms[at].cost.as_ref()?.line("total")?;
        let value = line.value?;
        Some(line.interval.unwrap_or([value, value]))
    };
    let [_, most] = range(smallest).filter(|_| sizing.not_by_cost.is_none())?;
    let others = (0..sizing.platforms.len()).filter(|at| {
        let other = &sizing.platforms[*at];
        *at != smallest
            && other.carries == Carries::Yes
            && range(*at).is_some_and(|[low, _]| low <= most)
    });
    let names: Vec<&str> = others.map(|at| sizing.platforms[at].name.as_str()).collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| format!("within the ranges of the prices {names} may be as cheap"))
}

/// `it carries it without a drive; not without the machine that has the data`.
fn gone(platform: &SizedPlatform) -> String {
    let words = LostKind::ALL.into_iter().filter_map(|kind| {
        let survives = match platform.survives(kind) {
            Some(true) => "carried without",
            Some(false) => "not without",
            None if platform.losses.iter().any(|loss| loss.kind == kind) => "can't be told without",
            None => return None,
        };
        Some(format!("{survives} {}", kind.words()))
    });
    words.collect::<Vec<_>>().join("; ")
}

fn why_not(platform: &SizedPlatform) -> String {
    let binding = platform.binding.join(", ");
    let held = if binding.is_empty() { String::new() } else { format!(", held by {binding}") };
    format!("{}{held}", platform.carries.words())
}

/// What binds a platform, what is left with a part gone, and its costs in short.
fn details(platform: &SizedPlatform, growth: f64) -> Vec<Block> {
    let mut entries = Vec::new();
    entries.extend(platform.lacks.as_ref().map(|why| Entry::new("  unknown", why.as_str())));
    if !platform.binding.is_empty() {
        entries.push(Entry::new("  bottleneck", platform.binding.join(", ")));
    }
    entries.extend(platform.sums.iter().map(|sum| Entry::new("  sum", sum.as_str())));
    entries.extend(platform.lasts_years.map(|years| {
        let text = format!(
            "{} years from now, at {} per year",
            number((years * 10.0).round() / 10.0),
            Ratio(growth)
        );
        Entry::new("  enough for", text)
    }));
    if let (Some(sessions), Some(reached)) = (platform.sessions, platform.sessions_per_s) {
        let text =
            format!("as many as measured, {}, reach {}", number(sessions), rate(Some(reached)));
        entries.push(Entry::new("  sessions", text));
    }
    entries.extend(platform.losses.iter().map(|loss| Entry::new("  without", lost(loss))));
    entries.extend(platform.cost.as_ref().and_then(costs).map(|text| Entry::new("  costs", text)));
    for note in platform.cost.iter().flat_map(|cost| &cost.notes) {
        entries.push(Entry::new("  note", note.as_str()));
    }
    entries.extend(platform.taken.iter().map(|text| Entry::new("  taken", text.as_str())));
    entries.extend(platform.notes.iter().map(|text| Entry::new("  not modelled", text.as_str())));
    let mut blocks = vec![Block::Heading(platform.name.as_str().into()), labelled(entries)];
    // On a page every sum can be redone; a screen has the command for it.
    let lines = platform.cost.as_ref().map(|cost| numbered(&cost.lines).to_vec());
    blocks.extend(lines.map(|lines| Block::From(Depth::Page, lines)));
    blocks
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
    let licences = cost.value("licence.all").unwrap_or(0.0);
    let [total_words, licence_words, rest] =
        [total, licences, total - licences].map(|value| number(value.round()));
    Some(format!(
        "{total_words} {}: licences {licence_words}, the rest {rest}; `narrows cost {}` has every line",
        cost.currency, cost.file
    ))
}

/// How much of these parts may be used.
fn share(sizing: &Sizing, of: HeadroomOf) -> Option<f64> {
    let holds = |at: HeadroomOf| at == of || at == HeadroomOf::All;
    sizing.headroom.iter().find(|headroom| holds(headroom.of)).map(|headroom| headroom.share)
}

/// One row for each demand on each platform.
fn sheet(sizings: &[Sizing]) -> Sheet {
    let mut sheet = Sheet::new(&[
        "demand",
        "platform",
        "answer",
        "growth",
        "needs_per_s",
        "headroom_cpus",
        "headroom_drives",
        "ceiling_per_s",
        "usable_per_s",
        "lasts_years",
        "sessions_per_s",
        "busy",
        "binding",
        "carried_without_a_drive",
        "carried_without_a_path",
        "carried_without_a_server",
        "carried_without_the_storage",
        "cost",
        "currency",
    ]);
    let figure = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for sizing in sizings {
        for platform in &sizing.platforms {
            let kinds = LostKind::ALL.map(|kind| match platform.survives(kind) {
                Some(survives) => survives.to_string(),
                None => String::new(),
            });
            let [drive, path, server, storage] = kinds;
            sheet.rows.push(vec![
                sizing.demand.clone(),
                platform.name.clone(),
                platform.carries.words().to_string(),
                sizing.growth.to_string(),
                sizing.needs_per_s.value.to_string(),
                figure(share(sizing, HeadroomOf::Cpus)),
                figure(share(sizing, HeadroomOf::Drives)),
                figure(platform.ceiling_per_s.map(|rate| rate.value)),
                figure(platform.usable_per_s.map(|rate| rate.value)),
                figure(platform.lasts_years),
                figure(platform.sessions_per_s.map(|rate| rate.value)),
                figure(platform.busy),
                platform.binding.join("; "),
                drive,
                path,
                server,
                storage,
                figure(platform.total()),
                platform.cost.as_ref().map(|cost| cost.currency.clone()).unwrap_or_default(),
            ]);
        }
    }
    sheet
}
