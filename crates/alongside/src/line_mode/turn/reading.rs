//! A turn review that a person reads line by line, and the open prompt. Each method stores which output is
//! due, and the desk prints it before it waits again.

use std::ops::ControlFlow;

use alongside_desk::review_model::comment_state::waits_on;
use alongside_desk::review_model::{Question, Reply};
use alongside_desk::{Event, Turn, TurnFinished, harmless, messages};
use alongside_terminal::UnsavedText;

use super::comments::{self, About};
use super::proposals::Proposals;
use super::unsent::{CommentPlace, TypedComment, UnsentComments};
use super::walk::{News, Place, Walk};
use super::{comment_words, words};
use crate::line_mode::due::Due;
use crate::line_mode::ending::Ending;
use crate::line_mode::hunk_lines::{Origin, hunk_page};
use crate::line_mode::line_reader::LineReader;
use crate::line_mode::pages::{Paging, layout_below};
use crate::line_mode::printer::{Printer, wrapped};
use crate::line_mode::{prompts, render};

/// The prompt that the next line answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prompt {
    /// The person's place.
    Place,
    /// The list of all that a finish undoes and sends, which may be empty.
    Finish,
    /// The comment that the person types.
    Comment,
    /// The question whether to leave, which ends proposals, and the ending of the desk after a yes.
    Leave(Question, Ending),
}

/// The turn review in line mode, with its input and output.
pub(super) struct TurnReading {
    input: LineReader,
    printer: Printer,
    walk: Walk,
    prompt: Prompt,
    proposals: Proposals,
    /// Whether the list is another one, which the person has not read.
    has_new_list: bool,
    /// The comment that the person types.
    typed: Option<TypedComment>,
    /// The comments that the companion has not received.
    unsent: UnsentComments,
    /// The announcements that wait while a comment is typed.
    held: Vec<String>,
    /// Whether the open file has other texts, which the person has not read.
    has_new_texts: bool,
    /// The result of the finish, once it has come.
    finished: Option<TurnFinished>,
    /// Whether the person has finished the review, so that changes may be undone.
    has_finished: bool,
    /// The pages of the change where the person is.
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
            has_new_list: false,
            typed: None,
            unsent: UnsentComments::default(),
            held: Vec::new(),
            has_new_texts: false,
            finished: None,
            has_finished: false,
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

    /// Prints one or several lines, which are escaped already.
    pub(super) fn say(&mut self, text: &str) {
        self.printer.say(text);
    }

    /// Prints an announcement, and the prompt again. While a comment is typed, the announcement waits.
    fn announce(&mut self, text: &str) {
        if self.is_commenting() {
            return self.held.push(text.to_owned());
        }
        self.printer.say(text);
        self.repeat_prompt();
    }

    /// Prints the announcements that waited while a comment was typed.
    pub(super) fn print_held(&mut self) {
        if self.is_commenting() {
            return;
        }
        for text in std::mem::take(&mut self.held) {
            self.announce(&text);
        }
        if std::mem::take(&mut self.has_new_texts) {
            self.show_place(Due::Review);
            self.input.note_prompt_change();
        }
    }

    /// Has the prompt repeated after other output.
    pub(super) fn repeat_prompt(&mut self) {
        self.mark_due(Due::Prompt);
        self.input.discard_typed();
    }

    /// Has at least this output printed before the next reply.
    pub(super) fn mark_due(&mut self, due: Due) {
        self.due = self.due.max(due);
    }

    /// Takes the open prompt, which a line answers.
    pub(super) fn take_prompt(&mut self) -> Prompt {
        std::mem::replace(&mut self.prompt, Prompt::Place)
    }

    /// Makes this the open prompt.
    pub(super) fn ask(&mut self, prompt: Prompt) {
        self.prompt = prompt;
        self.mark_due(Due::Prompt);
    }

    /// Handles an event that needs no answer.
    pub(super) fn take_event(&mut self, event: Event) {
        match event {
            Event::Status(status) => self.proposals.take_status(status),
            Event::Opened(review) => {
                let announcement = self.proposals.add(&review);
                self.announce(&announcement);
            }
            Event::Closed(closed) => self.proposals.close(closed.id),
            Event::Changed(changed) => self.walk.take_change(changed),
            Event::Turn(turn) => {
                if turn.id == self.walk.turn().id {
                    self.take_turn(turn);
                }
            }
            Event::TurnFile(opened) => {
                if self.walk.take_texts(opened) {
                    self.announce(words::FILE_CHANGED);
                    self.has_new_texts = true;
                    self.print_held();
                }
            }
            Event::TurnFinished(finished) => self.finished = Some(finished),
            Event::Problem(problem) => {
                let announcement = self.proposals.take_problem(&problem);
                self.announce(&announcement);
            }
            Event::Notice { message } => self.announce(&message),
            Event::FlushReview { .. }
            | Event::AcceptedByRule(_)
            | Event::LastWord(_)
            | Event::DiagnosticsWanted { .. } => {}
        }
    }

