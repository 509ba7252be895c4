//! The main loop's view of a terminal: a real one in `tty`, cells in the tests.

use std::io;

use crossterm::event::Event as TerminalEvent;
use ratatui_core::layout::Size;

use crate::app::App;

/// A terminal that the desk draws on and reads from.
pub(crate) trait Screen {
    /// The size of the terminal now.
    fn size(&self) -> Size;
    /// Whether a frame can be drawn: the terminal is the desk's, and the frame before has been written.
    fn is_ready(&self) -> bool;
    /// Draws a frame; [`ScreenEvent::Written`] follows.
    fn draw(&mut self, app: &App) -> io::Result<()>;
    /// The next event. Cancel safe.
    async fn next(&mut self) -> io::Result<ScreenEvent>;
    /// The next frame draws every cell anew.
    fn redraw(&mut self) -> io::Result<()>;
    /// Puts a text into the clipboard, where the terminal allows that.
    fn copy(&mut self, text: &str) -> io::Result<()>;
    /// Sends a notification to the terminal, which shows nothing of it on the screen.
    fn notify(&mut self, bytes: Vec<u8>) -> io::Result<()>;
    /// Gives the terminal to an editor, with a line that says so.
    async fn hand_over(&mut self, note: &str);
    /// Takes the terminal back, also from a program that took it unasked.
    fn take_back(&mut self) -> io::Result<()>;
    /// Gives the terminal back, stops the process until the shell continues it, and takes the terminal again.
    async fn stop(&mut self) -> io::Result<()>;
}

/// An event of a terminal.
#[derive(Debug)]
pub(crate) enum ScreenEvent {
    /// The last frame has been written.
    Written,
    /// The size changed.
    Resized,
    /// The person pressed, clicked or pasted.
    Input(TerminalEvent),
    /// Nothing of interest.
    Nothing,
}
