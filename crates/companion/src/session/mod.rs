//! One connected agent: who it is, whether its stream is open, and when it counts as gone.

pub(crate) mod outbox;
pub(crate) mod posts;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use alongside_contract::family::{self, Family};
use alongside_contract::mcp::Implementation;
use alongside_desk::Agent;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::mcp::gate::Proof;
use outbox::Outbox;
use posts::Posts;

/// A session ends so long after its last stream or request: agents never say goodbye.
pub(crate) const FREED_AFTER: Duration = Duration::from_secs(60);
/// The reviews of an agent whose stream dropped close after this; it had time to come back.
pub(crate) const VIEWS_CLOSE_AFTER: Duration = Duration::from_secs(10);
/// What was decided before a stream returned is not sent within this time of its opening.
pub(crate) const RESEND_AFTER: Duration = Duration::from_millis(100);
/// Texts of ended reviews remembered for an agent that closes twice, or late, beside those it has not been
/// told of.
const REMEMBERED: usize = 8;

/// How many there are at most: far more than anybody works with, and few enough for desks to show.
pub(crate) const MOST: usize = 4096;
/// How much of what an agent calls itself is kept, in bytes: every status repeats it.
const LONGEST_NAME: usize = 256;

/// What agents call themselves when they speak over stdio.
const OVER_STDIO: &str = "stdio-client";

/// See the module.
#[derive(Debug)]
pub(crate) struct Session {
    /// The secret id in the header.
    pub(crate) id: String,
    /// What desks know it by.
    pub(crate) number: u64,
    pub(crate) client: Implementation,
    /// The negotiated protocol version.
    pub(crate) version: String,
    /// False for a session of before a crash until it is heard of.
    pub(crate) is_back: bool,
    /// It has said something since it came.
    pub(crate) was_heard: bool,
    /// It sent no token, so it is an agent of mid 2025.
    pub(crate) tokenless: bool,
    /// By the token it presents, or by what it calls itself.
    pub(crate) family: Option<&'static Family>,
    /// Milliseconds since the Unix epoch.
    pub(crate) since: u64,
    pub(crate) outbox: Outbox,
    pub(crate) stream: Option<Stream>,
    pub(crate) posts: Posts,
    /// The last stream or request.
    pub(crate) last_heard: Instant,
    /// When the stream ended, while it has not returned.
    pub(crate) stream_lost: Option<Instant>,
    /// Last texts of reviews that ended, newest last.
    ended: VecDeque<(String, Arc<str>)>,
}

/// An open GET.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Never used again for another stream.
    pub(crate) number: u64,
    /// Holds one frame: a stream is fed as fast as it is read. Dropping it ends the stream properly.
    pub(crate) frames: mpsc::Sender<String>,
    pub(crate) opened: Instant,
}

impl Session {
    pub(crate) fn new(
        id: String,
        number: u64,
        mut client: Implementation,
        version: String,
        proof: Proof,
    ) -> Self {
        for said in [&mut client.name, &mut client.version].into_iter().chain(&mut client.title) {
            said.truncate(said.floor_char_boundary(LONGEST_NAME));
        }
        let family = match proof {
            Proof::Token(Some(family)) => Some(family),
            _ => family::by_client_name(&client.name),
        };
        Self {
            id,
            number,
            client,
            version,
            tokenless: proof == Proof::Nothing,
            family,
            is_back: true,
            was_heard: false,
            since: alongside_desk::now_ms(),
            outbox: Outbox::default(),
            stream: None,
            posts: Posts::default(),
            last_heard: Instant::now(),
            stream_lost: None,
            ended: VecDeque::new(),
        }
    }

    /// Whether it may be a release that knows no rejection but `ide/diffClosed`: it sends no token, or is of
    /// a family in which such releases do, or comes over stdio, where agents turn that are refused without a
    /// token. Newer ones know both.
    pub(crate) fn hears_that_diffs_close(&self) -> bool {
        let among_family = self.family.is_some_and(|family| family.behaviour.hears_that_diffs_close());
        self.tokenless || among_family || self.client.name == OVER_STDIO
    }

