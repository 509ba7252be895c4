//! The line-mode desk of a turn review: its loop, and the meaning of the lines that the person types. Changes
//! are undone and comments are sent only after the person has confirmed their list.

use std::ops::ControlFlow;

use alongside_common::signals::{Continued, Signals};
use alongside_desk::{Desk, Gone, Request, harmless, messages};
use alongside_terminal::DraftStore;
use tokio::time::timeout;

use super::comments;
use super::reading::{Prompt, TurnReading};
use super::walk::{Edge, Reach, Step, Wish};
use super::words;
use super::work::TurnWork;
use crate::line_mode::due::Due;
use crate::line_mode::ending::{Ending, LEAVE_TIMEOUT, unless_ended};
use crate::line_mode::line_reader::{InputLine, LineReader};
use crate::line_mode::printer::Printer;
use crate::line_mode::undo;

/// Returns the request for the review of a working tree: see [`Request::ReviewTurn`].
pub(crate) fn review_request(directory: Option<String>, since: Option<String>) -> Request {
    Request::ReviewTurn { directory, since }
}

/// The line-mode desk for a turn review.
pub(crate) struct TurnDesk {
    work: TurnWork,
    continued: Continued,
}

impl TurnDesk {
    /// Creates a desk on standard input and output. `request`: as [`review_request`] returns it.
    pub(crate) fn new(desk: Desk, request: Request, drafts: DraftStore) -> Self {
        Self::on(desk, request, TurnReading::new(LineReader::stdin(), Printer::stdout()), drafts)
    }

    /// Creates a desk on another input and output.
    pub(super) fn on(desk: Desk, request: Request, reading: TurnReading, drafts: DraftStore) -> Self {
        let work = TurnWork::new(desk, request, reading, drafts);
        Self { work, continued: Continued::listen() }
    }

    /// Runs until the person, a signal or the companion ends the desk, or the review is complete. Saves
    /// unsent comments as drafts, also if the terminal is gone.
    pub(crate) async fn run(&mut self, signals: &mut Signals) -> Ending {
        let ending = self.run_to_end(signals).await;
        self.work.keep_unsent();
        ending
    }

    async fn run_to_end(&mut self, signals: &mut Signals) -> Ending {
        let mut flow = self.begin(signals).await;
        loop {
            self.work.reading().print_held();
            if let ControlFlow::Break(ending) = flow {
                return ending;
            }
            flow = self.handle_next(signals).await;
        }
    }

    async fn begin(&mut self, signals: &mut Signals) -> ControlFlow<Ending> {
        unless_ended(signals, false, self.work.begin()).await?
    }

    /// Shows a new list and the output that is due, and handles whatever comes next.
    async fn handle_next(&mut self, signals: &mut Signals) -> ControlFlow<Ending> {
        unless_ended(signals, false, self.work.show_new_list()).await??;
        self.work.reading().print_due();
        if self.work.reading().printer().is_closed() {
            return ControlFlow::Break(Ending::OutputClosed);
        }
        let (companion_event, typed) = self.work.events();
        // Of several ready branches, the first in this order is taken.
        tokio::select! {
            biased;
            signal = signals.next() => return ControlFlow::Break(Ending::Signal(signal)),
            event = companion_event => match event {
                Ok(event) => self.work.take_event(event),
                Err(Gone) => return ControlFlow::Break(Ending::Gone),
            },
            // The process continues after a stop.
            () = self.continued.next() => {
                self.work.reading().input().resume();
                self.work.reading().repeat_prompt();
            }
            line = typed => unless_ended(signals, false, self.take_line(line)).await??,
        }
        ControlFlow::Continue(())
    }

    /// Leaves the companion, and prints where proposals keep waiting.
    pub(crate) async fn finish(&mut self, ending: Ending) {
        if ending == Ending::Gone {
            self.say(words::COMPANION_STOPPED);
        } else {
            self.work.desk().send(Request::Leave);
            if let Some(sentence) = self.work.reading().proposals().leaving_sentence() {
                self.say(&sentence);
            }
        }
        while let Ok(Ok(_)) = timeout(LEAVE_TIMEOUT, self.work.desk().next()).await {}
        self.work.reading().printer().end();
        self.work.reading().input().restore_terminal();
    }

    fn say(&mut self, text: &str) {
        self.work.reading().say(text);
    }

