//! Proposes every row of the table of hostile names and texts, and detects whether a program has obeyed a
//! row. Each editor and desk has a story on this base.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_testing::hostile::{NAMES, PROGRAMS, TEXTS, WITNESS_FILE, file_name};
use anyhow::{Context as _, Result, bail};

use crate::agent_cli::write_program;
use crate::proposer::{Proposal, Proposer};
use crate::sandbox::{Sandbox, files_below};

/// Puts programs with the names of [`PROGRAMS`] first on the PATH of
/// [`path_variable`](crate::agent_cli::path_variable). Each creates the file [`WITNESS_FILE`] when it runs.
/// `touch` does so when it is to create a file named [`WITNESS_FILE`].
pub fn set_traps(sandbox: &Sandbox) -> Result<()> {
    let trace = sandbox.home().join(WITNESS_FILE);
    let record = |name: &str| format!("echo {name} \"$@\" >> '{}'", trace.display());
    for name in PROGRAMS {
        write_program(sandbox, name, &format!("{}\nexit 1", record(name)))?;
    }
    let touch =
        format!("case \"$*\" in *{WITNESS_FILE}*) {} ;; esac\nexec /usr/bin/touch \"$@\"", record("touch"));
    write_program(sandbox, "touch", &touch)
}

/// A row of the table, with the proposal for it.
#[derive(Debug, Clone)]
pub struct Row {
    /// The table's description of the program that would obey the row.
    pub why: &'static str,
    /// The name and version of the agent, which are a hostile name of [`NAMES`] as well.
    pub agent: &'static str,
    /// The file below the project. Made from a string, because the path may have `//`.
    pub path: PathBuf,
    /// The text of the file; `None` if the proposal creates the file.
    pub original: Option<String>,
    /// The proposed text.
    pub proposed: String,
    /// A line of the proposed text that no other row has: an editor that displays this line displays the
    /// proposal.
    pub unique_line: String,
}

/// A row whose proposal waits for a decision.
#[derive(Debug)]
pub struct Hostile {
    /// The row.
    pub row: Row,
    /// The proposal, which ends with the agent.
    pub proposal: Proposal,
    agent: Arc<Proposer>,
}

/// Returns all rows: each name as the name of a file, and if it has directories also with these; and each
/// text in a file of its own. Every second file exists.
pub fn rows(sandbox: &Sandbox) -> Vec<Row> {
    let project = sandbox.project();
    let below = |name: &str| PathBuf::from(format!("{}/{name}", project.display()));
    let named = NAMES.iter().flat_map(|&(why, name)| {
        let with_directories = name.contains('/').then(|| below(name));
        [Some(below(&file_name(name))), with_directories]
            .into_iter()
            .flatten()
            .map(move |path| (why, name, path, format!("{name}\n")))
    });
    let texts = TEXTS.iter().enumerate().map(|(at, &(why, text))| {
        (why, "gemini-cli-mcp-client-rig", below(&format!("text-{at}.md")), text.to_owned())
    });
    let rows = named.chain(texts).enumerate().map(|(at, (why, agent, path, text))| {
        let unique_line = format!("row {at} of the table");
        let original = (at % 2 == 0).then(|| format!("before\n{text}"));
        let proposed = format!("{text}{unique_line}\n");
        Row { why, agent, path, original, proposed, unique_line }
    });
    rows.collect()
}

/// Writes the originals of rows, and proposes all rows, each agent over a connection of its own. Returns the
/// waiting proposals, and the refusals of the companion.
pub fn propose(sandbox: &Sandbox, rows: Vec<Row>) -> Result<(Vec<Hostile>, Vec<String>)> {
    let (mut waiting, mut refused) = (Vec::<Hostile>::new(), Vec::new());
    for row in rows {
        // An existing file is not written again: an editor may have it open.
        if let Some(original) = row.original.as_ref().filter(|_| !row.path.exists()) {
            write(&row.path, original)?;
        }
        let agent = match waiting.last().filter(|last| last.row.agent == row.agent) {
            Some(last) => Arc::clone(&last.agent),
            None => Arc::new(Proposer::stranger(sandbox, row.agent, row.agent).context(row.why)?),
        };
        match agent.propose(&row.path, &row.proposed) {
            Ok(proposal) => waiting.push(Hostile { row, proposal, agent }),
            Err(error) => refused.push(format!("{} ({}): {error:#}", row.why, row.path.display())),
        }
    }
    Ok((waiting, refused))
}

/// Writes a file as an agent does after its proposal is accepted.
pub fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("the file has no parent directory")?)?;
    fs::write(path, text).with_context(|| format!("cannot write {path:?}"))
}

/// Fails if a program of the sandbox has obeyed a row: a file [`WITNESS_FILE`] exists.
pub fn assert_nothing_obeyed(sandbox: &Sandbox) -> Result<()> {
    for directory in [sandbox.home(), sandbox.project(), sandbox.tmp(), sandbox.run()] {
        for file in files_below(directory) {
            if file.file_name().is_some_and(|name| name == WITNESS_FILE) {
                let trace = fs::read_to_string(&file).unwrap_or_default();
                bail!("a row of the table was obeyed: {} is there\n{trace}", file.display());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_cli::bin;

    #[test]
    fn an_obeyed_row_is_found_wherever_it_ran() -> Result<()> {
        let runs = |line: &str| -> Result<bool> {
            let sandbox = Sandbox::new();
            set_traps(&sandbox)?;
            assert_nothing_obeyed(&sandbox)?;
            let mut shell = std::process::Command::new("/bin/sh");
            let path = format!("{}:/usr/bin:/bin", bin(&sandbox).display());
            shell.env_clear().envs(sandbox.env()).env("PATH", path).args(["-c", line]);
            shell.current_dir(sandbox.run().join("..")).output()?;
            Ok(assert_nothing_obeyed(&sandbox).is_err())
        };
        for program in PROGRAMS {
            assert!(runs(&format!("{program} host"))?, "{program}");
        }
        assert!(runs("touch PWNED")? && runs("cd project; > PWNED")?);
        assert!(!runs("touch other; > 'PWNED.md'")?);
        Ok(())
    }

    #[test]
    fn every_row_has_a_file_and_a_line_of_its_own() {
        let rows = rows(&Sandbox::new());
        assert!(rows.len() > NAMES.len() + TEXTS.len());
        for row in &rows {
            let same = rows.iter().filter(|other| other.path == row.path);
            assert_eq!((same.count(), row.proposed.matches(&row.unique_line).count()), (1, 1), "{row:?}");
        }
    }
}
