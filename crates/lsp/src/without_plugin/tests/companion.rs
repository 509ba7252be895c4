//! A companion with one review, as strict about revisions as the real one but with simpler hunks; and the
//! messages to the editor in a form for assertions.

use std::sync::Arc;

use alongside_desk::{
    Agent, Changed, Closed, Closing, Decision, Event, Hunk, HunkState, Lines, Refusal, Review, ReviewId,
    Revised, Text, replacement,
};
use alongside_presentation::differences;

use super::*;

pub(super) struct Companion {
    pub(super) review: Review,
    pub(super) decided: Option<Decision>,
    pub(super) flushed: bool,
    pub(super) edits: usize,
    told: (Arc<str>, u64),
    undo: Vec<Arc<str>>,
    redo: Vec<Arc<str>>,
}

impl Companion {
    /// Proposes a change of an open file in the project.
    pub(super) async fn proposes(stage: &mut Stage, file: &str, original: &str, proposed: &str) -> Self {
        let agent = Agent { number: 1, name: "Gemini CLI".into(), listening: true, ..Agent::default() };
        let file = stage.path(file).to_str().unwrap().to_owned();
        Self::opens(stage, Self::review(1, agent, file, original, proposed)).await
    }

    /// Proposes a change of another file, or by another agent.
    pub(super) async fn also_proposes(
        stage: &mut Stage,
        agent: Agent,
        file: &str,
        original: &str,
        proposed: &str,
    ) -> Self {
        let file = stage.path(file).to_str().unwrap().to_owned();
        Self::opens(stage, Self::review(2, agent, file, original, proposed)).await
    }

    pub(super) fn review(id: u64, agent: Agent, file: String, original: &str, proposed: &str) -> Review {
        let mut review = Review {
            id: ReviewId(id),
            agent,
            file,
            original: Some(original.into()),
            proposed: proposed.into(),
            current: proposed.into(),
            revision: 1,
            ..Review::default()
        };
        review.hunks = hunks(&review);
        review
    }

    /// Opens a review at the desk, and serves it.
    pub(super) async fn opens(stage: &mut Stage, review: Review) -> Self {
        stage.seat.events.send(Event::Opened(review.clone())).unwrap();
        let told = (review.current.clone(), review.revision);
        let (undo, redo) = Default::default();
        let mut companion = Self { review, decided: None, flushed: false, edits: 0, told, undo, redo };
        companion.serve(stage).await;
        companion
    }

    /// Changes the review as another desk does, or the file.
    pub(super) fn change(&mut self, stage: &Stage, change: impl FnOnce(&mut Review)) {
        self.undo.push(self.review.current.clone());
        self.redo.clear();
        self.revise(stage, change);
    }

    fn revise(&mut self, stage: &Stage, change: impl FnOnce(&mut Review)) {
        change(&mut self.review);
        self.review.revision += 1;
        self.review.hunks = hunks(&self.review);
        self.tell(stage);
    }

    fn tell(&mut self, stage: &Stage) {
        let (text, from) =
            std::mem::replace(&mut self.told, (self.review.current.clone(), self.review.revision));
        let changes = replacement(&text, &self.review.current).into_iter().collect();
        let Review { id, revision, hunks, stale, dirty, .. } = self.review.clone();
        let changed = Changed { id, from, revision, changes, hunks, stale, dirty, ..Changed::default() };
        stage.seat.events.send(Event::Changed(changed)).unwrap();
    }

    pub(super) fn close(&self, stage: &Stage, closing: Closing, decided_here: bool) {
        let closed = Closed { decided_here, ..Closed::of(self.review.id, closing) };
        stage.seat.events.send(Event::Closed(closed)).unwrap();
    }

    fn carry_out(&mut self, stage: &Stage, request: Request) -> Result<Revised, Refusal> {
        let now = self.review.revision;
        let on = |revision: u64| if revision == now { Ok(()) } else { Err(Refusal::Stale { revision: now }) };
        match request {
            Request::EditReview { revision, changes, .. } => {
                on(revision)?;
                if let Some(reason) = self.review.whole_file_only.clone() {
                    return Err(Refusal::WholeFileOnly { reason });
                }
                let text =
                    Text::new(self.review.current.clone()).changed(&changes).expect("edits are in the text");
                self.edits += 1;
                self.change(stage, |review| review.current = text.text().clone());
            }
            Request::KeepHunks { revision, hunks, keep, .. } => {
                on(revision)?;
                let mut text = String::new();
                let current = Text::new(self.review.current.clone());
                let other =
                    if keep { self.review.proposed.clone() } else { self.review.original.clone().unwrap() };
                let other = Text::new(other);
                let mut at = 0;
                for index in hunks {
                    let hunk = &self.review.hunks[index];
                    let from = if keep { hunk.proposed } else { hunk.original };
                    text += current.lines(at..hunk.current.start);
                    text += other.lines(from.start..from.end);
                    at = hunk.current.end;
                }
                text += current.lines(at..current.len());
                self.change(stage, |review| review.current = text.into());
            }
            Request::UndoReview { revision, .. } => {
                on(revision)?;
                let before = self.undo.pop().ok_or(Refusal::NothingToUndo)?;
                self.redo.push(self.review.current.clone());
                self.revise(stage, |review| review.current = before);
            }
            Request::RedoReview { revision, .. } => {
                on(revision)?;
                let after = self.redo.pop().ok_or(Refusal::NothingToRedo)?;
                self.undo.push(self.review.current.clone());
                self.revise(stage, |review| review.current = after);
            }
            Request::DecideReview { revision, decision, .. } => {
                on(revision)?;
                self.decided = Some(decision);
                let closing =
                    if decision == Decision::Accept { Closing::Accepted } else { Closing::Rejected };
                self.close(stage, closing, true);
            }
            Request::Flushed { .. } => self.flushed = true,
            _ => {}
        }
        Ok(Revised { revision: self.review.revision })
    }

