//! The problems of discovery, in words for people.

use std::path::Path;

use alongside_desk::Problem;

use crate::persistence::private_files::FOREIGN_OWNER;

/// Returns the problem that some agents will not find the companion, because a file or directory cannot be
/// written.
pub(super) fn not_discoverable(readers: &[&str], why: &str) -> Problem {
    let mut readers: Vec<&str> = readers.to_vec();
    readers.dedup();
    let others = match why.contains(FOREIGN_OWNER) {
        true => " Its owner can remove it with `rmdir` while no companion of theirs runs.",
        false => "",
    };
    Problem::new(
        format!("some agents will not find this companion by themselves: {why}"),
        format!(
            "This affects {}. Make the directory writable for you alone, or set TMPDIR to another one, for \
             the agent too. Or start the agent with `alongside run`, or after \
             `eval \"$(alongside env)\"`.{others}",
            readers.join("; ")
        ),
    )
}

/// Returns the problem that another user's file has a name that some agents read, whoever wrote the file.
pub(super) fn foreign_file(path: &Path, readers: &str) -> Problem {
    Problem::new(
        format!("{} belongs to another user and can lead agents to a program of theirs", path.display()),
        format!(
            "This affects {readers}. Do not use their IDE mode here until the file is gone: ask that user \
             or root to remove it. Or set TMPDIR to a directory of yours, for the agent too."
        ),
    )
}
