//! Who has the oldest snapshots, so that vacuum leaves what died since, asked at the end.
//!
//! Source: PostgreSQL documentation, "Routine Vacuuming", `pg_stat_activity`, `pg_prepared_xacts`, `pg_replication_slots`,
//! `pg_stat_replication`.

use narrows_model::{HorizonHolder, HorizonKind};

use super::normalise::SentTexts;
use super::{number, text};
use crate::wire::{Row, one_line};

/// A question for each kind of holder: name, transactions since, age of its own transaction in s, state, user, application, text.
pub(super) const QUESTIONS: [(HorizonKind, &str); 4] = [
    (
        HorizonKind::Session,
        // A snapshot holds rows of its own database, a transaction with an id those of all; a lazy VACUUM holds none.
        "SELECT pid, CASE WHEN datid = d.oid THEN greatest(age(backend_xmin), age(backend_xid)) ELSE age(backend_xid) END, \
         extract(epoch FROM clock_timestamp() - xact_start), state, \
         pg_catalog.pg_get_userbyid(usesysid), application_name, pg_catalog.left(query, 4096) FROM pg_catalog.pg_stat_get_activity(NULL), \
         (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) d \
         WHERE backend_type = 'client backend' AND pid <> pg_catalog.pg_backend_pid() \
         AND (datid = d.oid AND backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) \
         AND pid NOT IN (SELECT v.pid FROM pg_catalog.pg_stat_progress_vacuum v) ORDER BY 2 DESC LIMIT 3",
    ),
    (
        HorizonKind::Prepared,
        "SELECT gid, age(transaction), extract(epoch FROM clock_timestamp() - prepared), NULL, owner FROM pg_catalog.pg_prepared_xacts \
         ORDER BY 2 DESC LIMIT 3",
    ),
    (
        HorizonKind::Slot,
        // What a slot keeps of the catalogs alone (catalog_xmin) are no rows of tables.
        "SELECT slot_name, age(xmin), NULL, CASE WHEN active THEN 'active' ELSE 'inactive' END FROM pg_catalog.pg_replication_slots \
         WHERE xmin IS NOT NULL ORDER BY 2 DESC LIMIT 3",
    ),
    (
        HorizonKind::Standby,
        "SELECT application_name, age(backend_xmin), NULL, state, usename FROM pg_catalog.pg_stat_replication \
         WHERE backend_xmin IS NOT NULL ORDER BY 2 DESC LIMIT 3",
    ),
];

/// The answer to the question for that kind. Who has a snapshot of this moment holds nothing.
pub(super) fn holders(kind: HorizonKind, rows: &[Row], texts: SentTexts) -> Vec<HorizonHolder> {
    let holder = |row: &Row| {
        let said = |column: usize| text(row, column).map(one_line).unwrap_or_default();
        Some(HorizonHolder {
            kind,
            name: said(0),
            transactions: number(row, 1).filter(|transactions| *transactions > 0.0)?,
            age_ns: number(row, 2).map(|s| s.max(0.0) * 1e9),
            state: said(3),
            user: said(4),
            application: said(5),
            text: text(row, 6).and_then(|sql| texts.kept(sql)),
        })
    };
    rows.iter().filter_map(holder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    #[test]
    fn holders_are_those_with_transactions_behind_them() {
        let session = row(["11", "500", "60.5", "idle in transaction", "app", "web", "SELECT 42"]);
        let fresh = row(["12", "0", "0", "active", "app", "web", "SELECT 1"]);
        let found = holders(HorizonKind::Session, &[session, fresh], SentTexts::Normalised);
        let [holder] = &found[..] else { panic!("{found:?}") };
        assert_eq!((holder.name.as_str(), holder.transactions), ("11", 500.0));
        assert_eq!((holder.age_ns, holder.text.as_deref()), (Some(60.5e9), Some("SELECT ?")));
        let slot = &holders(HorizonKind::Slot, &[row(["old", "7"])], SentTexts::Normalised)[0];
        assert_eq!((slot.age_ns, slot.state.as_str(), &slot.text), (None, "", &None));
        assert!(
            holders(HorizonKind::Slot, &[row(["bad", "inf"]), row([])], SentTexts::Normalised)
                .is_empty()
        );
    }
}
