//! Why a cell does not say "works". One table: whose releases, from which to which, at which steps, by what
//! they were seen to do, and how that is known. A cell that no row covers is unexplained, and the matrix is
//! not done.

use super::releases::number;
use super::results::{Cell, Need, Row, STEPS, Step};

/// Whose doing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The release has no such thing.
    NotThere,
    /// The release goes wrong by itself, with any companion.
    OwnBug,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    agent: &'static str,
    /// The first and the last release it is about.
    releases: (&'static str, &'static str),
    steps: &'static [Step],
    /// What was seen, or a part of it: other trouble of the same release is not covered.
    seen: &'static str,
    /// Whose doing it is.
    pub kind: Kind,
    /// For the document.
    pub text: &'static str,
}

/// Those that take a diff.
const WITH_DIFFS: &[Step] = &[Step::Accept, Step::Reject, Step::Answer, Step::Two, Step::Crash];

const NO_FILE: &str = "its files alone do not suffice";
const NO_DIFF: &str = "its IdeClient has no openDiff";

/// The table.
pub const REASONS: &[Reason] = &[
    Reason {
        agent: "gemini",
        releases: ("0.1.14", "0.1.21"),
        steps: &[Step::Found],
        seen: NO_FILE,
        kind: Kind::NotThere,
        text: "Gemini CLI before 0.1.22 reads no file: its `IdeClient` takes the port from `GEMINI_CLI_IDE_SERVER_PORT`, and since 0.1.16 \
               the workspace from `GEMINI_CLI_IDE_WORKSPACE_PATH`.",
    },
    Reason {
        agent: "gemini",
        releases: ("0.1.22", "0.1.22"),
        steps: &[Step::Found],
        seen: NO_FILE,
        kind: Kind::OwnBug,
        text: "Gemini CLI 0.1.22 checks the workspace in `GEMINI_CLI_IDE_WORKSPACE_PATH` before it looks for a file, and takes nothing but \
               the port from it. Since 0.2.1 the file's workspace counts.",
    },
    Reason {
        agent: "gemini",
        releases: ("0.1.14", "0.1.15"),
        steps: &[Step::Context],
        seen: "its IdeClient has no context",
        kind: Kind::NotThere,
        text: "Gemini CLI before 0.1.16 listens for `ide/openFilesChanged`, which is in no specification. `ide/contextUpdate` came with \
               0.1.16.",
    },
    Reason {
        agent: "gemini",
        releases: ("0.1.14", "0.1.18"),
        steps: WITH_DIFFS,
        seen: NO_DIFF,
        kind: Kind::NotThere,
        text: "Gemini CLI before 0.1.19 opens no diffs in an editor: there is no `openDiff` in its `IdeClient`.",
    },
    Reason {
        agent: "qwen",
        releases: ("0.1.3", "0.5.2"),
        steps: &[Step::Crash],
        seen: "but nothing came",
        kind: Kind::OwnBug,
        text: "The MCP SDK in the bundle of Qwen Code before 0.7.1 reopens a stream that broke only if its events carried ids. Ours \
               carry none, since ids make other releases open another stream after each reply. It hears nothing any more, so that its \
               waiting prompt is not freed: start it again. A proper stop of the companion frees it.",
    },
    Reason {
        agent: "llxprt",
        releases: ("0.1.14", "0.1.20"),
        steps: &[Step::Found],
        seen: NO_FILE,
        kind: Kind::NotThere,
        text: "LLxprt Code before 0.1.21 reads no file: its `IdeClient` takes the port from a variable, in 0.1.14 from Gemini CLI's.",
    },
    Reason {
        agent: "llxprt",
        releases: ("0.1.21", "0.1.23"),
        steps: &[Step::Found],
        seen: NO_FILE,
        kind: Kind::OwnBug,
        text: "LLxprt Code 0.1.21 to 0.1.23 checks the workspace in `LLXPRT_CODE_IDE_WORKSPACE_PATH` before it looks for a file, and takes \
               nothing but the port from it.",
    },
    Reason {
        agent: "llxprt",
        releases: ("0.1.14", "0.1.14"),
        steps: &[Step::Context],
        seen: "its IdeClient has no context",
        kind: Kind::NotThere,
        text: "LLxprt Code 0.1.14 listens for `ide/openFilesChanged`, as Gemini CLI did before 0.1.16.",
    },
    Reason {
        agent: "llxprt",
        releases: ("0.1.14", "0.1.15"),
        steps: WITH_DIFFS,
        seen: NO_DIFF,
        kind: Kind::NotThere,
        text: "LLxprt Code up to 0.1.15 opens no diffs in an editor: there is no `openDiff` in its `IdeClient`.",
    },
    Reason {
        agent: "aioncli",
        releases: ("0.1.20", "0.1.20"),
        steps: &[Step::Found],
        seen: NO_FILE,
        kind: Kind::NotThere,
        text: "AionCLI 0.1.20 reads no file, like the Gemini CLI it was made of.",
    },
    Reason {
        agent: "qwen-termux",
        releases: ("0.12.0", "0.12.0"),
        steps: &STEPS,
        seen: "Cannot find package '@mmmbuto/pty-termux-utils'",
        kind: Kind::OwnBug,
        text: "Qwen Code for Termux 0.12.0 does not start: its `cli.js` imports `@mmmbuto/pty-termux-utils`, on which its package does not \
               depend.",
    },
];

