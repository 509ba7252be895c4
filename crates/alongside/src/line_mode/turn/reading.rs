//! A turn review as a person reads it line by line, and the prompt that they answer. Each change notes the
//! output due, which is printed before the desk waits again.

use std::ops::ControlFlow;

use alongside_desk::review_model::comment_state::waits_on;
use alongside_desk::review_model::{Question, Reply};
use alongside_desk::{Event, Turn, TurnFinished, harmless, messages};
use alongside_terminal::UnsavedText;

use super::comments::{self, About};
use super::proposals::Proposals;
use super::unsent::{Spot, TypedComment, UnsentComments};
use super::walk::{News, Place, Walk};
use super::{comment_words, words};
use crate::line_mode::due::Due;
use crate::line_mode::ending::Ending;
use crate::line_mode::hunk_lines::{Origin, hunk_page};
use crate::line_mode::line_reader::LineReader;
use crate::line_mode::pages::{Paging, below};
use crate::line_mode::printer::{Printer, wrapped};
use crate::line_mode::{prompts, render};

/// The thing that the next line answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prompt {
    /// The person's place.
    Place,
    /// The list of all that is undone and sent, which may be empty.
    Finish,
    /// A line of the comment that they type.
    Comment,
    /// Whether to leave, which ends proposals; and the way in which the desk ends then.
    Leave(Question, Ending),
}

/// See the module.
pub(super) struct TurnReading {
    input: LineReader,
    printer: Printer,
    walk: Walk,
    prompt: Prompt,
    proposals: Proposals,
    /// The list has become another one, and the person has not seen it.
    has_another_list: bool,
    /// The comment that the person types.
    typed: Option<TypedComment>,
    /// The comments that no companion took.
    unsent: UnsentComments,
    /// The lines that nobody asked for, which wait while a comment is typed.
    held: Vec<String>,
    /// The open file has other texts, and the person has not seen them.
    has_other_texts: bool,
    /// The end, once the companion has told it.
    finished: Option<TurnFinished>,
    /// The person has had something undone.
    has_undone: bool,
    /// The page of the change where the person is.
    paging: Paging,
    due: Due,
}

impl TurnReading {
    pub(super) fn new(input: LineReader, printer: Printer) -> Self {
        Self {
            input,
            printer,
            walk: Walk::default(),
            prompt: Prompt::Place,
            proposals: Proposals::default(),
            has_another_list: false,
            typed: None,
            unsent: UnsentComments::default(),
            held: Vec::new(),
            has_other_texts: false,
            finished: None,
            has_undone: false,
            paging: Paging::default(),
            due: Due::Nothing,
        }
    }

    pub(super) fn input(&mut self) -> &mut LineReader {
        &mut self.input
    }

    pub(super) fn printer(&mut self) -> &mut Printer {
        &mut self.printer
    }

    pub(super) fn walk(&mut self) -> &mut Walk {
        &mut self.walk
    }

    pub(super) fn proposals(&self) -> &Proposals {
        &self.proposals
    }

    /// Writes a line, or several, that are harmless already.
    pub(super) fn say(&mut self, text: &str) {
        self.printer.say(text);
    }

    /// Writes a line that nobody asked for, and the prompt again. The line waits while a comment is typed.
    fn interrupt(&mut self, text: &str) {
        if self.is_commenting() {
            return self.held.push(text.to_owned());
        }
        self.printer.say(text);
        self.prompt_again();
    }

    /// Tells the news that waited while a comment was typed.
    pub(super) fn tell_held(&mut self) {
        if self.is_commenting() {
            return;
        }
        for text in std::mem::take(&mut self.held) {
            self.interrupt(&text);
        }
        if std::mem::take(&mut self.has_other_texts) {
            self.come_to_place(Due::Review);
            self.input.prompt_changed();
        }
    }

    /// Repeats the prompt after other output.
    pub(super) fn prompt_again(&mut self) {
        self.mark_due(Due::Prompt);
        self.input.discard_typed();
    }

    /// More is to be printed before the next reply.
    pub(super) fn mark_due(&mut self, due: Due) {
        self.due = self.due.max(due);
    }

