//! What a reader has to know of the report's figures.

use super::facts::Facts;

impl Facts<'_> {
    /// What a reader has to know of these figures.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.report.cluster {
            remarks.push(
                "one instance of a cluster: the others share its drives, and are not in it"
                    .to_string(),
            );
        }
        if self.pluggable {
            remarks.push(
                "of a pluggable database: the host's CPUs and drives are used by others of the instance too".to_string(),
            );
        }
        let undone = self.report.count("transaction rollbacks").unwrap_or(0.0);
        let rollbacks = self.report.count("user rollbacks").filter(|n| *n > 2.0 * undone);
        if let Some((rollbacks, all)) =
            rollbacks.zip(self.transactions).filter(|(r, all)| *r > 0.1 * all)
        {
            remarks.push(format!(
                "{:.0} % of its transactions are rollbacks, most of which changed nothing: what is told per transaction is smaller by as much",
                100.0 * rollbacks / all
            ));
        }
        if self.transactions.is_none() {
            remarks.push("no transaction ended: nothing per transaction is known".to_string());
        }
        if self.report.ended_unix_s.is_some() {
            remarks.push(
                "its times are taken as UTC: a report does not name its time zone".to_string(),
            );
        }
        remarks
    }
}
