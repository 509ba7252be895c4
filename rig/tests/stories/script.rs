//! The texts of the stories: the file, the person's requests, the model's proposals.

use std::path::Path;

use alongside_rig::agent_cli::Cli;
use alongside_rig::model::{ModelReply, Script};

/// Long enough that three changes are three hunks.
pub(crate) const ORIGINAL: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n\
    nine\nten\neleven\ntwelve\nthirteen\nfourteen\nfifteen\n";

/// The model's version of [`ORIGINAL`].
pub(crate) const SHOUTED: &str = "one\nTWO\nthree\nfour\nfive\nsix\nseven\nEIGHT\n\
    nine\nten\neleven\ntwelve\nthirteen\nFOURTEEN\nfifteen\n";

/// The person's request, and the model's last answer to it.
pub(crate) const REQUEST: &str = "please shout three of the numbers";
pub(crate) const DONE: &str = "That is all from me.";

/// Another answer, with words that are not yet on the screen.
pub(crate) const REQUEST_AGAIN: &str = "now try that once more";

/// A second exchange. (No question mark: Gemini takes that key for a call of its help.)
pub(crate) const NEXT_REQUEST: &str = "say whether you still hear me";
pub(crate) const NEXT_ANSWER: &str = "I am still here.";

/// The person's edit, as a script for `sed`.
pub(crate) const EDIT: &str = "s/FOURTEEN/14/";

/// A model that rewrites the whole file with three lines in capitals.
pub(crate) fn shout(cli: Cli, file: &Path) -> Script {
    let turns = || cli.overwrite(file, SHOUTED, DONE);
    with(turns()).on(REQUEST_AGAIN, turns())
}

/// A model that answers [`REQUEST`] with these `turns`, and also answers [`NEXT_REQUEST`].
pub(crate) fn with(turns: Vec<ModelReply>) -> Script {
    Script::new().on(REQUEST, turns).on(NEXT_REQUEST, [ModelReply::say(NEXT_ANSWER)])
}
