//! A turn with very many changed files, as after a formatter: all files are listed, and undone.

use std::fs;
use std::path::Path;

use alongside_contract::turns::Moment;
use alongside_desk::FileChange;
use anyhow::{Context as _, Result, ensure};

use super::change::git;
use super::life::Repository;
use super::stage::Stage;
use super::tree::{Entry, Tree};

/// The text of a file before and after the formatter.
const TEXTS: [&str; 2] = ["fn f() {\n    a();\n    b();\n}\n", "fn f() {\n\ta();\n\tb();\n}\n"];

/// Writes `files` files, a hundred in each directory.
fn write(top: &Path, files: usize, text: &str) -> Result<()> {
    for number in 0..files {
        let directory = top.join(format!("src/{}", number / 100));
        fs::create_dir_all(&directory)?;
        fs::write(directory.join(format!("file-{number}.rs")), format!("// {number}\n{text}"))?;
    }
    Ok(())
}

/// Plays a turn that reformats `files` files, and a turn review that undoes all of them.
///
/// # Errors
///
/// Fails if the list does not match the turn, or if the tree differs from the tree before the turn.
pub fn undo_all(files: usize) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let stage = Stage::new(Repository::Usual).await?;
        write(&stage.top, files, TEXTS[0])?;
        ensure!(git(&stage.top, &["add", "-A"])? && git(&stage.top, &["commit", "-q", "-m", "x"])?);
        stage.take_snapshot(Moment::Prompt, 0)?;
        let before = Tree::read(&stage.top)?;
        write(&stage.top, files, TEXTS[1])?;
        stage.take_snapshot(Moment::End, 0)?;
        let after = Tree::read(&stage.top)?;
        let mut desk = stage.desk();
        desk.look().await?;
        let list = desk.turn()?.files.clone();
        ensure!(list.len() == files, "{} files are listed", list.len());
        for file in &list {
            let listed = (file.change, file.added, file.removed, file.author.is_agent());
            ensure!(listed == (FileChange::Modified, 2, 2, true), "{file:?}");
            desk.mark(&file.path, true).await?;
        }
        ensure!(Tree::read(&stage.top)? == after, "marks write something");
        let finished = desk.finish(false).await?.context("the finish of the marked list was refused")?;
        ensure!(finished.files.len() == files, "{} files are answered for", finished.files.len());
        for file in &finished.files {
            ensure!(file.refused.is_none(), "{file:?}");
            let draft = fs::read(file.draft.as_ref().context("no draft has the earlier text")?)?;
            let Some(Entry::File { bytes, .. }) = after.entries.get(file.path.as_bytes()) else {
                anyhow::bail!("{} was no file", file.path)
            };
            ensure!(draft == *bytes, "the draft of {} is another text", file.path);
        }
        ensure!(Tree::read(&stage.top)? == before, "the tree is not as it was");
        let remaining = desk.turn()?.files.len();
        ensure!(remaining == 0, "{remaining} files are listed after the finish");
        Ok(())
    })
}
