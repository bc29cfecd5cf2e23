//! Discovery on machines made of files, each with the one feature that a test is about.

mod cgroups;
mod devices;
mod drive_links;
mod machine;
mod machines;
mod media;
mod paths;
mod topology;
