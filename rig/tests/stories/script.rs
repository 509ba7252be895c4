//! The texts of the stories: what the file holds, what the person asks for, what the model proposes.

use std::path::Path;

use alongside_rig::cli::Cli;
use alongside_rig::model::{Script, Turn};

/// Long enough that three changes are three hunks.
pub(crate) const ORIGINAL: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n\
    nine\nten\neleven\ntwelve\nthirteen\nfourteen\nfifteen\n";

/// [`ORIGINAL`] as the model would have it.
pub(crate) const SHOUTED: &str = "one\nTWO\nthree\nfour\nfive\nsix\nseven\nEIGHT\n\
    nine\nten\neleven\ntwelve\nthirteen\nFOURTEEN\nfifteen\n";

/// What the person types to the agent, and what the model says at the end of it.
pub(crate) const REQUEST: &str = "please shout three of the numbers";
pub(crate) const DONE: &str = "That is all from me.";

/// The same once more: words that are not on the screen yet.
pub(crate) const REQUEST_AGAIN: &str = "now try that once more";

/// A second exchange. (No question mark: Gemini takes that key for a call of its help.)
pub(crate) const NEXT_REQUEST: &str = "say whether you still hear me";
pub(crate) const NEXT_ANSWER: &str = "I am still here.";

/// The person's edit, as a script for `sed`.
pub(crate) const EDIT: &str = "s/FOURTEEN/14/";

/// A model that writes the whole file anew, with three of its lines shouted.
pub(crate) fn shout(cli: Cli, file: &Path) -> Script {
    let turns = || cli.overwrite(file, SHOUTED, DONE);
    with(turns()).on(REQUEST_AGAIN, turns())
}

/// A model that makes these `turns` out of [`REQUEST`], and has an answer for [`NEXT_REQUEST`].
pub(crate) fn with(turns: Vec<Turn>) -> Script {
    Script::new().on(REQUEST, turns).on(NEXT_REQUEST, [Turn::say(NEXT_ANSWER)])
}
