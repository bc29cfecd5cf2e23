//! Prices, and texts that nobody would write.

use proptest::prelude::*;

use super::*;

#[test]
fn prices_are_summed_and_no_price_is_refused() {
    let priced = database("")
        .replace("cores = 10", "cores = 10\nprice = 9200")
        .replace("count = 8", "count = 8\nprice = 100");
    let plan = planned(&format!("currency = \"EUR\"\n{priced}"));
    assert_eq!(plan.price.as_ref().unwrap().total, 10_000.0);
    assert!(refused(&priced.replace("9200", "-1")).why.contains("no price"));
    assert!(refused(&priced.replace("9200", "nan")).why.contains("no price"));
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
