//! Sends bad input to a running companion, as misbehaving agents and programs do. Each test's name is the
//! rule that it checks.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agent;
mod close_diff;
mod context;
mod crossing;
mod cut;
mod editor_tools;
mod ending;
mod files;
mod gate;
mod messages;
mod older_release;
mod pages;
mod proposals;
mod receipts;
mod server;
mod sessions;
mod size;
mod slow;
mod stage;
mod strangers;
mod streams;
mod test_directory;
mod websocket;
