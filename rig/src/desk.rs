//! A desk that a test drives as a person does: a desk of the rig's companion, or of the real program.

use std::path::Path;

use alongside_desk::socket::{ClientInfo, Hello, Options, PROTOCOL, Terms};
use alongside_desk::{
    ActiveFile, Change, Closed, ContextReport, Decision, Event, Position, Request, Review, ReviewId, Revised,
    Status,
};
use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::json_lines_process::JsonLinesProcess;

/// Returns the first message of a desk with this name in this process.
pub(crate) fn hello(name: &str) -> Hello {
    Hello {
        process_id: Some(std::process::id()),
        client_info: ClientInfo { name: name.into(), version: String::new() },
        initialization_options: Options { alongside: Terms { protocol: PROTOCOL, ..Terms::default() } },
    }
}

/// A desk with its process, which uses the protocol of `alongside review --json`.
#[derive(Debug)]
pub struct Desk {
    process: JsonLinesProcess,
}

impl Desk {
    /// Creates the desk of a running process.
    pub fn new(process: JsonLinesProcess) -> Self {
        Self { process }
    }

    pub(crate) fn process(&self) -> &JsonLinesProcess {
        &self.process
    }

    /// Waits for the open review of exactly this proposal.
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

    /// Waits for a review's end, and returns the event.
    pub async fn wait_for_closing(&self, id: ReviewId) -> Result<Closed> {
        self.wait(&format!("the end of review {id}"), |events| closing(events, id).cloned()).await
    }

    /// Accepts a review in the given revision.
    pub async fn accept(&self, review: &Review) -> Result<()> {
        self.decide(review.id, review.revision, Decision::Accept).await
    }

    /// Rejects a review.
    pub async fn reject(&self, review: &Review) -> Result<()> {
        self.decide(review.id, review.revision, Decision::Reject).await
    }

    /// Replaces the text of a review, as a person does by typing. Returns the new revision.
    pub async fn edit(&self, review: &Review, text: &str) -> Result<u64> {
        let changes = vec![Change { range: None, text: text.into() }];
        let edit = Request::EditReview { id: review.id, revision: review.revision, changes };
        Ok(self.request(&edit).await?.revision)
    }

    /// Edits the text, then accepts it.
    pub async fn accept_with(&self, review: &Review, text: &str) -> Result<()> {
        let revision = self.edit(review, text).await?;
        self.decide(review.id, revision, Decision::Accept).await
    }

    /// Reports that the person has gone to a file.
    pub async fn focus(&self, path: &Path, cursor: Option<Position>) -> Result<()> {
        self.select(path, cursor, None).await
    }

    /// Reports that the person has gone to a file and selected a text.
    pub async fn select(&self, path: &Path, cursor: Option<Position>, text: Option<&str>) -> Result<()> {
        let path = path.to_str().context("the path of a test's file is not UTF-8")?.to_owned();
        let active = Some(ActiveFile { path, cursor, anchor: None, selected_text: text.map(str::to_owned) });
        let report = ContextReport { active, ..ContextReport::default() };
        self.request(&Request::ChangeContext(report)).await.map(drop)
    }

    /// Waits until exactly so many agents have an open stream.
    pub async fn agents_listen(&self, number: usize) -> Result<()> {
        self.wait_status(&format!("{number} listening agents"), |status| {
            (status.agents.iter().filter(|agent| agent.listening).count() == number).then_some(())
        })
        .await
    }

    /// Waits until exactly so many agents are listed. After a crash of the companion, an agent is listed once
    /// its stream is open again, and counts as listening only after its next request.
    pub async fn agents_listed(&self, number: usize) -> Result<()> {
        self.wait_status(&format!("{number} agents"), |status| (status.agents.len() == number).then_some(()))
            .await
    }

    /// Sends a request, and waits for the reply.
    pub async fn request(&self, request: &Request) -> Result<Revised> {
        let answer = self.process.ask(serde_json::to_value(request)?).answer().await?;
        Ok(serde_json::from_value(answer)?)
    }

    /// Waits until the companion's status satisfies `probe`.
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

    /// Waits until the events so far satisfy `probe`.
    async fn wait<T>(&self, what: &str, probe: impl Fn(&[Event]) -> Option<T>) -> Result<T> {
        let desk_events = |events: &[Value]| {
            // Changes are skipped: they are large, and no test waits for one. The rig's own events have no
            // method.
            let is_awaited =
                |event: &&Value| event["event"].is_null() && event["method"] != "alongside/didChangeReview";
            let received = events.iter().filter(is_awaited);
            let received =
                received.map(|event| serde_json::from_value(event.clone()).expect("a desk's event"));
            probe(&received.collect::<Vec<_>>())
        };
        self.process.wait(what, desk_events).await
    }
}

fn closing(events: &[Event], id: ReviewId) -> Option<&Closed> {
    events.iter().find_map(|event| match event {
        Event::Closed(closed) if closed.id == id => Some(closed),
        _ => None,
    })
}
