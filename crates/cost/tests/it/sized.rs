use narrows_cost::{
    Carries, Headroom, HeadroomOf, Question, Rules, SizeQuestion, Sizing, given_demand, size,
};
use narrows_limits::table::Table;
use narrows_plan::{Demand, Description, LostKind, describe};

const DEMAND: &str = r#"
name = "orders"
rate = "20k/s"
cpu = "400 us"
reads = 2
read_size = "8 KiB"
writes = 0
source = "statspack"
"#;

fn platform(name: &str, cores: u32, price: &str, more: &str) -> String {
    format!(
        r#"
name = "{name}"
currency = "EUR"
[[machine]]
name = "server"
cores = {cores}
[[drives]]
name = "nvme"
at = "server"
class = "nvme-gen4-x4"
count = 4
[[array]]
name = "data"
level = "raid10"
drives = ["nvme"]
[[database]]
at = "server"
data = "data"
{more}
[[cost.item]]
name = "server"
price = {price}
date = "2026-11"
source = "quote"
"#
    )
}

fn demand() -> Demand {
    given_demand("demand.toml", DEMAND).unwrap()
}

fn of(of: HeadroomOf, share: f64) -> Headroom {
    Headroom { share, half: None, of, from: "measured".to_string() }
}

fn sized(texts: &[String], growth: f64, headroom: Option<f64>) -> Sizing {
    let headroom: Vec<Headroom> =
        headroom.map(|share| of(HeadroomOf::Cpus, share)).into_iter().collect();
    with_headroom(texts, growth, &headroom)
}

fn with_headroom(texts: &[String], growth: f64, headroom: &[Headroom]) -> Sizing {
    let described: Vec<Description> =
        texts.iter().map(|text| describe("box.toml", text, Table::builtin()).unwrap()).collect();
    let platforms: Vec<(&Description, &str)> =
        described.iter().zip(texts.iter().map(String::as_str)).collect();
    let rules = Rules::shipped();
    let question = SizeQuestion {
        growth,
        growth_per_year: growth - 1.0,
        headroom,
        core_ratio: None,
        cost: Question { rules: &rules, what_if: &[], measured: None, today: None },
    };
    size(&platforms, &demand(), question).unwrap()
}

#[test]
fn the_cheapest_that_carries_the_grown_demand_is_named() {
    // 400 µs: a core does 2,500 per second.
    let texts = [
        platform("dear", 32, "60000", ""),
        platform("small", 8, "10000", ""),
        platform("middle", 16, "20000", ""),
    ];
    let now = sized(&texts, 1.0, Some(0.6));
    assert_eq!(now.order, [1, 2, 0]);
    assert_eq!(now.not_by_cost, None);
    let carries: Vec<Carries> = now.platforms.iter().map(|platform| platform.carries).collect();
    // 80,000, 20,000 and 40,000 at most, of which six tenths are used; 20,000 are needed.
    assert_eq!(carries, [Carries::Yes, Carries::No, Carries::Yes]);
    assert_eq!(now.smallest, Some(2));
    assert_eq!(now.platforms[2].busy, Some(0.5));
    assert_eq!(now.platforms[2].binding, ["CPUs of server"]);
    let later = sized(&texts, 1.5, Some(0.6));
    assert_eq!(later.needs_per_s.value, 30_000.0);
    assert_eq!(later.smallest, Some(0), "24,000 of the middle one are too few");
}

#[test]
fn without_a_known_headroom_nothing_is_called_large_enough() {
    let texts = [platform("a", 32, "1", ""), platform("b", 4, "1", "")];
    let sizing = sized(&texts, 1.0, None);
    assert_eq!(sizing.platforms[0].carries, Carries::HeadroomUnknown);
    assert_eq!(sizing.platforms[0].survives(LostKind::Drive), None, "it can't be told");
    assert_eq!(
        sizing.platforms[0].survives(LostKind::Storage),
        Some(false),
        "that stops it anyhow"
    );
    assert_eq!(sizing.platforms[0].survives(LostKind::Server), None, "it has no such part");
    assert_eq!(sizing.platforms[1].carries, Carries::No, "its ceiling is too low anyhow");
    assert_eq!(sizing.smallest, None);
}

