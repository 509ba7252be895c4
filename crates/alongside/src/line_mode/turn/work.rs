//! The person's work on a turn review: what they ask the companion for. After each reply the events that
//! came before it are taken, so that the next line is about what is printed.

use std::ops::ControlFlow;

use alongside_desk::{CommentId, Desk, Event, Gone, Refusal, Request, Turn, messages};
use alongside_terminal::{COMMENT_UNSENT, DraftStore};

use super::comments::{self, About, Finish};
use super::reading::TurnReading;
use super::unsent::{Spot, TypedComment};
use super::walk::{Edge, Marking, Place, Step, Wish};
use super::{comment_words, words};
use crate::line_mode::due::Due;
use crate::line_mode::ending::Ending;
use crate::line_mode::line_reader::InputLine;

/// See the module.
pub(super) struct TurnWork {
    desk: Desk,
    /// The request for the list.
    look: Request,
    reading: TurnReading,
    drafts: DraftStore,
}

impl TurnWork {
    pub(super) fn new(desk: Desk, look: Request, reading: TurnReading, drafts: DraftStore) -> Self {
        Self { desk, look, reading, drafts }
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

    /// Asks for the list. Says why there is none.
    async fn look(&mut self) -> Option<Turn> {
        let answer = self.desk.request(self.look.clone()).await;
        let mut looked = None;
        while let Some(event) = self.desk.try_next() {
            match event {
                Event::Turn(turn) => looked = Some(turn),
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
        let walk = self.reading.walk();
        walk.turn_to(file);
        let (turn, revision) = (walk.turn().id, walk.turn().revision);
        if walk.has_text() {
            self.ask(Request::OpenTurnFile { turn, revision, file }).await;
            self.reading.walk().look_at(edge);
        }
        self.reading.come_to_place(Due::Review);
    }

    /// Marks the change where the person is, or takes its mark back, and goes on.
    pub(super) async fn mark(&mut self, wish: Wish) -> ControlFlow<Ending> {
        let marking = self.reading.walk().marking(wish);
        match self.carry_out(marking).await {
            true => {
                let next = self.reading.walk().next();
                self.go(next).await
            }
            false => ControlFlow::Continue(()),
        }
    }

    /// Marks the whole file, or takes all its marks back, and goes on to the next file.
    pub(super) async fn mark_file(&mut self, wish: Wish) -> ControlFlow<Ending> {
        let marking = self.reading.walk().file_marking(wish);
        match self.carry_out(marking).await {
            true => {
                let next = self.reading.walk().next_file();
                self.go(next).await
            }
            false => ControlFlow::Continue(()),
        }
    }

    /// Whether the marks are as the person wishes now.
    async fn carry_out(&mut self, marking: Marking) -> bool {
        match marking {
            Marking::IsSo => return true,
            Marking::Ask(request) => return self.ask(request).await,
            Marking::Nothing => self.reading.say(words::NO_CHANGE_HERE),
        }
        false
    }

    /// Splits the hunk where the person is.
    pub(super) async fn split(&mut self) {
        let Place::Hunk(_, open, _) = self.reading.walk().place() else {
            return self.reading.say(words::NOT_SPLIT);
        };
        let (hunk, before) = (open.hunk(), open.review().hunks.len());
        let request = Request::split(open.review().id, open.review().revision, hunk);
        if self.ask(request).await {
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
        let request = comments::request(self.reading.walk(), about, words);
        match request {
            Err(misplaced) => {
                self.reading.say(comment_words::misplaced(&misplaced));
                self.reading.set_aside(about, spot, words);
            }
            Ok(_) if words.is_empty() => self.reading.begin_comment(about),
            Ok(request) => self.keep_comment(request, about, spot, words).await,
        }
    }

    /// The person has typed all lines of a comment.
    pub(super) async fn comment_typed(&mut self, typed: TypedComment) {
        let (about, words) = (typed.about, typed.lines.join("\n"));
        let walk = self.reading.walk();
        let said = match comments::request(walk, about, &words) {
            _ if words.is_empty() => return self.reading.say(comment_words::NOTHING_TYPED),
            _ if !typed.spot.is_here(walk, about) => comment_words::OTHER_PLACE,
            Ok(request) => return self.keep_comment(request, about, typed.spot, &words).await,
            Err(misplaced) => comment_words::misplaced(&misplaced),
        };
        self.reading.say(&format!("{said}\n{}", comment_words::not_kept(&words)));
        self.reading.set_aside(about, typed.spot, &words);
    }

    async fn keep_comment(&mut self, request: Request, about: About, spot: Spot, words: &str) {
        if self.ask(request).await {
            let said = comment_words::kept(self.reading.walk(), about, words);
            return self.reading.say(&said);
        }
        self.reading.say(&comment_words::not_kept(words));
        self.reading.set_aside(about, spot, words);
    }

    /// Asks a comment again that an agent has read.
    pub(super) async fn ask_again(&mut self, id: CommentId) {
        match comments::ask_again(self.reading.walk().turn(), id) {
            Err(misplaced) => self.reading.say(comment_words::misplaced(&misplaced)),
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
            let said = self.drafts.keep(&unsent, COMMENT_UNSENT, self.reading.proposals().roots());
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
