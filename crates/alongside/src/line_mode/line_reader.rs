//! The person's input, line by line. A thread reads it, and only on request, so that an editor in between has
//! the terminal to itself.

use std::io::{BufRead, IsTerminal};
use std::time::Duration;

use alongside_platform::terminal::{LineEndKey, discard_typed};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// A line that comes sooner after an unasked change of the prompt was typed for the prompt before.
const TOO_SOON: Duration = Duration::from_millis(300);

/// A line of input, or its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InputLine {
    /// A line, without its end.
    Line(String),
    /// Ctrl-D on a terminal: the person wants to leave, and can still type.
    CtrlD,
    /// Ctrl-D on a terminal behind a text without Enter: it means nothing as a command.
    Unfinished(String),
    /// Ctrl-L on a terminal, and the text before it: the person wants to see the screen again.
    Redraw(String),
    /// The input has ended.
    End,
}

/// The key that shows the screen again. It counts without Enter.
const CTRL_L: char = '\x0c';

/// Reads lines of input.
pub(crate) struct LineReader {
    wants: std::sync::mpsc::Sender<()>,
    lines: mpsc::UnboundedReceiver<InputLine>,
    /// Whether the thread is reading a line.
    reading: bool,
    /// A line that was read and is not wanted yet (never from a terminal).
    ahead: Option<InputLine>,
    ended: bool,
    /// Whether a person types at a terminal.
    pub(crate) terminal: bool,
    changed: Option<Instant>,
    redraw_key: Option<LineEndKey>,
}

impl LineReader {
    /// Reads standard input.
    pub(crate) fn stdin() -> Self {
        let terminal = std::io::stdin().is_terminal();
        let redraw_key = if terminal { LineEndKey::set(CTRL_L as u8) } else { None };
        Self { redraw_key, ..Self::from(terminal, || Box::new(std::io::stdin().lock())) }
    }

    /// Reads the answers to the questions of a command. No key is special, and Ctrl-D is the end.
    pub(crate) fn answers() -> Self {
        Self::from(false, || Box::new(std::io::stdin().lock()))
    }

    /// The process goes on after it was stopped.
    pub(crate) fn process_continued(&self) {
        if let Some(key) = &self.redraw_key {
            key.set_again();
        }
    }

    /// Gives the terminal back.
    pub(crate) fn end(&mut self) {
        self.redraw_key = None;
    }

    /// Reads what `open`, called on the reading thread, gives.
    pub(crate) fn from(terminal: bool, open: impl FnOnce() -> Box<dyn BufRead> + Send + 'static) -> Self {
        let (wants, wanted) = std::sync::mpsc::channel::<()>();
        let (tell, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            let mut source = open();
            while wanted.recv().is_ok() {
                let input = if terminal { typed(&mut *source) } else { written(&mut *source) };
                let ended = input == InputLine::End;
                if tell.send(input).is_err() || ended {
                    break;
                }
            }
        });
        Self {
            wants,
            lines,
            reading: false,
            ahead: None,
            ended: false,
            terminal,
            changed: None,
            redraw_key: None,
        }
    }

    /// Whether input has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The prompt changed without a reply: text typed already was meant for the one before.
    pub(crate) fn prompt_changed(&mut self) {
        if self.terminal {
            self.changed = Some(Instant::now());
            self.discard_typed();
        }
    }

    /// Output interrupted the typing: the typed text is no longer visible, and Enter on a line that looks
    /// empty must not send it.
    pub(crate) fn discard_typed(&mut self) {
        if self.terminal {
            discard_typed();
        }
    }

    /// Whether the line that just came was typed before the person could read the prompt.
    pub(crate) fn came_too_soon(&self) -> bool {
        self.changed.is_some_and(|changed| changed.elapsed() < TOO_SOON)
    }

    /// Gives a line back: it replies to a later prompt.
    pub(crate) fn put_back(&mut self, input: InputLine) {
        self.ahead = Some(input);
    }

    /// Whether a line was given back.
    pub(crate) fn holds_one(&self) -> bool {
        self.ahead.is_some()
    }

    /// The next line. Cancel safe. Never comes back after the end.
    pub(crate) async fn next(&mut self) -> InputLine {
        if let Some(input) = self.ahead.take() {
            return input;
        }
        if self.ended {
            return std::future::pending().await;
        }
        if !self.reading {
            self.reading = self.wants.send(()).is_ok();
        }
        let input = self.lines.recv().await.unwrap_or(InputLine::End);
        self.reading = false;
        self.ended = input == InputLine::End;
        input
    }

    /// The next of the [answers](Self::answers); none after the end. Cancel safe.
    pub(crate) async fn answer(&mut self) -> Option<String> {
        match self.ended {
            true => None,
            false => match self.next().await {
                InputLine::Line(line) => Some(line),
                _ => None,
            },
        }
    }
}

/// The next line of a file or a pipe.
fn written(source: &mut dyn BufRead) -> InputLine {
    let mut line = Vec::new();
    match source.read_until(b'\n', &mut line) {
        Ok(1..) => InputLine::Line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
        Ok(0) | Err(_) => InputLine::End,
    }
}

/// One read of a terminal: a line, or the text before Ctrl-D. Several reads are never joined: the desk
/// sometimes discards typed text, and could not discard the part that is read already.
fn typed(source: &mut dyn BufRead) -> InputLine {
    let (input, len) = loop {
        match source.fill_buf() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // A terminal that is gone would say so again and again.
            Err(_) => return InputLine::End,
            Ok([]) if std::io::stdin().is_terminal() => return InputLine::CtrlD,
            Ok([]) => return InputLine::End,
            Ok(bytes) => {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                let unfinished = || InputLine::Unfinished(text(bytes));
                let line = bytes.strip_suffix(b"\n").map(|line| InputLine::Line(text(line)));
                let before_redraw = text(bytes).split_once(CTRL_L).map(|(before, _)| before.to_owned());
                let redraw = before_redraw.map(InputLine::Redraw);
                break (redraw.or(line).unwrap_or_else(unfinished), bytes.len());
            }
        }
    };
    source.consume(len);
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(terminal: bool, text: &'static str) -> LineReader {
        LineReader::from(terminal, move || Box::new(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_come_one_by_one_then_the_end_once() {
        let mut reader = reader(false, "k\r\nd\nlast");
        for line in ["k", "d", "last"] {
            assert_eq!(reader.next().await, InputLine::Line(line.into()));
        }
        assert!(!reader.has_ended());
        assert_eq!(reader.next().await, InputLine::End);
        assert!(reader.has_ended());
        assert!(tokio::time::timeout(Duration::from_millis(20), reader.next()).await.is_err());
        assert_eq!(reader.answer().await, None, "a question is answered after the end, too");
    }

    #[tokio::test]
    async fn a_returned_line_comes_again() {
        let mut reader = reader(false, "k\nd\n");
        let first = reader.next().await;
        reader.put_back(first.clone());
        assert!(reader.holds_one());
        assert_eq!(reader.next().await, first);
        assert_eq!(reader.next().await, InputLine::Line("d".into()));
    }

    #[tokio::test]
    async fn a_line_for_the_prompt_before_does_not_count() {
        tokio::time::pause();
        let mut typed = reader(true, "");
        assert!(!typed.came_too_soon());
        typed.prompt_changed();
        assert!(typed.came_too_soon());
        assert!(typed.came_too_soon(), "nor does a second one");
        tokio::time::advance(TOO_SOON).await;
        assert!(!typed.came_too_soon());
        let mut script = reader(false, "");
        script.prompt_changed();
        assert!(!script.came_too_soon());
    }
}
