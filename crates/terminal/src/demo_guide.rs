//! The guide of a demo: it names the key to try next. It goes on after each action of the person, in any
//! order, and never goes back.

/// The next thing to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DemoStep {
    /// Drop a change.
    Drop,
    /// Split a change, or edit the text.
    Edit,
    /// Accept the file.
    Accept,
    /// Accept the next file, or reject it.
    NextFile,
    /// Go on without the demo.
    End,
}

impl DemoStep {
    /// The step that follows once the person has done `done`, even if they left out the steps before it.
    pub(crate) fn after(self, done: Self) -> Self {
        let next = match done {
            Self::Drop => Self::Edit,
            Self::Edit => Self::Accept,
            Self::Accept => Self::NextFile,
            Self::NextFile | Self::End => Self::End,
        };
        self.max(next)
    }

    /// The step that follows a decision on a file.
    pub(crate) fn after_decision(self) -> Self {
        self.after(if self < Self::NextFile { Self::Accept } else { Self::NextFile })
    }

    /// The line of the step: the full one, and the one for narrow screens.
    pub(crate) fn text(self) -> [&'static str; 2] {
        match self {
            Self::Drop => [
                "Demo in a scratch project. First press space: it drops this change, or keeps it.",
                "Demo: press space to drop this change.",
            ],
            Self::Edit => [
                "Demo: j goes to the next change; s splits it, e opens the text in your editor.",
                "Demo: j next change; then s splits, e edits.",
            ],
            Self::Accept => [
                "Demo: now a accepts the file as it stands; the agent writes what you kept.",
                "Demo: a accepts the file as it stands.",
            ],
            Self::NextFile => [
                "Demo: the next file. a accepts it, r rejects all of it; ? shows every key.",
                "Demo: the next file. a accepts, r rejects.",
            ],
            Self::End => [
                "Demo: one file is left. Then `alongside install agent` sets your own agents up.",
                "Demo: then run `alongside install agent`.",
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_goes_on_and_never_back() {
        let step = DemoStep::Drop.after(DemoStep::Drop);
        assert_eq!(step, DemoStep::Edit);
        assert_eq!(step.after(DemoStep::Drop), DemoStep::Edit, "another drop");
        assert_eq!(step.after(DemoStep::Edit), DemoStep::Accept);
        assert_eq!(step.after_decision(), DemoStep::NextFile, "accepted without an edit");
        assert_eq!(DemoStep::NextFile.after(DemoStep::Drop), DemoStep::NextFile);
        assert_eq!(DemoStep::NextFile.after_decision(), DemoStep::End);
        assert_eq!(DemoStep::End.after_decision(), DemoStep::End);
    }

    #[test]
    fn every_step_has_a_line_for_narrow_screens() {
        for step in [DemoStep::Drop, DemoStep::Edit, DemoStep::Accept, DemoStep::NextFile, DemoStep::End] {
            let [long, short] = step.text();
            assert!(long.len() <= 80 && short.len() <= 44, "{step:?}");
        }
    }
}
