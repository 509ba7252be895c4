//! A desk: the list of a turn review and its open files, as the desk has received them.

use std::collections::BTreeMap;

use alongside_desk::{Desk as DeskConnection, Event, Refusal, Request, Review, Revised, Turn, TurnFinished};
use anyhow::{Context as _, Result, ensure};

/// The number of attempts if the list changes meanwhile.
const MAX_ATTEMPTS: usize = 20;

pub(super) struct Desk {
    connection: DeskConnection,
    turn: Option<Turn>,
    /// The open files by their path in the list.
    opened: BTreeMap<String, Review>,
    finished: Option<TurnFinished>,
}

impl Desk {
    pub(super) fn new(connection: DeskConnection) -> Self {
        Self { connection, turn: None, opened: BTreeMap::new(), finished: None }
    }

    /// Returns the newest list.
    pub(super) fn turn(&self) -> Result<&Turn> {
        self.turn.as_ref().context("no list has come")
    }

    /// Returns the texts of a file, if it is open.
    pub(super) fn text(&self, path: &str) -> Option<&Review> {
        self.opened.get(path)
    }

    pub(super) async fn look(&mut self) -> Result<()> {
        self.ask(Request::ReviewTurn { directory: None, since: None })
            .await?
            .context("the list of changes was refused")?;
        Ok(())
    }

    /// Opens a file of the list. Returns its texts, or the refusal for a file without texts.
    pub(super) async fn open(&mut self, path: &str) -> Result<Result<Review, Refusal>> {
        let opened = self
            .request_for(path, |turn, revision, file| Request::OpenTurnFile { turn, revision, file })
            .await?;
        Ok(match opened {
            Ok(()) => Ok(self.opened.get(path).context("the opened file has not come")?.clone()),
            Err(refusal) => Err(refusal),
        })
    }

    pub(super) async fn mark(&mut self, path: &str, undo: bool) -> Result<()> {
        let marked = self
            .request_for(path, |turn, revision, file| Request::MarkTurnFile { turn, revision, file, undo })
            .await?;
        marked.with_context(|| format!("a mark of {path}"))
    }

    /// Marks hunks of an open file, or with `keep` removes the marks.
    pub(super) async fn keep(&mut self, path: &str, hunks: Vec<usize>, keep: bool) -> Result<()> {
        let Review { id, revision, .. } = *self.text(path).with_context(|| format!("{path} is not open"))?;
        self.ask(Request::KeepHunks { id, revision, hunks, keep })
            .await?
            .with_context(|| format!("cannot mark hunks of {path}"))?;
        Ok(())
    }

    /// Splits a hunk, if that is possible.
    pub(super) async fn split(&mut self, path: &str, hunk: usize) -> Result<()> {
        let Review { id, revision, .. } = *self.text(path).with_context(|| format!("{path} is not open"))?;
        match self.ask(Request::split(id, revision, hunk)).await? {
            Ok(_) | Err(Refusal::CannotSplit) => Ok(()),
            Err(refusal) => Err(refusal).with_context(|| format!("cannot split a hunk of {path}")),
        }
    }

    /// Undoes the last mark, and redoes it.
    pub(super) async fn undo_and_redo(&mut self, path: &str) -> Result<()> {
        for redo in [false, true] {
            let Review { id, revision, .. } =
                *self.text(path).with_context(|| format!("{path} is not open"))?;
            let request = match redo {
                true => Request::RedoReview { id, revision },
                false => Request::UndoReview { id, revision },
            };
            self.ask(request).await?.context("cannot undo or redo a mark")?;
        }
        Ok(())
    }

    /// Finishes the turn review with the newest list; `None` if the list has changed meanwhile.
    pub(super) async fn finish(&mut self, ask_to_undo: bool) -> Result<Option<TurnFinished>> {
        self.finished = None;
        let Turn { id, revision, .. } = *self.turn()?;
        let request = Request::FinishTurn { turn: id, revision, send: false, ask_to_undo };
        match self.ask(request).await? {
            Err(Refusal::NoSuchTurn) => Ok(None),
            answer => {
                answer.context("the finish was refused")?;
                self.finished.take().context("the end of the turn review has not come").map(Some)
            }
        }
    }

    /// Returns the paths of the open files.
    pub(super) fn open_files(&self) -> Vec<String> {
        self.opened.keys().cloned().collect()
    }

    /// Handles all messages that have arrived.
    pub(super) fn receive(&mut self) -> Result<()> {
        while let Some(event) = self.connection.try_next() {
            match event {
                Event::Turn(turn) => {
                    let is_listed = |path: &String| turn.files.iter().any(|file| file.path == *path);
                    self.opened.retain(|path, _| is_listed(path));
                    self.turn = Some(turn);
                }
                Event::TurnFile(opened) => {
                    let turn = self.turn.as_ref().context("a file came before its list")?;
                    ensure!(turn.revision == opened.revision, "a file of another list");
                    let file = turn.files.get(opened.file).context("the opened file is not in the list")?;
                    self.opened.insert(file.path.clone(), opened.review);
                }
                Event::Changed(changed) => {
                    if let Some(review) = self.opened.values_mut().find(|review| review.id == changed.id) {
                        review.take(changed).context("a change came out of order")?;
                    }
                }
                Event::TurnFinished(finished) => self.finished = Some(finished),
                _ => {}
            }
        }
        Ok(())
    }

    /// Sends a request about a file of the list. Repeats it if the list has changed meanwhile.
    async fn request_for(
        &mut self,
        path: &str,
        request: impl Fn(alongside_desk::TurnId, u64, usize) -> Request,
    ) -> Result<Result<(), Refusal>> {
        for _ in 0..MAX_ATTEMPTS {
            let Turn { id, revision, files, .. } = self.turn()?;
            let file = files.iter().position(|file| file.path == path);
            let file = file.with_context(|| format!("{path} is in the list"))?;
            match self.ask(request(*id, *revision, file)).await? {
                Err(Refusal::NoSuchTurn) => {}
                answer => return Ok(answer.map(drop)),
            }
        }
        anyhow::bail!("the list changes all the time")
    }

    async fn ask(&mut self, request: Request) -> Result<Result<Revised, Refusal>> {
        let answer = self.connection.request(request).await;
        self.receive()?;
        Ok(answer)
    }
}
