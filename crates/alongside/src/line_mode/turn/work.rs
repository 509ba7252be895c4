//! The person's work on a turn review: what they ask the companion for. After each reply the events that
//! came before it are taken, so that the next line is about what is printed.

use std::ops::{ControlFlow, Range};

use alongside_desk::review_model::OpenReview;
use alongside_desk::{Comment, CommentId, Desk, Event, Gone, Refusal, Request, Turn, TurnFile, messages};
use alongside_terminal::DraftStore;

use super::comments::{self, About, Finish, Misplaced};
use super::reading::TurnReading;
use super::steps::{OwnStep, OwnSteps};
use super::unsent::{Spot, TypedComment};
use super::walk::{Edge, Marking, Place, Reach, Step, Walk, Wish};
use super::{comment_words, words};
use crate::line_mode::due::Due;
use crate::line_mode::ending::Ending;
use crate::line_mode::find::{Search, first_change};
use crate::line_mode::line_reader::InputLine;
use crate::line_mode::prompts;
use crate::line_mode::undo::{self, first_difference};

/// See the module.
pub(super) struct TurnWork {
    desk: Desk,
    /// The request for the list.
    look: Request,
    reading: TurnReading,
    drafts: DraftStore,
    steps: OwnSteps,
    search: Search,
}

impl TurnWork {
    pub(super) fn new(desk: Desk, look: Request, reading: TurnReading, drafts: DraftStore) -> Self {
        Self { desk, look, reading, drafts, steps: OwnSteps::default(), search: Search::default() }
    }

