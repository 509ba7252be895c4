//! The person's work on a turn review: what they ask the companion for. After each reply the events that
//! came before it are taken, so that the next line is about what is printed.

use std::ops::ControlFlow;

use alongside_desk::{Desk, Event, Gone, Refusal, Request, Turn, messages};

use super::reading::TurnReading;
use super::walk::{Edge, Marking, Place, Step, Wish};
use super::words;
use crate::line_mode::ending::Ending;
use crate::line_mode::line_reader::InputLine;
use crate::line_mode::reading::Due;

/// See the module.
pub(super) struct TurnWork {
    desk: Desk,
    /// The request for the list.
    look: Request,
    reading: TurnReading,
}

impl TurnWork {
    pub(super) fn new(desk: Desk, look: Request, reading: TurnReading) -> Self {
        Self { desk, look, reading }
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
        if self.reading.walk().turn().files.is_empty() {
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
            _ if walk.turn().files.is_empty() => return self.reading.leave(Ending::Done),
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
            Step::Within => self.reading.mark_due(Due::Place),
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
        self.reading.mark_due(Due::Review);
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
        let request = Request::SplitHunk { id: open.review().id, revision: open.review().revision, hunk };
        if self.ask(request).await {
            if let Place::Hunk(_, open, _) = self.reading.walk().place() {
                let said = messages::split(before, open.review().hunks.len());
                self.reading.say(&said);
            }
            self.reading.walk().look_at_hunk(hunk);
            self.reading.mark_due(Due::Place);
        }
    }

    /// Undoes all that is marked, and finishes: the person has confirmed the list of it.
    pub(super) async fn finish(&mut self) -> ControlFlow<Ending> {
        let turn = self.reading.walk().turn();
        let request =
            Request::FinishTurn { turn: turn.id, revision: turn.revision, send: false, ask_to_undo: false };
        match self.ask(request).await {
            true => self.reading.end(),
            false => ControlFlow::Continue(()),
        }
    }
}