    /// As desks see it.
    pub(crate) fn agent(&self) -> Agent {
        // What agents call themselves when they do not say who they are, nor which version.
        let says_nothing = matches!(self.client.name.as_str(), "streamable-http-client" | OVER_STDIO);
        let name = match self.family {
            Some(family) => family.display_name,
            None if says_nothing || self.client.name.is_empty() => "an agent",
            None => &self.client.name,
        };
        let version = if says_nothing && self.client.version == "1.0.0" { "" } else { &self.client.version };
        Agent {
            number: self.number,
            name: name.to_owned(),
            version: version.to_owned(),
            since: self.since,
            listening: self.stream.is_some(),
        }
    }

    /// The number of the open stream; 0 if there is none.
    pub(crate) fn stream_number(&self) -> u64 {
        self.stream.as_ref().map_or(0, |stream| stream.number)
    }

    /// Sends what can be sent now. While a POST is unread that is no outcome, not even a new one: the POST
    /// may propose the same file again, and the agent would take the outcome for that of its new proposal.
    pub(crate) fn pump(&mut self, now: Instant) {
        let Some(stream) = &self.stream else { return };
        let resend = stream.opened + RESEND_AFTER <= now;
        while let Ok(permit) = stream.frames.try_reserve() {
            let may_tell = self.posts.are_read() || self.outbox.receipts.are_ignored();
            let frame = match may_tell {
                true => self.outbox.next_frame(stream.number, resend),
                false => self.outbox.next_context(),
            };
            match frame {
                Some(frame) => permit.send(frame),
                None => break,
            }
        }
    }

    /// What is held back has to wait from now on, as if the stream had just returned.
    pub(crate) fn hold_back(&mut self, now: Instant) {
        if let Some(stream) =
            self.stream.as_mut().filter(|stream| self.outbox.holds_older_than(stream.number))
        {
            stream.opened = now;
        }
    }

    /// When something held back may be sent.
    pub(crate) fn resend_at(&self) -> Option<Instant> {
        let stream = self.stream.as_ref()?;
        // A full stream is fed when it drains, and one that broke never: its end is on its way to us.
        let is_free = stream.frames.capacity() > 0 && !stream.frames.is_closed();
        let can_send = self.posts.are_read() && is_free;
        let held = can_send && self.outbox.holds_older_than(stream.number);
        held.then_some(stream.opened + RESEND_AFTER)
    }

    /// When it counts as gone, unless it is heard of before.
    pub(crate) fn freed_at(&self) -> Option<Instant> {
        (self.stream.is_none() && self.posts.are_read()).then_some(self.last_heard + FREED_AFTER)
    }

    /// When its reviews close, unless its stream returns.
    pub(crate) fn views_close_at(&self) -> Option<Instant> {
        self.stream_lost.filter(|_| self.stream.is_none()).map(|lost| lost + VIEWS_CLOSE_AFTER)
    }

    /// Remembers the last text of a review that ended, for `closeDiff`. Where the outcome is not delivered
    /// the text stays: an agent that is answered nothing writes its whole proposal. There are as many of
    /// those as the outbox holds.
    pub(crate) fn remember(&mut self, path: &str, text: Arc<str>) {
        self.forget(path);
        self.ended.push_back((path.to_owned(), text));
        let delivered = |(path, _): &(String, Arc<str>)| !self.outbox.holds(path);
        let mut spare = self.ended.iter().filter(|ended| delivered(ended)).count().saturating_sub(REMEMBERED);
        self.ended.retain(|(path, _)| {
            let goes = spare > 0 && !self.outbox.holds(path);
            spare -= usize::from(goes);
            !goes
        });
    }

    /// The last text of an ended review of this file.
    pub(crate) fn remembered(&self, path: &str) -> Option<Arc<str>> {
        self.ended.iter().find(|(ended, _)| ended == path).map(|(_, text)| text.clone())
    }

    /// The review of this file is settled, or a new one begins.
    pub(crate) fn forget(&mut self, path: &str) {
        self.ended.retain(|(ended, _)| ended != path);
    }
}
