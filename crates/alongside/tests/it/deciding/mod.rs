//! The decisions of a person in line mode.

mod accepting_all;
mod content;
mod editing;
mod hunks;
mod letters;
mod outside_changes;
mod reasons;
mod seeing;
mod unattended;

use alongside_agent::{Outcome, PendingDiff, Session};
use insta::assert_snapshot;

use crate::support::{Home, Running, accepted, propose, proposed, soon, until};

const ORIGINAL: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
/// The original text with three changes: another line 2, two new lines after line 5, and line 9 removed.
const PROPOSED: &str = "one\nTWO\nthree\nfour\nfive\nnew a\nnew b\nsix\nseven\neight\nten\n";
