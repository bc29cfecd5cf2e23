use narrows_cost::{Measured, MeasuredIo, Range, WhatIf, compared};
use narrows_plan::{Amount, Demand};

use super::{reckoned, with};

const SERVER: &str = r#"
name = "server"
currency = "USD"
[cost]
years = 5
[cost.server]
servers = 2
cores = 64
sockets = 4
[[cost.item]]
name = "server"
price = "12000 to 18000"
count = 2
date = "2026-11"
source = "quote 7"
[[cost.item]]
name = "rack"
price = 150
per = "month"
date = "2026-10-01"
source = "contract"
[[cost.licence]]
rule = "oracle-ee"
[cost.power]
watts = "400 to 600"
price_per_kwh = 0.2
pue = 1.5
date = "2026"
source = "bill"
[cost.work]
name = "transactions"
rate = "20k/s"
cpu = "250 us"
source = "measured elsewhere"
"#;

pub(super) fn value(answer: &narrows_cost::CostAnswer, key: &str) -> f64 {
    answer.value(key).unwrap_or_else(|| panic!("{key} is unknown"))
}

pub(super) fn near(found: f64, wanted: f64) {
    assert!((found / wanted - 1.0).abs() < 1e-9, "{found} is not {wanted}");
}

#[test]
fn a_server_is_added_up_over_its_years() {
    let answer = reckoned(SERVER).unwrap();
    near(value(&answer, "item.server.sum"), 30_000.0);
    near(value(&answer, "item.rack.sum"), 150.0 * 60.0);
    near(value(&answer, "licence.oracle-ee.count"), 32.0);
    near(value(&answer, "licence.oracle-ee.sum"), 32.0 * 47_500.0 * 2.1);
    let power = 0.5 * 2.0 * 1.5 * 8760.0 * 5.0 * 0.2;
    near(value(&answer, "power.sum"), power);
    let total = 30_000.0 + 9_000.0 + 3_192_000.0 + power;
    near(value(&answer, "total"), total);
    near(value(&answer, "total.once"), 30_000.0 + 32.0 * 47_500.0);
    near(value(&answer, "total.each_year"), 1_800.0 + 32.0 * 47_500.0 * 0.22 + power / 5.0);
    near(value(&answer, "work.cost"), total / 20_000.0);
    near(value(&answer, "work.per_core"), 20_000.0 / 64.0);
    near(value(&answer, "work.per_kw"), 20_000.0 / 1.5);
    // 250 µs of a core for each of 1,000 keep a quarter of a core busy.
    near(value(&answer, "work.licence"), 0.25 * 3_192_000.0 / 64.0);
    let [low, high] = answer.line("total").unwrap().interval.unwrap();
    let half = 6000.0_f64.hypot(power / 5.0);
    near(low, total - half);
    near(high, total + half);
    let moves: Vec<&str> = answer.moves.iter().map(|one| one.key.as_str()).collect();
    assert!(moves.contains(&"server.cores"), "{moves:?}");
    assert!(moves.contains(&"licence.oracle-ee.price"), "{moves:?}");
    assert!(answer.moves[0].by_a_tenth < 0.1, "without steps: {:?}", answer.moves[0]);
    // 62 cores are 31 licences.
    let saved = answer.notes.iter().find(|note| note.contains("licences come whole")).unwrap();
    assert!(saved.contains("2 cores fewer save 99,750 USD"), "{saved}");
    assert!(answer.unknown.is_empty(), "{:?}", answer.unknown);
}

#[test]
fn every_formula_comes_to_its_value_with_a_pencil() {
    let answer = reckoned(SERVER).unwrap();
    let computed: Vec<_> = answer.lines.iter().filter(|line| !line.formula.is_empty()).collect();
    assert!(computed.len() > 10);
    for line in computed {
        let redone = pencil(&line.formula);
        let value = line.value.unwrap();
        assert!((redone / value - 1.0).abs() < 1e-4, "{}: {} is {redone}", line.key, line.formula);
    }
}

/// A formula as it is printed, without its line numbers.
pub(super) fn pencil(formula: &str) -> f64 {
    let mut text = String::new();
    let mut within = false;
    for c in formula.chars() {
        match c {
            '[' => within = true,
            ']' => within = false,
            ',' => {}
            _ if within => {}
            c => text.push(c),
        }
    }
    let (value, rest) = terms(text.trim());
    assert!(rest.trim().is_empty(), "{formula}: `{rest}`");
    value
}