    /// Takes the current list of the turn review, and announces new remarks and a message that was read.
    pub(super) fn take_turn(&mut self, turn: Turn) {
        let before = self.walk.turn().message.as_ref();
        let unread = before.filter(|message| message.read.is_none()).map(|message| message.at);
        let message = turn.message.as_ref();
        let read = message.filter(|message| message.read.is_some() && Some(message.at) == unread);
        let read = read.map(comment_words::message_was_read);
        let known = &self.walk.turn().remarks;
        let remarks: Vec<_> = turn.remarks.iter().filter(|remark| !known.contains(remark)).cloned().collect();
        match (self.walk.take(turn), self.prompt) {
            (News::Nothing, _) => {}
            // The person must confirm the marks on the screen, so another list is printed.
            (News::List, _) | (News::Marks, Prompt::Finish) => self.has_new_list = true,
            (News::Marks, Prompt::Comment) => {}
            (News::Marks, Prompt::Place | Prompt::Leave(..)) => self.mark_due(Due::Prompt),
        }
        for remark in remarks {
            self.announce(&harmless::name(&remark));
        }
        if let Some(read) = read {
            self.announce(&read);
        }
    }

    /// Begins with another list, because the companion no longer knows the old list or the open file.
    pub(super) fn begin_again(&mut self, turn: Turn) {
        self.take_turn(turn);
        let file = self.walk.file();
        self.walk.go_to_file(file);
        self.has_new_list = true;
    }

    /// Begins a comment of several lines.
    pub(super) fn begin_comment(&mut self, about: About) {
        let place = CommentPlace::of(&self.walk, about);
        let unsent = self.unsent.take_for(about, &place, self.walk.turn());
        let how = match (&unsent, about) {
            (Some(words), _) => comment_words::how_to_resume(words),
            (None, About::Known(_)) => comment_words::HOW_TO_RETYPE.to_owned(),
            (None, About::Change | About::File | About::Whole) => comment_words::HOW_TO_TYPE.to_owned(),
        };
        let route = comment_words::route_after_finish(self.walk.turn());
        self.say(&format!("{route}\n{how}"));
        let lines: Vec<_> = unsent.iter().flat_map(|words| words.lines()).map(str::to_owned).collect();
        self.typed = Some(TypedComment { about, place, lines, is_resumed: unsent.is_some() });
        self.ask(Prompt::Comment);
    }

    /// Whether the next line belongs to a comment.
    pub(super) fn is_commenting(&self) -> bool {
        self.typed.is_some()
    }

    /// Stores words that the companion has not received, for the next comment or for the drafts.
    pub(super) fn add_unsent(&mut self, about: About, place: CommentPlace, words: &str) {
        if !words.is_empty() {
            self.unsent.add(about, place, words);
        }
    }

    /// Removes the words that were stored last, because the companion has received them.
    pub(super) fn remove_last_unsent(&mut self) {
        self.unsent.remove_last();
    }

    /// Takes the comments that the companion has not received, because the desk ends.
    pub(super) fn take_unsent(&mut self) -> Vec<UnsavedText> {
        if let Some(typed) = self.typed.take() {
            self.add_unsent(typed.about, typed.place, &typed.lines.join("\n"));
        }
        self.unsent.take_all(self.walk.turn())
    }

