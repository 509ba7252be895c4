//! What a person does at a desk, typed by a test: of a companion under its control, or of the real program.

use std::path::Path;

use alongside_desk::{
    ActiveFile, Change, Closed, ContextReport, Decision, Event, Position, Request, Review, ReviewId, Revised,
    Status,
};
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::peer::Peer;

/// How a desk's process says what the desk says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// As `rig/src/bin/companion.rs` does.
    Rig,
    /// As `alongside review --json` does.
    Product,
}

/// See the module.
#[derive(Debug)]
pub struct Desk {
    peer: Peer,
    speech: Speech,
}

impl Desk {
    /// The desk of a running process.
    pub fn new(peer: Peer, speech: Speech) -> Self {
        Self { peer, speech }
    }

    /// Its process.
    pub(crate) fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Waits for the open review of exactly this proposal.
    ///
    /// # Errors
    /// At the deadline.
    pub async fn review_of(&self, proposed: &str) -> Result<Review> {
        let what = format!("a review of {proposed:?}");
        self.wait(&what, |events| {
            let opened = events.iter().rev().find_map(|event| match event {
                Event::Opened(review) if &*review.proposed == proposed => Some(review),
                _ => None,
            })?;
            closing(events, opened.id).is_none().then(|| opened.clone())
        })
        .await
    }

    /// Waits for a review's end.
    ///
    /// # Errors
    /// At the deadline.
    pub async fn closed(&self, id: ReviewId) -> Result<Closed> {
        self.wait(&format!("the end of review {id}"), |events| closing(events, id).cloned()).await
    }

    /// Accepts a review as it was shown.
    ///
    /// # Errors
    /// The companion's refusal.
    pub async fn accept(&self, review: &Review) -> Result<()> {
        self.decide(review.id, review.revision, Decision::Accept).await
    }

    /// Rejects a review.
    ///
    /// # Errors
    /// The companion's refusal.
    pub async fn reject(&self, review: &Review) -> Result<()> {
        self.decide(review.id, review.revision, Decision::Reject).await
    }

    /// Replaces the review's text as a person would by typing, and returns the new revision.
    ///
    /// # Errors
    /// The companion's refusal.
    pub async fn edit(&self, review: &Review, text: &str) -> Result<u64> {
        let changes = vec![Change { range: None, text: text.into() }];
        let edit = Request::EditReview { id: review.id, revision: review.revision, changes };
        Ok(self.request(&edit).await?.revision)
    }

    /// Edits the text, then accepts it.
    ///
    /// # Errors
    /// The companion's refusal.
    pub async fn accept_with(&self, review: &Review, text: &str) -> Result<()> {
        let revision = self.edit(review, text).await?;
        self.decide(review.id, revision, Decision::Accept).await
    }

    /// The person goes to a file.
    ///
    /// # Errors
    /// The companion's refusal.
    pub async fn focus(&self, path: &Path, cursor: Option<Position>) -> Result<()> {
        self.select(path, cursor, None).await
    }

    /// The person goes to a file and selects some of its text.
    ///
    /// # Errors
    /// The companion's refusal.
    pub async fn select(&self, path: &Path, cursor: Option<Position>, text: Option<&str>) -> Result<()> {
        let path = path.to_str().context("tests name files in UTF-8")?.to_owned();
        let active = Some(ActiveFile { path, cursor, selected_text: text.map(str::to_owned) });
        let report = ContextReport { active, ..ContextReport::default() };
        self.request(&Request::ChangeContext(report)).await.map(drop)
    }

    /// Waits until that many agents are connected and listen to their streams.
    ///
    /// # Errors
    /// At the deadline.
    pub async fn agents_listen(&self, number: usize) -> Result<()> {
        self.wait_status(&format!("{number} listening agents"), |status| {
            (status.agents.iter().filter(|agent| agent.listening).count() == number).then_some(())
        })
        .await
    }

    /// Any request of a desk.
    ///
    /// # Errors
    /// The companion's refusal.
    pub async fn request(&self, request: &Request) -> Result<Revised> {
        let question = match self.speech {
            Speech::Rig => json!({ "request": request }),
            Speech::Product => serde_json::to_value(request)?,
        };
        let answer = self.peer.ask(question).answer().await?;
        Ok(serde_json::from_value(answer)?)
    }

    /// Waits until what the companion says of itself satisfies `probe`.
    ///
    /// # Errors
    /// At the deadline.
    pub async fn wait_status<T>(&self, what: &str, probe: impl Fn(&Status) -> Option<T>) -> Result<T> {
        self.wait(what, |events| {
            let status = events.iter().rev().find_map(|event| match event {
                Event::Status(status) => Some(status),
                _ => None,
            })?;
            probe(status)
        })
        .await
    }

    async fn decide(&self, id: ReviewId, revision: u64, decision: Decision) -> Result<()> {
        self.request(&Request::DecideReview { id, revision, decision }).await.map(drop)
    }

    /// Waits on all the desk has been told so far.
    async fn wait<T>(&self, what: &str, probe: impl Fn(&[Event]) -> Option<T>) -> Result<T> {
        let told = |events: &[Value]| {
            let told = events.iter().filter_map(|event| match self.speech {
                Speech::Rig if event["event"] == "desk" => Some(&event["message"]),
                Speech::Rig => None,
                // Reviews that change are told whole there, and nobody here waits for one to change.
                Speech::Product if event["method"] == "alongside/didChangeReview" => None,
                Speech::Product => Some(event),
            });
            let told = told.map(|event| serde_json::from_value(event.clone()).expect("a desk's event"));
            probe(&told.collect::<Vec<_>>())
        };
        self.peer.wait(what, told).await
    }
}

fn closing(events: &[Event], id: ReviewId) -> Option<&Closed> {
    events.iter().find_map(|event| match event {
        Event::Closed(closed) if closed.id == id => Some(closed),
        _ => None,
    })
}