    pub(super) fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }

    pub(super) fn reading(&mut self) -> &mut TurnReading {
        &mut self.reading
    }

    /// The next event of the companion, and the next line. Both are cancel safe.
    pub(super) fn events(
        &mut self,
    ) -> (impl Future<Output = Result<Event, Gone>>, impl Future<Output = InputLine>) {
        (self.desk.next(), self.reading.input().next())
    }

    /// Takes an event of the companion.
    pub(super) fn take_event(&mut self, event: Event) {
        match event {
            // Nothing is typed here; the agent waits no longer than it has to.
            Event::FlushReview { id } => drop(self.desk.send(Request::Flushed { id })),
            event => self.reading.take_event(event),
        }
    }

    /// Looks for the first time.
    pub(super) async fn begin(&mut self) -> ControlFlow<Ending> {
        let Some(turn) = self.look().await else { return ControlFlow::Break(Ending::Failed) };
        self.reading.begin(turn);
        if !comments::has_work(self.reading.walk().turn()) {
            return self.reading.leave(Ending::Done);
        }
        let first = self.reading.walk().first();
        self.go(first).await
    }

    fn is_ours(&self, turn: &Turn) -> bool {
        let Request::ReviewTurn { directory, since } = &self.look else { return false };
        turn.is_of(directory.as_deref(), since.as_deref())
    }

    /// Asks for the list. Says why there is none.
    async fn look(&mut self) -> Option<Turn> {
        let answer = self.desk.request(self.look.clone()).await;
        let mut looked = None;
        while let Some(event) = self.desk.try_next() {
            match event {
                Event::Turn(turn) if self.is_ours(&turn) => looked = Some(turn),
                event => self.take_event(event),
            }
        }
        match answer {
            Ok(_) if looked.is_some() => return looked,
            Ok(_) => self.reading.say(words::NO_LIST),
            Err(refusal) => self.reading.say(&messages::refusal(&refusal)),
        }
        None
    }

    /// Sends a request. Prints a refusal, and looks again if the list is another one.
    async fn ask(&mut self, request: Request) -> bool {
        let answer = self.desk.request(request).await;
        while let Some(event) = self.desk.try_next() {
            self.take_event(event);
        }
        let Err(refusal) = answer else { return true };
        if let Refusal::NoSuchTurn | Refusal::NoSuchReview = refusal
            && let Some(turn) = self.look().await
        {
            self.reading.begin_again(turn);
        } else {
            self.reading.say(&messages::refusal(&refusal));
            self.reading.mark_due(Due::Place);
        }
        false
    }

    /// Shows the person a list that has become another one.
    pub(super) async fn follow_list(&mut self) -> ControlFlow<Ending> {
        if !self.reading.take_another_list() {
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

    /// Goes where a step leads.
    pub(super) async fn go(&mut self, step: Step) -> ControlFlow<Ending> {
        match step {
            Step::Within => self.reading.come_to_place(Due::Place),
            Step::Nowhere => self.reading.say(messages::FIRST_CHANGE),
            Step::To(file, edge) => self.open(file, edge).await,
            Step::End => return self.reading.come_to_end(),
        }
        ControlFlow::Continue(())
    }

    /// Opens a file, and shows it.
    async fn open(&mut self, file: usize, edge: Edge) {
        self.read(file).await;
        self.reading.walk().look_at(edge);
        self.reading.come_to_place(Due::Review);
    }

    /// Goes to a file and asks for its texts, if it has any. False if the list has become another one.
    async fn read(&mut self, file: usize) -> bool {
        let walk = self.reading.walk();
        walk.turn_to(file);
        let (turn, revision) = (walk.turn().id, walk.turn().revision);
        !walk.has_text() || self.ask(Request::OpenTurnFile { turn, revision, file }).await
    }

    /// Marks as much as the person says, or takes these marks back, and goes on behind it.
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

    /// Marks each file from here on that is news and has no mark.
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

    /// Marks these files, or takes their marks back, until that is refused. Returns those for which it was
    /// done, and whether one was refused.
    async fn set_marks(&mut self, paths: Vec<String>, undo: bool) -> (Vec<String>, bool) {
        let mut done = Vec::new();
        for path in paths {
            let turn = self.reading.walk().turn();
            let is_it = |file: &TurnFile| file.path == path && file.marked.is_nothing() == undo;
            let Some(file) = turn.files.iter().position(is_it) else { continue };
            let request = Request::MarkTurnFile { turn: turn.id, revision: turn.revision, file, undo };
            if !self.ask(request).await {
                return (done, true);
            }
            done.push(path);
        }
        (done, false)
    }

    /// Whether the marks are as the person wishes now.
    async fn carry_out(&mut self, marking: Marking) -> bool {
        match marking {
            Marking::IsSo => return true,
            Marking::Ask(request) => return self.take_own_step(request).await,
            Marking::Impossible => {
                let said = words::no_undo(self.reading.walk());
                self.reading.say(&said);
            }
        }
        false
    }

    /// Sends a request about the file where the person is, which they can take back then.
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

    /// Takes the person's last step back, or makes it again, and shows the change that differs now.
    pub(super) async fn take_step(&mut self, to: undo::Step) {
        let (path, marked) = loop {
            match self.steps.next(to) {
                None => return self.reading.say(words::no_step(to)),
                Some(OwnStep::File { path, marked }) => break (path, marked),
                Some(OwnStep::Files(paths)) => {
                    let (_, is_refused) = self.set_marks(paths, matches!(to, undo::Step::Redo)).await;
                    // The same step goes on later where one was refused.
                    if !is_refused {
                        self.steps.pass(to, true);
                        self.reading.say(words::step_taken(to));
                    }
                    return;
                }
                Some(OwnStep::Comment(id)) => {
                    self.steps.pass(to, false);
                    let is_it = |comment: &&Comment| comment.id == id && !comment.again;
                    let written = comments::unsent(self.reading.walk().turn()).find(is_it).cloned();
                    // One that was sent is no step of this review any more.
                    if let Some(comment) = written {
                        return self.take_comment_back(&comment).await;
                    }
                }
            }
        };
        let walk = self.reading.walk();
        let file = walk.turn().files.iter().position(|file| file.path == path);
        match file {
            None => {
                // The file differs no more.
                self.steps.pass(to, false);
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
        self.steps.pass(to, is_done);
        if !is_done {
            return;
        }
        let walk = self.reading.walk();
        let differs =
            before.zip(walk.open()).and_then(|(before, now)| first_difference(&before, now.review()));
        if let Some(hunk) = differs {
            walk.look_at_hunk(hunk);
        }
        self.reading.say(words::step_taken(to));
        self.reading.come_to_place(Due::Place);
    }

    /// Goes to the next change that contains a text, in whichever file; without one, the text of before. The
    /// change where the person is comes last.
    pub(super) async fn find(&mut self, text: &str) {
        let Some(text) = self.search.text(text).map(str::to_owned) else {
            return self.reading.say(prompts::NO_TEXT);
        };
        let find = |walk: &Walk, among: Range<usize>| {
            walk.open().and_then(|open| first_change(open.review(), among, &text))
        };
        let walk = self.reading.walk();
        let (here, files) = (walk.file(), walk.turn().files.len());
        let hunk = walk.open().map_or(0, OpenReview::hunk);
        if let Some(found) = find(walk, hunk + 1..usize::MAX) {
            walk.look_at_hunk(found);
            return self.reading.come_to_place(Due::Place);
        }
        // From the end on there is no change to come back to.
        let back = (here < files).then_some(here);
        for file in (here + 1..files).chain(0..here.min(files)).chain(back) {
            if !self.read(file).await {
                return;
            }
            let walk = self.reading.walk();
            let among = if file == here { 0..hunk + 1 } else { 0..usize::MAX };
            if let Some(found) = find(walk, among) {
                walk.look_at_hunk(found);
                if file <= here && here < files {
                    self.reading.say(&prompts::found_before(&text));
                }
                return self.reading.come_to_place(Due::Review);
            }
        }
        let walk = self.reading.walk();
        match back {
            Some(_) => walk.look_at_hunk(hunk),
            None => walk.turn_to_end(),
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
                let said = messages::split(before, open.review().hunks.len());
                self.reading.say(&said);
            }
            self.reading.walk().look_at_hunk(hunk);
            self.reading.come_to_place(Due::Place);
        }
    }

    /// Takes a comment in one line, or asks for its lines.
    pub(super) async fn comment(&mut self, about: About, words: &str) {
        let spot = Spot::of(self.reading.walk(), about);
        let request = comments::request(self.reading.walk(), about, words, false);
        match request {
            Err(misplaced) => {
                self.reading.say(&comment_words::misplaced(&misplaced));
                if !["", "-"].contains(&words) && misplaced != Misplaced::NoWords {
                    self.reading.say(comment_words::WORDS_COME_BACK);
                    self.reading.set_aside(about, spot, words);
                }
            }
            Ok(_) if words.is_empty() => self.reading.begin_comment(about),
            Ok(request) => self.keep_comment(request, about, spot, words).await,
        }
    }

    /// The person has typed all lines of a comment.
    pub(super) async fn comment_typed(&mut self, typed: TypedComment) {
        let (about, words) = (typed.about, typed.lines.join("\n"));
        let walk = self.reading.walk();
        // Words that have come back, and were left as they are, are meant so.
        let said = match comments::request(walk, about, &words, typed.is_resumed) {
            _ if words.is_empty() => return self.reading.say(comment_words::NOTHING_TYPED),
            _ if !typed.spot.is_here(walk, about) => comment_words::OTHER_PLACE.to_owned(),
            Ok(request) => return self.keep_comment(request, about, typed.spot, &words).await,
            Err(misplaced) => comment_words::misplaced(&misplaced),
        };
        self.reading.say(&format!("{said}\n{}", comment_words::not_kept(&words)));
        self.reading.set_aside(about, typed.spot, &words);
    }

    async fn keep_comment(&mut self, request: Request, about: About, spot: Spot, words: &str) {
        if self.ask(request).await {
            let walk = self.reading.walk();
            let said = comment_words::kept(walk, about, words);
            let written = walk.turn().comments.last().map(|comment| OwnStep::Comment(comment.id));
            if let Some(step) = written.filter(|_| !matches!(about, About::Known(_))) {
                self.steps.add(step);
            }
            return self.reading.say(&said);
        }
        self.reading.say(&comment_words::not_kept(words));
        self.reading.set_aside(about, spot, words);
    }

    /// Takes a comment back that the person has written, and prints its words: nothing else has them.
    async fn take_comment_back(&mut self, comment: &Comment) {
        let turn = self.reading.walk().turn().id;
        if self.ask(Request::ChangeComment { turn, id: comment.id, text: String::new() }).await {
            self.reading.say(&comment_words::taken_back(comment));
        }
    }

    /// Asks a comment again that an agent has read.
    pub(super) async fn ask_again(&mut self, id: CommentId) {
        match comments::ask_again(self.reading.walk().turn(), id) {
            Err(misplaced) => self.reading.say(&comment_words::misplaced(&misplaced)),
            Ok(request) => {
                if self.ask(request).await {
                    self.reading.say(&comment_words::asked_again(id));
                }
            }
        }
    }

    /// The desk ends: keeps the comments that no companion has, and says where.
    pub(super) fn keep_unsent(&mut self) {
        for unsent in self.reading.take_unsent() {
            let said = self.drafts.keep_comment(&unsent, self.reading.proposals().roots());
            self.reading.say(&said);
        }
    }

    /// Finishes in a way that the person chose, who has confirmed the list of what that does.
    pub(super) async fn finish(&mut self, way: Finish) -> ControlFlow<Ending> {
        let turn = self.reading.walk().turn();
        let (send, ask_to_undo) = (way != Finish::Quietly, way == Finish::AskToUndo);
        let request = Request::FinishTurn { turn: turn.id, revision: turn.revision, send, ask_to_undo };
        match self.ask(request).await {
            true => self.reading.end(),
            false => ControlFlow::Continue(()),
        }
    }
}
