//! The run file's JSON Schema, from the types that write it.

use narrows_model::{Run, SCHEMA};
use serde_json::{Value, json};

use super::Generated;

/// The schema, with the constant that tells its version.
pub fn run_schema() -> Value {
    let mut schema = schemars::schema_for!(Run).to_value();
    schema["title"] = json!("narrows run file");
    schema["properties"]["schema"]["const"] = json!(SCHEMA);
    schema
}

pub(super) fn file() -> Generated {
    let text = serde_json::to_string_pretty(&run_schema()).expect("a schema has only string keys");
    Generated::new("docs/schema/run-1.schema.json", text + "\n")
}
