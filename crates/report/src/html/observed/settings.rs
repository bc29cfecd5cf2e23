//! Settings, chosen ones first; how the server was built; where capacities come from; what looking took.

use narrows_model::{LiveSetting, Observation};

use super::super::escape::text;
use super::super::table;
use crate::observed::{ObservedView, changed};

pub(super) fn body(view: &ObservedView, seen: &Observation) -> String {
    let (chosen, rest): (Vec<_>, Vec<_>) = seen.settings.iter().partition(|s| changed(s));
    let mut out = String::new();
    if !chosen.is_empty() {
        out += &format!("<h3>Not the defaults</h3>{}", settings(&chosen));
    }
    if !rest.is_empty() {
        let rest = settings(&rest);
        out +=
            &format!("<details><summary>Defaults that bear on a verdict</summary>{rest}</details>");
    }
    if !seen.build.is_empty() {
        let build = seen.build.iter();
        let rows: Vec<Vec<String>> = build
            .map(|(name, value)| vec![text(name), format!("<code>{}</code>", text(value))])
            .collect();
        out += &format!("<h3>Build</h3>{}", table(&["", "in the server's own words"], &rows));
    }
    // Settings and build stand above in full.
    let told = |label: &str| matches!(label, "CAPACITIES" | "LOOKING");
    let remarks = view.remarks.iter().filter(|(label, _)| told(label));
    let remarks: String = remarks
        .map(|(label, said)| {
            format!("<dt>{}</dt><dd>{}</dd>", text(&label.to_lowercase()), text(said))
        })
        .collect();
    if remarks.is_empty() { out } else { format!("{out}<dl class=\"seen\">{remarks}</dl>") }
}

fn settings(of: &[&LiveSetting]) -> String {
    let row = |setting: &&LiveSetting| {
        let whose = if setting.is_ours() { ", for our session alone" } else { "" };
        let source = format!("{}{whose}", setting.source);
        vec![
            format!("<code>{}</code>", text(&setting.name)),
            format!("<code>{}</code>", text(&setting.value)),
            format!("<span class=\"soft\">{}</span>", text(&source)),
        ]
    };
    table(&["setting", "value", "from"], &of.iter().map(row).collect::<Vec<_>>())
}
