//! fio's job files and its JSON: against fio itself, against misreadings, and made-up input.

mod against_fio;
mod common;
mod fuzz;
mod json_keys;
mod misreadings;
mod turns;
mod verification;
mod verified_blocks;
mod withheld;