    /// Adds a line to the typed comment; an empty line or `None` ends it. Returns the complete comment.
    pub(super) fn take_comment_line(&mut self, line: Option<&str>) -> Option<TypedComment> {
        match (line, &mut self.typed) {
            (Some("-"), Some(typed)) if typed.is_resumed => {
                (typed.is_resumed, typed.lines) = (false, Vec::new());
                self.say(comment_words::HOW_TO_TYPE);
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

    /// Reports another list, once, and returns whether there is one. Waits until no comment is typed, whose
    /// further lines would act as commands.
    pub(super) fn report_new_list(&mut self) -> bool {
        if self.is_commenting() || !std::mem::take(&mut self.has_new_list) {
            return false;
        }
        self.prompt = Prompt::Place;
        self.input.note_prompt_change();
        let sentence = words::list_changed(&self.walk);
        self.say(&sentence);
        true
    }

    /// Begins with this list, and prints the head of the review.
    pub(super) fn begin(&mut self, turn: Turn) {
        self.walk.take(turn);
        let head = words::head(&self.walk, self.printer.inks);
        self.say(&head);
        let turn = self.walk.turn();
        let message = turn.message.as_ref().map(comment_words::last_message);
        let comments = comment_words::comment_list(turn.comments_on(None), turn, false);
        let needs_introduction = self.input.is_terminal && !turn.files.is_empty();
        let introduction = needs_introduction
            .then(|| format!("{}\n{}", words::INTRODUCTION, comment_words::introduction(turn)));
        let answers = comment_words::answers_seen(turn);
        for text in [message, answers, comments, introduction].into_iter().flatten() {
            self.printer.say(&text);
        }
    }

    /// Goes to the end: prints the list of all that a finish undoes and sends, and asks about it. If the list
    /// is empty, a review since a revision ends without a question; another review is finished nevertheless,
    /// because the next one begins with it.
    pub(super) fn show_end(&mut self) -> ControlFlow<Ending> {
        self.walk.go_to_end();
        let list = words::mark_list(&self.walk);
        self.say(&list);
        let sends = comment_words::to_send(self.walk.turn());
        let open = comment_words::open_comments(self.walk.turn());
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

    /// Prints the result of the finish, and leaves.
    pub(super) fn end(&mut self) -> ControlFlow<Ending> {
        (self.has_new_list, self.has_finished) = (false, true);
        let ending = match self.finished.take() {
            None => {
                self.say(words::NO_RESULT);
                Ending::Failed
            }
            Some(finished) => {
                self.say(&words::finish_result(&finished));
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

    /// Prints that comments of the person keep waiting, if any do.
    pub(super) fn say_comments_wait(&mut self) {
        if let Some(sentence) = waits_on(&self.walk.turn().comments) {
            self.say(&sentence);
        }
    }

    /// Prints that nothing is written from now on.
    pub(super) fn say_nothing_written(&mut self) {
        self.say(if self.has_finished { words::NOTHING_MORE_WRITTEN } else { words::NOTHING_WRITTEN });
    }

    /// Leaves. At a terminal, asks first if leaving ends proposals.
    pub(super) fn leave(&mut self, ending: Ending) -> ControlFlow<Ending> {
        match self.proposals.question_before_leaving() {
            Some(question) if self.input.is_terminal && !self.input.has_ended() => {
                self.ask(Prompt::Leave(question, ending));
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(ending),
        }
    }

    /// Handles the reply to the question before leaving.
    pub(super) fn answer_leaving(
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
            Prompt::Finish => words::finish_question(&self.walk),
            Prompt::Comment => comment_words::PROMPT.to_owned(),
            Prompt::Leave(question, _) => prompts::question(question, None, self.proposals.count(), false),
            Prompt::Place => {
                self.print_place(due);
                words::prompt(&self.walk, self.paging.has_more())
            }
        };
        self.printer.ask(&question);
    }

    /// Has the first page of the person's place printed.
    pub(super) fn show_place(&mut self, due: Due) {
        self.paging.begin();
        self.mark_due(due);
    }

    /// Shows the next page of a long change.
    pub(super) fn show_next_page(&mut self) {
        match self.paging.advance() {
            true => self.mark_due(Due::Place),
            false => self.say(prompts::NO_NEXT_PAGE),
        }
    }

    /// Shows the change with this number, counted from 1, in the person's file.
    pub(super) fn show_hunk_numbered(&mut self, number: &str) {
        let hunks = match self.walk.place() {
            Place::Hunk(_, open, _) => open.review().hunks.len(),
            Place::Whole(..) | Place::End => return self.say(words::NO_NUMBERED_CHANGE),
        };
        match prompts::index_of(number, hunks) {
            Ok(hunk) => {
                self.walk.go_to_hunk(hunk);
                self.show_place(Due::Place);
            }
            Err(answer) => self.say(&answer),
        }
    }

    fn print_place(&mut self, due: Due) {
        let mut layout = self.printer.layout();
        let mut above = Vec::new();
        if due >= Due::Review {
            above.push(words::file_header(&self.walk, layout.inks));
            above.extend(comment_words::comment_list(comments::on_file(&self.walk), self.walk.turn(), true));
        }
        for text in &above {
            let text = wrapped(text, layout);
            layout = layout_below(layout, &text);
            self.printer.show(&text);
        }
        if due < Due::Place {
            return;
        }
        let comments = comment_words::comment_list(comments::on_change(&self.walk), self.walk.turn(), false);
        let comments = comments.map(|text| wrapped(&text, layout));
        layout = comments.iter().fold(layout, |layout, text| layout_below(layout, text));
        let at = self.paging.at();
        let pages = match self.walk.place() {
            Place::Hunk(_, open, hunk) => vec![hunk_page(Origin::Turn, open.review(), hunk, at, layout)],
            Place::Whole(_, Some(open)) if !open.review().hunks.is_empty() => {
                render::whole(Origin::Turn, open.review(), at, layout)
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
