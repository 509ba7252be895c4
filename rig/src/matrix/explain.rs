//! Explains every cell of the matrix that is not "works", in a table: the agent, its releases, the steps, the
//! observed failure, and the cause. A cell without an explanation fails the chore and a test.

use super::releases::number;
use super::results::{Cell, Need, Row, STEPS, Step};

/// The kind of cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The release lacks the feature.
    NotThere,
    /// The release fails by itself, with any companion.
    OwnBug,
}

/// An explanation of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// The agent's id, and the first and the last release with this cause.
    releases: (&'static str, &'static str, &'static str),
    steps: &'static [Step],
    /// A part of the observed failure. Other failures of these releases are not explained.
    failure_part: &'static str,
    /// The kind of cause.
    pub kind: Kind,
    /// The note in the document.
    pub text: &'static str,
}

const WITH_DIFFS: &[Step] = &[Step::Accept, Step::Reject, Step::Answer, Step::Two, Step::Crash];

const NO_FILE: &str = "its files alone do not suffice";
const NO_DIFF: &str = "its IdeClient has no openDiff";

/// All explanations.
pub const REASONS: &[Reason] = &[
    Reason {
        releases: ("gemini", "0.1.14", "0.1.21"),
        steps: &[Step::Found],
        failure_part: NO_FILE,
        kind: Kind::NotThere,
        text: "Gemini CLI before 0.1.22 reads no discovery file: its `IdeClient` takes the port from \
               `GEMINI_CLI_IDE_SERVER_PORT`, and since 0.1.16 the workspace from \
               `GEMINI_CLI_IDE_WORKSPACE_PATH`.",
    },
    Reason {
        releases: ("gemini", "0.1.22", "0.1.22"),
        steps: &[Step::Found],
        failure_part: NO_FILE,
        kind: Kind::OwnBug,
        text: "Gemini CLI 0.1.22 checks the workspace in `GEMINI_CLI_IDE_WORKSPACE_PATH` before it reads a \
               discovery file, and takes only the port from the file. Since 0.2.1 the file's workspace \
               counts.",
    },
    Reason {
        releases: ("gemini", "0.1.14", "0.1.15"),
        steps: &[Step::Context],
        failure_part: "its IdeClient has no context",
        kind: Kind::NotThere,
        text: "Gemini CLI before 0.1.16 listens for `ide/openFilesChanged`, which no specification has. It \
               knows `ide/contextUpdate` since 0.1.16.",
    },
    Reason {
        releases: ("gemini", "0.1.14", "0.1.18"),
        steps: WITH_DIFFS,
        failure_part: NO_DIFF,
        kind: Kind::NotThere,
        text: "Gemini CLI before 0.1.19 opens no diffs in an editor: its `IdeClient` has no `openDiff`.",
    },
    Reason {
        releases: ("qwen", "0.1.3", "0.5.2"),
        steps: &[Step::Crash],
        failure_part: "but nothing came",
        kind: Kind::OwnBug,
        text: "The MCP SDK bundled with Qwen Code before 0.7.1 reopens a broken stream only if its events \
               carried ids. Our events carry none, because ids make other releases open a new stream after \
               each reply. After a crash of the companion, such an agent stays without a stream and its \
               waiting prompt stays blocked: restart the agent. A proper stop of the companion frees it.",
    },
    Reason {
        releases: ("llxprt", "0.1.14", "0.1.20"),
        steps: &[Step::Found],
        failure_part: NO_FILE,
        kind: Kind::NotThere,
        text: "LLxprt Code before 0.1.21 reads no discovery file: its `IdeClient` takes the port from a \
               variable, in 0.1.14 from Gemini CLI's.",
    },
    Reason {
        releases: ("llxprt", "0.1.21", "0.1.23"),
        steps: &[Step::Found],
        failure_part: NO_FILE,
        kind: Kind::OwnBug,
        text: "LLxprt Code 0.1.21 to 0.1.23 checks the workspace in `LLXPRT_CODE_IDE_WORKSPACE_PATH` \
               before it reads a discovery file, and takes only the port from the file.",
    },
    Reason {
        releases: ("llxprt", "0.1.14", "0.1.14"),
        steps: &[Step::Context],
        failure_part: "its IdeClient has no context",
        kind: Kind::NotThere,
        text: "LLxprt Code 0.1.14 listens for `ide/openFilesChanged`, as Gemini CLI did before 0.1.16.",
    },
    Reason {
        releases: ("llxprt", "0.1.14", "0.1.15"),
        steps: WITH_DIFFS,
        failure_part: NO_DIFF,
        kind: Kind::NotThere,
        text: "LLxprt Code up to 0.1.15 opens no diffs in an editor: its `IdeClient` has no `openDiff`.",
    },
    Reason {
        releases: ("aioncli", "0.1.20", "0.1.20"),
        steps: &[Step::Found],
        failure_part: NO_FILE,
        kind: Kind::NotThere,
        text: "AionCLI 0.1.20 reads no discovery file, like the Gemini CLI that it was forked from.",
    },
    Reason {
        releases: ("qwen-termux", "0.12.0", "0.12.0"),
        steps: &STEPS,
        failure_part: "Cannot find package '@mmmbuto/pty-termux-utils'",
        kind: Kind::OwnBug,
        text: "Qwen Code for Termux 0.12.0 does not start: its `cli.js` imports \
               `@mmmbuto/pty-termux-utils`, which is not among its dependencies.",
    },
    Reason {
        releases: ("claude", "2.0.31", "2.1.328"),
        steps: &[Step::Accept],
        failure_part: "lacks the last newline",
        kind: Kind::OwnBug,
        text: "Claude Code before 2.1.329 joins the accepted text of its Write tool from lines, and loses \
               the last newline, with any editor. Its Edit tool keeps it.",
    },
    Reason {
        releases: ("claude", "2.0.31", "2.0.58"),
        steps: &[Step::Crash],
        failure_part: "does not reconnect",
        kind: Kind::OwnBug,
        text: "Claude Code before 2.0.59 connects a broken WebSocket no more. Its own prompt stays, and \
               `/ide` connects it again.",
    },
];

