//! The common part of the stories about the table of hostile names and texts: one row after the other is
//! proposed and shown. Rows whose text has an even length are accepted, and the others rejected.

use std::fs;

use alongside_agent::Outcome;
use alongside_rig::Sandbox;
use alongside_rig::hostile::{self, Hostile, Row};
use anyhow::Result;

/// Returns the rows for the default run: every fourth one, among which is every kind of interpreter.
pub(crate) fn every_fourth(rows: Vec<Row>) -> Vec<Row> {
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
        let (proposals, refused) = hostile::propose(sandbox, vec![row])?;
        assert_eq!(refused, [""; 0]);
        for proposal in proposals {
            decide(&proposal.row).map_err(|error| error.context(format!("{:?}", proposal.row)))?;
            assert_decided(sandbox, proposal)?;
        }
    }
    hostile::assert_nothing_obeyed(sandbox)
}

/// Fails unless the agent gets the decision. Writes the file as the agent does.
fn assert_decided(sandbox: &Sandbox, hostile: Hostile) -> Result<()> {
    let Hostile { row, proposal, .. } = hostile;
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
