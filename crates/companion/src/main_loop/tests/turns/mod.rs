//! Tests of turn reviews, with a source that compares the project on disk with texts that it remembers.

mod commenting;
mod files;
mod finishing;
mod lists;
mod marks;
mod noting;
mod source;

use std::sync::Arc;

use alongside_desk::{HunkState, Marked, OpenedTurnFile, Revised, Turn, TurnFinished};

use super::*;
use crate::DeskProfile;
use source::DiskSource;

/// A companion of a project, and the source that has the files of its baseline.
struct Stage {
    story: Story,
    source: Arc<DiskSource>,
}

impl Stage {
    async fn with_files(files: &[(&str, &str)]) -> Self {
        let source = Arc::new(DiskSource::default());
        let story = Story::with_builder(|builder| builder.turns(source.clone())).await;
        let stage = Self { story, source };
        for (name, text) in files {
            stage.write(name, text);
            stage.source.remember(name, Some(text.as_bytes()));
        }
        stage
    }

    /// Begins with `a.txt` of five lines, of which the first and the last differ from the baseline.
    async fn with_changed_file() -> Self {
        let stage = Self::with_files(&[("a.txt", "1\n2\n3\n4\n5\n")]).await;
        stage.write("a.txt", "ONE\n2\n3\n4\nFIVE\n");
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.story.path("project").join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Joins a desk that shows turns.
    fn desk(&self) -> TestDesk {
        let profile = DeskProfile { shows_turns: true, ..DeskProfile::default() };
        TestDesk::new(self.story.companion.join_as(profile).1)
    }

    /// Joins a desk that shows turns, and returns it with the list after a look.
    async fn look_from_new_desk(&self) -> (TestDesk, Turn) {
        let mut desk = self.desk();
        let turn = desk.look().await;
        (desk, turn)
    }
}

/// A desk with the events that it has read.
struct TestDesk {
    desk: Desk,
    events: Vec<desk::Event>,
}

impl TestDesk {
    fn new(desk: Desk) -> Self {
        Self { desk, events: Vec::new() }
    }

    /// Makes a request. Then `events` holds the events that came before the reply, and nothing else.
    async fn ask(&mut self, request: Request) -> Result<u64, Refusal> {
        self.events.clear();
        let answer = self.desk.request(request).await;
        self.read_events();
        answer.map(|Revised { revision }| revision)
    }

    fn read_events(&mut self) {
        while let Some(event) = self.desk.try_next() {
            self.events.push(event);
        }
    }

    /// Reads the events since the last request, until nothing more happens.
    async fn read_until_idle(&mut self) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.read_events();
    }

    /// Reads only the events that come from now on, until nothing more happens.
    async fn read_new_until_idle(&mut self) {
        self.events.clear();
        self.read_until_idle().await;
    }

    /// Returns the parts of the events that `part` finds.
    fn parts<T: Clone>(&self, part: impl Fn(&desk::Event) -> Option<&T>) -> Vec<T> {
        self.events.iter().filter_map(part).cloned().collect()
    }

    fn turns(&self) -> Vec<Turn> {
        self.parts(|event| if let desk::Event::Turn(turn) = event { Some(turn) } else { None })
    }

    fn opened(&self) -> Vec<OpenedTurnFile> {
        self.parts(|event| if let desk::Event::TurnFile(opened) = event { Some(opened) } else { None })
    }

    fn changed(&self) -> Vec<desk::Changed> {
        self.parts(|event| if let desk::Event::Changed(changed) = event { Some(changed) } else { None })
    }

    fn finished(&self) -> Vec<TurnFinished> {
        self.parts(|event| if let desk::Event::TurnFinished(ended) = event { Some(ended) } else { None })
    }

    /// Looks, and returns the list.
    async fn look(&mut self) -> Turn {
        self.look_since(None).await
    }

    async fn look_since(&mut self, since: Option<&str>) -> Turn {
        let look = Request::ReviewTurn { directory: None, since: since.map(str::to_owned) };
        let revision = self.ask(look).await.unwrap();
        let is_this = |turn: &Turn| turn.revision == revision;
        self.turns().into_iter().find(is_this).expect("the list comes before the reply")
    }

    async fn try_open(&mut self, turn: &Turn, name: &str) -> Result<OpenedTurnFile, Refusal> {
        let file = file_index(turn, name);
        self.ask(Request::OpenTurnFile { turn: turn.id, revision: turn.revision, file }).await?;
        let opened = self.opened().pop().expect("the file comes before the reply");
        assert_eq!((opened.turn, opened.file), (turn.id, file));
        Ok(opened)
    }

    async fn open(&mut self, turn: &Turn, name: &str) -> Review {
        self.try_open(turn, name).await.unwrap().review
    }

    /// Drops hunks, or keeps them again.
    async fn keep(&mut self, review: &Review, hunks: &[usize], keep: bool) -> Result<u64, Refusal> {
        let (id, revision) = (review.id, review.revision);
        self.ask(Request::KeepHunks { id, revision, hunks: hunks.to_vec(), keep }).await
    }

    async fn mark(&mut self, turn: &Turn, name: &str, undo: bool) -> Result<u64, Refusal> {
        let file = file_index(turn, name);
        self.ask(Request::MarkTurnFile { turn: turn.id, revision: turn.revision, file, undo }).await
    }

    /// Marks a file, and returns the list that follows.
    async fn list_with_mark(&mut self, turn: &Turn, name: &str) -> Turn {
        self.mark(turn, name, true).await.unwrap();
        self.turns().pop().unwrap()
    }

    /// Drops hunks of an open file, and returns the list that follows.
    async fn list_with_dropped(&mut self, review: &Review, hunks: &[usize]) -> Turn {
        self.keep(review, hunks, false).await.unwrap();
        self.turns().pop().unwrap()
    }

    async fn finish(&mut self, turn: &Turn) -> Result<u64, Refusal> {
        self.ask(finish_request(turn)).await
    }
}

fn finish_request(turn: &Turn) -> Request {
    Request::FinishTurn { turn: turn.id, revision: turn.revision, send: false, ask_to_undo: false }
}

fn file_index(turn: &Turn, name: &str) -> usize {
    turn.files.iter().position(|file| file.path == name).expect("it is in the list")
}

/// Returns the files of a list, with how much of each is marked.
fn marks_of(turn: &Turn) -> Vec<(&str, Marked)> {
    turn.files.iter().map(|file| (&*file.path, file.marked)).collect()
}

fn hunk_states(review: &Review) -> Vec<HunkState> {
    review.hunks.iter().map(|hunk| hunk.state).collect()
}
