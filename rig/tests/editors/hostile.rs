//! The common part of the stories about the table of hostile names and texts: one row after the other is
//! opened, and every second one accepted.

use std::fs;

use alongside_agent::Outcome;
use alongside_rig::Sandbox;
use alongside_rig::hostile::{self, Hostile, Row};
use anyhow::Result;

/// The rows for the default run: every kind of interpreter, without those that differ only in the program.
pub(crate) fn some(rows: Vec<Row>) -> Vec<Row> {
    rows.into_iter().enumerate().filter(|(at, _)| at % 4 == 0).map(|(_, row)| row).collect()
}

/// Whether a person accepts a row.
pub(crate) fn is_accepted(row: &Row) -> bool {
    row.proposed.len().is_multiple_of(2)
}

/// Proposes each row alone, and lets the editor decide it.
pub(crate) fn decide_each(
    sandbox: &Sandbox,
    rows: Vec<Row>,
    mut decide: impl FnMut(&Row) -> Result<()>,
) -> Result<()> {
    for row in rows {
        let (waiting, refused) = hostile::propose(sandbox, vec![row])?;
        assert_eq!(refused, [""; 0]);
        for one in waiting {
            decide(&one.row).map_err(|error| error.context(format!("{:?}", one.row)))?;
            finish(sandbox, one)?;
        }
    }
    hostile::assert_nothing_obeyed(sandbox)
}

/// The agent gets the decision, and writes the file.
fn finish(sandbox: &Sandbox, one: Hostile) -> Result<()> {
    let Hostile { row, proposal, .. } = one;
    match proposal.outcome()? {
        Outcome::Accepted { content } => {
            assert!(is_accepted(&row) && content == row.proposed, "{row:?}");
            // An agent may not write in `/`.
            let is_possible = row.path.starts_with(sandbox.project());
            is_possible.then(|| hostile::write(&row.path, &content)).transpose().map(drop)
        }
        outcome => {
            assert_eq!((is_accepted(&row), outcome), (false, Outcome::Rejected), "{row:?}");
            assert_eq!(fs::read_to_string(&row.path).ok(), row.original);
            Ok(())
        }
    }
}