#[test]
fn a_part_gone_is_told_with_what_is_left() {
    let text = platform("a", 32, "1", "");
    let losses = |text: &str| {
        let sizing = sized(&[text.to_string()], 1.0, Some(0.6));
        let losses = sizing.platforms[0].losses.clone();
        (losses, sizing.smallest_surviving)
    };
    let (with_array, surviving) = losses(&text);
    let drive = with_array.iter().find(|loss| loss.part == "one of 4 drives nvme").unwrap();
    assert_eq!((drive.carries, drive.stops.as_deref()), (Carries::Yes, None));
    let server = with_array.iter().find(|loss| loss.part == "the machine server").unwrap();
    assert_eq!(server.carries, Carries::No);
    assert!(server.stops.as_deref().unwrap().contains("data are on its drives"));
    assert_eq!(surviving, Some(0), "any part but the machine that has the data");
    let bare = text
        .replace("[[array]]\nname = \"data\"\nlevel = \"raid10\"\ndrives = [\"nvme\"]\n", "")
        .replace("data = \"data\"", "data = \"nvme\"");
    let (without_array, _) = losses(&bare);
    let drive = without_array.iter().find(|loss| loss.part == "one of 4 drives nvme").unwrap();
    assert!(drive.stops.as_deref().unwrap().contains("no array holds its data a second time"));
    let striped = text.replace("raid10", "raid0");
    let (striped, _) = losses(&striped);
    assert!(striped[0].stops.as_deref().unwrap().contains("holds each block once"));
}

#[test]
fn two_servers_on_shared_drives_survive_the_loss_of_one() {
    let text = r#"
name = "two"
[[machine]]
name = "a"
cores = 32
[[machine]]
name = "b"
cores = 32
[[machine]]
name = "storage"
[[drives]]
name = "nvme"
at = "storage"
class = "nvme-gen4-x4"
count = 4
[[array]]
name = "data"
level = "raid10"
drives = ["nvme"]
[[link]]
name = "left"
from = "a"
to = "storage"
class = "hdr-200"
[[link]]
name = "right"
from = "b"
to = "storage"
class = "hdr-200"
[[database]]
name = "da"
at = "a"
data = "data"
[[database]]
name = "db"
at = "b"
data = "data"
"#;
    let sizing = sized(&[text.to_string()], 1.0, Some(0.6));
    let losses = &sizing.platforms[0].losses;
    let of = |part: &str| losses.iter().find(|loss| loss.part == part).unwrap();
    assert_eq!(of("the machine a").carries, Carries::Yes, "{losses:?}");
    assert_eq!(of("the machine a").usable_per_s, Some(48_000.0));
    assert_eq!(of("the machine storage").carries, Carries::No);
    // The database that has lost its way does nothing; the other one goes on.
    assert_eq!(of("the link left").carries, Carries::Yes);
    assert_eq!(of("the link left").usable_per_s, Some(48_000.0));
    let platform = &sizing.platforms[0];
    assert_eq!(platform.survives(LostKind::Drive), Some(true));
    assert_eq!(platform.survives(LostKind::Path), Some(true));
    assert_eq!(platform.survives(LostKind::Server), Some(true));
    assert_eq!(platform.survives(LostKind::Storage), Some(false));
    assert_eq!(sizing.smallest_surviving, Some(0));
    assert_eq!(sizing.platforms[0].total(), None, "nothing is priced");
    assert!(sizing.not_by_cost.as_deref().unwrap().contains("no costs are described for two"));
}

#[test]
fn what_is_not_known_of_the_demand_calls_nothing_large_enough() {
    let texts = [platform("a", 32, "1", "")];
    let of = |demand: &Demand| {
        let described = describe("box.toml", &texts[0], Table::builtin()).unwrap();
        let headroom = [self::of(HeadroomOf::All, 0.6)];
        let rules = Rules::shipped();
        let question = SizeQuestion {
            growth: 1.0,
            growth_per_year: 0.0,
            headroom: &headroom,
            core_ratio: None,
            cost: Question { rules: &rules, what_if: &[], measured: None, today: None },
        };
        size(&[(&described, &texts[0])], demand, question).unwrap().platforms[0].clone()
    };
    assert_eq!(of(&demand()).carries, Carries::Yes);
    let without = of(&Demand { cpu_ns: None, ..demand() });
    assert_eq!(without.carries, Carries::Unknown);
    assert!(without.lacks.unwrap().contains("CPU time of an operation is not known"));
    let drives = of(&Demand { writes: None, ..demand() });
    assert_eq!(drives.carries, Carries::Unknown);
    assert!(drives.lacks.unwrap().contains("writes of an operation are not known"));
    // 10,000 to 70,000 are needed, of 48,000.
    let doubtful = given_demand("d.toml", &DEMAND.replace("20k/s", "10 to 70k/s")).unwrap();
    assert_eq!(of(&doubtful).carries, Carries::JustAbout);
    let half = given_demand("d.toml", &DEMAND.replace("20k/s", "10 to 30k/s")).unwrap();
    assert_eq!(of(&half).carries, Carries::Yes);
}

