//! The person's answers, line by line. A thread reads them, and only while somebody wants one: an editor that
//! is started in between has the terminal to itself.

use std::io::{BufRead, IsTerminal};
use std::time::Duration;

use alongside_platform::terminal::discard_typed;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// An answer that comes sooner after an unasked change of the question was typed for the question before.
const TOO_SOON: Duration = Duration::from_millis(300);

/// A line of input, or its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    /// A line, without its end.
    Line(String),
    /// Ctrl-D on a terminal: the person has had enough, and can still type.
    Enough,
    /// Ctrl-D on a terminal behind a text that was not ended with Enter: it says nothing.
    Unfinished,
    /// There will be no more.
    End,
}

/// Where answers come from.
pub(crate) struct Answers {
    wants: std::sync::mpsc::Sender<()>,
    lines: mpsc::UnboundedReceiver<Input>,
    /// Whether the thread has been asked for a line that has not come.
    asked: bool,
    /// A line that was read and is not wanted yet (never from a terminal).
    ahead: Option<Input>,
    ended: bool,
    /// Whether a person types the answers.
    pub(crate) terminal: bool,
    changed: Option<Instant>,
}

impl Answers {
    /// Reads standard input.
    pub(crate) fn stdin() -> Self {
        let terminal = std::io::stdin().is_terminal();
        Self::from(terminal, || Box::new(std::io::stdin().lock()))
    }

    /// Reads what `open`, called on the reading thread, gives.
    pub(crate) fn from(terminal: bool, open: impl FnOnce() -> Box<dyn BufRead> + Send + 'static) -> Self {
        let (wants, wanted) = std::sync::mpsc::channel::<()>();
        let (tell, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            let mut source = open();
            while wanted.recv().is_ok() {
                let input = if terminal { typed(&mut *source) } else { written(&mut *source) };
                let ended = input == Input::End;
                if tell.send(input).is_err() || ended {
                    break;
                }
            }
        });
        Self { wants, lines, asked: false, ahead: None, ended: false, terminal, changed: None }
    }

    /// Whether input has ended, and this has been said.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The question changed without an answer: what is typed already was meant for the one before.
    pub(crate) fn question_changed(&mut self) {
        if self.terminal {
            self.changed = Some(Instant::now());
            self.discard_typed();
        }
    }

    /// Something was printed in the middle of what is being typed: it would no longer be seen, and Enter on
    /// what looks like an empty line must not send it off.
    pub(crate) fn discard_typed(&mut self) {
        if self.terminal {
            discard_typed();
        }
    }

    /// Whether the answer that just came was typed before the question could be read.
    pub(crate) fn came_too_soon(&self) -> bool {
        self.changed.is_some_and(|changed| changed.elapsed() < TOO_SOON)
    }

    /// Gives a line back: it answers a later question.
    pub(crate) fn put_back(&mut self, input: Input) {
        self.ahead = Some(input);
    }

    /// Whether a line was given back.
    pub(crate) fn holds_one(&self) -> bool {
        self.ahead.is_some()
    }

    /// The next line. Cancel safe. Never comes back after the end.
    pub(crate) async fn next(&mut self) -> Input {
        if let Some(input) = self.ahead.take() {
            return input;
        }
        if self.ended {
            return std::future::pending().await;
        }
        if !self.asked {
            self.asked = self.wants.send(()).is_ok();
        }
        let input = self.lines.recv().await.unwrap_or(Input::End);
        self.asked = false;
        self.ended = input == Input::End;
        input
    }
}

/// The next line of a file or a pipe.
fn written(source: &mut dyn BufRead) -> Input {
    let mut line = Vec::new();
    match source.read_until(b'\n', &mut line) {
        Ok(1..) => Input::Line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
        Ok(0) | Err(_) => Input::End,
    }
}

/// What a terminal hands over at once: a line, or what stands there at Ctrl-D. It is never put together from
/// several reads: what was typed before is discarded at times, and could not be discarded here.
fn typed(source: &mut dyn BufRead) -> Input {
    let (input, len) = loop {
        match source.fill_buf() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // A terminal that is gone would say so again and again.
            Err(_) => return Input::End,
            Ok([]) if std::io::stdin().is_terminal() => return Input::Enough,
            Ok([]) => return Input::End,
            Ok(bytes) => {
                let line = bytes.strip_suffix(b"\n").map(|line| String::from_utf8_lossy(line).into_owned());
                break (line.map_or(Input::Unfinished, Input::Line), bytes.len());
            }
        }
    };
    source.consume(len);
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(terminal: bool, text: &'static str) -> Answers {
        Answers::from(terminal, move || Box::new(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_come_one_by_one_and_then_the_end_once() {
        let mut answers = answers(false, "k\r\nd\nlast");
        for line in ["k", "d", "last"] {
            assert_eq!(answers.next().await, Input::Line(line.into()));
        }
        assert!(!answers.has_ended());
        assert_eq!(answers.next().await, Input::End);
        assert!(answers.has_ended());
        assert!(tokio::time::timeout(Duration::from_millis(20), answers.next()).await.is_err());
    }

    #[tokio::test]
    async fn a_line_that_was_given_back_comes_again() {
        let mut answers = answers(false, "k\nd\n");
        let first = answers.next().await;
        answers.put_back(first.clone());
        assert!(answers.holds_one());
        assert_eq!(answers.next().await, first);
        assert_eq!(answers.next().await, Input::Line("d".into()));
    }

    #[tokio::test]
    async fn on_a_terminal_an_answer_to_the_question_before_does_not_count() {
        tokio::time::pause();
        let mut typed = answers(true, "");
        assert!(!typed.came_too_soon());
        typed.question_changed();
        assert!(typed.came_too_soon());
        assert!(typed.came_too_soon(), "nor does a second one");
        tokio::time::advance(TOO_SOON).await;
        assert!(!typed.came_too_soon());
        let mut script = answers(false, "");
        script.question_changed();
        assert!(!script.came_too_soon());
    }
}
