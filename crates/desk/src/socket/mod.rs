//! The desk protocol between processes: JSON-RPC with LSP's framing over any stream of bytes.
//!
//! A desk [joins](join); a host [reads its first request](receive) and [serves](Peer::serve) it. Both then
//! hold a [`Desk`](crate::Desk) as if they were one process.

pub(crate) mod client;
mod compact_review;
mod compact_turn;
pub(crate) mod framing;
mod handshake;
mod server;
pub mod wire;

pub use client::{JoinError, Joined, hand_over, join, propose, report, report_snapshot, stop};
pub use handshake::{
    ClientInfo, EditorProcess, Goodbye, Hello, Host, MISMATCH, Mismatch, Options, PROTOCOL, Report, Role,
    SPOKEN, Terms, Welcome,
};
pub use server::{DisconnectReason, FirstRequest, Peer, receive};

#[cfg(test)]
mod tests;