fn terms(text: &str) -> (f64, &str) {
    let (mut sum, mut rest) = factors(text);
    loop {
        let next = rest.trim_start();
        if let Some(after) = next.strip_prefix('+') {
            let (term, after) = factors(after);
            (sum, rest) = (sum + term, after);
        } else if let Some(after) = next.strip_prefix('−') {
            let (term, after) = factors(after);
            (sum, rest) = (sum - term, after);
        } else {
            return (sum, rest);
        }
    }
}

fn factors(text: &str) -> (f64, &str) {
    let (mut product, mut rest) = operand(text);
    loop {
        let next = rest.trim_start();
        if let Some(after) = next.strip_prefix('×') {
            let (factor, after) = operand(after);
            (product, rest) = (product * factor, after);
        } else if let Some(after) = next.strip_prefix('/') {
            let (factor, after) = operand(after);
            (product, rest) = (product / factor, after);
        } else {
            return (product, rest);
        }
    }
}

fn operand(text: &str) -> (f64, &str) {
    let text = text.trim_start();
    if let Some(inner) = text.strip_prefix("round up (") {
        let (value, rest) = terms(inner);
        return ((value - 1e-6).ceil(), rest.trim_start().strip_prefix(')').unwrap());
    }
    for (words, pick) in
        [("the larger of ", f64::max as fn(f64, f64) -> f64), ("the smaller of ", f64::min)]
    {
        let bracketed = text.strip_prefix('(').and_then(|inner| inner.strip_prefix(words));
        let Some(inner) = bracketed.or(text.strip_prefix(words)) else { continue };
        let (a, rest) = terms(inner);
        let (b, rest) = terms(rest.trim_start().strip_prefix("and").unwrap());
        let rest =
            if bracketed.is_some() { rest.trim_start().strip_prefix(')').unwrap() } else { rest };
        return (pick(a, b), rest);
    }
    if let Some(inner) = text.strip_prefix('(') {
        let (value, rest) = terms(inner);
        return (value, rest.trim_start().strip_prefix(')').unwrap());
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (text[..end].parse().unwrap_or_else(|_| panic!("`{text}`")), &text[end..])
}

#[test]
fn a_missing_price_gives_no_total_and_is_named() {
    let text = SERVER.replace("price = \"12000 to 18000\"", "price = \"unknown\"");
    let answer = reckoned(&text).unwrap();
    assert_eq!(answer.value("total"), None);
    assert_eq!(answer.value("work.cost"), None);
    assert_eq!(answer.unknown, ["item.server.price"]);
    assert_eq!(answer.line("total").unwrap().lacks, ["item.server.price"]);
    near(value(&answer, "licence.oracle-ee.sum"), 3_192_000.0);
    let known = WhatIf { key: "item.server.price".to_string(), value: Range::exact(15_000.0) };
    assert!(with(&text, &[known], None).unwrap().value("total").is_some());
}

#[test]
fn licences_follow_their_rules() {
    let licensed = |server: &str, rule: &str| {
        let text = format!(
            "name = \"a\"\ncurrency = \"USD\"\n[cost.server]\n{server}\n[[cost.licence]]\nrule = \"{rule}\"\n"
        );
        reckoned(&text)
    };
    let count = |server: &str, rule: &str| {
        let answer = licensed(server, rule).unwrap();
        value(&answer, &format!("licence.{rule}.count"))
    };
    near(count("cores = 24\nsockets = 2", "oracle-ee"), 12.0);
    near(count("cores = 7\nsockets = 1", "oracle-ee"), 4.0);
    near(count("cores = 16\nsockets = 2", "oracle-se2"), 2.0);
    near(count("vcpus = 16", "oracle-ee-cloud"), 8.0);
    near(count("vcpus = 6", "oracle-se2-cloud"), 2.0);
    near(count("cores = 24\nsockets = 2", "sql-server-2022-enterprise"), 12.0);
    // Four cores of each socket are licensed at least, in packs of two.
    near(count("cores = 4\nsockets = 2", "sql-server-2022-enterprise"), 4.0);
    // A subscription is paid each year, three years where none are said.
    let subscribed = licensed("servers = 2\ncores = 64", "mysql-enterprise").unwrap();
    near(value(&subscribed, "licence.mysql-enterprise.sum"), 2.0 * 7_500.0 * 3.0);
    near(value(&subscribed, "total.each_year"), 2.0 * 7_500.0);
    assert_eq!(subscribed.value("total.once"), Some(0.0));
    let [low, high] = subscribed.line("total").unwrap().interval.unwrap();
    near(low, 30_000.0);
    near(high, 60_000.0);
    let refused = licensed("cores = 64\nsockets = 4", "oracle-se2").unwrap_err().to_string();
    assert!(refused.contains("at most 2 sockets of a server, and here are 4"), "{refused}");
    let refused = licensed("vcpus = 16", "oracle-se2-cloud").unwrap_err().to_string();
    assert!(refused.contains("at most 8 vCPUs"), "{refused}");
    let capped = licensed("cores = 64\nsockets = 2", "sql-server-2022-standard").unwrap();
    assert!(capped.notes.iter().any(|note| note.contains("uses at most 24 cores")), "{capped:?}");
    near(value(&capped, "licence.sql-server-2022-standard.used_cores"), 24.0);
    let uncapped = licensed("cores = 16\nsockets = 2", "sql-server-2022-standard").unwrap();
    assert!(!uncapped.notes.iter().any(|note| note.contains("uses at most")));
    let free = licensed("cores = 64", "postgresql").unwrap();
    assert_eq!(free.value("total"), Some(0.0));
    assert!(free.line("core.licence").is_none(), "a core without licences saves none");
    // Licences by socket: a core fewer saves none.
    let sockets = licensed("cores = 32\nsockets = 2", "oracle-se2").unwrap();
    assert!(sockets.line("core.licence").is_none());
    assert!(sockets.notes.iter().any(|note| note.contains("a core fewer saves none")));
    // Instances are licensed one by one: two of 6 vCPUs need two licences each.
    near(count("servers = 2\nvcpus = 12", "oracle-se2-cloud"), 4.0);
    near(count("vcpus = 16\nthreads_per_core = 1", "oracle-ee-cloud"), 16.0);
    for (server, rule, words) in [
        ("cores = 2", "sql-server-2022-enterprise", "at least 4 cores for each socket"),
        ("vcpus = 8", "sql-server-2022-enterprise", "license its vCPUs as cores"),
        ("cores = 8", "oracle-rac", "an option of oracle-ee"),
    ] {
        let error = licensed(server, rule).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let both = "name = \"a\"\ncurrency = \"USD\"\n[cost.server]\ncores = 8\nsockets = 1\n[[cost.licence]]\nrule = \"oracle-ee\"\n[[cost.licence]]\nrule = \"oracle-se2\"\n";
    let error = reckoned(both).unwrap_err().to_string();
    assert!(error.contains("editions of one product"), "{error}");
}

#[test]
fn a_published_price_of_another_currency_is_none() {
    let text = "name = \"a\"\ncurrency = \"EUR\"\n[cost.server]\ncores = 8\n[[cost.licence]]\nrule = \"oracle-ee\"\n";
    let answer = reckoned(text).unwrap();
    assert_eq!(answer.value("total"), None);
    assert_eq!(answer.unknown, ["licence.oracle-ee.price"]);
    assert!(answer.notes.iter().any(|note| note.contains("in USD, the description is in EUR")));
}

#[test]
fn published_figures_stand_in_for_quotes_and_are_named() {
    let text = |currency: &str, item: &str| {
        format!(
            "name = \"a\"\ncurrency = \"{currency}\"\n[cost]\nyears = 3\n[[cost.item]]\nname = \"volume\"\ncount = 2000\n{item}\n\
             [cost.power]\nwatts = 500\nprice_figure = \"electricity-us-commercial\"\npue_figure = \"pue-average\"\n\
             date = \"2026-11\"\nsource = \"data sheet\"\n"
        )
    };
    let answer = reckoned(&text("USD", "figure = \"aws-gp3-storage\"")).unwrap();
    near(value(&answer, "item.volume.sum"), 0.08 * 2000.0 * 12.0 * 3.0);
    near(value(&answer, "power.sum"), 0.5 * 1.54 * 8760.0 * 3.0 * 0.146);
    let price = answer.line("item.volume.price").unwrap();
    assert!(price.source.contains("https://") && price.date.is_some(), "{price:?}");
    assert_eq!(price.unit, "USD per GB and month");
    let memory = reckoned(&text("USD", "figure = \"dram-ddr5-rdimm\"")).unwrap();
    assert_eq!(memory.line("item.volume.price").unwrap().unit, "USD per GB");
    near(value(&memory, "item.volume.sum"), 32.0 * 2000.0);
    let other = reckoned(&text("EUR", "figure = \"aws-gp3-storage\"")).unwrap();
    assert_eq!(other.value("total"), None);
    assert_eq!(other.unknown, ["item.volume.price", "power.price"]);
    for (item, words) in [
        ("figure = \"aws-gp3-storag\"", "did you mean `aws-gp3-storage`?"),
        ("figure = \"aws-gp3-storage\"\nprice = 3", "leave these out, or leave figure out"),
        ("figure = \"pue-average\"", "is a ratio and no price"),
    ] {
        let error = reckoned(&text("USD", item)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_published_figure_is_of_what_is_asked_for() {
    let text = |item: &str, power: &str| {
        format!(
            "name = \"a\"\ncurrency = \"USD\"\n[[cost.item]]\nname = \"volume\"\n{item}\n\
             [cost.power]\nwatts = 500\n{power}\ndate = \"2026-11\"\nsource = \"data sheet\"\n"
        )
    };
    let item = "figure = \"aws-gp3-storage\"\ncount = 2000";
    let known = "price_figure = \"electricity-us-commercial\"";
    assert!(reckoned(&text(item, known)).unwrap().value("total").is_some());
    for (item, power, words) in [
        ("figure = \"aws-gp3-storage\"", known, "no count says how many"),
        (item, "price_figure = \"aws-gp3-storage\"", "is the price of a GB"),
        (item, "price_figure = \"pue-average\"", "is a ratio and no price"),
        (item, &*format!("{known}\npue_figure = \"aws-gp3-storage\""), "is the price of a GB"),
        (item, &format!("{known}\nprice_per_kwh = 0.2"), "which of both holds?"),
        (
            item,
            &format!("{known}\npue = 1.2\npue_figure = \"pue-average\""),
            "which of both holds?",
        ),
    ] {
        let error = reckoned(&text(item, power)).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("\nhint: "), "{power}: {error}");
    }
    let open = reckoned(&text(item, "")).unwrap();
    assert_eq!((open.value("total"), &open.unknown), (None, &vec!["power.price".to_string()]));
}

#[test]
fn less_cpu_time_for_more_work_sets_cores_free() {
    let saved = |entry: &str| {
        reckoned(&format!(
            "name = \"a\"\ncurrency = \"USD\"\n[cost.server]\ncores = 24\n[[cost.licence]]\nrule = \"oracle-ee\"\n\
             [[cost.saved]]\nname = \"x\"\nsource = \"a page\"\n{entry}\n"
        ))
    };
    let answer = saved("less = \"33 %\"\nmore_work = \"9 %\"\nbusy = \"50 %\"").unwrap();
    let spared = 1.0 - 0.67 / 1.09;
    near(value(&answer, "saved.x.spared"), spared);
    near(value(&answer, "saved.x.freed"), 12.0 * spared);
    near(value(&saved("less = \"33 %\"").unwrap(), "saved.x.freed"), 24.0 * 0.33);
    for entry in [
        "less = \"33 %\"\nfrom = \"3 %\"\nto = \"2 %\"",
        "from = \"3 %\"\nto = \"2 %\"\nmore_work = \"9 %\"",
        "from = \"3 %\"",
        "less = \"33 %\"\nrate = \"5 /s\"",
        "from = \"3 us\"\nto = \"2 us\"\nrate = \"5 /s\"\nbusy = \"50 %\"",
        "more_work = \"9 %\"",
    ] {
        let error = saved(entry).unwrap_err().to_string();
        assert!(error.contains("less is CPU time that is missing"), "{entry}: {error}");
    }
}

#[test]
fn outages_have_minutes_and_money() {
    let text = r#"
name = "a"
currency = "EUR"
[cost]
years = 3
outage_minute = 1000
outage_minute_source = "the shop's orders"
[[cost.item]]
name = "all"
price = 100000
date = "2026"
source = "quote"
[[cost.outage]]
name = "server fails"
per_year = 0.5
detection = "30 s"
failover = "90 s"
redo = "20 GB"
redo_rate = "200 MB/s"
warm = "200 GB"
warm_rate = "2 GB/s"
cold_loss = "50 %"
source = "tried"
"#;
    let answer = reckoned(text).unwrap();
    // 30 + 90 + 100 s of nothing, and 100 s of half.
    let minutes = 0.5 * (220.0 + 50.0) / 60.0;
    near(value(&answer, "outage.minutes"), minutes);
    near(value(&answer, "outage.cost"), minutes * 1000.0 * 3.0);
    near(value(&answer, "outage.total"), 100_000.0 + minutes * 3000.0);
    near(value(&answer, "total"), 100_000.0);
}

#[test]
fn a_cold_cache_follows_from_a_miss_curve() {
    let outage = |cache: &str| {
        reckoned(&format!(
            "name = \"a\"\ncurrency = \"EUR\"\n[[cost.item]]\nname = \"all\"\nprice = 1\ndate = \"2026\"\nsource = \"q\"\n\
             [[cost.outage]]\nname = \"restart\"\nper_year = 4\nsource = \"tried\"\nwarm_rate = \"0.5 GB/s\"\n{cache}\n"
        ))
    };
    let answer = outage("miss_curve = [[50, 0.5], [100, 0.1]]").unwrap();
    let (gb, loss) =
        (value(&answer, "outage.restart.warm"), value(&answer, "outage.restart.cold_loss"));
    near(gb, 100.0);
    assert!((0.6..0.9).contains(&loss), "{loss}");
    near(value(&answer, "outage.minutes"), 4.0 * gb / 0.5 * loss / 60.0);
    for (cache, words) in [
        ("miss_curve = [[50, 0.5]]", "two points or more"),
        ("miss_curve = [[50, 0.1], [100, 0.5]]", "two points or more"),
        ("miss_curve = [[50, 0.5], [100, 0.0]]", "no misses"),
        ("miss_curve = [[50, 0.5], [100, 0.1]]\nwarm = \"3 GB\"", "without warm and cold_loss"),
        ("warm = \"3 GB\"", "needs cold_loss"),
    ] {
        let error = outage(cache).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_law_of_scaling_follows_from_enough_points_alone() {
    let at = |points: &str, servers: u32| {
        reckoned(&format!(
            "name = \"a\"\ncurrency = \"EUR\"\n[[cost.item]]\nname = \"all\"\nprice = 1\ndate = \"2026\"\nsource = \"q\"\n\
             [cost.scaling]\nname = \"orders\"\npoints = {points}\nservers = {servers}\nsource = \"tried\"\n"
        ))
    };
    let two = at("[[1, 100.0], [2, 180.0]]", 2).unwrap();
    near(value(&two, "scaling.efficiency"), 0.9);
    let refused = at("[[1, 100.0], [2, 180.0]]", 4).unwrap_err().to_string();
    assert!(refused.contains("nothing was measured with 4 servers"), "{refused}");
    assert!(refused.contains("numbers of servers are too few"), "{refused}");
    // λ = 100, σ = 0.05, κ = 0.
    let law = |n: f64| 100.0 * n / (1.0 + 0.05 * (n - 1.0));
    let points: Vec<String> = (1..=8).map(|n| format!("[{n}, {:.6}]", law(f64::from(n)))).collect();
    let points = format!("[{}]", points.join(", "));
    let twelve = at(&points, 12).unwrap();
    assert!((value(&twelve, "scaling.rate") / law(12.0) - 1.0).abs() < 1e-3);
    let refused = at(&points, 17).unwrap_err().to_string();
    assert!(refused.contains("more than twice as many as were measured"), "{refused}");
}

fn demand(name: &str, cpu_ns: f64) -> Demand {
    let exact = |value| Amount { value, half: Some(0.0) };
    Demand {
        name: name.to_string(),
        unit: "operation",
        rate_per_s: exact(5_000.0),
        sessions: Some(8.0),
        observed: false,
        think_ns: 0.0,
        suspect: None,
        scan: false,
        cpu_ns: Some(Amount { value: cpu_ns, half: Some(cpu_ns / 10.0) }),
        threads_per_core: 1.0,
        reads: None,
        read_ns: None,
        writes: None,
        log: None,
        parts: None,
        unknown: Vec::new(),
    }
}

#[test]
fn a_runs_cpu_time_is_money_with_its_interval() {
    let measured = Measured {
        from: "run 7f3a".to_string(),
        demands: vec![demand("update", 400_000.0)],
        io: vec![MeasuredIo {
            name: "block.read.random.8k".to_string(),
            per_s: Amount { value: 100_000.0, half: Some(0.0) },
            bytes: 8192.0,
            cpu_ns: Amount { value: 10_000.0, half: Some(0.0) },
        }],
        notes: Vec::new(),
        cpus: Some(64),
        threads_per_core: 1.0,
        ghz: Some(2.5),
    };
    let text = "name = \"a\"\ncurrency = \"USD\"\n[cost]\nyears = 5\n[cost.server]\ncores = 64\n[[cost.licence]]\nrule = \"oracle-ee\"\n";
    let answer = with(text, &[], Some(&measured)).unwrap();
    let core = 49_875.0;
    near(value(&answer, "run.update.licence"), 0.4 * core);
    let [low, high] = answer.line("run.update.licence").unwrap().interval.unwrap();
    near(low, 0.36 * core);
    near(high, 0.44 * core);
    near(value(&answer, "run.block-read-random-8k.cpu.licence"), core);
    near(value(&answer, "run.block-read-random-8k.microsecond.licence"), 0.1 * core);
    near(value(&answer, "run.update.cost"), 3_192_000.0 / 5_000.0);
    // 8,192 bytes for 10 µs.
    near(value(&answer, "run.block-read-random-8k.mb_per_core"), 819.2);
    near(value(&answer, "run.block-read-random-8k.mb_per_ghz"), 819.2 / 2.5);
}

#[test]
fn a_rate_of_another_machine_is_not_divided_by_this_price() {
    let measured = Measured {
        from: "run 7f3a".to_string(),
        demands: vec![demand("update", 400_000.0)],
        cpus: Some(2),
        threads_per_core: 1.0,
        ..Measured::default()
    };
    let text = "name = \"a\"\ncurrency = \"USD\"\n[cost]\nyears = 5\n[cost.server]\ncores = 64\ncore_ratio = 2\n[[cost.licence]]\nrule = \"oracle-ee\"\n";
    let answer = with(text, &[], Some(&measured)).unwrap();
    assert!(answer.line("run.update.cost").is_none());
    assert!(answer.notes.iter().any(|note| note.contains("had 2 CPUs")), "{:?}", answer.notes);
    // A core here does twice the work.
    near(value(&answer, "run.update.licence"), 0.2 * 49_875.0);
}

#[test]
fn threads_and_vcpus_are_not_cores() {
    let with_threads = |server: &str, threads: f64| {
        let measured = Measured {
            from: "run 7f3a".to_string(),
            demands: vec![Demand { threads_per_core: threads, ..demand("update", 400_000.0) }],
            io: vec![MeasuredIo {
                name: "read".to_string(),
                per_s: Amount { value: 100_000.0, half: Some(0.0) },
                bytes: 8192.0,
                cpu_ns: Amount { value: 10_000.0, half: Some(0.0) },
            }],
            cpus: Some(64),
            threads_per_core: threads,
            ..Measured::default()
        };
        let text = format!(
            "name = \"a\"\ncurrency = \"USD\"\n[cost.server]\n{server}\n[[cost.item]]\nname = \"b\"\nprice = 1\ndate = \"2026\"\nsource = \"q\"\n"
        );
        let answer = with(&text, &[], Some(&measured)).unwrap();
        (value(&answer, "run.update.busy"), value(&answer, "run.read.busy"))
    };
    assert_eq!(with_threads("cores = 64", 1.0), (0.4, 1.0));
    // CPU time is that of threads, two of which a core has.
    assert_eq!(with_threads("cores = 64", 2.0), (0.2, 0.5));
    // A vCPU is a thread.
    assert_eq!(with_threads("vcpus = 64", 2.0), (0.4, 1.0));
    assert_eq!(with_threads("cores = 64\ncore_ratio = 2", 1.0), (0.2, 0.5));
}

#[test]
fn two_descriptions_are_compared_both_ways_round() {
    let other = reckoned(&SERVER.replace("rate = \"20k/s\"", "rate = \"25k/s\"")).unwrap();
    let answer = reckoned(SERVER).unwrap();
    let lines = compared(&answer, &other);
    let rate = lines.iter().find(|line| line.key == "work.rate").unwrap();
    near(rate.second_over_first, 0.25);
    near(rate.first_over_second, -0.2);
}
