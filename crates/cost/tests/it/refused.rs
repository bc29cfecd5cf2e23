use super::reckoned;

const ITEM: &str =
    "[[cost.item]]\nname = \"server\"\nprice = 15000\ndate = \"2026-11\"\nsource = \"quote\"\n";

#[test]
fn wrong_descriptions_are_refused_with_line_reason_and_hint() {
    let head = "name = \"a\"\ncurrency = \"USD\"\n";
    let all = [
        ("name = \"a\"\n".to_string(), "says nothing of costs"),
        (format!("name = \"a\"\n{ITEM}"), "prices have none"),
        (format!("{head}[cost]\nyears = 3\n"), "no [[cost.item]]"),
        (format!("{head}costs = 3\n{ITEM}"), "`costs` is not known here"),
        (format!("{head}{}", ITEM.replace("price = 15000", "price = -1")), "out of bounds"),
        (format!("{head}{}", ITEM.replace("price = 15000", "price = nan")), "NaN is out of bounds"),
        (format!("{head}{}", ITEM.replace("price = 15000", "price = inf")), "out of bounds"),
        (format!("{head}{}", ITEM.replace("price = 15000", "price = 1e13")), "out of bounds"),
        (
            format!("{head}{}", ITEM.replace("price = 15000", "price = \"about 10\"")),
            "no number and no range",
        ),
        (
            format!("{head}{}", ITEM.replace("price = 15000", "price = \"20 to 10\"")),
            "from the larger to the smaller",
        ),
        (format!("{head}{}", ITEM.replace("date = \"2026-11\"\n", "")), "needs its date"),
        (format!("{head}{}", ITEM.replace("source = \"quote\"\n", "")), "needs its source"),
        (format!("{head}{}", ITEM.replace("2026-11", "2026-13")), "is no date"),
        (format!("{head}{}", ITEM.replace("2026-11", "2026-02-29")), "is no date"),
        (format!("{head}{}", ITEM.replace("2026-11", "2026-12")), "is in the future"),
        (format!("{head}{}", ITEM.replace("2026-11", "2027")), "is in the future"),
        (
            format!("{head}{}", ITEM.replace("price = 15000", "price = true")),
            "is no number, no range",
        ),
        (
            format!("{head}{}", ITEM.replace("price = 15000", "price = 2026-11-29")),
            "is no number, no range",
        ),
        (
            format!("{head}{}", ITEM.replace("price = 15000", "price = \"15,000\"")),
            "no number and no range",
        ),
        (
            format!("{head}{}", ITEM.replace("price = 15000", "price = \"15000 USD\"")),
            "no number and no range",
        ),
        (format!("{head}{}", ITEM.replace("price", "prize")), "did you mean `price`?"),
        (format!("{head}{}", ITEM.replace("\"2026-11\"", "2026-11-29")), "write it in quotes"),
        (format!("{head}{}", ITEM.replace("quote", "")), "is empty"),
        (format!("{head}{ITEM}{ITEM}"), "is named twice"),
        (format!("{head}{ITEM}per = \"week\"\n"), "`week` is not known"),
        (format!("{head}{ITEM}per = \"rate\"\n"), "no [cost.work] has a rate"),
        (format!("{head}{ITEM}colour = \"red\"\n"), "unknown field"),
        (format!("{head}{ITEM}[cost.powr]\nwatts = 3\n"), "did you mean `power`?"),
        (String::new(), "the file is empty"),
        (format!("name = \"a\"\ncurrency = \"usd\"\n{ITEM}"), "is no currency"),
        (
            format!(
                "{head}{ITEM}[[cost.outage]]\nname = \"a\"\nper_year = 1\nsource = \"b\"\nloss = 0.5\n"
            ),
            "the key `loss`",
        ),
        (
            format!(
                "{head}{ITEM}[[cost.outage]]\nname = \"a\"\nper_year = 100\ndetection = \"300 h\"\nsource = \"b\"\n"
            ),
            "longer in a year than the year does",
        ),
        (
            format!("{head}[cost]\noutage_minute = 3\noutage_minute_source = \"b\"\n{ITEM}"),
            "no outage is described",
        ),
        (
            format!("{head}{ITEM}{}", ITEM.replace("server", "Server ")),
            "is named twice, or as good as",
        ),
        (format!("{head}[cost.server]\ncores = 1.5\n{ITEM}"), "comes whole"),
        (format!("{head}[cost.server]\ncores = 0\n{ITEM}"), "out of bounds"),
        (
            format!(
                "{head}{ITEM}[cost.server]\ncores = 2\n[cost.work]\nname = \"a\"\nrate = \"200k/s\"\ncpu = \"400 us\"\nsource = \"b\"\n"
            ),
            "keep 80 cores busy, and here are 2",
        ),
        (
            format!(
                "{head}{ITEM}[cost.cache]\npage = \"8 KiB\"\nmemory_size = \"1 GB\"\nmemory_price = 6\ndrive_price = 900\ndrive_reads = \"1k/s\"\ncpu_per_read = \"3 us\"\ndate = \"2026\"\nsource = \"b\"\n[cost.server]\ncores = 4\n"
            ),
            "needs the price of a core",
        ),
        (format!("{head}[cost]\nyears = 0\n{ITEM}"), "out of bounds"),
    ];
    refused(&all);
}

