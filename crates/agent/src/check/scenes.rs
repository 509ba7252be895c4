//! Scenes that several checks judge: each is played once, by whichever check comes first.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::OnceCell;

use super::bench::Played;
use super::listener::Listener;
use super::peer::Peer;
use super::{contents, cursor, idle, outcomes};

/// What was played.
#[derive(Default)]
pub(super) struct Scenes {
    pub(super) rewriting: OnceCell<Played<contents::Rewriting>>,
    pub(super) listens: OnceCell<Played<(Peer, Arc<Listener>)>>,
    pub(super) is_gone: OnceCell<Played<Peer>>,
    pub(super) watching: OnceCell<Played<idle::Watched>>,
    pub(super) moving: OnceCell<Played<cursor::Moving>>,
    pub(super) accepting: OnceCell<Played<outcomes::Accepting>>,
    pub(super) rejecting: OnceCell<Played<(String, Value)>>,
    pub(super) closing: OnceCell<Played<outcomes::Closing>>,
}
