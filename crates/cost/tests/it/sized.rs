use narrows_cost::{Carries, Headroom, Question, Rules, SizeQuestion, Sizing, given_demand, size};
use narrows_limits::table::Table;
use narrows_plan::{Demand, Description, describe};

const DEMAND: &str = r#"
name = "orders"
rate = "20k/s"
cpu = "400 us"
reads = 2
read_size = "8 KiB"
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

fn sized(texts: &[String], growth: f64, headroom: Option<f64>) -> Sizing {
    let described: Vec<Description> =
        texts.iter().map(|text| describe("box.toml", text, Table::builtin()).unwrap()).collect();
    let platforms: Vec<(&Description, &str)> =
        described.iter().zip(texts.iter().map(String::as_str)).collect();
    let headroom = headroom.map(|share| Headroom { share, from: "measured".to_string() });
    let rules = Rules::shipped();
    let question = SizeQuestion {
        growth,
        headroom: headroom.as_ref(),
        core_ratio: None,
        cost: Question { rules: &rules, what_if: &[], measured: None },
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
    assert!(now.by_cost);
    let carries: Vec<Carries> = now.platforms.iter().map(|platform| platform.carries).collect();
    // 80,000, 20,000 and 40,000 at most, of which six tenths are used; 20,000 are needed.
    assert_eq!(carries, [Carries::Yes, Carries::No, Carries::Yes]);
    assert_eq!(now.smallest, Some(2));
    assert_eq!(now.platforms[2].busy, Some(0.5));
    assert_eq!(now.platforms[2].binding, ["CPUs of server"]);
    let later = sized(&texts, 1.5, Some(0.6));
    assert_eq!(later.needs_per_s, 30_000.0);
    assert_eq!(later.smallest, Some(0), "24,000 of the middle one are too few");
}

#[test]
fn without_a_known_headroom_nothing_is_called_large_enough() {
    let texts = [platform("a", 32, "1", ""), platform("b", 4, "1", "")];
    let sizing = sized(&texts, 1.0, None);
    assert_eq!(sizing.platforms[0].carries, Carries::HeadroomUnknown);
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
    assert_eq!(surviving, None);
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
    // A database that has lost its way keeps the rest from being reckoned as before.
    assert_eq!(of("the link left").carries, Carries::No);
    assert_eq!(sizing.platforms[0].total(), None, "nothing is priced");
    assert!(!sizing.by_cost);
}

#[test]
fn a_demand_that_is_given_wrong_is_refused() {
    for (text, words) in [
        (DEMAND.replace("source = \"statspack\"", ""), "missing field `source`"),
        (DEMAND.replace("read_size = \"8 KiB\"", ""), "needs both a count and a size"),
        (DEMAND.replace("20k/s", "-3 /s"), "is no rate"),
        (DEMAND.replace("400 us", "400"), "is no time"),
        (DEMAND.replace("reads = 2", "reads = -2"), "out of bounds"),
        (format!("{DEMAND}colour = 1\n"), "unknown field"),
    ] {
        let error = given_demand("demand.toml", &text).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("demand.toml, line"), "{error}");
    }
}
