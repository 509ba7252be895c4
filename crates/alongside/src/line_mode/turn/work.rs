//! The person's work on a turn review: the requests to the companion. After each reply, the earlier events
//! are handled, so that the next line is about the printed state.

use std::ops::{ControlFlow, Range};

use alongside_desk::review_model::OpenReview;
use alongside_desk::{Comment, CommentId, Desk, Event, Gone, Refusal, Request, Turn, TurnFile, messages};
use alongside_terminal::DraftStore;

use super::comments::{self, About, CommentRefusal, Finish};
use super::reading::TurnReading;
use super::steps::{OwnStep, OwnSteps};
use super::unsent::{CommentPlace, TypedComment};
use super::walk::{Edge, Marking, Place, Reach, Step, Walk, Wish};
use super::{comment_words, words};
use crate::line_mode::due::Due;
use crate::line_mode::ending::Ending;
use crate::line_mode::find::{Search, first_change};
use crate::line_mode::line_reader::InputLine;
use crate::line_mode::prompts;
use crate::line_mode::undo::{self, first_difference};

/// The person's work on a turn review.
pub(super) struct TurnWork {
    desk: Desk,
    /// The request for the list.
    list_request: Request,
    reading: TurnReading,
    drafts: DraftStore,
    steps: OwnSteps,
    search: Search,
}

impl TurnWork {
    pub(super) fn new(desk: Desk, list_request: Request, reading: TurnReading, drafts: DraftStore) -> Self {
        let (steps, search) = (OwnSteps::default(), Search::default());
        Self { desk, list_request, reading, drafts, steps, search }
    }