impl Need {
    /// For the document: what to do, and why.
    pub fn text(self) -> &'static str {
        match self {
            Self::Vscode => {
                "`TERM_PROGRAM=vscode` in the agent's environment: the release connects to editors it knows by that variable \
                 and to no other, whatever its discovery file says"
            }
            Self::Tokenless => {
                "`allow-tokenless-agents = true` below `[server]` in our settings: the release sends no token. Gemini CLI 0.3.4 to \
                 0.5.5 and Qwen Code 0.0.14 send none either, and do without the setting: they come over the stdio server that their \
                 discovery file names"
            }
            Self::Variables => {
                "the variables that `alongside run` and `alongside env` set: the release reads at least its workspace from nowhere else"
            }
        }
    }
}

/// The explanation of a cell, or `None` for one that works or that nobody has explained.
pub fn reason(row: &Row, step: Step) -> Option<&'static Reason> {
    let seen = match row.cells.get(&step)? {
        Cell::Works => return None,
        Cell::Lacks(seen) | Cell::Fails(seen) => seen,
    };
    REASONS.iter().find(|reason| {
        let (first, last) = (number(reason.releases.0), number(reason.releases.1));
        reason.agent == row.agent
            && (first..=last).contains(&number(&row.version))
            && reason.steps.contains(&step)
            && seen.contains(reason.seen)
    })
}

/// Every cell of these rows that nobody has explained: the release, the step, and what was seen.
pub fn unexplained(rows: &[Row]) -> Vec<String> {
    let cells = rows.iter().flat_map(|row| row.cells.iter().map(move |(step, cell)| (row, *step, cell)));
    let open = cells.filter(|(row, step, cell)| **cell != Cell::Works && reason(row, *step).is_none());
    open.map(|(row, step, cell)| format!("{} {}, {step:?}: {cell:?}", row.agent, row.version)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::results::Results;
    use super::*;

    #[test]
    fn no_cell_of_the_matrix_is_unexplained() {
        let open = unexplained(&Results::committed().expect("the committed results").rows);
        assert!(open.is_empty(), "{open:#?}");
    }

    #[test]
    fn every_reason_explains_some_cell() {
        let rows = Results::committed().expect("the committed results").rows;
        for reason in REASONS {
            let is_used = rows.iter().any(|row| {
                row.cells.keys().any(|step| super::reason(row, *step).is_some_and(|used| used == reason))
            });
            assert!(is_used, "nothing was seen that this is about: {reason:#?}");
        }
    }

    #[test]
    fn new_failure_of_an_explained_release_is_unexplained() {
        let cells = [(Step::Accept, Cell::Fails("something new".to_owned()))].into();
        let row = Row {
            agent: "gemini".to_owned(),
            version: "0.1.22".to_owned(),
            package: String::new(),
            sdk: None,
            protocol: None,
            needs: Vec::new(),
            cells,
        };
        assert_eq!(unexplained(&[row]).len(), 1);
    }
}
