//! Files and folders that a run opened in the editor and has not closed. The driver is asked to close them at
//! the end, so that no tabs of deleted files remain.

use std::sync::Mutex;
use std::time::Duration;

use crate::action::Action;
use crate::driver::Driver;
use crate::mutex::lock;
use crate::time::clock::within;

/// The longest time for closing everything: after an interruption, a person waits for the end of the run.
const PATIENCE: Duration = Duration::from_secs(15);

/// The actions that undo the actions of the run, in the order in which these were done.
#[derive(Debug, Default)]
pub(crate) struct EditorCleanup(Mutex<Vec<Action>>);

impl EditorCleanup {
    /// Records an action that the driver is about to do, because it may be done although the driver reports
    /// no success.
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

    /// Records an action that was done.
    pub(crate) fn is_done(&self, action: &Action) {
        match action {
            Action::Stop => lock(&self.0).clear(),
            done => lock(&self.0).retain(|undoes| undoes != done),
        }
    }

    /// Asks the driver to close all of them, the newest first. A file that does not close stays open.
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