    pub(super) fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }

    pub(super) fn reading(&mut self) -> &mut TurnReading {
        &mut self.reading
    }

    /// Returns futures for the next event of the companion and for the next line, which are cancel safe.
    pub(super) fn events(
        &mut self,
    ) -> (impl Future<Output = Result<Event, Gone>>, impl Future<Output = InputLine>) {
        (self.desk.next(), self.reading.input().next())
    }

    /// Handles an event of the companion.
    pub(super) fn take_event(&mut self, event: Event) {
        match event {
            // This desk has no unsent text, so the agent need not wait for one.
            Event::FlushReview { id } => drop(self.desk.send(Request::Flushed { id })),
            event => self.reading.take_event(event),
        }
    }

    /// Requests the list for the first time, and goes to the first file.
    pub(super) async fn begin(&mut self) -> ControlFlow<Ending> {
        let Some(turn) = self.request_list().await else { return ControlFlow::Break(Ending::Failed) };
        self.reading.begin(turn);
        if !comments::has_work(self.reading.walk().turn()) {
            return self.reading.leave(Ending::Done);
        }
        let first = self.reading.walk().first();
        self.go(first).await
    }

    /// Whether a turn review is the one that this desk has requested.
    fn is_requested(&self, turn: &Turn) -> bool {
        let Request::ReviewTurn { directory, since } = &self.list_request else { return false };
        turn.is_of(directory.as_deref(), since.as_deref())
    }

    /// Requests the list. Prints the reason if there is none.
    async fn request_list(&mut self) -> Option<Turn> {
        let answer = self.desk.request(self.list_request.clone()).await;
        let mut list = None;
        while let Some(event) = self.desk.try_next() {
            match event {
                Event::Turn(turn) if self.is_requested(&turn) => list = Some(turn),
                event => self.take_event(event),
            }
        }
        match answer {
            Ok(_) if list.is_some() => return list,
            Ok(_) => self.reading.say(words::NO_LIST),
            Err(refusal) => self.reading.say(&messages::refusal(&refusal)),
        }
        None
    }

    /// Sends a request. Prints a refusal, or requests the list again if the companion has another one.
    /// Returns whether the request succeeded.
    async fn ask(&mut self, request: Request) -> bool {
        let answer = self.desk.request(request).await;
        while let Some(event) = self.desk.try_next() {
            self.take_event(event);
        }
        let Err(refusal) = answer else { return true };
        if let Refusal::NoSuchTurn | Refusal::NoSuchReview = refusal
            && let Some(turn) = self.request_list().await
        {
            self.reading.begin_again(turn);
        } else {
            self.reading.say(&messages::refusal(&refusal));
            self.reading.mark_due(Due::Place);
        }
        false
    }

    /// Shows a list that has become another one, at the person's place in it.
    pub(super) async fn show_new_list(&mut self) -> ControlFlow<Ending> {
        if !self.reading.report_new_list() {
            return ControlFlow::Continue(());
        }
        let walk = self.reading.walk();
        let step = match walk.place() {
            _ if !comments::has_work(walk.turn()) => return self.reading.leave(Ending::Done),
            Place::End => Step::End,
            _ if walk.is_open() => {
                self.reading.mark_due(Due::Prompt);
                return ControlFlow::Continue(());
            }
            Place::Hunk(..) | Place::Whole(..) => Step::To(walk.file(), Edge::First),
        };
        self.go(step).await
    }

    /// Makes a step to another place, and shows the place.
    pub(super) async fn go(&mut self, step: Step) -> ControlFlow<Ending> {
        match step {
            Step::Within => self.reading.show_place(Due::Place),
            Step::Nowhere => self.reading.say(messages::FIRST_CHANGE),
            Step::To(file, edge) => self.open(file, edge).await,
            Step::End => return self.reading.show_end(),
        }
        ControlFlow::Continue(())
    }

    /// Opens a file, and shows it.
    async fn open(&mut self, file: usize, edge: Edge) {
        self.open_texts(file).await;
        self.reading.walk().go_to_edge(edge);
        self.reading.show_place(Due::Review);
    }

    /// Goes to a file, and requests its texts if they can be shown. Returns false if the request was refused.
    async fn open_texts(&mut self, file: usize) -> bool {
        let walk = self.reading.walk();
        walk.go_to_file(file);
        let (turn, revision) = (walk.turn().id, walk.turn().revision);
        !walk.has_text() || self.ask(Request::OpenTurnFile { turn, revision, file }).await
    }

    /// Marks these changes or removes their marks, and goes to the next change after them.
    pub(super) async fn mark(&mut self, reach: Reach, wish: Wish) -> ControlFlow<Ending> {
        let (marking, changes) = self.reading.walk().marking(reach, wish);
        if !self.carry_out(marking).await {
            return ControlFlow::Continue(());
        }
        if changes > 1 {
            self.reading.say(&words::rest_marked(changes, wish));
        }
        let walk = self.reading.walk();
        let next = match reach {
            Reach::Change => walk.next(),
            Reach::Rest | Reach::File => walk.next_file(),
        };
        self.go(next).await
    }

    /// Marks each file from the person's file on that is news and has no mark.
    pub(super) async fn mark_files(&mut self) {
        let paths = self.reading.walk().rest_without_mark();
        let (marked, is_refused) = self.set_marks(paths, true).await;
        if !(is_refused && marked.is_empty()) {
            self.reading.say(&words::files_marked(marked.len()));
        }
        if !marked.is_empty() {
            self.steps.add(OwnStep::Files(marked));
        }
    }

    /// Marks these files or removes their marks, up to a refusal. Returns the changed files, and whether a
    /// file was refused.
    async fn set_marks(&mut self, paths: Vec<String>, undo: bool) -> (Vec<String>, bool) {
        let mut done = Vec::new();
        for path in paths {
            let turn = self.reading.walk().turn();
            let is_to_change = |file: &TurnFile| file.path == path && file.marked.is_nothing() == undo;
            let Some(file) = turn.files.iter().position(is_to_change) else { continue };
            let request = Request::MarkTurnFile { turn: turn.id, revision: turn.revision, file, undo };
            if !self.ask(request).await {
                return (done, true);
            }
            done.push(path);
        }
        (done, false)
    }

    /// Carries out an action on marks. Returns whether the marks are as the person wishes.
    async fn carry_out(&mut self, marking: Marking) -> bool {
        match marking {
            Marking::Unchanged => return true,
            Marking::Ask(request) => return self.take_own_step(request).await,
            Marking::Impossible => {
                let answer = words::no_undo(self.reading.walk());
                self.reading.say(&answer);
            }
        }
        false
    }

    /// Sends a request about the person's file, and stores it as a step that can be undone. Returns whether
    /// the request succeeded.
    async fn take_own_step(&mut self, request: Request) -> bool {
        let walk = self.reading.walk();
        let path = walk.turn().files.get(walk.file()).map(|file| file.path.clone());
        let marked = match request {
            Request::MarkTurnFile { undo, .. } if !walk.is_open() => Some(undo),
            _ => None,
        };
        let is_done = self.ask(request).await;
        if let Some(path) = path.filter(|_| is_done) {
            self.steps.add(OwnStep::File { path, marked });
        }
        is_done
    }

    /// Undoes or redoes the person's latest step, and shows the first change that differs now.
    pub(super) async fn take_step(&mut self, to: undo::Step) {
        let (path, marked) = loop {
            match self.steps.next(to) {
                None => return self.reading.say(words::no_step(to)),
                Some(OwnStep::File { path, marked }) => break (path, marked),
                Some(OwnStep::Files(paths)) => {
                    let (_, is_refused) = self.set_marks(paths, matches!(to, undo::Step::Redo)).await;
                    // After a refusal, the same step continues with the remaining files.
                    if !is_refused {
                        self.steps.move_next(to, true);
                        self.reading.say(words::step_taken(to));
                    }
                    return;
                }
                Some(OwnStep::Comment(id)) => {
                    self.steps.move_next(to, false);
                    let is_written = |comment: &&Comment| comment.id == id && !comment.again;
                    let written = self.reading.walk().turn().unsent_comments().find(is_written).cloned();
                    // A comment that was sent cannot be undone, and the loop continues.
                    if let Some(comment) = written {
                        return self.remove_comment(&comment).await;
                    }
                }
            }
        };
        let walk = self.reading.walk();
        let file = walk.turn().files.iter().position(|file| file.path == path);
        match file {
            None => {
                // The file does not differ any more.
                self.steps.move_next(to, false);
                return self.reading.say(words::no_step(to));
            }
            Some(file) if file != walk.file() => self.open(file, Edge::First).await,
            Some(_) => {}
        }
        let walk = self.reading.walk();
        let (turn, list, file) = (walk.turn().id, walk.turn().revision, walk.file());
        let before = walk.open().map(|open| open.review().clone());
        let request = match (marked, &before, to) {
            (Some(marked), ..) => {
                let undo = marked == matches!(to, undo::Step::Redo);
                Request::MarkTurnFile { turn, revision: list, file, undo }
            }
            (None, Some(before), undo::Step::Undo) => {
                Request::UndoReview { id: before.id, revision: before.revision }
            }
            (None, Some(before), undo::Step::Redo) => {
                Request::RedoReview { id: before.id, revision: before.revision }
            }
            (None, None, _) => return,
        };
        let is_done = self.ask(request).await;
        self.steps.move_next(to, is_done);
        if !is_done {
            return;
        }
        let walk = self.reading.walk();
        let differs =
            before.zip(walk.open()).and_then(|(before, now)| first_difference(&before, now.review()));
        if let Some(hunk) = differs {
            walk.go_to_hunk(hunk);
        }
        self.reading.say(words::step_taken(to));
        self.reading.show_place(Due::Place);
    }

    /// Goes to the next change that contains a text, in any file. An empty text repeats the latest search.
    /// The change where the person is comes last.
    pub(super) async fn find(&mut self, text: &str) {
        let Some(text) = self.search.choose_text(text).map(str::to_owned) else {
            return self.reading.say(prompts::NO_SEARCH_TEXT);
        };
        let find = |walk: &Walk, among: Range<usize>| {
            walk.open().and_then(|open| first_change(open.review(), among, &text))
        };
        let walk = self.reading.walk();
        let (current, files) = (walk.file(), walk.turn().files.len());
        let hunk = walk.open().map_or(0, OpenReview::hunk);
        if let Some(found) = find(walk, hunk + 1..usize::MAX) {
            walk.go_to_hunk(found);
            return self.reading.show_place(Due::Place);
        }
        // At the end, there is no current file to search last.
        let last = (current < files).then_some(current);
        for file in (current + 1..files).chain(0..current.min(files)).chain(last) {
            if !self.open_texts(file).await {
                return;
            }
            let walk = self.reading.walk();
            let among = if file == current { 0..hunk + 1 } else { 0..usize::MAX };
            if let Some(found) = find(walk, among) {
                walk.go_to_hunk(found);
                if file <= current && current < files {
                    self.reading.say(&prompts::found_earlier(&text));
                }
                return self.reading.show_place(Due::Review);
            }
        }
        let walk = self.reading.walk();
        match last {
            Some(_) => walk.go_to_hunk(hunk),
            None => walk.go_to_end(),
        }
        self.reading.say(&prompts::not_found(&text));
    }

    /// Splits the hunk where the person is.
    pub(super) async fn split(&mut self) {
        let Place::Hunk(_, open, _) = self.reading.walk().place() else {
            return self.reading.say(words::NOT_SPLIT);
        };
        let (hunk, before) = (open.hunk(), open.review().hunks.len());
        let request = Request::split(open.review().id, open.review().revision, hunk);
        if self.take_own_step(request).await {
            if let Place::Hunk(_, open, _) = self.reading.walk().place() {
                let sentence = messages::split(before, open.review().hunks.len());
                self.reading.say(&sentence);
            }
            self.reading.walk().go_to_hunk(hunk);
            self.reading.show_place(Due::Place);
        }
    }

    /// Sends a comment of one line, or asks for its lines.
    pub(super) async fn comment(&mut self, about: About, words: &str) {
        let place = CommentPlace::of(self.reading.walk(), about);
        let request = comments::request(self.reading.walk(), about, words, false);
        match request {
            Err(refusal) => {
                self.reading.say(&comment_words::refusal(&refusal));
                if !["", "-"].contains(&words) && refusal != CommentRefusal::NoWords {
                    self.reading.say(comment_words::WORDS_COME_BACK);
                    self.reading.add_unsent(about, place, words);
                }
            }
            Ok(_) if words.is_empty() => self.reading.begin_comment(about),
            Ok(request) => self.save_comment(request, about, place, words).await,
        }
    }

    /// Sends a comment of which the person has typed all lines.
    pub(super) async fn finish_comment(&mut self, typed: TypedComment) {
        let (about, words) = (typed.about, typed.lines.join("\n"));
        let walk = self.reading.walk();
        // Words that were resumed without a change are text only, because the person has read them again.
        let answer = match comments::request(walk, about, &words, typed.is_resumed) {
            _ if words.is_empty() => return self.reading.say(comment_words::NOTHING_TYPED),
            _ if !typed.place.is_current(walk, about) => comment_words::OTHER_PLACE.to_owned(),
            Ok(request) => return self.save_comment(request, about, typed.place, &words).await,
            Err(refusal) => comment_words::refusal(&refusal),
        };
        self.reading.say(&format!("{answer}\n{}", comment_words::not_saved(&words)));
        self.reading.add_unsent(about, typed.place, &words);
    }

    async fn save_comment(&mut self, request: Request, about: About, place: CommentPlace, words: &str) {
        let has_words = !comments::removes(about, words);
        // The words become a draft if a signal ends the desk before the reply.
        if has_words {
            self.reading.add_unsent(about, place, words);
        }
        if self.ask(request).await {
            if has_words {
                self.reading.remove_last_unsent();
            }
            let walk = self.reading.walk();
            let sentence = comment_words::change_reply(walk, about, words);
            let written = walk.turn().comments.last().map(|comment| OwnStep::Comment(comment.id));
            if let Some(step) = written.filter(|_| !matches!(about, About::Known(_))) {
                self.steps.add(step);
            }
            return self.reading.say(&sentence);
        }
        if has_words {
            self.reading.say(&comment_words::not_saved(words));
        }
    }

    /// Removes a written comment, and prints its words, which would be lost otherwise.
    async fn remove_comment(&mut self, comment: &Comment) {
        let turn = self.reading.walk().turn().id;
        if self.ask(Request::ChangeComment { turn, id: comment.id, text: String::new() }).await {
            self.reading.say(&comment_words::taken_back(comment));
        }
    }

    /// Asks a comment again, which an agent must have read.
    pub(super) async fn ask_again(&mut self, id: CommentId) {
        match comments::ask_again_request(self.reading.walk().turn(), id) {
            Err(refusal) => self.reading.say(&comment_words::refusal(&refusal)),
            Ok(request) => {
                if self.ask(request).await {
                    self.reading.say(&comment_words::asked_again(id));
                }
            }
        }
    }

    /// Saves the comments that the companion has not received as drafts, and prints where.
    pub(super) fn keep_unsent(&mut self) {
        for unsent in self.reading.take_unsent() {
            let report = self.drafts.keep_comment(&unsent, self.reading.proposals().roots());
            self.reading.say(&report);
        }
    }

    /// Finishes the review in the way that the person chose when they confirmed the list.
    pub(super) async fn finish(&mut self, way: Finish) -> ControlFlow<Ending> {
        let turn = self.reading.walk().turn();
        let (send, ask_to_undo) = (way != Finish::WithoutMessage, way == Finish::AskToUndo);
        let request = Request::FinishTurn { turn: turn.id, revision: turn.revision, send, ask_to_undo };
        match self.ask(request).await {
            true => self.reading.end(),
            false => ControlFlow::Continue(()),
        }
    }
}
