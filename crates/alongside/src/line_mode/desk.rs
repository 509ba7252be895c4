//! The line-mode desk: its main loop, and the meaning of the lines that the person types. A review is only
//! accepted by an explicit line, at the revision that was shown.
//!
//! The loop waits for the companion, the person, a signal and the end of an editor. [`ReviewWork`] and
//! [`Reading`] change their state and store which output is due; the loop prints it before it waits again.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::time::Duration;

use alongside_common::signals::{Continued, Signals};
use alongside_desk::review_model::{Question, Reply};
use alongside_desk::{Decision, Desk, Event, Gone, Request, ReviewId, harmless, messages};
use alongside_terminal::DraftStore;
use tokio::time::{sleep, timeout};

use super::accept_all::AcceptAll;
use super::due::Due;
use super::ending::{Ending, LEAVE_TIMEOUT, Policy, end_signal, unless_ended};
use super::find::Search;
use super::letters::{self, At, Command};
use super::line_reader::{InputLine, LineReader};
use super::open_prompt::Prompt;
use super::reading::Reading;
use super::undo::Step;
use super::work::ReviewWork;
use super::{navigation, prompts, review_edits};

/// The time between two reads of the file of an open editor, which find a saved text.
const SAVE_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The first character of the escape sequence of an arrow key or another key without a letter.
const ESCAPE: char = '\x1b';

/// The line-mode desk for proposals.
pub(crate) struct LineDesk {
    work: ReviewWork,
    search: Search,
    /// Whether the input is a script of this program, whose end is not reported.
    is_scripted: bool,
    continued: Continued,
    /// Whether the person has read that `p` prints.
    has_read_print_notice: bool,
}

impl LineDesk {
    /// Creates a desk on standard input and output. File names are relative to `roots`. Without `drafts`,
    /// edits are lost when the desk ends.
    pub(crate) fn new(desk: Desk, roots: Vec<PathBuf>, policy: Policy, drafts: Option<DraftStore>) -> Self {
        let reading = Reading::new(LineReader::stdin(), roots, policy, drafts.is_some());
        let work = ReviewWork::new(desk, reading, drafts.unwrap_or_default());
        Self::of(work, false)
    }

    /// Creates a desk whose input is a script, with a line for each reply.
    pub(crate) fn scripted(desk: Desk, roots: Vec<PathBuf>, script: &'static str) -> Self {
        let input = LineReader::new(false, || Box::new(script.as_bytes()));
        let reading = Reading::new(input, roots, Policy::Ask, false);
        let work = ReviewWork::new(desk, reading, DraftStore::default());
        Self::of(work, true)
    }

    fn of(work: ReviewWork, is_scripted: bool) -> Self {
        let (search, continued) = (Search::default(), Continued::listen());
        Self { work, search, is_scripted, continued, has_read_print_notice: false }
    }

    /// Prints a line that belongs to no review.
    pub(crate) fn say(&mut self, text: &str) {
        self.work.reading().say(text);
    }

    /// Leaves the companion. If the companion ends with this desk, prints how the waiting reviews end.
    pub(crate) async fn finish(&mut self, ending: Ending) {
        let stays = self.work.reading().stays_open();
        if ending == Ending::Gone {
            self.work.reading().printer().release();
            self.say(messages::COMPANION_STOPPED);
        } else {
            self.work.desk().send(Request::Leave);
        }
        self.work.reading().stop_showing();
        self.work.reading().printer().release();
        self.work.end_editor().await;
        self.work.keep_unsent_reasons();
        match stays {
            _ if ending == Ending::Gone || self.work.reading().reviews().is_empty() => {}
            Some(stays) => self.say(&stays),
            None if matches!(ending, Ending::Signal(_)) => {
                self.say("Quitting: waiting reviews are rejected.")
            }
            None => {}
        }
        while let Ok(Ok(event)) = timeout(LEAVE_TIMEOUT, self.work.desk().next()).await {
            // The last word on the last decision may come while the desk leaves.
            if let Event::Closed(_) | Event::LastWord(_) = event {
                self.work.take_event(event).await;
            }
        }
        self.work.reading().printer().end();
        self.work.reading().input().restore_terminal();
    }

    /// Runs until the person, a signal, the companion or `done` ends the desk.
    pub(crate) async fn run(&mut self, signals: &mut Signals, done: impl Future<Output = ()>) -> Ending {
        let mut done = pin!(done);
        loop {
            if let ControlFlow::Break(ending) = self.handle_next(signals, done.as_mut()).await {
                return ending;
            }
        }
    }

