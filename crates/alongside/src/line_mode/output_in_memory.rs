//! An output in memory, for the tests of line mode.

use std::io::Write;
use std::sync::{Arc, Mutex};

use super::printer::{Inks, Printer};

/// An output in memory.
#[derive(Clone, Default)]
pub(super) struct MemoryOutput(Arc<Mutex<Vec<u8>>>);

impl MemoryOutput {
    /// Creates a printer on this output, without colours.
    pub(super) fn printer(&self) -> Printer {
        Printer::on(Box::new(self.clone()), Inks { on: false })
    }

    /// Returns all output so far.
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for MemoryOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
