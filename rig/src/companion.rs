//! A companion in a process of its own, under a test's control: what a person does at its desk, typed.

use std::ffi::OsString;
use std::path::Path;

use alongside_desk::{
    ActiveFile, Change, Closed, ContextReport, Decision, Event, Request, Review, ReviewId, Revised,
};
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::peer::{Peer, find};
use crate::sandbox::Sandbox;
use crate::tmux::Pane;

/// See the module; the program is `rig/src/bin/companion.rs`.
#[derive(Debug)]
pub struct CompanionProcess {
    peer: Peer,
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The token agents must send.
    pub token: String,
}

impl CompanionProcess {
    /// Starts `program` for the sandbox's project as a child. It keeps a journal, as an editor's host does.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn start(program: &str, sandbox: &Sandbox) -> Result<Self> {
        let mut command = sandbox.command(program);
        command.arg(options(sandbox));
        Self::over(Peer::spawn(sandbox, "companion", &mut command).await?)
    }

    /// Starts `program` in a terminal pane, by typing the command.
    ///
    /// # Errors
    /// When it does not start, or the pane is gone.
    pub async fn start_in_pane(program: &str, sandbox: &Sandbox, pane: &Pane) -> Result<Self> {
        let words = [OsString::from(program), options(sandbox).into()];
        Self::over(Peer::type_into(pane, sandbox, "companion", &words).await?)
    }

    fn over(peer: Peer) -> Result<Self> {
        let history = peer.history();
        let ready = find(&history, "ready").context("a companion that is ready says so")?;
        let port = ready["port"].as_u64().and_then(|port| u16::try_from(port).ok());
        let token = ready["token"].as_str().map(str::to_owned);
        Ok(Self { port: port.context("no port")?, token: token.context("no token")?, peer })
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
    pub async fn focus(&self, path: &Path, cursor: Option<alongside_desk::Position>) -> Result<()> {
        let path = path.to_str().context("tests name files in UTF-8")?.to_owned();
        let active = Some(ActiveFile { path, cursor, selected_text: None });
        let report = ContextReport { active, ..ContextReport::default() };
        self.request(&Request::ChangeContext(report)).await.map(drop)
    }

    /// Waits until that many agents are connected and listen to their streams.
    ///
    /// # Errors
    /// At the deadline.
    pub async fn agents_listen(&self, number: usize) -> Result<()> {
        self.wait(&format!("{number} listening agents"), |events| {
            let status = events.iter().rev().find_map(|event| match event {
                Event::Status(status) => Some(status),
                _ => None,
            })?;
            (status.agents.iter().filter(|agent| agent.listening).count() == number).then_some(())
        })
        .await
    }

    /// Any request of a desk.
    ///
    /// # Errors
    /// The companion's refusal.
    pub async fn request(&self, request: &Request) -> Result<Revised> {
        let answer = self.peer.ask(json!({ "request": request })).answer().await?;
        Ok(serde_json::from_value(answer)?)
    }

    /// Stops it properly.
    ///
    /// # Errors
    /// When it does not end.
    pub async fn stop(self) -> Result<()> {
        self.peer.ask(json!({ "cmd": "stop" })).answer().await.map(drop)
    }

    /// Ends it without warning (`kill -9`), as a crash does.
    ///
    /// # Errors
    /// When it has ended already.
    pub async fn kill(self) -> Result<()> {
        self.peer.kill().await
    }

    async fn decide(&self, id: ReviewId, revision: u64, decision: Decision) -> Result<()> {
        self.request(&Request::DecideReview { id, revision, decision }).await.map(drop)
    }

    /// Waits on all the desk has been told so far.
    async fn wait<T>(&self, what: &str, probe: impl Fn(&[Event]) -> Option<T>) -> Result<T> {
        let told = |events: &[Value]| {
            let told = events.iter().filter(|event| event["event"] == "desk");
            let told =
                told.map(|event| serde_json::from_value(event["message"].clone()).expect("a desk's event"));
            probe(&told.collect::<Vec<_>>())
        };
        self.peer.wait(what, told).await
    }
}

fn options(sandbox: &Sandbox) -> String {
    json!({ "roots": [sandbox.project()], "journal": true }).to_string()
}

fn closing(events: &[Event], id: ReviewId) -> Option<&Closed> {
    events.iter().find_map(|event| match event {
        Event::Closed(closed) if closed.id == id => Some(closed),
        _ => None,
    })
}
