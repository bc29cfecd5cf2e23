//! Whole conversations with what answers on a database's port: all that `narrows db clean`, `run --observe` and `log postgres` ask.
//!
//! The first byte says which of them; the rest is what the server says, whatever it is asked.

use std::path::Path;
use std::time::Duration;

use narrows_engine::{Silent, Stop};
use narrows_model::LoadChange;
use narrows_postgres::observe::{Around, Observed, Observer};
use narrows_postgres::{Address, left, live, observe};

use super::wire::{address, say};
use crate::property;

/// As short as a look can be.
const LENGTH: Duration = Duration::from_millis(2);

/// Who asked for a look and wants to hear nothing before its end.
struct Nobody;

impl Observer for Nobody {
    fn begins_again(&mut self, _: &LoadChange, _: Duration) -> Around {
        Around::default()
    }

    fn so_far(&mut self, _: Observed) -> bool {
        false
    }
}

/// Talks until the server has said everything.
pub fn check(data: &[u8]) {
    let Some((which, said)) = data.split_first() else { return };
    let folder = say(said);
    if let Err(told) = ask(*which, &folder) {
        property::told(&told, "");
    }
}

fn ask(which: u8, folder: &Path) -> Result<(), String> {
    let (address, stop): (Address, Stop) = (address(folder), Stop::new());
    let told = |error: &dyn std::error::Error| error.to_string();
    match which % 4 {
        0 | 1 => left(&address, which % 4 == 1).map(drop).map_err(|error| told(&error)),
        2 => {
            let look = observe::Monitor::open(&address).map_err(|error| told(&error))?;
            let seen = look.observe(LENGTH, 1, Around::default(), &mut Nobody, &stop, &Silent);
            seen.map(drop).map_err(|error| told(&error))
        }
        _ => {
            let look = live::Monitor::open(&address).map_err(|error| told(&error))?;
            look.observe(LENGTH, 1, Around::default(), &stop, &Silent)
                .map(drop)
                .map_err(|error| told(&error))
        }
    }
}
