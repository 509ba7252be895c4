//! The editor that the companion belongs to, and its workspace: they change, the editor goes and comes back,
//! and agents find the companion accordingly.

use std::path::PathBuf;

use alongside_contract::discovery::{Record, WRITER};
use alongside_contract::environment;
use alongside_desk::{self as desk, Closing, Problem};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{State, Stopping};
use crate::builder::Editor;
use crate::context::privacy::Privacy;
use crate::discovery::workspace_path;
use crate::review::place;
use crate::scribe::Job;

impl State {
    pub(super) fn roots_changed(
        &mut self,
        roots: Vec<PathBuf>,
        privacy: Privacy,
        changed: oneshot::Sender<Vec<Problem>>,
    ) {
        self.set_privacy(privacy);
        self.real_roots = roots.iter().map(|root| place::lead(root)).collect();
        self.roots = roots;
        self.look_up_environment();
        self.publish(false, Some(changed));
    }

    pub(super) fn editor_changed(&mut self, editor: Editor, shown: oneshot::Sender<Vec<Problem>>) {
        self.hidden = false;
        self.editor = editor.pid;
        self.look_up_environment();
        self.scribe.send(Job::SetEditor(editor));
        self.publish(true, Some(shown));
    }

    /// The editor is gone. What waits for it is rejected, and nobody new finds us.
    pub(super) fn hide(&mut self, done: oneshot::Sender<()>) {
        self.hidden = true;
        let waiting: Vec<_> = self.reviews.iter().map(|review| review.id).collect();
        for id in waiting {
            self.end_review(id, Closing::EditorGone);
        }
        self.files.forget_all();
        self.void_looking();
        self.debounce.touch(Instant::now());
        self.scribe.send(Job::Withdraw(done));
    }

    /// Ends without deciding anything; a successor finds all of it in the journal.
    pub(super) fn hand_over(&mut self, done: oneshot::Sender<()>) {
        self.stopping = Some(Stopping { until: Instant::now(), done: vec![done], hands_over: true });
    }

    /// Has the discovery files written, unless nobody shall find us.
    pub(super) fn publish(&self, focused: bool, done: Option<oneshot::Sender<Vec<Problem>>>) {
        if self.hidden {
            done.map(|done| done.send(Vec::new()));
            return;
        }
        self.scribe.send(Job::Publish { roots: self.roots.clone(), focused, done });
    }

    /// The discovery files are written as far as they can be. Tells what has changed about that, if nobody
    /// else does.
    pub(super) fn published(&mut self, problems: Vec<Problem>, asked: bool) {
        let before = std::mem::replace(&mut self.unpublished, problems);
        if !asked {
            let new: Vec<_> =
                self.unpublished.iter().filter(|problem| !before.contains(problem)).cloned().collect();
            new.into_iter().for_each(|problem| self.tell_desks(&desk::Event::Problem(problem)));
        }
        if self.unpublished.is_empty() && !before.is_empty() {
            self.problems.retain(|problem| !before.contains(problem));
            let what = "every agent can find this companion by itself again".into();
            self.tell_desks(&desk::Event::Problem(Problem { what, hint: None }));
        }
    }

    /// The variables for terminals follow the editor and its workspace.
    pub(super) fn look_up_environment(&mut self) {
        let record = Record {
            port: self.port,
            // What cannot be written in it is told where the files are written.
            workspace_path: workspace_path(&self.roots, &mut Vec::new()),
            auth_token: Some(self.token.to_string()),
            ide_info: None,
            ppid: None,
            ide_name: None,
            stdio: self.stdio.clone(),
            writer: Some(WRITER.to_owned()),
        };
        let variables = environment::variables(&record, Some(self.editor));
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value));
        self.environment = alongside_desk::Environment(variables.collect());
    }
}
