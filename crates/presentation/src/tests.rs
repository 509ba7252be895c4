//! A plugin that only presents reviews, its relay, and a companion with one review.

use std::collections::{BTreeMap, VecDeque};

use alongside_desk::{
    Agent, Changed, Closed, Closing, Decision, Event, Grant, Hunk, HunkState, Refusal, Request, Review,
    ReviewId, Revised, Scope, Status, Text, replacement,
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

#[test]
fn a_review_comes_with_its_words_and_diff() {
    let stage = Stage::with("one\ntwo\n", "ONE\ntwo\n");
    let display = &stage.last("didOpenReview")["display"];
    assert_eq!(display["messages"], json!(["notes.md: Gemini CLI proposes 1 change"]));
    assert_eq!(display["title"], "notes.md (Gemini CLI, 1 change)");
    assert_eq!((&display["counts"], &display["states"]), (&json!("+1 -1"), &json!("1 kept")));
    assert_eq!((&display["obstacle"], &display["notes"]), (&json!(null), &json!([])));
    assert_eq!(display["diff"], json!(["@@ -1,2 +1,2 @@ change 1 of 1: kept\n-one\n+ONE\n two\n"]));
}

#[test]
fn lines_that_look_the_same_come_with_their_differences() {
    let stage = Stage::with("    one\ntwo\n", "\tone\ntwo\n");
    let display = &stage.last("didOpenReview")["display"];
    assert_eq!(display["hardToSee"], json!([{ "line": 0, "words": "a tab in place of blanks" }]));
}

#[test]
fn a_review_says_why_it_is_not_accepted_with_others() {
    let mut stage = Stage::with("one\ntwo\n", "ONE\ntwo\n");
    stage.set("one\ntwo\n");
    stage.run();
    assert_eq!(stage.last("didChangeReview")["display"]["obstacle"], "none of its changes is kept");
}

#[test]
fn files_of_one_name_are_told_apart() {
    let mut stage = Stage::with("one\n", "ONE\n");
    let other = Review { id: ReviewId(2), file: "/p/below/notes.md".into(), ..stage.review.clone() };
    stage.events.push_back(Event::Opened(other));
    stage.run();
    let display = &stage.last("didOpenReview")["display"];
    assert_eq!(display["messages"], json!(["below/notes.md: Gemini CLI proposes 1 change"]));
}

#[test]
fn the_line_names_an_agent_that_comes_by_its_hook() {
    let mut stage = Stage::with("one\n", "ONE\n");
    let connected = stage.review.agent.clone();
    let by_hook =
        |number, name: &str| Agent { number, name: name.into(), by_hook: true, ..connected.clone() };
    let line = |stage: &mut Stage, agents: &[&Agent], reviews| {
        let agents = agents.iter().copied().cloned().collect();
        stage.events.push_back(Event::Status(Status { agents, reviews, ..Status::default() }));
        stage.run();
        stage.last("didChangeStatus")["display"]["line"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(line(&mut stage, &[], 0), "no agent");
    assert_eq!(line(&mut stage, &[&connected], 2), "2 reviews");
    for (id, (agent, alone, beside)) in [
        (by_hook(7, "Co\u{1b}dex"), "Co\\x1bdex by its hook", "1 agent, Co\\x1bdex by its hook"),
        (by_hook(8, "Claude Code"), "2 agents by their hooks", "1 agent, 2 agents by their hooks"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = ReviewId(id as u64 + 2);
        let review = Review { id, agent, ..stage.review.clone() };
        let closed = Closed { decided_here: true, ..Closed::of(id, Closing::Accepted) };
        stage.events.extend([Event::Opened(review), Event::Closed(closed)]);
        assert_eq!(line(&mut stage, &[], 0), alone);
        assert_eq!(line(&mut stage, &[&connected], 0), beside);
        assert_eq!(line(&mut stage, &[], 1), "1 review", "those come first");
    }
}

#[test]
fn places_that_are_accepted_ahead_are_named_within_the_project() {
    let mut stage = Stage::with("one\n", "ONE\n");
    let [file, folder, project] =
        [("/p/a.md", Scope::File), ("/p/docs", Scope::Folder), ("/p", Scope::Folder)]
            .map(|(path, scope)| Grant { agent: "Codex".into(), path: path.into(), scope });
    let (roots, grants) = (vec!["/p".into()], vec![file, folder, project]);
    stage.events.push_back(Event::Status(Status { roots, grants, ..Status::default() }));
    stage.run();
    let display = &stage.last("didChangeStatus")["display"];
    assert_eq!(display["granted"], json!(["a.md", "docs/", "the whole project"]));
}

#[test]
fn a_text_is_set_and_the_answer_names_the_revision() {
    let mut stage = Stage::with("one\ntwo\n", "ONE\ntwo\n");
    let id = stage.send(1, "ONE\ntyped\n");
    stage.run();
    let told = stage.last("didChangeReview");
    assert_eq!(told["replacement"], json!({ "lines": { "start": 1, "end": 2 }, "text": "typed\n" }));
    assert_eq!(told["display"]["messages"], json!([]), "the person knows what they typed");
    assert_eq!(stage.answers[&id], (stage.heard.len(), Ok(2)), "the answer comes after the event");
    assert_eq!((&*stage.review.current, &*stage.newest.0), ("ONE\ntyped\n", "ONE\ntyped\n"));
}

#[test]
fn a_text_is_merged_with_the_changes_of_other_desks() {
    let mut stage = Stage::with("one\ntwo\nthree\n", "ONE\ntwo\nthree\n");
    stage.set("ONE\ntwo\nTHREE there\n");
    // The plugin has not received that change.
    let id = stage.send(1, "ONE here\ntwo\nthree\n");
    stage.run();
    let both = "ONE here\ntwo\nTHREE there\n";
    assert_eq!((stage.answer(id), &*stage.newest.0), (Ok(3), both));
    assert_eq!(&*stage.review.current, both);
    // Based on the same revision still, the plugin types more before it shows the merged text.
    let id = stage.send(1, "ONE here!\ntwo\nthree\n");
    stage.run();
    let both = "ONE here!\ntwo\nTHREE there\n";
    assert_eq!((stage.answer(id), &*stage.newest.0), (Ok(4), both));
    stage.set("ONE elsewhere\n");
    stage.run();
    assert_eq!(*stage.said(), json!(["notes.md: changed at another desk; this is how it stands now."]));
    assert_eq!(stage.newest.0, "ONE elsewhere\n");
}

#[test]
fn what_is_typed_before_the_answer_counts_from_the_text_that_was_sent() {
    for is_answered in [true, false] {
        let mut stage = Stage::with("one\ntwo\nthree\n", "ONE\ntwo\nthree\n");
        stage.set("ONE\ntwo\nTHREE there\n");
        stage.send(1, "ONE typed\ntwo\nthree\n");
        if is_answered {
            stage.run();
        }
        // The plugin has shown nothing of the other desk, and the person has undone.
        let id = stage.send(1, "ONE\ntwo\nthree\n");
        stage.run();
        assert!(stage.answer(id).is_ok());
        assert_eq!(&*stage.review.current, "ONE\ntwo\nTHREE there\n", "answered: {is_answered}");
    }
}

#[test]
fn a_person_may_type_on_and_on_before_the_plugin_shows_another_desk() {
    let mut stage = Stage::with("one\ntwo\n", "one\ntwo\n");
    stage.set("one\nTWO there\n");
    for count in 1..200 {
        let id = stage.send(1, &format!("{}\ntwo\n", "x".repeat(count)));
        stage.run();
        assert!(stage.answer(id).is_ok(), "{count}");
    }
    assert_eq!(*stage.review.current, *format!("{}\nTWO there\n", "x".repeat(199)));
}

#[test]
fn a_change_that_the_person_made_here_is_no_news() {
    let mut stage = Stage::with("one\n", "ONE\n");
    let keep = Request::KeepHunks { id: ReviewId(1), revision: 1, hunks: vec![0], keep: false };
    stage.presentation.on_plugin_request(&1, &keep);
    stage.calls.push_back(Effect::PassOn(Some(1), keep));
    stage.run();
    assert_eq!(*stage.said(), json!([]));
    stage.set("two\n");
    stage.run();
    assert_ne!(*stage.said(), json!([]), "the answer has come");
}

#[test]
fn a_decision_is_made_on_the_text_that_the_person_sees() {
    let mut stage = Stage::with("one\n", "ONE\n");
    stage.set("ONE there\ntoo\n");
    let id = stage.accept(1, "ONE\nhere\n");
    stage.run();
    assert!(matches!(stage.answer(id), Err(Refusal::Stale { .. })));
    assert_eq!(*stage.newest.0, *stage.review.current);
    assert_eq!(stage.decided, None, "the person has not seen the merged text");

    let (revision, seen) = (stage.review.revision, stage.review.current.to_string() + "seen\n");
    let id = stage.accept(revision, &seen);
    stage.run();
    assert_eq!(stage.decided, Some((revision + 1, Decision::Accept)));
    assert_eq!(*stage.review.current, *seen);
    assert!(stage.answer(id).is_ok());
    let said = &stage.last("didCloseReview")["display"]["messages"];
    assert_eq!(*said, json!(["notes.md: accepted; Gemini CLI writes it."]));
}

#[test]
fn a_file_that_has_changed_is_accepted_only_by_who_knows() {
    let mut stage = Stage::with("one\n", "ONE\n");
    stage.review.stale = true;
    stage.set("ONE\n");
    stage.run();
    let id = stage.accept(1, "ONE\n");
    stage.run();
    assert_eq!((stage.answer(id), stage.decided), (Err(Refusal::Stale { revision: 2 }), None));
    stage.accept(2, "ONE\n");
    stage.run();
    assert_eq!(stage.decided, Some((2, Decision::Accept)));
}

#[test]
fn a_text_that_nobody_edited_is_accepted_byte_for_byte() {
    for (original, proposed) in [("one\ntwo\r\n", "ONE\r\ntwo\r\n"), ("one\r\ntwo\r\n", "ONE\r\ntwo\r\n")] {
        let mut stage = Stage::with(original, proposed);
        stage.set("one\ntwo\r\n");
        stage.run();
        let shown = stage.newest.0.clone();
        stage.accept(2, &shown);
        stage.run();
        assert_eq!((stage.decided, &*stage.review.current), (Some((2, Decision::Accept)), "one\ntwo\r\n"));
    }
}

#[test]
fn texts_have_no_mark_and_plain_line_ends_in_the_editor_only() {
    let mut stage = Stage::with("\u{feff}one\r\ntwo\r\n", "\u{feff}ONE\r\ntwo\r\n");
    let told = stage.last("didOpenReview");
    assert_eq!((&told["current"], &told["original"]), (&json!("ONE\ntwo\n"), &json!("one\ntwo\n")));
    let id = stage.send(1, "ONE\ntwo\nthree\n");
    stage.run();
    assert_eq!((stage.answer(id), &*stage.newest.0), (Ok(2), "ONE\ntwo\nthree\n"));
    assert_eq!(&*stage.review.current, "\u{feff}ONE\r\ntwo\r\nthree\r\n");
}

#[test]
fn a_flush_waits_for_the_last_text() {
    let mut stage = Stage::with("one\n", "ONE\n");
    stage.send(1, "typed\n");
    assert!(matches!(stage.calls.front(), Some(Effect::SendText(..))) && stage.calls.len() == 1);
    assert_eq!(stage.presentation.on_flushed(ReviewId(1)), [], "the text is on its way");
    stage.run();
    assert!(stage.flushed && &*stage.review.current == "typed\n");
}

#[test]
fn a_flush_after_a_decision_is_answered() {
    let mut stage = Stage::with("one\n", "ONE\n");
    stage.accept(1, "ONE\n");
    let effects = stage.presentation.on_flushed(ReviewId(1));
    stage.relay(effects);
    stage.run();
    assert!(stage.flushed && stage.decided.is_some());
}

#[test]
fn a_text_for_an_ended_review_or_an_unknown_revision_is_refused() {
    let mut stage = Stage::with("one\n", "ONE\n");
    for (revision, from) in [(9, 1), (1, 9)] {
        let params = json!({ "id": 1, "revision": revision, "from": from, "replacement": null });
        let id = stage.ask("alongside/setReviewText", &params);
        stage.run();
        assert_eq!(stage.answer(id), Err(Refusal::Stale { revision: 1 }));
    }
    let id = stage.ask("alongside/setReviewText", &json!({ "id": 7, "revision": 1, "from": 1 }));
    stage.run();
    assert_eq!(stage.answer(id), Err(Refusal::NoSuchReview));
    assert!(TextParams::read("alongside/setReviewText", &json!({ "id": 1, "from": "5" })).unwrap().is_err());
    assert!(TextParams::read("alongside/decideReview", &json!({ "id": 1, "revision": 1 })).is_none());
    let older = json!({ "id": 1, "revision": 1, "text": "typed", "decision": "accept" });
    assert!(TextParams::read("alongside/decideReview", &older).unwrap().is_err(), "no text is left out");
}

#[test]
fn a_plugin_that_shows_texts_side_by_side_gets_them_exact_with_the_words() {
    let mut stage = Stage::of_exact_texts("\u{feff}one\r\ntwo\r\n", "\u{feff}ONE\r\ntwo\r\n");
    let told = stage.last("didOpenReview");
    assert_eq!(told["current"], "\u{feff}ONE\r\ntwo\r\n");
    assert_eq!(
        (&told["display"]["name"], &told["display"]["size"]),
        (&json!("notes.md"), &json!("1 change"))
    );
    assert_eq!(told["display"]["messages"], json!(["notes.md: Gemini CLI proposes 1 change"]));
    assert_eq!(told["display"].get("diff"), None, "the plugin shows the texts");
    stage.review.stale = true;
    stage.set("\u{feff}two\r\n");
    stage.run();
    let told = stage.last("didChangeReview");
    let replacement = json!({ "lines": { "start": 0, "end": 2 }, "text": "\u{feff}two\r\n" });
    assert_eq!(told["replacement"], replacement);
    let stale = "The file changed on disk; accepting undoes that change.";
    let note = json!({ "text": stale, "brief": "changed on disk", "warning": true });
    assert_eq!(told["display"]["notes"], json!([note]));
}

#[test]
fn exact_texts_are_merged_byte_for_byte() {
    let mut stage = Stage::of_exact_texts("\u{feff}one\r\ntwo\r\n", "\u{feff}ONE\r\ntwo\r\n");
    stage.set("\u{feff}ONE\r\ntwo there");
    // In the editor there is no mark any more, and another line end.
    let id = stage.send(1, "ONE\ntwo\r\n");
    stage.run();
    assert_eq!((stage.answer(id), &*stage.newest.0), (Ok(3), "ONE\ntwo there"));
    assert_eq!(&*stage.review.current, "ONE\ntwo there");
}

#[test]
fn a_plugin_that_shows_texts_side_by_side_gets_what_one_does_not_see_there() {
    let mut stage = Stage::of_exact_texts("    one\ntwo\n", "\tone\ntwo\n");
    let range = |end: u32| {
        let at = |character: u32| json!({ "line": 0, "character": character });
        json!([{ "start": at(0), "end": at(end) }])
    };
    let unseen = "Hard to see: a tab in place of blanks.";
    let blanks = json!({ "removed": range(4), "added": range(1) });
    let display = &stage.last("didOpenReview")["display"];
    assert_eq!(display["hunks"], json!([{ "hunk": 0, "unseen": unseen, "blanks": blanks }]));
    assert_eq!((&display["unseen"], &display["empties"]), (&json!(unseen), &json!(false)));

    stage.review.hunks[0].state = HunkState::Dropped;
    stage.set("    one\ntwo\n");
    stage.run();
    let display = &stage.last("didChangeReview")["display"];
    assert_eq!((&display["hunks"], &display["unseen"]), (&json!([]), &Value::Null), "it is not written");

    stage.review.hunks[0].state = HunkState::Edited;
    stage.review.hunks[0].current = (0..3).into();
    stage.set("more\n    one\nmore\ntwo\n");
    stage.run();
    let display = &stage.last("didChangeReview")["display"];
    assert_eq!(display["hunks"], json!([{ "hunk": 0, "differs": [0, 2] }]));
    stage.set("");
    stage.run();
    assert_eq!(stage.last("didChangeReview")["display"]["empties"], true);

    let review = Review { remark: Some("It goes.".into()), ..stage.review.clone() };
    stage.events.push_back(Event::Opened(review));
    stage.run();
    assert_eq!(stage.last("didOpenReview")["display"]["empties"], false, "the remark says so");
}

#[test]
fn a_long_edited_hunk_is_not_compared_at_each_key() {
    let mut stage = Stage::of_exact_texts("one\n", "two\n");
    for (lines, is_compared) in [(1000, true), (1001, false)] {
        stage.review.hunks[0].state = HunkState::Edited;
        stage.review.hunks[0].current = (0..lines).into();
        stage.set(&"typed\n".repeat(lines));
        stage.run();
        let hunks = &stage.last("didChangeReview")["display"]["hunks"];
        assert_eq!(hunks[0]["differs"].is_array(), is_compared, "{lines}");
    }
}

#[test]
fn the_places_in_a_hunk_follow_it_down_the_text() {
    let mut stage = Stage::of_exact_texts("x\n    one\n", "x\n\tone\n");
    stage.review.hunks[0] =
        Hunk { original: (1..2).into(), proposed: (1..2).into(), current: (3..4).into(), ..Hunk::default() };
    stage.set("a\nb\nx\n\tone\n");
    stage.run();
    let blanks = &stage.last("didChangeReview")["display"]["hunks"][0]["blanks"];
    assert_eq!(
        (&blanks["removed"][0]["start"]["line"], &blanks["added"][0]["start"]["line"]),
        (&json!(1), &json!(3))
    );
}