    /// Serves the desk until no message is left.
    pub(super) async fn serve(&mut self, stage: &mut Stage) {
        loop {
            stage.hear().await;
            let Some(call) = stage.asked() else { return };
            let answer = self.carry_out(stage, call.request);
            let _ = call.answer.send(answer);
        }
    }
}

/// Returns the hunks of a review.
fn hunks(review: &Review) -> Vec<Hunk> {
    let lines = Lines::from;
    let [original, proposed, current] = review.texts();
    let proposal = differences(&original, &proposed);
    let mut hunks: Vec<Hunk> = Vec::new();
    for (old, new) in differences(&original, &current) {
        let same = proposal.iter().find(|(place, text)| {
            *place == old && proposed.lines(text.clone()) == current.lines(new.clone())
        });
        let state = if same.is_some() { HunkState::Kept } else { HunkState::Edited };
        let there = same.or_else(|| proposal.iter().find(|(place, _)| *place == old));
        let proposed = there.map_or(lines(0..0), |(_, text)| lines(text.clone()));
        let (original, current) = (lines(old), lines(new));
        hunks.push(Hunk { original, proposed, current, state, ..Hunk::default() });
    }
    for (old, new) in proposal {
        let touches = |hunk: &Hunk| hunk.original.start <= old.end && old.start <= hunk.original.end;
        if !hunks.iter().any(touches) {
            let before = hunks.iter().filter(|hunk| hunk.original.end <= old.start);
            let shift: isize =
                before.map(|hunk| hunk.current.len() as isize - hunk.original.len() as isize).sum();
            let at = |line: usize| line.checked_add_signed(shift).unwrap();
            let current = lines(at(old.start)..at(old.end));
            let (original, proposed, state) = (lines(old), lines(new), HunkState::Dropped);
            hunks.push(Hunk { original, proposed, current, state, ..Hunk::default() });
        }
    }
    hunks.sort_by_key(|hunk| hunk.original.start);
    hunks
}

/// The new messages to the editor.
pub(super) struct Sent(pub(super) Vec<Message>);

impl Sent {
    /// Returns the parameters of every message with a method.
    pub(super) fn all(&self, method: &str) -> Vec<&Value> {
        let all = self.0.iter().filter_map(|message| match message {
            Message::Notification(told) if told.method == method => Some(&told.params),
            Message::Request(asked) if asked.method == method => Some(&asked.params),
            _ => None,
        });
        all.collect()
    }

    /// Returns the parameters of the only message with a method.
    pub(super) fn one(&self, method: &str) -> &Value {
        match self.all(method).as_slice() {
            [one] => one,
            other => panic!("{} of {method}: {:?}", other.len(), self.0),
        }
    }

    /// Returns all messages that the person sees.
    pub(super) fn said(&self) -> String {
        let said = self.all("window/showMessage").into_iter();
        said.map(|said| said["message"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the id of a request to the editor.
    pub(super) fn number(&self, method: &str) -> RequestId {
        let found = self.0.iter().find_map(|message| match message {
            Message::Request(asked) if asked.method == method => Some(asked.id.clone()),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("{method} was not asked"))
    }

    /// Returns the result of the last request that was answered.
    pub(super) fn result(&self) -> &Value {
        let result = self.0.iter().rev().find_map(|message| match message {
            Message::Response(response) => response.response_result.as_ref().ok(),
            _ => None,
        });
        result.expect("a request was answered")
    }

    /// Returns the last marks of a document.
    pub(super) fn marks(&self, uri: &str) -> Vec<String> {
        let mut all = self.all("textDocument/publishDiagnostics").into_iter();
        let last = all.rfind(|marks| marks["uri"] == uri).unwrap_or_else(|| panic!("{uri} was not marked"));
        let mark = |mark: &Value| {
            format!("{} {}", mark["range"]["start"]["line"], mark["message"].as_str().unwrap())
        };
        last["diagnostics"].as_array().unwrap().iter().map(mark).collect()
    }
}

impl Stage {
    pub(super) fn seen(&self) -> Sent {
        Sent(self.sent())
    }

    /// Answers a question as the editor does.
    pub(super) fn reply(&mut self, number: &RequestId, result: Value) {
        let number = self.io.take_question(number).expect("it was asked");
        self.desk.handle_response(&mut self.io, number, Some(result));
    }

    /// Returns the titles of the actions at a line of a document.
    pub(super) fn titles(&mut self, uri: &str, line: u32) -> Vec<String> {
        let actions = self.offered(uri, line);
        actions.iter().map(|action| action["title"].as_str().unwrap().to_owned()).collect()
    }

    fn offered(&mut self, uri: &str, line: u32) -> Vec<Value> {
        let params =
            json!({"textDocument": {"uri": uri}, "range": range((line, 0), (line, 0)), "context": {}});
        self.ask("textDocument/codeAction", params);
        self.seen().result().as_array().unwrap().clone()
    }

    /// Chooses an action by what its title begins with.
    pub(super) fn choose(&mut self, uri: &str, line: u32, title: &str) {
        let actions = self.offered(uri, line);
        let chosen = actions.iter().find(|action| action["title"].as_str().unwrap().starts_with(title));
        let chosen = chosen.unwrap_or_else(|| panic!("{title} is not among {actions:?}"));
        self.command(chosen["command"].clone());
    }

    /// Runs a command.
    pub(super) fn command(&mut self, command: Value) {
        let params = json!({"command": command["command"], "arguments": command["arguments"]});
        assert!(self.ask("workspace/executeCommand", params));
    }
}
