//! Files and folders that a run opened in the editor and has not closed. The driver is asked to close them at
//! the end, so that nobody is left with tabs of files that are gone.

use std::sync::Mutex;
use std::time::Duration;

use crate::action::Action;
use crate::driver::Driver;
use crate::mutex::lock;
use crate::time::clock::within;

/// How long the editor may take for all of it: the run may have been interrupted, and somebody waits.
const PATIENCE: Duration = Duration::from_secs(15);

/// The actions that undo those so far, in the order of the latter.
#[derive(Debug, Default)]
pub(crate) struct EditorCleanup(Mutex<Vec<Action>>);

impl EditorCleanup {
    /// Before an action, for it may be done also if nobody hears so.
    pub(crate) fn begins(&self, action: &Action) {
        let undoes = match action {
            Action::Open { file } => Action::Close { file: file.clone() },
            Action::AddFolder { folder } => Action::RemoveFolder { folder: folder.clone() },
            _ => return,
        };
        let mut undoing = lock(&self.0);
        if !undoing.contains(&undoes) {
            undoing.push(undoes);
        }
    }

    /// After an action that was done.
    pub(crate) fn is_done(&self, action: &Action) {
        match action {
            Action::Stop => lock(&self.0).clear(),
            done => lock(&self.0).retain(|undoes| undoes != done),
        }
    }

    /// Has everything closed, the newest first. A file that does not close stays.
    pub(crate) async fn close(&self, driver: &dyn Driver) {
        let undoing = std::mem::take(&mut *lock(&self.0));
        let closing = async {
            for action in undoing.iter().rev() {
                let _ = driver.act(action).await;
            }
        };
        within(PATIENCE, closing).await;
    }
}