    /// Takes the prompt that a line answers.
    pub(super) fn take_prompt(&mut self) -> Prompt {
        std::mem::replace(&mut self.prompt, Prompt::Place)
    }

    /// The next line answers this.
    pub(super) fn ask(&mut self, prompt: Prompt) {
        self.prompt = prompt;
        self.mark_due(Due::Prompt);
    }

    /// Takes an event that needs no answer.
    pub(super) fn take_event(&mut self, event: Event) {
        match event {
            Event::Status(status) => self.proposals.take_status(status),
            Event::Opened(review) => {
                let said = self.proposals.add(&review);
                self.interrupt(&said);
            }
            Event::Closed(closed) => self.proposals.close(closed.id),
            Event::Changed(changed) => self.walk.change(changed),
            Event::Turn(turn) => {
                if turn.id == self.walk.turn().id {
                    self.take_turn(turn);
                }
            }
            Event::TurnFile(opened) => {
                if self.walk.opened(opened) {
                    self.interrupt(words::FILE_CHANGED);
                    self.has_other_texts = true;
                    self.tell_held();
                }
            }
            Event::TurnFinished(finished) => self.finished = Some(finished),
            Event::Problem(problem) => {
                let said = self.proposals.problem(&problem);
                self.interrupt(&said);
            }
            Event::Notice { message } => self.interrupt(&message),
            Event::FlushReview { .. }
            | Event::AcceptedByRule(_)
            | Event::LastWord(_)
            | Event::DiagnosticsWanted { .. } => {}
        }
    }

    /// The list of the turn review as it is now.
    pub(super) fn take_turn(&mut self, turn: Turn) {
        let before = self.walk.turn().message.as_ref();
        let unread = before.filter(|message| message.read.is_none()).map(|message| message.at);
        let read = turn.message.as_ref().filter(|it| it.read.is_some() && Some(it.at) == unread);
        let read = read.map(comment_words::read);
        let known = &self.walk.turn().remarks;
        let remarks: Vec<_> = turn.remarks.iter().filter(|it| !known.contains(it)).cloned().collect();
        match (self.walk.take(turn), self.prompt) {
            (News::Nothing, _) => {}
            // The person confirms the marks that they have seen.
            (News::List, _) | (News::Marks, Prompt::Finish) => self.has_another_list = true,
            (News::Marks, Prompt::Comment) => {}
            (News::Marks, Prompt::Place | Prompt::Leave(..)) => self.mark_due(Due::Prompt),
        }
        for remark in remarks {
            self.interrupt(&harmless::name(&remark));
        }
        if let Some(read) = read {
            self.interrupt(&read);
        }
    }

    /// The companion knows the list or the open file no more. This is the list now.
    pub(super) fn begin_again(&mut self, turn: Turn) {
        self.take_turn(turn);
        let file = self.walk.file();
        self.walk.turn_to(file);
        self.has_another_list = true;
    }

    /// The person begins a comment of several lines.
    pub(super) fn begin_comment(&mut self, about: About) {
        let spot = Spot::of(&self.walk, about);
        let unsent = self.unsent.take_for(about, &spot, self.walk.turn());
        let how = match (&unsent, about) {
            (Some(words), _) => comment_words::resumed(words),
            (None, About::Known(_)) => comment_words::HOW_AGAIN.to_owned(),
            (None, About::Change | About::File | About::Whole) => comment_words::HOW.to_owned(),
        };
        let route = comment_words::route_after_finish(self.walk.turn());
        self.say(&format!("{route}\n{how}"));
        let lines: Vec<_> = unsent.iter().flat_map(|words| words.lines()).map(str::to_owned).collect();
        self.typed = Some(TypedComment { about, spot, lines, is_resumed: unsent.is_some() });
        self.ask(Prompt::Comment);
    }

    /// Whether the next line belongs to a comment.
    pub(super) fn is_commenting(&self) -> bool {
        self.typed.is_some()
    }

    /// No companion has these words: the next comment begins with them, or they are for the drafts.
    pub(super) fn set_aside(&mut self, about: About, spot: Spot, words: &str) {
        if !words.is_empty() {
            self.unsent.add(about, spot, words);
        }
    }

