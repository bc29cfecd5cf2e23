//! What a document was made from, as it is stored.

use super::{Filter, Form, Shows};

/// The JSON; nothing in it steers a terminal, and it is the same document.
pub const FORM: Form = Form {
    name: "json",
    about: "Everything, for programs; of a report the run file",
    extension: "json",
    shows: Shows::Json,
    filter: Filter::Escapes,
    print: |document, _| document.json.clone(),
};

/// The same without what stands between its values for people.
pub(super) fn compact(json: &str) -> String {
    let (mut within, mut escaped) = (false, false);
    let keep = |c: &char| {
        let kept = within || !c.is_ascii_whitespace();
        within ^= *c == '"' && !escaped;
        escaped = within && *c == '\\' && !escaped;
        kept
    };
    json.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_json_holds_the_same() {
        let value = serde_json::json!({ "a b": ["c \\", "\" d\n", 1.5e300, {}], "e": null });
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(compact(&pretty), serde_json::to_string(&value).unwrap());
    }
}
