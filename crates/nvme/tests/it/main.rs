//! What holds for the protocol as a whole.

mod authentication;
mod commands;
mod pdus;
mod structures;
mod transcripts;
