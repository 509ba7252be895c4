//! The actions in the editor for which a check asks.

use std::path::PathBuf;
use std::time::Duration;

/// An action in the editor. Lines and columns count from 1, columns in UTF-16 units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Open a file and make it the active one.
    Open {
        /// The file.
        file: PathBuf,
    },
    /// Make an open file the active one.
    Focus {
        /// The file.
        file: PathBuf,
    },
    /// Close a file.
    Close {
        /// The file.
        file: PathBuf,
    },
    /// Open a new, empty document that was never saved.
    New,
    /// Put the cursor at a position in the active file.
    Cursor {
        /// The file.
        file: PathBuf,
        /// Line.
        line: u32,
        /// Column.
        column: u32,
    },
    /// Select text in the active file.
    Select {
        /// The file.
        file: PathBuf,
        /// Line and column of the first character.
        from: (u32, u32),
        /// Line and column after the last character.
        to: (u32, u32),
    },
    /// Move the cursor without a pause, some thirty times a second.
    Wander {
        /// The file, which has hundreds of lines.
        file: PathBuf,
        /// The duration of the movement.
        time: Duration,
    },
    /// Open one more folder as a project.
    AddFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// Close that project.
    RemoveFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// Replace the text of a proposal without a decision.
    Edit {
        /// The file it is about, as the agent spelled it.
        path: String,
        /// The new text.
        text: String,
    },
    /// Accept a proposal as it is now.
    Accept {
        /// The file it is about; if there are several proposals, any of them.
        path: String,
    },
    /// Reject a proposal.
    Reject {
        /// The file it is about; if there are several proposals, any of them.
        path: String,
    },
    /// Close the view of a proposal without a decision.
    CloseView {
        /// The file it is about.
        path: String,
    },
    /// Check whether a proposal is shown, or waits.
    IsShown {
        /// The file it is about.
        path: String,
    },
    /// Close the editor, or the companion in it, in the usual way.
    Stop,
}

impl Action {
    /// Every action, with its description.
    pub const NAMES: [(&'static str, &'static str); 15] = [
        ("open", "`FILE`: open a file and show it"),
        ("focus", "`FILE`: show a file that is already open"),
        ("close", "`FILE`: close a file"),
        ("new", "show a new, empty document that was never saved"),
        ("cursor", "`FILE LINE COLUMN`: put the cursor there, in the file that is shown"),
        (
            "select",
            "`FILE LINE COLUMN LINE COLUMN`: select from the first position up to the second, \
            which is excluded",
        ),
        (
            "wander",
            "`FILE MILLISECONDS`: move the cursor for so long without a pause, about thirty times a second",
        ),
        ("add-folder", "`FOLDER`: open one more folder as a project"),
        ("remove-folder", "`FOLDER`: close that project"),
        ("edit", "`PATH TEXT`: replace the text of the proposal, and do not decide"),
        (
            "accept",
            "`PATH`: accept the proposal as it is now; if there are several for the path, any of them",
        ),
        ("reject", "`PATH`: reject the proposal; if there are several for the path, any of them"),
        ("close-view", "`PATH`: close the view of the proposal without a decision"),
        ("is-shown", "`PATH`: see whether a proposal is shown or waits; exit code 0 for yes, 1 for no"),
        ("stop", "end the editor, or the companion in it, in the orderly way"),
    ];

    /// Returns the name of the action.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Open { .. } => "open",
            Self::Focus { .. } => "focus",
            Self::Close { .. } => "close",
            Self::New => "new",
            Self::Cursor { .. } => "cursor",
            Self::Select { .. } => "select",
            Self::Wander { .. } => "wander",
            Self::AddFolder { .. } => "add-folder",
            Self::RemoveFolder { .. } => "remove-folder",
            Self::Edit { .. } => "edit",
            Self::Accept { .. } => "accept",
            Self::Reject { .. } => "reject",
            Self::CloseView { .. } => "close-view",
            Self::IsShown { .. } => "is-shown",
            Self::Stop => "stop",
        }
    }

    /// Returns the arguments after the name, for a program.
    pub fn arguments(&self) -> Vec<String> {
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        match self {
            Self::Open { file } | Self::Focus { file } | Self::Close { file } => vec![path(file)],
            Self::AddFolder { folder } | Self::RemoveFolder { folder } => vec![path(folder)],
            Self::Cursor { file, line, column } => vec![path(file), line.to_string(), column.to_string()],
            Self::Select { file, from, to } => {
                let numbers = [from.0, from.1, to.0, to.1];
                std::iter::once(path(file)).chain(numbers.map(|number| number.to_string())).collect()
            }
            Self::Wander { file, time } => vec![path(file), time.as_millis().to_string()],
            Self::Edit { path, text } => vec![path.clone(), text.clone()],
            Self::Accept { path }
            | Self::Reject { path }
            | Self::CloseView { path }
            | Self::IsShown { path } => vec![path.clone()],
            Self::New | Self::Stop => Vec::new(),
        }
    }

    /// Returns the request to a person: one sentence without a full stop.
    pub fn sentence(&self) -> String {
        match self {
            Self::Open { file } => format!("open the file {}", file.display()),
            Self::Focus { file } => format!("show the file {}, which is already open", file.display()),
            Self::Close { file } => format!("close the file {}", file.display()),
            Self::New => "open a new, empty document and do not save it".into(),
            Self::Cursor { file, line, column } => {
                format!("put the cursor on line {line}, column {column} of {}", file.display())
            }
            Self::Select { file, from, to } => format!(
                "select from line {}, column {} up to line {}, column {} of {}",
                from.0,
                from.1,
                to.0,
                to.1,
                file.display()
            ),
            Self::Wander { file, time } => format!(
                "hold down an arrow key in {} for {} seconds",
                file.display(),
                time.as_secs_f32().ceil()
            ),
            Self::AddFolder { folder } => {
                format!("open the folder {} as one more project", folder.display())
            }
            Self::RemoveFolder { folder } => format!("close the project {}", folder.display()),
            Self::Edit { path, text } => {
                format!("replace the whole proposed text for {path} with {text:?}, and do not decide")
            }
            Self::Accept { path } => format!("accept the proposal for {path}"),
            Self::Reject { path } => format!("reject the proposal for {path}"),
            Self::CloseView { path } => {
                format!("close the view of the proposal for {path} without deciding")
            }
            Self::IsShown { path } => format!("is a proposal for {path} shown or waiting?"),
            Self::Stop => "end the editor in the orderly way".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_table() {
        let known = Action::NAMES.map(|(name, _)| name);
        for action in [
            Action::New,
            Action::Stop,
            Action::Wander { file: "/a".into(), time: Duration::from_secs(2) },
            Action::AddFolder { folder: "/b".into() },
        ] {
            assert!(known.contains(&action.name()));
        }
        let select = Action::Select { file: "/a b".into(), from: (1, 2), to: (3, 4) };
        assert_eq!(select.arguments(), ["/a b", "1", "2", "3", "4"]);
        let wander = Action::Wander { file: "/a".into(), time: Duration::from_secs(2) };
        assert_eq!(wander.arguments(), ["/a", "2000"]);
    }
}
