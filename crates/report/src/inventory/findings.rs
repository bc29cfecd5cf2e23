//! What the rules say of the machine, each with its id.

use narrows_model::{Finding, Severity};

use super::Lines;

pub(super) fn findings(findings: &[Finding], lines: &mut Lines) {
    for finding in findings {
        let weight = match finding.severity {
            Severity::Note => "note",
            Severity::Suspect => "suspect",
            Severity::Invalid => "invalid",
        };
        lines.add("findings", format!("{weight} {}: {}", finding.id, finding.summary));
        lines.add("findings", format!("  {}", finding.evidence));
        lines.add("findings", format!("  {}", finding.advice));
    }
}
