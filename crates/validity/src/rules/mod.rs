//! The table, one file per heading or two.

mod arithmetic;
mod blind;
mod company;
mod database;
mod depth;
mod device;
mod disturbance;
mod durability;
mod fabric;
mod file;
mod generator;
mod limits;
mod live;
mod log;
mod machine;
mod observed;
mod order;
mod orders;
mod path;
mod steadiness;
mod structure;
mod volume;

use std::sync::LazyLock;

use crate::Rule;

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    [
        arithmetic::RULES,
        limits::RULES,
        device::RULES,
        depth::RULES,
        company::RULES,
        file::RULES,
        order::RULES,
        steadiness::RULES,
        volume::RULES,
        disturbance::RULES,
        generator::RULES,
        database::RULES,
        orders::RULES,
        durability::RULES,
        log::RULES,
        live::RULES,
        observed::RULES,
        machine::RULES,
        path::RULES,
        fabric::RULES,
        structure::RULES,
        blind::RULES,
    ]
    .concat()
});

/// Every rule, arithmetic first.
pub fn rules() -> &'static [Rule] {
    &RULES
}

/// Windows are in nanoseconds, rates per second.
const SECONDS_PER_NS: f64 = 1e-9;
