//! Reads the person's input line by line. A thread reads each line on request only, so that an editor
//! meanwhile has the terminal for itself.

use std::io::{BufRead, IsTerminal};
use std::time::Duration;

use alongside_platform::terminal::{LineEndKey, discard_typed};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The time after a change of the prompt in which a line counts as typed for the previous prompt.
const MIN_REPLY_TIME: Duration = Duration::from_millis(300);

/// A line of input, or its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InputLine {
    /// A line without its line ending.
    Line(String),
    /// Ctrl-D on an empty line of a terminal. The input has not ended.
    CtrlD,
    /// Text typed on a terminal and ended by Ctrl-D instead of Enter.
    Unfinished(String),
    /// Text typed before Ctrl-L, the key that asks for the screen again.
    Redraw(String),
    /// The input has ended.
    End,
}

/// The key that has the screen printed again, without Enter.
const CTRL_L: char = '\x0c';

/// Reads lines of input.
pub(crate) struct LineReader {
    line_requests: std::sync::mpsc::Sender<()>,
    lines: mpsc::UnboundedReceiver<InputLine>,
    /// Whether the thread is reading a line.
    is_reading: bool,
    /// A line that was put back, which is never from a terminal.
    put_back: Option<InputLine>,
    has_ended: bool,
    /// Whether the input is a terminal.
    pub(crate) is_terminal: bool,
    /// The time of the latest change of the prompt without a reply.
    prompt_changed_at: Option<Instant>,
    redraw_key: Option<LineEndKey>,
}

impl LineReader {
    /// Creates a reader of standard input.
    pub(crate) fn stdin() -> Self {
        let is_terminal = std::io::stdin().is_terminal();
        let redraw_key = if is_terminal { LineEndKey::set(CTRL_L as u8) } else { None };
        Self { redraw_key, ..Self::new(is_terminal, || Box::new(std::io::stdin().lock())) }
    }

    /// Creates a reader of the answers to a command's questions. No key is special, and Ctrl-D ends the
    /// input.
    pub(crate) fn for_answers() -> Self {
        Self::new(false, || Box::new(std::io::stdin().lock()))
    }

    /// Sets the redraw key again after the process was suspended and continued.
    pub(crate) fn resume(&self) {
        if let Some(key) = &self.redraw_key {
            key.set_again();
        }
    }

    /// Restores the terminal.
    pub(crate) fn restore_terminal(&mut self) {
        self.redraw_key = None;
    }

    /// Creates a reader of the source that `open` returns on the reading thread.
    pub(crate) fn new(is_terminal: bool, open: impl FnOnce() -> Box<dyn BufRead> + Send + 'static) -> Self {
        let (line_requests, requests) = std::sync::mpsc::channel::<()>();
        let (line_sender, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            let mut source = open();
            while requests.recv().is_ok() {
                let input = if is_terminal { read_terminal(&mut *source) } else { read_line(&mut *source) };
                let is_end = input == InputLine::End;
                if line_sender.send(input).is_err() || is_end {
                    break;
                }
            }
        });
        Self {
            line_requests,
            lines,
            is_reading: false,
            put_back: None,
            has_ended: false,
            is_terminal,
            prompt_changed_at: None,
            redraw_key: None,
        }
    }

    /// Whether the input has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Discards typed text after a change of the prompt without a reply: the text was meant for the previous
    /// prompt.
    pub(crate) fn note_prompt_change(&mut self) {
        if self.is_terminal {
            self.prompt_changed_at = Some(Instant::now());
            self.discard_typed();
        }
    }

    /// Discards typed text after other output. The text is no longer visible, so Enter on a line that looks
    /// empty must not send it.
    pub(crate) fn discard_typed(&mut self) {
        if self.is_terminal {
            discard_typed();
        }
    }

    /// Whether the line that has just come was typed before the person could read the prompt.
    pub(crate) fn came_too_soon(&self) -> bool {
        self.prompt_changed_at.is_some_and(|changed| changed.elapsed() < MIN_REPLY_TIME)
    }

    /// Puts back a line that is meant for a later prompt.
    pub(crate) fn put_back(&mut self, input: InputLine) {
        self.put_back = Some(input);
    }

    /// Whether a line was put back.
    pub(crate) fn has_line(&self) -> bool {
        self.put_back.is_some()
    }

    /// Waits for the next line. After the end, waits for ever. Cancel safe.
    pub(crate) async fn next(&mut self) -> InputLine {
        if let Some(input) = self.put_back.take() {
            return input;
        }
        if self.has_ended {
            return std::future::pending().await;
        }
        if !self.is_reading {
            self.is_reading = self.line_requests.send(()).is_ok();
        }
        let input = self.lines.recv().await.unwrap_or(InputLine::End);
        self.is_reading = false;
        self.has_ended = input == InputLine::End;
        input
    }

    /// Waits for the next answer. Returns `None` after the end. Cancel safe.
    pub(crate) async fn next_answer(&mut self) -> Option<String> {
        match self.has_ended {
            true => None,
            false => match self.next().await {
                InputLine::Line(line) => Some(line),
                _ => None,
            },
        }
    }
}

/// Reads the next line of a file or a pipe.
fn read_line(source: &mut dyn BufRead) -> InputLine {
    let mut line = Vec::new();
    match source.read_until(b'\n', &mut line) {
        Ok(1..) => InputLine::Line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
        Ok(0) | Err(_) => InputLine::End,
    }
}

/// Reads a terminal once: a line, or the text before Ctrl-D or Ctrl-L. Several reads are never joined,
/// because the desk sometimes discards typed text, and cannot discard a part that was read before.
fn read_terminal(source: &mut dyn BufRead) -> InputLine {
    let (input, len) = loop {
        match source.fill_buf() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // A terminal that is gone returns an error at each read.
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

    fn reader(is_terminal: bool, text: &'static str) -> LineReader {
        LineReader::new(is_terminal, move || Box::new(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_come_one_by_one_and_the_end_once() {
        let mut reader = reader(false, "k\r\nd\nlast");
        for line in ["k", "d", "last"] {
            assert_eq!(reader.next().await, InputLine::Line(line.into()));
        }
        assert!(!reader.has_ended());
        assert_eq!(reader.next().await, InputLine::End);
        assert!(reader.has_ended());
        assert!(tokio::time::timeout(Duration::from_millis(20), reader.next()).await.is_err());
        assert_eq!(reader.next_answer().await, None, "an answer after the end does not wait");
    }

    #[tokio::test]
    async fn a_line_that_was_put_back_comes_again() {
        let mut reader = reader(false, "k\nd\n");
        let first = reader.next().await;
        reader.put_back(first.clone());
        assert!(reader.has_line());
        assert_eq!(reader.next().await, first);
        assert_eq!(reader.next().await, InputLine::Line("d".into()));
    }

    #[tokio::test]
    async fn a_line_soon_after_a_change_of_the_prompt_came_too_soon() {
        tokio::time::pause();
        let mut typed = reader(true, "");
        assert!(!typed.came_too_soon());
        typed.note_prompt_change();
        assert!(typed.came_too_soon());
        assert!(typed.came_too_soon(), "a second line also came too soon");
        tokio::time::advance(MIN_REPLY_TIME).await;
        assert!(!typed.came_too_soon());
        let mut script = reader(false, "");
        script.note_prompt_change();
        assert!(!script.came_too_soon());
    }
}