    /// The comments that no companion has, when the desk ends.
    pub(super) fn take_unsent(&mut self) -> Vec<UnsavedText> {
        if let Some(typed) = self.typed.take() {
            self.set_aside(typed.about, typed.spot, &typed.lines.join("\n"));
        }
        self.unsent.take_all(self.walk.turn())
    }

    /// Takes a line of the comment that the person types, or its end. Returns the comment once it is whole.
    pub(super) fn take_comment_line(&mut self, line: Option<&str>) -> Option<TypedComment> {
        match (line, &mut self.typed) {
            (Some("-"), Some(typed)) if typed.is_resumed => {
                (typed.is_resumed, typed.lines) = (false, Vec::new());
                self.say(comment_words::HOW);
                self.ask(Prompt::Comment);
                None
            }
            (Some(line), Some(typed)) if !line.trim().is_empty() => {
                typed.is_resumed = false;
                typed.lines.push(line.to_owned());
                self.ask(Prompt::Comment);
                None
            }
            _ => self.typed.take(),
        }
    }

    /// Whether the list has become another one; says so. Asked once, and not while a comment is typed: its
    /// lines would act as commands.
    pub(super) fn take_another_list(&mut self) -> bool {
        if self.is_commenting() || !std::mem::take(&mut self.has_another_list) {
            return false;
        }
        self.prompt = Prompt::Place;
        self.input.prompt_changed();
        let said = words::list_changed(&self.walk);
        self.say(&said);
        true
    }

    /// Begins with this list, and prints its head.
    pub(super) fn begin(&mut self, turn: Turn) {
        self.walk.take(turn);
        let head = words::head(&self.walk, self.printer.inks);
        self.say(&head);
        let turn = self.walk.turn();
        let message = turn.message.as_ref().map(comment_words::message);
        let comments = comment_words::all(comments::on_whole(turn), turn, false);
        let is_asked = self.input.terminal && !turn.files.is_empty();
        let how = is_asked.then(|| format!("{}\n{}", words::HOW, comment_words::head(turn)));
        let answers = comment_words::answers_seen(turn);
        for said in [message, answers, comments, how].into_iter().flatten() {
            self.printer.say(&said);
        }
    }

    /// Behind the last file: the list of all that is undone and sent, and the question. Without either, that
    /// is the end of a review since a revision; another one is to be finished, for the next begins there.
    pub(super) fn come_to_end(&mut self) -> ControlFlow<Ending> {
        self.walk.turn_to_end();
        let list = words::marks(&self.walk);
        self.say(&list);
        let sends = comment_words::to_send(self.walk.turn());
        let open = comment_words::open(self.walk.turn());
        if let Some(open) = &open {
            self.say(open);
        }
        if let Some(sends) = &sends {
            self.say(sends);
            let route = comment_words::route(self.walk.turn());
            self.say(&route);
        }
        let is_empty = !self.walk.has_marks() && sends.is_none();
        if is_empty && self.walk.turn().baseline.asked.is_some() {
            if open.is_none() {
                return self.leave(Ending::Done);
            }
            self.mark_due(Due::Prompt);
            return ControlFlow::Continue(());
        }
        self.ask(Prompt::Finish);
        ControlFlow::Continue(())
    }

    /// Tells the end that has come.
    pub(super) fn end(&mut self) -> ControlFlow<Ending> {
        (self.has_another_list, self.has_undone) = (false, true);
        let ending = match self.finished.take() {
            None => {
                self.say(words::NO_END);
                Ending::Failed
            }
            Some(finished) => {
                self.say(&words::finished(&finished));
                if finished.has_refused() && self.walk.turn().baseline.asked.is_none() {
                    self.say(messages::REVIEW_STAYS);
                }
                if finished.sent.is_none() && finished.not_sent.is_none() {
                    self.say_comments_wait();
                }
                let is_partial = finished.has_refused() || finished.not_sent.is_some();
                if is_partial { Ending::Failed } else { Ending::Done }
            }
        };
        self.leave(ending)
    }

