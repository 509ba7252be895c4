//! The person at the editor of the reference companion, who does what the suite asks for.

use std::time::{Duration, Instant};

use alongside_conformance::{Action, Driver, Refusal, Reply};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::companion::Companion;

/// The pause between two steps of a moving cursor: much shorter than the debounce of a companion, also on a
/// busy machine.
const STEP: Duration = Duration::from_millis(10);

impl Driver for Companion {
    fn act<'a>(&'a self, action: &'a Action) -> BoxFuture<'a, Result<Reply, Refusal>> {
        async move {
            let editor = &self.shared;
            let there_is = |done: bool, path: &str| match done {
                true => Ok(Reply::Done),
                false => Err(Refusal::Cannot(format!("no proposal for {path} waits"))),
            };
            let edited = |path: &str, text: &str| editor.edit(path, text) || editor.edit_tab(path, text);
            let decided = |path: &str, accept| editor.decide(path, accept) || editor.decide_tab(path, accept);
            let closed = |path: &str| editor.close_view(path) || editor.close_tab_view(path);
            let is_shown = |path: &str| editor.is_open(path) || editor.has_tab(path);
            match action {
                Action::Open { file } | Action::Focus { file } => editor.focus(&file.to_string_lossy()),
                Action::Close { file } => editor.close_file(&file.to_string_lossy()),
                Action::New => editor.begin_untitled(),
                Action::Cursor { file, line, column } => {
                    editor.go_to(&file.to_string_lossy(), *line, *column)
                }
                Action::Select { file, from, to } => editor.select(&file.to_string_lossy(), *from, *to),
                Action::Wander { file, time } => {
                    let end = Instant::now() + *time;
                    let mut lines = (1..=100).cycle();
                    while Instant::now() < end {
                        editor.go_to(&file.to_string_lossy(), lines.next().unwrap_or(1), 1);
                        tokio::time::sleep(STEP).await;
                    }
                }
                Action::AddFolder { folder } => editor.add_folder(folder),
                Action::RemoveFolder { folder } => editor.remove_folder(folder),
                Action::Edit { path, text } => return there_is(edited(path, text), path),
                Action::Accept { path } => return there_is(decided(path, true), path),
                Action::Reject { path } => return there_is(decided(path, false), path),
                Action::CloseView { path } => return there_is(closed(path), path),
                Action::IsShown { path } if !is_shown(path) => return Ok(Reply::No),
                Action::IsShown { .. } => {}
                Action::Stop => self.stop().await,
            }
            Ok(Reply::Done)
        }
        .boxed()
    }
}
