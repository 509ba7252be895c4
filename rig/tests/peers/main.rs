//! Sends bad input to a running companion, as misbehaving agents and programs do. Each test's name is the
//! rule that it checks.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agent;
mod close_diff;
mod context;
mod crossing;
mod cut_streams;
mod discovery_files;
mod editor_tools;
mod gate;
mod large_messages;
mod messages;
mod older_release;
mod proposals;
mod receipts;
mod server;
mod sessions;
mod slow_readers;
mod stage;
mod stopping;
mod strangers;
mod streams;
mod test_directory;
mod web_pages;
mod websocket;