    /// Says that comments of the person wait on, if any do.
    pub(super) fn say_comments_wait(&mut self) {
        if let Some(said) = waits_on(&self.walk.turn().comments) {
            self.say(&said);
        }
    }

    /// Says that nothing is written from now on.
    pub(super) fn say_nothing_written(&mut self) {
        self.say(if self.has_undone { words::NOTHING_MORE_WRITTEN } else { words::NOTHING_WRITTEN });
    }

    /// Leaves, at a terminal only after a question if that ends proposals.
    pub(super) fn leave(&mut self, ending: Ending) -> ControlFlow<Ending> {
        match self.proposals.question_before_leaving() {
            Some(question) if self.input.terminal && !self.input.has_ended() => {
                self.ask(Prompt::Leave(question, ending));
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(ending),
        }
    }

    /// The reply to the question before leaving.
    pub(super) fn leaving_answered(
        &mut self,
        question: Question,
        ending: Ending,
        line: &str,
    ) -> ControlFlow<Ending> {
        match question.reply(line) {
            Some(Reply::Yes) => return ControlFlow::Break(ending),
            Some(Reply::No | Reply::Reject | Reply::For(_)) => {}
            None => {
                self.say(words::YES_OR_NO);
                self.ask(Prompt::Leave(question, ending));
            }
        }
        ControlFlow::Continue(())
    }

    /// Prints the output that is due.
    pub(super) fn print_due(&mut self) {
        let due = std::mem::replace(&mut self.due, Due::Nothing);
        let question = match self.prompt {
            _ if due == Due::Nothing => return,
            Prompt::Finish => words::confirm(&self.walk),
            Prompt::Comment => comment_words::PROMPT.to_owned(),
            Prompt::Leave(question, _) => prompts::question(question, None, self.proposals.count(), false),
            Prompt::Place => {
                self.print_place(due);
                words::prompt(&self.walk, self.paging.has_more())
            }
        };
        self.printer.ask(&question);
    }

    /// The person is at another place: its first page comes first.
    pub(super) fn come_to_place(&mut self, due: Due) {
        self.paging.begin();
        self.mark_due(due);
    }

    /// Shows the next page of a long change.
    pub(super) fn look_further(&mut self) {
        match self.paging.turn() {
            true => self.mark_due(Due::Place),
            false => self.say(prompts::NO_MORE),
        }
    }

    /// Shows the change of a number, counted from 1, in the file where the person is.
    pub(super) fn look_at_number(&mut self, number: &str) {
        let hunks = match self.walk.place() {
            Place::Hunk(_, open, _) => open.review().hunks.len(),
            Place::Whole(..) | Place::End => return self.say(words::NO_NUMBERED_CHANGE),
        };
        match prompts::numbered(number, hunks) {
            Ok(hunk) => {
                self.walk.look_at_hunk(hunk);
                self.come_to_place(Due::Place);
            }
            Err(said) => self.say(&said),
        }
    }

    fn print_place(&mut self, due: Due) {
        let mut look = self.printer.look();
        let mut above = Vec::new();
        if due >= Due::Review {
            above.push(words::file_header(&self.walk, look.inks));
            above.extend(comment_words::all(comments::on_file(&self.walk), self.walk.turn(), true));
        }
        for text in &above {
            let text = wrapped(text, look);
            look = below(look, &text);
            self.printer.show(&text);
        }
        if due < Due::Place {
            return;
        }
        let comments = comment_words::all(comments::on_change(&self.walk), self.walk.turn(), false);
        let comments = comments.map(|text| wrapped(&text, look));
        look = comments.iter().fold(look, |look, text| below(look, text));
        let at = self.paging.at();
        let pages = match self.walk.place() {
            Place::Hunk(_, open, hunk) => vec![hunk_page(Origin::Turn, open.review(), hunk, at, look)],
            Place::Whole(_, Some(open)) if !open.review().hunks.is_empty() => {
                render::whole(Origin::Turn, open.review(), at, look)
            }
            Place::Whole(..) | Place::End => Vec::new(),
        };
        self.paging.mark_printed(&pages);
        for page in &pages {
            self.printer.show(&page.text);
        }
        if let Some(comments) = comments {
            self.printer.show(&comments);
        }
    }
}