impl Need {
    /// The text in the document: the setting, and its reason.
    pub fn text(self) -> &'static str {
        match self {
            Self::Vscode => {
                "`TERM_PROGRAM=vscode` in the agent's environment: the release connects only to editors \
                 that it recognises by that variable, whatever its discovery file says"
            }
            Self::Tokenless => {
                "`allow-tokenless-agents = true` below `[server]` in our settings: the release sends no \
                 token. Gemini CLI 0.3.4 to 0.5.5 and Qwen Code 0.0.14 send none either, but need no \
                 setting: they connect over the stdio server that their discovery file names"
            }
            Self::Variables => {
                "the variables that `alongside run` and `alongside env` set: the release reads at least \
                 its workspace only from them"
            }
        }
    }
}

/// Returns the explanation of a cell; `None` if the cell works or is unexplained.
pub fn reason(row: &Row, step: Step) -> Option<&'static Reason> {
    let failure = match row.cells.get(&step)? {
        Cell::Works => return None,
        Cell::Lacks(failure) | Cell::Fails(failure) => failure,
    };
    REASONS.iter().find(|reason| {
        let (agent, first, last) = reason.releases;
        agent == row.agent
            && (number(first)..=number(last)).contains(&number(&row.version))
            && reason.steps.contains(&step)
            && failure.contains(reason.failure_part)
    })
}

/// Returns the unexplained cells of these rows: release, step, and observed failure.
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
            assert!(is_used, "no cell has this reason: {reason:#?}");
        }
    }

    #[test]
    fn new_failure_of_an_explained_release_is_unexplained() {
        let cells = [(Step::Accept, Cell::Fails("something new".to_owned()))].into();
        let row = Row { agent: "gemini".to_owned(), version: "0.1.22".to_owned(), cells, ..Row::default() };
        assert_eq!(unexplained(&[row]).len(), 1);
    }
}