    /// Prints the output that is due, and handles whatever comes next.
    async fn handle_next(
        &mut self,
        signals: &mut Signals,
        done: Pin<&mut impl Future<Output = ()>>,
    ) -> ControlFlow<Ending> {
        self.work.print_due();
        if self.work.reading().printer().is_closed() {
            return ControlFlow::Break(Ending::OutputClosed);
        }
        let (has_editor, listens, is_gone) =
            (self.work.has_editor(), self.work.listens(), self.work.is_gone());
        let arrivals_due = self.work.reading().arrivals_due();
        let (companion_event, editor_exit, last_words_overdue, typed) = self.work.events();
        // Of several ready branches, the first in this order is taken.
        tokio::select! {
            biased;
            signal = end_signal(signals, has_editor) => {
                self.work.upload_last_text().await;
                return ControlFlow::Break(Ending::Signal(signal));
            }
            event = companion_event, if !is_gone => match event {
                Ok(event) => unless_ended(signals, has_editor, self.work.take_event(event)).await?,
                Err(Gone) => self.work.mark_companion_gone(),
            },
            // The process continues after a stop.
            () = self.continued.next() => self.work.reading().resume(),
            () = sleep(SAVE_POLL_INTERVAL), if has_editor => {
                unless_ended(signals, has_editor, self.work.upload_saved_text()).await?;
            }
            status = editor_exit => {
                unless_ended(signals, false, self.work.handle_editor_exit(status)).await?;
            }
            () = done => return ControlFlow::Break(Ending::Done),
            () = arrivals_due => self.work.reading().announce(),
            // The next review is printed without the last word on the previous one.
            () = last_words_overdue => self.work.stop_awaiting_last_words(),
            line = typed, if listens => unless_ended(signals, false, self.take_line(line)).await??,
        }
        match self.work.is_over() {
            true => ControlFlow::Break(Ending::Gone),
            false => ControlFlow::Continue(()),
        }
    }

    /// Handles a line of input.
    async fn take_line(&mut self, input: InputLine) -> ControlFlow<Ending> {
        let reading = self.work.reading();
        let (has_prompt, is_terminal) = (reading.has_prompt(), reading.input().is_terminal);
        let line = match &input {
            InputLine::Line(line) => line.trim(),
            // The cursor stays in the prompt's line, because no Enter has ended it.
            InputLine::CtrlD => "q",
            InputLine::Unfinished(_) => {
                reading.printer().break_line();
                reading.repeat_prompt();
                return ControlFlow::Continue(());
            }
            InputLine::Redraw(_) => {
                reading.printer().break_line();
                reading.mark_due(if has_prompt { Due::Review } else { Due::Nothing });
                return ControlFlow::Continue(());
            }
            InputLine::End => {
                if !self.is_scripted {
                    reading.say(
                        "The input has ended. Answer reviews in the agent; Ctrl-C or SIGTERM ends this desk.",
                    );
                }
                return ControlFlow::Continue(());
            }
        };
        let needs_no_review = line.is_empty() || letters::command(line, At::Idle).is_some();
        if !has_prompt && !is_terminal && !needs_no_review {
            // A script has sent the line ahead, for a review that has not arrived yet.
            reading.input().put_back(input);
            return ControlFlow::Continue(());
        }
        if matches!(input, InputLine::Line(_)) {
            reading.printer().end_prompt((has_prompt && !is_terminal).then_some(line));
        }
        reading.mark_due(if has_prompt { Due::Prompt } else { Due::Nothing });
        if has_prompt && reading.input().came_too_soon() {
            reading.say(messages::TYPED_TOO_SOON);
            return ControlFlow::Continue(());
        }
        if line.contains(ESCAPE) {
            reading.say(prompts::KEY_WITHOUT_LETTER);
            return ControlFlow::Continue(());
        }
        match reading.take_prompt() {
            Prompt::List(list) => self.answer_list(list, line).await,
            Prompt::Question(question) => return self.answer_question(question, line).await,
            Prompt::Place => return self.command(line).await,
        }
        ControlFlow::Continue(())
    }

    async fn answer_list(&mut self, list: AcceptAll, line: &str) {
        match line {
            "y" | "yes" => self.work.accept_listed(list).await,
            "n" | "no" | "q" => self.work.reading().mark_due(Due::Review),
            _ => {
                self.say("Type one of [y,n] and Enter.");
                self.work.reading().ask_about(list);
            }
        }
    }