    async fn take_line(&mut self, input: InputLine) -> ControlFlow<Ending> {
        let reading = self.work.reading();
        let line = match &input {
            InputLine::Line(line) => line.trim(),
            // The cursor stays in the prompt's line, because no Enter has ended it.
            InputLine::CtrlD => "q",
            // The words of a comment are kept.
            InputLine::Unfinished(line) | InputLine::Redraw(line) if reading.is_commenting() => {
                reading.printer().break_line();
                line.trim()
            }
            InputLine::Unfinished(_) => {
                reading.printer().break_line();
                reading.repeat_prompt();
                return ControlFlow::Continue(());
            }
            InputLine::Redraw(_) => {
                reading.printer().break_line();
                reading.mark_due(Due::Review);
                return ControlFlow::Continue(());
            }
            InputLine::End => {
                if let Some(typed) = reading.take_comment_line(None) {
                    self.work.finish_comment(typed).await;
                }
                let reading = self.work.reading();
                reading.say(words::INPUT_ENDED);
                reading.say_nothing_written();
                return ControlFlow::Break(Ending::Left);
            }
        };
        if matches!(input, InputLine::Line(_)) {
            let is_echoed = reading.input().is_terminal;
            reading.printer().end_prompt((!is_echoed).then_some(line));
        }
        reading.mark_due(Due::Prompt);
        // A further line of a comment answers no prompt.
        if !reading.is_commenting() && reading.input().came_too_soon() {
            reading.say(messages::TYPED_TOO_SOON);
            return ControlFlow::Continue(());
        }
        match reading.take_prompt() {
            Prompt::Place => self.command(line).await,
            Prompt::Finish => self.answer_list(line).await,
            Prompt::Comment => {
                // The indentation of code is kept.
                let line = match &input {
                    InputLine::Line(line) | InputLine::Unfinished(line) | InputLine::Redraw(line) => {
                        Some(line.trim_end())
                    }
                    InputLine::CtrlD | InputLine::End => None,
                };
                if let Some(typed) = reading.take_comment_line(line) {
                    self.work.finish_comment(typed).await;
                }
                ControlFlow::Continue(())
            }
            Prompt::Leave(question, ending) => reading.answer_leaving(question, ending, line),
        }
    }

    async fn answer_list(&mut self, line: &str) -> ControlFlow<Ending> {
        let letter = if line == "yes" { "y" } else { line };
        let ways = comments::ways_to_finish(self.work.reading().walk());
        let way = ways.iter().find(|(known, _)| *known == letter).map(|(_, way)| *way);
        match (line, way) {
            (_, Some(way)) => return self.work.finish(way).await,
            ("n" | "no", _) => self.work.reading().say_nothing_written(),
            ("q" | "quit", _) => return self.quit(),
            _ => {
                let letters: Vec<_> = ways.iter().map(|(letter, _)| *letter).chain(["n"]).collect();
                self.say(&words::invalid_reply(&letters));
                self.work.reading().ask(Prompt::Finish);
            }
        }
        ControlFlow::Continue(())
    }

    async fn command(&mut self, line: &str) -> ControlFlow<Ending> {
        let walk = self.work.reading().walk();
        let step = match line {
            "" | "j" | "J" | "next" => walk.next(),
            "k" | "K" | "previous" => walk.previous(),
            "b" | "back" => walk.back(),
            "f" | "finish" => Step::End,
            "y" | "keep" => return self.work.mark(Reach::Change, Wish::Stay).await,
            "n" | "drop" => return self.work.mark(Reach::Change, Wish::Undo).await,
            "Y" => return self.work.mark(Reach::Rest, Wish::Stay).await,
            "N" => return self.work.mark(Reach::Rest, Wish::Undo).await,
            "X" => {
                let wish = walk.other_wish();
                return self.work.mark(Reach::File, wish).await;
            }
            "q" | "quit" => return self.quit(),
            line if let Ok(number) = line.parse::<usize>() => {
                match number.checked_sub(1).filter(|file| *file < walk.turn().files.len()) {
                    Some(file) => Step::To(file, Edge::First),
                    None => {
                        self.say(words::NO_SUCH_FILE);
                        return ControlFlow::Continue(());
                    }
                }
            }
            line => {
                self.other_command(line).await;
                return ControlFlow::Continue(());
            }
        };
        self.work.go(step).await
    }

    /// Handles a command that does not lead to another place.
    async fn other_command(&mut self, line: &str) {
        match line {
            line if let Some((about, words)) = comments::parse_command(line) => {
                self.work.comment(about, words).await;
            }
            line if let Some(id) = comments::parse_ask_again(line) => self.work.ask_again(id).await,
            line if let Some(text) = line.strip_prefix('/') => self.work.find(text.trim()).await,
            line if let Some(number) = line.strip_prefix("g ") => {
                self.work.reading().show_hunk_numbered(number.trim());
            }
            "u" | "undo" => self.work.take_step(undo::Step::Undo).await,
            "U" | "redo" => self.work.take_step(undo::Step::Redo).await,
            "E" => self.work.mark_files().await,
            "s" | "split" => self.work.split().await,
            "m" | "more" => self.work.reading().show_next_page(),
            "l" | "list" => {
                let list = words::list_with_comments(self.work.reading().walk());
                self.say(&list);
            }
            "?" | "h" | "help" => self.say(words::HELP),
            line => self.say(&format!("{:?} is no command here; ? lists them.", harmless::name(line))),
        }
    }

    /// Leaves without any change.
    fn quit(&mut self) -> ControlFlow<Ending> {
        let reading = self.work.reading();
        reading.say_nothing_written();
        reading.say_comments_wait();
        reading.leave(Ending::Left)
    }
}
