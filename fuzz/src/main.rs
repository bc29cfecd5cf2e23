//! Feeds what libFuzzer makes up to one target. `NARROWS_FUZZ` names it; `cargo xtask fuzz` sets all that.

#![no_main]

mod memory;
mod property;
mod source;
mod target;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

use target::Target;

#[global_allocator]
static MEMORY: memory::Counted = memory::Counted;

/// The target that was asked for.
fn asked() -> &'static Target {
    static ASKED: OnceLock<&'static Target> = OnceLock::new();
    ASKED.get_or_init(|| {
        let name = std::env::var("NARROWS_FUZZ").unwrap_or_default();
        target::ALL.iter().find(|target| target.name == name).unwrap_or_else(|| {
            let names: Vec<&str> = target::ALL.iter().map(|target| target.name).collect();
            eprintln!("NARROWS_FUZZ is {name:?}; one of {} is meant", names.join(", "));
            std::process::exit(2);
        })
    })
}

fuzz_target!(|data: &[u8]| {
    let target = asked();
    memory::within(target.bytes_most, || (target.check)(data));
});
