//! What is printed.

use proptest::prelude::*;

use super::*;

#[test]
fn prices_are_summed_and_divided() {
    let priced = database("")
        .replace("cores = 10", "cores = 10\nprice = 9200")
        .replace("count = 8", "count = 8\nprice = 100");
    let plan = planned(&format!("currency = \"EUR\"\n{priced}"));
    assert_eq!(plan.price.as_ref().unwrap().total, 10_000.0);
    let text = narrows_plan::text(&[plan], 100);
    // 10,000 EUR over 800 k reads, and over 16 GB/s.
    assert!(text.contains("12.5 EUR") && text.contains("625 EUR"), "{text}");
    assert!(refused(&priced.replace("9200", "-1")).why.contains("no price"));
    assert!(refused(&priced.replace("9200", "nan")).why.contains("no price"));
}

#[test]
fn every_output_names_what_binds_and_fits_its_width() {
    let plans = [planned(&database("in_flight = 16\n")), planned(&pair(&link("wide", 25.0)))];
    let text = narrows_plan::text(&plans, 100);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    for out in [
        text,
        narrows_plan::markdown(&plans),
        narrows_plan::csv(&plans),
        narrows_plan::json(&plans),
    ] {
        assert!(
            out.contains("requests in flight of db") && out.contains("memory of target"),
            "{out}"
        );
    }
    let json: serde_json::Value = serde_json::from_str(&narrows_plan::json(&plans)).unwrap();
    assert_eq!(json[1]["works"][0]["work"], "random_read");
    assert_eq!(narrows_plan::csv(&plans).lines().count(), 1 + 6 + 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn hostile_text_gives_an_error_or_a_plan_and_never_a_panic(
        text in "(name = \"x\"\n)?((\\[\\[(machine|drives|link|switch|array|database)\\]\\]|[a-z_]+ = (\"[^\"\n]{0,8}\"|-?[0-9]{1,20}|nan|inf|\\[\\]))\n){0,12}",
    ) {
        if let Ok(platform) = describe("t", &text, Table::builtin()) {
            let _ = plan(&platform, QUESTION);
        }
    }

    #[test]
    fn a_cut_or_spoiled_description_never_panics(cut in 0usize..2000, at in 0usize..2000, byte in 0u8..128) {
        let whole = pair(&(link("one", 3.0) + &link("two", 4.0)));
        let mut bytes = whole.as_bytes()[..cut.min(whole.len())].to_vec();
        if let Some(spoiled) = bytes.get_mut(at) {
            *spoiled = byte;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match describe("t", &text, Table::builtin()) {
            Ok(platform) => { let _ = plan(&platform, QUESTION); }
            Err(error) => prop_assert!(!error.hint.is_empty() && error.line >= 1),
        }
    }
}