    async fn answer_question(&mut self, question: Question, line: &str) -> ControlFlow<Ending> {
        match (question.reply(line), question, self.work.reading().at()) {
            (None, ..) => {
                self.say(&prompts::invalid_reply(question));
                self.work.reading().open_question(question);
            }
            (Some(Reply::Yes), Question::Leave | Question::LeaveAlone(_), _) => {
                return ControlFlow::Break(Ending::Left);
            }
            (Some(Reply::Yes), Question::SingleNewline, Some(id)) => {
                self.work.accept_single_newline(id).await
            }
            (Some(Reply::For(scope)), _, Some(id)) => {
                self.work.accept_ahead(Request::Grant { id, scope }).await;
            }
            (Some(Reply::Reject), _, Some(id)) => self.work.decide(id, Decision::Reject).await,
            (Some(_), _, None) => self.work.reading().next_review(),
            (Some(Reply::No), Question::AcceptUnseen(_), _) => navigation::show_unseen(self.work.reading()),
            (Some(Reply::No), ..) | (Some(Reply::Yes), Question::AcceptAhead | Question::RejectWork, _) => {}
            (
                Some(Reply::Yes),
                Question::AcceptAnyway
                | Question::AcceptUnseen(_)
                | Question::AcceptWithout(_)
                | Question::AcceptEmptied,
                Some(id),
            ) => self.work.accept(id, Some(question)).await,
        }
        ControlFlow::Continue(())
    }

    async fn command(&mut self, line: &str) -> ControlFlow<Ending> {
        let reading = self.work.reading();
        if line.is_empty() {
            // The change may have scrolled away by now.
            reading.mark_due(if reading.at().is_some() { Due::Place } else { Due::Nothing });
            return ControlFlow::Continue(());
        }
        if let Ok(number) = line.parse() {
            reading.go_to(number);
            return ControlFlow::Continue(());
        }
        let Some((command, argument)) = letters::command(line, reading.position()) else {
            self.say(&format!("{:?} is no command here; ? lists them.", harmless::name(line)));
            return ControlFlow::Continue(());
        };
        match (command, reading.at()) {
            (Command::Leave, _) => match reading.question_before_leaving() {
                Some(question) => reading.open_question(question),
                None => return ControlFlow::Break(Ending::Left),
            },
            (Command::List, _) => reading.list(),
            (Command::ListAccepted, _) => reading.list_accepted(argument.parse().ok()),
            (Command::WithdrawGrants, _) => self.work.accept_ahead(Request::WithdrawGrants {}).await,
            (Command::Pause, _) => self.work.pause().await,
            (Command::Help, _) => reading.help(),
            (Command::Retired, _) => reading.say(letters::retired(line)),
            (command, Some(id)) => self.review_command(id, command, argument).await,
            (_, None) => {}
        }
        ControlFlow::Continue(())
    }

    async fn review_command(&mut self, id: ReviewId, command: Command, argument: &str) {
        let reading = self.work.reading();
        let Some(open) = reading.open(id) else { return };
        let hunk = open.hunk();
        let at_hunk = hunk < open.review().hunks.len();
        match command {
            Command::Reason => {
                review_edits::give_reason(&mut self.work, id, at_hunk.then_some(hunk), argument).await
            }
            Command::Accept => self.work.accept(id, None).await,
            Command::Reject => self.work.reject(id).await,
            Command::AcceptAll => reading.list_to_accept(),
            Command::AcceptAhead => reading.open_question(Question::AcceptAhead),
            Command::Edit => self.work.edit(),
            Command::Undo => review_edits::take_step(&mut self.work, id, Step::Undo).await,
            Command::Redo => review_edits::take_step(&mut self.work, id, Step::Redo).await,
            Command::Keep => review_edits::keep(&mut self.work, id, hunk, true).await,
            Command::Drop => review_edits::keep(&mut self.work, id, hunk, false).await,
            Command::KeepRest => review_edits::keep_rest(&mut self.work, id, hunk, true).await,
            Command::DropRest => review_edits::keep_rest(&mut self.work, id, hunk, false).await,
            Command::Split => review_edits::split(&mut self.work, id, hunk).await,
            Command::More => navigation::show_next_page(reading),
            Command::Next => reading.show_hunk(hunk + 1),
            Command::Previous if hunk > 0 => reading.show_hunk(hunk - 1),
            Command::Previous => reading.say(messages::FIRST_CHANGE),
            Command::Back => reading.show_hunk(0),
            Command::Go => navigation::show_hunk_numbered(reading, argument),
            Command::Find => navigation::find(reading, &mut self.search, argument),
            Command::Print => {
                reading.mark_due(Due::Place);
                if !std::mem::replace(&mut self.has_read_print_notice, true) {
                    reading.say(letters::PRINT_NOTICE);
                }
            }
            // `command` handles these commands, which need no review.
            Command::Leave
            | Command::List
            | Command::ListAccepted
            | Command::WithdrawGrants
            | Command::Pause
            | Command::Retired
            | Command::Help => {}
        }
    }
}

#[cfg(test)]
mod tests;