#[test]
fn a_product_that_uses_some_of_the_cores_carries_no_more_than_these_do() {
    let text = |rule: &str| {
        platform("a", 64, "1", "").replace("currency = \"EUR\"", "currency = \"USD\"")
            + &format!("[[cost.licence]]\nrule = \"{rule}\"\n")
    };
    let usable =
        |rule: &str| sized(&[text(rule)], 1.0, Some(0.6)).platforms[0].usable_per_s.unwrap().value;
    assert_eq!(usable("sql-server-2022-enterprise"), 96_000.0);
    // 24 of 64 cores, each 2,500 per second, of which six tenths are used.
    assert_eq!(usable("sql-server-2022-standard"), 36_000.0);
}

#[test]
fn a_headroom_of_cpus_says_nothing_where_drives_bind() {
    let of = |more: &str| {
        let text = platform("a", 32, "1", "").replace("count = 4", more);
        sized(&[text], 1.0, Some(0.6)).platforms[0].carries
    };
    assert_eq!(of("count = 4"), Carries::Yes);
    // Two reads for each of 20,000, of drives that do 20,000 each.
    let slow = "count = 4\nreads = \"20k/s\"\nsource = \"data sheet\"";
    assert_eq!(of(slow), Carries::HeadroomUnknown);
}

#[test]
fn each_kind_of_part_has_its_own_share() {
    // 400 µs of 32 cores: 80,000 per second at most; two reads each of 4 drives of 50,000: 100,000 at most.
    let text = platform("a", 32, "1", "").replace(
        "count = 4",
        "count = 4\nreads = \"50k/s\"\nwrites = \"50k/s\"\nsource = \"data sheet\"",
    );
    let usable = |headroom: &[Headroom]| {
        let sizing = with_headroom(std::slice::from_ref(&text), 1.0, headroom);
        sizing.platforms[0].usable_per_s
    };
    let [cpus, drives] = [of(HeadroomOf::Cpus, 0.6), of(HeadroomOf::Drives, 0.3)];
    let near = |found: f64, wanted: f64| assert!((found / wanted - 1.0).abs() < 1e-6, "{found}");
    near(usable(std::slice::from_ref(&cpus)).unwrap().value, 48_000.0);
    // The CPUs are full first; drives that may be full by three tenths allow less than CPUs at six tenths.
    near(usable(&[cpus.clone(), drives.clone()]).unwrap().value, 30_000.0);
    assert_eq!(
        usable(std::slice::from_ref(&drives)),
        None,
        "nothing says how busy the CPUs may be, which are full first"
    );
    near(usable(&[of(HeadroomOf::All, 0.5)]).unwrap().value, 40_000.0);
    let sizing = with_headroom(std::slice::from_ref(&text), 1.0, &[cpus.clone(), drives.clone()]);
    let [ceiling, usable_sum] = sizing.platforms[0].sums.as_slice() else { panic!("two sums") };
    assert!(ceiling.starts_with("ceiling 80,000/s = 32 / 0.0004: CPUs of server"), "{ceiling}");
    assert!(usable_sum.starts_with("usable 30,000/s = 80,000 × 0.3 / 0.8: nvme"), "{usable_sum}");
    let doubted = usable(&[Headroom { half: Some(0.06), ..cpus }]).unwrap();
    near(doubted.half.unwrap(), 4_800.0);
}

#[test]
fn growth_reaches_what_is_usable_after_so_many_years() {
    // 80,000 at most, of which six tenths: 2.4 times what is needed today.
    let sizing = sized(&[platform("a", 32, "1", "")], 1.2, Some(0.6));
    let years = sizing.platforms[0].lasts_years.unwrap();
    assert!((1.2f64.powf(years) - 2.4).abs() < 1e-9, "{years}");
    let steady = sized(&[platform("a", 32, "1", "")], 1.0, Some(0.6));
    assert_eq!(steady.platforms[0].lasts_years, None, "without growth it lasts");
    let small = sized(&[platform("a", 8, "1", "")], 1.2, Some(0.6));
    assert_eq!(small.platforms[0].lasts_years, None, "it is too small today");
}

