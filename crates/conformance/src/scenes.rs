//! Scenes that several checks judge: each is played once, by whichever check comes first.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::OnceCell;

use crate::bench::Played;
use crate::listener::Listener;
use crate::peer::Peer;
use crate::{contents, cursor, idle, outcomes};

/// What was played.
#[derive(Default)]
pub(crate) struct Scenes {
    pub(crate) rewriting: OnceCell<Played<contents::Rewriting>>,
    pub(crate) listens: OnceCell<Played<(Peer, Arc<Listener>)>>,
    pub(crate) is_gone: OnceCell<Played<Peer>>,
    pub(crate) watching: OnceCell<Played<idle::Watched>>,
    pub(crate) moving: OnceCell<Played<cursor::Moving>>,
    pub(crate) accepting: OnceCell<Played<outcomes::Accepting>>,
    pub(crate) rejecting: OnceCell<Played<(String, Value)>>,
    pub(crate) closing: OnceCell<Played<outcomes::Closing>>,
}