#[test]
fn wrong_parts_of_descriptions_are_refused_with_line_reason_and_hint() {
    let head = "name = \"a\"\ncurrency = \"USD\"\n";
    let all = [
        (
            format!("{head}{ITEM}[[cost.licence]]\nrule = \"oracle-e\"\n"),
            "did you mean `oracle-ee`",
        ),
        (format!("{head}{ITEM}[[cost.licence]]\nrule = \"oracle-ee\"\n"), "nothing says how many"),
        (
            format!("{head}{ITEM}[cost.work]\nname = \"a\"\nrate = \"fast\"\nsource = \"b\"\n"),
            "is no rate",
        ),
        (
            format!("{head}{ITEM}[cost.work]\nname = \"a\"\nrate = \"0 /s\"\nsource = \"b\"\n"),
            "is no rate",
        ),
        (format!("{head}{ITEM}[cost.work]\nname = \"a\"\nrate = \"5 /s\"\n"), "needs its source"),
        (
            format!(
                "{head}{ITEM}[[cost.saved]]\nname = \"a\"\nfrom = \"3 %\"\nto = \"2 %\"\nsource = \"b\"\n"
            ),
            "needs to know the cores",
        ),
        (
            format!(
                "{head}{ITEM}[cost.server]\ncores = 4\n[[cost.saved]]\nname = \"a\"\nfrom = \"3 %\"\nto = \"2 us\"\nsource = \"b\"\n"
            ),
            "two shares of the CPU time, or two times",
        ),
        (
            format!("{head}{ITEM}[[cost.outage]]\nname = \"a\"\nper_year = 1\nsource = \"b\"\n"),
            "has no duration",
        ),
        (
            format!(
                "{head}{ITEM}[[cost.outage]]\nname = \"a\"\nper_year = 1\nredo = \"2 GB\"\nsource = \"b\"\n"
            ),
            "belong together",
        ),
        (
            format!(
                "{head}{ITEM}[cost.scaling]\nname = \"a\"\npoints = [[1.5, 3.0]]\nservers = 1\nsource = \"b\"\n"
            ),
            "a whole number of servers",
        ),
        (format!("{head}{ITEM}[cost"), "unclosed table"),
        (
            format!(
                "{head}{ITEM}[cost.server]\ncores = 8\n[[cost.licence]]\nrule = \"oracle-ee\"\ncounted = 1.5\n"
            ),
            "comes whole",
        ),
        (
            format!(
                "{head}{ITEM}[cost.server]\ncores = 8\n[[cost.licence]]\nrule = \"oracle-ee\"\ndiscount = \"150 %\"\nsource = \"c\"\n"
            ),
            "more than 100 %",
        ),
        (
            format!(
                "{head}{ITEM}[cost.server]\ncores = 8\n[[cost.licence]]\nrule = \"oracle-ee\"\nprice = 20000\nsource = \"c\"\n"
            ),
            "needs its date",
        ),
        (
            format!(
                "{head}{ITEM}[cost.power]\nwatts = 3\nprice_per_kwh = -0.2\ndate = \"2026\"\nsource = \"b\"\n"
            ),
            "out of bounds",
        ),
        (
            format!(
                "{head}{ITEM}[cost.power]\nwatts = \"3 kW\"\nprice_per_kwh = 0.2\ndate = \"2026\"\nsource = \"b\"\n"
            ),
            "no number and no range",
        ),
        (
            format!(
                "{head}{ITEM}[cost.power]\nwatts = 3\nprice_per_kwh = 0.2\npue = 0.9\ndate = \"2026\"\nsource = \"b\"\n"
            ),
            "out of bounds",
        ),
    ];
    refused(&all);
}

fn refused(all: &[(String, &str)]) {
    for (text, words) in all {
        let error = reckoned(text).map(|answer| answer.name).unwrap_err().to_string();
        assert!(error.contains(words), "{text}\n→ {error}");
        assert!(error.contains("it.toml, line") && error.contains("\nhint: "), "{error}");
    }
}

#[test]
fn a_what_if_has_the_bounds_of_the_description() {
    let text = "name = \"a\"\ncurrency = \"USD\"\n[cost.server]\ncores = 64\n[[cost.licence]]\nrule = \"oracle-ee\"\ndiscount = \"20 %\"\nsource = \"c\"\n";
    for asked in [
        "licence.oracle-ee.discount=50",
        "licence.oracle-ee.support=22",
        "years=0",
        "years=1e9",
        "server.cores=0",
        "server.cores=63.5",
    ] {
        let what_if = narrows_cost::what_if(asked).unwrap();
        let error = super::with(text, &[what_if], None).unwrap_err().to_string();
        let bounds = error.contains("is not within") || error.contains("comes whole");
        assert!(bounds && error.contains("hint: "), "{asked}: {error}");
    }
    let what_if = narrows_cost::what_if("licence.oracle-ee.discount=50%").unwrap();
    let answer = super::with(text, std::slice::from_ref(&what_if), None).unwrap();
    assert!(answer.value("total").unwrap() > 0.0);
    assert_eq!(
        narrows_cost::twice(&[what_if.clone(), what_if]),
        Some("licence.oracle-ee.discount")
    );
}

#[test]
fn a_large_file_is_refused_before_it_takes_long() {
    let head = "name = \"a\"\ncurrency = \"USD\"\n";
    let many: String = (0..5000)
        .map(|n| format!("[[cost.outage]]\nname = \"o{n}\"\nper_year = 1\ndetection = \"1 to 2 s\"\nsource = \"b\"\n"))
        .collect();
    let error = reckoned(&format!("{head}{ITEM}{many}")).unwrap_err().to_string();
    assert!(error.contains("5000 of them"), "{error}");
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "(name|currency|\\[cost\\]|\\[\\[cost\\.item\\]\\]|price|=|\"|\n|[0-9.]| to |-){0,60}") {
        let _ = reckoned(&text);
    }
}