#[test]
fn a_product_of_so_many_threads_uses_as_many_cores_as_have_them() {
    let rule = "[[rule]]\nid = \"few\"\ntitle = \"Few\"\ncounts = \"socket\"\nmost_threads = 16\nprice = 1\ncurrency = \"EUR\"\n\
                date = \"2026\"\nsource = \"a page\"\n";
    let mut rules = Rules::shipped();
    rules.extend("ours.toml", rule, None).unwrap();
    let text = platform("a", 64, "1", "[[cost.licence]]\nrule = \"few\"\n");
    let ceiling = |threads: f64| {
        let described = describe("box.toml", &text, Table::builtin()).unwrap();
        let question = SizeQuestion {
            growth: 1.0,
            growth_per_year: 0.0,
            headroom: &[],
            core_ratio: None,
            cost: Question { rules: &rules, what_if: &[], measured: None, today: None },
        };
        let demand = Demand { threads_per_core: threads, ..demand() };
        let sizing = size(&[(&described, &text)], &demand, question).unwrap();
        sizing.platforms[0].ceiling_per_s.unwrap().value
    };
    // 16 threads of 400 µs each, whatever shares a core.
    assert_eq!(ceiling(1.0), 40_000.0);
    assert_eq!(ceiling(2.0), 40_000.0);
}

#[test]
fn a_degraded_array_never_gains() {
    for level in ["raid1", "raid10", "raid5", "raid6"] {
        for count in [4, 6, 8] {
            let text = platform("a", 10_000, "1", "")
                .replace("raid10", level)
                .replace("count = 4", &format!("count = {count}\nreads = \"20k/s\"\nwrites = \"20k/s\"\nsource = \"data sheet\""));
            let demand = given_demand("d.toml", &DEMAND.replace("400 us", "1 us")).unwrap();
            let platform = describe("box.toml", &text, Table::builtin()).unwrap();
            let healthy =
                narrows_plan::fit(&platform, &demand, None).unwrap().ceiling_per_s.unwrap();
            let loss =
                platform.losses().into_iter().find(|loss| loss.kind == LostKind::Drive).unwrap();
            let rest = narrows_plan::fit(&loss.rest.unwrap(), &demand, None).unwrap();
            let rest = rest.ceiling_per_s.unwrap();
            assert!(
                rest.value < healthy.value,
                "{level} of {count}: {} {}",
                rest.value,
                healthy.value
            );
        }
    }
}

#[test]
fn costs_of_different_years_are_not_set_beside_each_other() {
    let one = platform("a", 32, "1", "");
    let other = platform("b", 32, "1", "") + "[cost]\nyears = 5\n";
    let other = other.replace("[[cost.item]]", "[cost.power]\nwatts = 3\nprice_per_kwh = 1\ndate = \"2026\"\nsource = \"b\"\n[[cost.item]]");
    let described =
        [&one, &other].map(|text| describe("box.toml", text, Table::builtin()).unwrap());
    let rules = Rules::shipped();
    let question = SizeQuestion {
        growth: 1.0,
        growth_per_year: 0.0,
        headroom: &[],
        core_ratio: None,
        cost: Question { rules: &rules, what_if: &[], measured: None, today: None },
    };
    let platforms = [(&described[0], one.as_str()), (&described[1], other.as_str())];
    let error = size(&platforms, &demand(), question).unwrap_err().to_string();
    assert!(error.contains("over 3 years and") && error.contains("over 5"), "{error}");
}

#[test]
fn a_demand_that_is_given_wrong_is_refused() {
    for (text, words) in [
        (DEMAND.replace("source = \"statspack\"", ""), "missing field `source`"),
        (DEMAND.replace("read_size = \"8 KiB\"", ""), "needs both a count and a size"),
        (DEMAND.replace("20k/s", "-3 /s"), "is no rate"),
        (DEMAND.replace("400 us", "400"), "is no time"),
        (DEMAND.replace("400 us", "0 us"), "an operation takes CPU time"),
        (DEMAND.replace("400 us", "nan us"), "is no time"),
        (DEMAND.replace("20k/s", "20k/day"), "is no rate"),
        (DEMAND.replace("reads = 2", "raads = 2"), "did you mean `reads`?"),
        (DEMAND.replace("reads = 2", "reads = -2"), "out of bounds"),
        (format!("{DEMAND}colour = 1\n"), "unknown field"),
    ] {
        let error = given_demand("demand.toml", &text).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("demand.toml, line"), "{error}");
    }
}
