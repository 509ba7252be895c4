//! A plugin that only presents reviews, its relay, and a companion with one review.

mod decisions;
mod exact_texts;
mod texts;
mod words;

use std::collections::{BTreeMap, VecDeque};

use alongside_desk::{
    Agent, Changed, Closed, Closing, Decision, Event, Hunk, Refusal, Request, Review, ReviewId, Revised,
    Status, Text, replacement,
};
use serde_json::{Value, json};

use crate::{Effect, Presentation, Replacement, TextParams};

const FILE: &str = "/p/notes.md";

struct Stage {
    presentation: Presentation<u64>,
    /// Requests that the companion has not carried out.
    calls: VecDeque<Effect<u64>>,
    /// Events that the companion has not sent.
    events: VecDeque<Event>,
    review: Review,
    decided: Option<(u64, Decision)>,
    flushed: bool,
    /// The events that the plugin has received, and the answers to its requests, each with the number of
    /// events before it.
    heard: Vec<Value>,
    answers: BTreeMap<u64, (usize, Result<u64, Refusal>)>,
    /// The newest text that the plugin has, and its revision.
    newest: (String, u64),
    last: u64,
}

impl Stage {
    /// Returns a review of `proposed` for a file with `original`, told to the plugin.
    fn with(original: &str, proposed: &str) -> Self {
        Self::of(Presentation::default(), original, proposed)
    }

    /// As [`Self::with`], for a plugin that shows texts side by side.
    fn of_exact_texts(original: &str, proposed: &str) -> Self {
        Self::of(Presentation::of_exact_texts(), original, proposed)
    }

    fn of(presentation: Presentation<u64>, original: &str, proposed: &str) -> Self {
        let agent = Agent { number: 1, name: "Gemini CLI".into(), listening: true, ..Agent::default() };
        let line = (0..1).into();
        let hunk = Hunk { original: line, proposed: line, current: line, ..Hunk::default() };
        let review = Review {
            id: ReviewId(1),
            agent: agent.clone(),
            file: FILE.into(),
            original: Some(original.into()),
            proposed: proposed.into(),
            current: proposed.into(),
            revision: 1,
            hunks: vec![hunk],
            ..Review::default()
        };
        let status =
            Status { roots: vec!["/p".into()], agents: vec![agent], reviews: 1, ..Status::default() };
        let mut stage = Self {
            presentation,
            calls: VecDeque::new(),
            events: [Event::Status(status), Event::Opened(review.clone())].into(),
            review,
            decided: None,
            flushed: false,
            heard: Vec::new(),
            answers: BTreeMap::new(),
            newest: (String::new(), 0),
            last: 0,
        };
        stage.run();
        stage
    }

    /// Changes the text of the review, as any desk may do.
    fn set(&mut self, text: &str) {
        let changes = replacement(&self.review.current, text).into_iter().collect();
        let from = self.review.revision;
        self.review.revision += 1;
        self.review.current = text.into();
        let Review { id, revision, hunks, stale, dirty, .. } = self.review.clone();
        let changed = Changed { id, from, revision, changes, hunks, stale, dirty, ..Changed::default() };
        self.events.push_back(Event::Changed(changed));
    }

    /// Plays the relay and the companion until nothing more happens. Events come before the reply to the
    /// request that caused them.
    fn run(&mut self) {
        self.tell();
        while let Some(call) = self.calls.pop_front() {
            match call {
                Effect::SendText(id, request) => {
                    let reply = self.carry_out(request);
                    self.tell();
                    let effects = self.presentation.on_text_reply(id, reply);
                    self.relay(effects);
                }
                Effect::PassOn(asker, request) => {
                    let reply = self.carry_out(request);
                    self.tell();
                    if let Some(asker) = asker {
                        self.presentation.on_request_reply(&asker);
                        self.relay(vec![Effect::Answer(asker, reply)]);
                    }
                }
                Effect::Tell(_) | Effect::Answer(..) => panic!("no call: {call:?}"),
            }
        }
    }

    fn tell(&mut self) {
        while let Some(event) = self.events.pop_front() {
            let effects = self.presentation.present(event);
            self.relay(effects);
            self.presentation.pack_texts();
        }
    }

    /// Plays the relay, and the plugin as it receives the messages.
    fn relay(&mut self, effects: Vec<Effect<u64>>) {
        for effect in effects {
            match effect {
                Effect::Tell(message) => {
                    let told = &message["params"];
                    if let Some(text) = told["current"].as_str() {
                        self.newest.0 = text.to_owned();
                    }
                    if let Ok(change) = serde_json::from_value::<Replacement>(told["replacement"].clone()) {
                        self.newest.0 = change.applied(&*self.newest.0);
                    }
                    self.newest.1 = told["revision"].as_u64().unwrap_or(self.newest.1);
                    assert!(told["changes"].is_null(), "those are of another form of the text");
                    self.heard.push(message);
                }
                Effect::Answer(id, reply) => {
                    let answer = (self.heard.len(), reply.map(|revised| revised.revision));
                    assert!(self.answers.insert(id, answer).is_none(), "answered twice");
                }
                call => self.calls.push_back(call),
            }
        }
    }

    fn carry_out(&mut self, request: Request) -> Result<Revised, Refusal> {
        let now = self.review.revision;
        match request {
            Request::EditReview { revision, .. } | Request::DecideReview { revision, .. }
                if revision != now =>
            {
                return Err(Refusal::Stale { revision: now });
            }
            Request::EditReview { changes, .. } => {
                let text = Text::new(self.review.current.clone()).changed(&changes).unwrap();
                self.set(text.text());
            }
            Request::DecideReview { revision, decision, .. } => {
                self.decided = Some((revision, decision));
                let closed = Closed { decided_here: true, ..Closed::of(self.review.id, Closing::Accepted) };
                self.events.push_back(Event::Closed(closed));
            }
            Request::KeepHunks { .. } => {
                let original = self.review.original.clone().unwrap();
                self.set(&original);
            }
            Request::Flushed { .. } => self.flushed = true,
            _ => {}
        }
        Ok(Revised { revision: self.review.revision })
    }

    /// Sends a request of the plugin with a text. Returns its number.
    fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let params = TextParams::read(method, params).expect("it has a text").unwrap();
        let effects = self.presentation.on_plugin_text(Some(self.last), &params);
        self.relay(effects);
        self.last
    }

    /// Sends this text of the plugin, which is based on the text of a revision.
    fn send(&mut self, revision: u64, text: &str) -> u64 {
        let params = self.params(revision, text);
        self.ask("alongside/setReviewText", &params)
    }

    fn accept(&mut self, revision: u64, text: &str) -> u64 {
        let mut params = self.params(revision, text);
        params["decision"] = "accept".into();
        self.ask("alongside/decideReview", &params)
    }

    fn params(&self, revision: u64, text: &str) -> Value {
        let (newest, from) = &self.newest;
        let replacement = Replacement::between(newest, text);
        json!({ "id": 1, "revision": revision, "from": from, "replacement": replacement })
    }

    /// Returns the parameters of the last notification of this method.
    fn last(&self, method: &str) -> &Value {
        let method = format!("alongside/{method}");
        let told = self.heard.iter().rfind(|message| message["method"] == method);
        told.map_or(&Value::Null, |message| &message["params"])
    }

    /// Returns the sentences of the last change.
    fn said(&self) -> &Value {
        &self.last("didChangeReview")["display"]["messages"]
    }

    /// Returns the answer to a request.
    fn answer(&self, id: u64) -> Result<u64, Refusal> {
        self.answers[&id].1.clone()
    }
}
