use narrows_cost::{BreakEven, break_even};

use super::described::near;
use super::reckoned;

/// A server with its price, what it costs each year, and what it does.
fn server(name: &str, once: &str, yearly: &str, rate: &str) -> narrows_cost::CostAnswer {
    let text = format!(
        "name = \"{name}\"\ncurrency = \"EUR\"\n[cost]\nyears = 5\n\
         [[cost.item]]\nname = \"server\"\nprice = {once}\ndate = \"2026\"\nsource = \"quote\"\n\
         [[cost.item]]\nname = \"rent\"\nprice = {yearly}\nper = \"year\"\ndate = \"2026\"\nsource = \"contract\"\n\
         [cost.work]\nname = \"orders\"\nrate = \"{rate}\"\nsource = \"tried\"\n"
    );
    reckoned(&text).unwrap()
}

fn both(a: &narrows_cost::CostAnswer, b: &narrows_cost::CostAnswer) -> BreakEven {
    break_even(a, b).unwrap()
}

#[test]
fn what_costs_more_at_first_pays_when_it_has_saved_that() {
    let old = server("old", "10000", "8000", "100 /s");
    let new = server("new", "30000", "3000", "100 /s");
    for even in [both(&old, &new), both(&new, &old)] {
        let years = even.years.unwrap();
        near(years.years.unwrap(), 4.0);
        assert_eq!((years.dearer.as_str(), years.interval), ("new", None));
        assert!(
            years.sentence.contains("pays after 4 years (20,000 / 5,000)"),
            "{}",
            years.sentence
        );
    }
    let dear = server("dear", "30000", "9000", "100 /s");
    let years = both(&old, &dear).years.unwrap();
    assert_eq!(years.years, None);
    assert!(years.sentence.contains("never pays"), "{}", years.sentence);
    assert!(both(&old, &server("b", "10000", "1", "100 /s")).years.is_none(), "as much at first");
}

#[test]
fn ranges_of_prices_are_a_range_of_years() {
    let old = server("old", "10000", "8000", "100 /s");
    let new = server("new", "\"25000 to 35000\"", "3000", "100 /s");
    let [low, high] = both(&old, &new).years.unwrap().interval.unwrap();
    near(low, 3.0);
    near(high, 5.0);
    let unsure = server("new", "30000", "\"1000 to 9000\"", "100 /s");
    let years = both(&old, &unsure).years.unwrap();
    assert!(years.unbounded && years.interval.is_none(), "{years:?}");
    assert!(years.sentence.contains("it may never pay"), "{}", years.sentence);
}

#[test]
fn what_costs_more_pays_above_what_as_much_money_does_otherwise() {
    let small = server("small", "10000", "0", "100 /s");
    let large = server("large", "25000", "0", "400 /s");
    for even in [both(&small, &large), both(&large, &small)] {
        let rate = even.throughput.unwrap();
        // Two small ones cost 20,000 and do 200; a third is dearer than the large one.
        assert_eq!((rate.copies, rate.above), (2.0, Some(200.0)));
        assert!(rate.sentence.contains("pays above 200 orders/s"), "{}", rate.sentence);
    }
    let slow = server("slow", "25000", "0", "150 /s");
    let rate = both(&small, &slow).throughput.unwrap();
    assert_eq!(rate.above, None);
    assert!(rate.sentence.contains("never pays by throughput"), "{}", rate.sentence);
}

#[test]
fn an_unknown_price_and_another_currency_have_no_break_even() {
    let small = server("small", "10000", "0", "100 /s");
    let unknown = server("large", "\"unknown\"", "0", "400 /s");
    assert_eq!(break_even(&small, &unknown), None);
    let mut other = server("large", "25000", "0", "400 /s");
    other.currency = "USD".to_string();
    assert_eq!(break_even(&small, &other), None);
}
