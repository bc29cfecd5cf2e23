//! Whether a platform carries what is needed, by its ceiling and the share of it that is used.

use std::cmp::Ordering;

use narrows_plan::{Amount, Fit, PartUse, beside_one};

use super::answer::{Carries, Headroom};

/// Judges rates by what is needed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) needs: Amount,
    pub(super) headroom: &'a [Headroom],
    pub(super) lacks: bool,
}

/// A part, how full it may be, and what of the ceiling that allows.
pub(super) struct Allowed<'f> {
    pub(super) part: &'f PartUse,
    pub(super) share: f64,
    pub(super) of_ceiling: Amount,
}

impl Judge<'_> {
    /// So much of a ceiling as is used; `None` where no share holds for what binds.
    pub(super) fn usable(&self, fit: &Fit) -> Option<Amount> {
        let (ceiling, least) = (fit.ceiling_per_s?, self.allowed(fit)?.of_ceiling);
        let (value, halves) = (ceiling.value * least.value, ceiling.half.zip(least.half));
        let half = halves.map(|(a, b)| (a * least.value).hypot(b * ceiling.value));
        Some(Amount { value, half })
    }

    /// The part that is first as full as it may be. At part of the ceiling each part is as much less full, so a part that is full by
    /// half at the ceiling and may be full by a third allows two thirds.
    pub(super) fn allowed<'f>(&self, fit: &'f Fit) -> Option<Allowed<'f>> {
        let share_for = |kind| self.headroom.iter().find(|headroom| headroom.of.holds_for(kind));
        share_for(fit.used.first()?.kind)?;
        let all = fit.used.iter().filter_map(|part| {
            let headroom = share_for(part.kind).filter(|_| part.share > 0.0)?;
            let share = Amount { value: headroom.share, half: Some(headroom.half.unwrap_or(0.0)) };
            let of_ceiling = share.times(1.0 / part.share);
            Some(Allowed { part, share: headroom.share, of_ceiling })
        });
        all.min_by(|a, b| a.of_ceiling.value.total_cmp(&b.of_ceiling.value))
    }

    /// By the ceiling alone.
    pub(super) fn ceiling(&self, fit: &Fit) -> Carries {
        let beside = |rate: Amount| rate.over(self.needs).map(beside_one);
        let Some(ceiling) = fit.ceiling_per_s else { return Carries::Unknown };
        if beside(ceiling) == Some(Ordering::Less) {
            return Carries::No;
        }
        if self.lacks {
            return Carries::Unknown;
        }
        match self.usable(fit).map(beside) {
            None => Carries::HeadroomUnknown,
            Some(Some(Ordering::Greater)) => Carries::Yes,
            Some(Some(Ordering::Less)) => Carries::No,
            Some(_) => Carries::JustAbout,
        }
    }

    /// By the ceiling, and by what as many sessions as were measured get through.
    pub(super) fn carries(&self, fit: &Fit) -> Carries {
        let carries = self.ceiling(fit);
        let sessions = fit.at_sessions.as_ref().and_then(|at| at.rate_per_s.over(self.needs));
        match (carries, sessions.map(beside_one)) {
            (Carries::Yes | Carries::JustAbout, Some(Ordering::Less)) => Carries::MoreSessions,
            (Carries::Yes, Some(Ordering::Equal)) => Carries::JustAbout,
            _ => carries,
        }
    }
}
