//! The texts of the stories: the file, the person's requests, the model's answers.

use std::path::Path;

use alongside_rig::agent_cli::Cli;
use alongside_rig::model::{ModelReply, Script};

/// The file's text. Its changed lines are so far apart that the three changes are three hunks.
pub(crate) const ORIGINAL: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n\
    nine\nten\neleven\ntwelve\nthirteen\nfourteen\nfifteen\n";

/// The model's version of [`ORIGINAL`].
pub(crate) const IN_CAPITALS: &str = "one\nTWO\nthree\nfour\nfive\nsix\nseven\nEIGHT\n\
    nine\nten\neleven\ntwelve\nthirteen\nFOURTEEN\nfifteen\n";

/// The person's request.
pub(crate) const REQUEST: &str = "please shout three of the numbers";
/// The end of the model's answer to [`REQUEST`].
pub(crate) const CLOSING_LINE: &str = "That is all from me.";

/// Another request for the same change, in words that are not on the screen yet.
pub(crate) const REQUEST_AGAIN: &str = "now try that once more";

/// A request without a change. It has no question mark, because that key opens Gemini's help.
pub(crate) const NEXT_REQUEST: &str = "say whether you still hear me";
/// The model's answer to [`NEXT_REQUEST`].
pub(crate) const NEXT_ANSWER: &str = "I am still here.";

/// The person's edit, as a script for `sed`.
pub(crate) const EDIT_SCRIPT: &str = "s/FOURTEEN/14/";

/// Returns a script by which the model answers [`REQUEST`] and [`REQUEST_AGAIN`] by rewriting the whole file
/// with three lines in capitals.
pub(crate) fn capitalise_three_lines(cli: Cli, file: &Path) -> Script {
    let replies = || cli.overwrite(file, IN_CAPITALS, CLOSING_LINE);
    script_with(replies()).on(REQUEST_AGAIN, replies())
}

/// Returns a script by which the model answers [`REQUEST`] with `replies`, and also answers [`NEXT_REQUEST`].
pub(crate) fn script_with(replies: Vec<ModelReply>) -> Script {
    Script::new().on(REQUEST, replies).on(NEXT_REQUEST, [ModelReply::say(NEXT_ANSWER)])
}
