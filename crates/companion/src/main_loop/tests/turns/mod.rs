//! Turn reviews, with a source that compares the project on disk with texts that it remembers.

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

/// A companion whose project has these files at the baseline.
struct Stage {
    story: Story,
    source: Arc<DiskSource>,
}

impl Stage {
    async fn of(files: &[(&str, &str)]) -> Self {
        let source = Arc::new(DiskSource::default());
        let story = Story::of(|builder| builder.turns(source.clone())).await;
        let stage = Self { story, source };
        for (name, text) in files {
            stage.write(name, text);
            stage.source.remember(name, Some(text.as_bytes()));
        }
        stage
    }

    /// One with `a.txt` of five lines, of which the first and the last have changed since.
    async fn changed() -> Self {
        let stage = Self::of(&[("a.txt", "1\n2\n3\n4\n5\n")]).await;
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

    /// A desk that shows turns.
    fn desk(&self) -> Seated {
        let profile = DeskProfile { shows_turns: true, ..DeskProfile::default() };
        Seated::new(self.story.companion.join_as(profile).1)
    }

    /// A desk that shows turns, and the list after its look.
    async fn looks(&self) -> (Seated, Turn) {
        let mut desk = self.desk();
        let turn = desk.look().await;
        (desk, turn)
    }
}

/// A desk with the events that it has read.
struct Seated {
    desk: Desk,
    heard: Vec<desk::Event>,
}

impl Seated {
    fn new(desk: Desk) -> Self {
        Self { desk, heard: Vec::new() }
    }

    /// Makes a request. Then `heard` holds the events that came before the reply, and nothing else.
    async fn ask(&mut self, request: Request) -> Result<u64, Refusal> {
        self.heard.clear();
        let answer = self.desk.request(request).await;
        self.hear();
        answer.map(|Revised { revision }| revision)
    }

    fn hear(&mut self) {
        while let Some(event) = self.desk.try_next() {
            self.heard.push(event);
        }
    }

    /// Reads the events since the last request, until nothing more happens.
    async fn hear_all(&mut self) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.hear();
    }

    /// Reads only the events that come from now on, until nothing more happens.
    async fn settle(&mut self) {
        self.heard.clear();
        self.hear_all().await;
    }

    /// The parts of the events in `heard` that `pick` takes.
    fn picked<T: Clone>(&self, pick: impl Fn(&desk::Event) -> Option<&T>) -> Vec<T> {
        self.heard.iter().filter_map(pick).cloned().collect()
    }

    fn turns(&self) -> Vec<Turn> {
        self.picked(|event| if let desk::Event::Turn(turn) = event { Some(turn) } else { None })
    }

    fn opened(&self) -> Vec<OpenedTurnFile> {
        self.picked(|event| if let desk::Event::TurnFile(opened) = event { Some(opened) } else { None })
    }

    fn changed(&self) -> Vec<desk::Changed> {
        self.picked(|event| if let desk::Event::Changed(changed) = event { Some(changed) } else { None })
    }

    fn finished(&self) -> Vec<TurnFinished> {
        self.picked(|event| if let desk::Event::TurnFinished(ended) = event { Some(ended) } else { None })
    }

    /// The list after a look.
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
        let file = at(turn, name);
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
        let file = at(turn, name);
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
        self.ask(finish_of(turn)).await
    }
}

fn finish_of(turn: &Turn) -> Request {
    Request::FinishTurn { turn: turn.id, revision: turn.revision, send: false, ask_to_undo: false }
}

fn at(turn: &Turn, name: &str) -> usize {
    turn.files.iter().position(|file| file.path == name).expect("it is in the list")
}

/// The files of a list, and how much of each is marked.
fn marked(turn: &Turn) -> Vec<(&str, Marked)> {
    turn.files.iter().map(|file| (&*file.path, file.marked)).collect()
}

fn states(review: &Review) -> Vec<HunkState> {
    review.hunks.iter().map(|hunk| hunk.state).collect()
}
