//! See the library of the same name.

fn main() -> std::process::ExitCode {
    narrows_target::main()
}
