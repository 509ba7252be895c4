//! The output of a step of a run: at once if the step runs alone, or at its end if other steps run in
//! parallel.

/// The lines of one step.
#[derive(Debug)]
pub(super) struct Output(Option<String>);

impl Output {
    /// Prints each line at once.
    pub(super) fn at_once() -> Self {
        Self(None)
    }

    /// Keeps the lines until [`finish`](Self::finish).
    pub(super) fn kept() -> Self {
        Self(Some(String::new()))
    }

    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        match &mut self.0 {
            Some(kept) => {
                kept.push_str(line.as_ref());
                kept.push('\n');
            }
            None => println!("{}", line.as_ref()),
        }
    }

    /// Prints the lines that were kept.
    pub(super) fn finish(self) {
        print!("{}", self.0.unwrap_or_default());
    }
}
