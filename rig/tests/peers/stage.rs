//! The stage of a test: a companion, a desk and a project.

use std::path::PathBuf;

use alongside_companion::desk::{Closed, Decision, Desk, Event, Refusal, Request, Review, Revised};
use alongside_companion::{AppDirs, Builder, Companion};
use alongside_rig::wire::{Peer, within};

use crate::test_directory::TestDirectory;

pub(crate) struct Stage {
    pub(crate) companion: Companion,
    pub(crate) desk: Desk,
    pub(crate) temp: TestDirectory,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(|builder| builder).await
    }

    pub(crate) async fn with(shape: impl FnOnce(Builder) -> Builder) -> Self {
        let temp = TestDirectory::new();
        let project = temp.path().join("project");
        for directory in ["project", "tmp", "home", "state"] {
            std::fs::create_dir(temp.path().join(directory)).unwrap();
        }
        let builder = Companion::builder().editor("test-editor", "Test Editor").root(&project);
        let builder = shape(builder.app_dirs(AppDirs::below(temp.path())));
        let companion = builder.start().await.unwrap();
        Self { desk: companion.join(), companion, temp }
    }

    /// A path in the project.
    pub(crate) fn path(&self, name: &str) -> String {
        self.temp.path().join("project").join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file of the project.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = PathBuf::from(self.path(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        self.path(name)
    }

    pub(crate) fn port(&self) -> u16 {
        self.companion.port()
    }

    /// A connected agent.
    pub(crate) async fn peer(&self) -> Peer {
        self.peer_by(self.port()).await
    }

    /// An agent that goes through a proxy.
    pub(crate) async fn peer_by(&self, port: u16) -> Peer {
        Peer::join(port, self.companion.token()).await
    }

    /// A peer with the token but without a session.
    pub(crate) fn stranger(&self) -> Peer {
        Peer::stranger(self.port(), self.companion.token())
    }

    /// The next review that opens.
    pub(crate) async fn review(&mut self) -> Review {
        within("a review to open", async {
            loop {
                if let Event::Opened(review) = self.desk.next().await.unwrap() {
                    return review;
                }
            }
        })
        .await
    }

    /// The next review that closes.
    pub(crate) async fn closed(&mut self) -> Closed {
        within("a review to close", async {
            loop {
                if let Event::Closed(closed) = self.desk.next().await.unwrap() {
                    return closed;
                }
            }
        })
        .await
    }

    pub(crate) async fn decide(&self, review: &Review, decision: Decision) -> Result<Revised, Refusal> {
        let request = Request::DecideReview { id: review.id, revision: review.revision, decision };
        within("the decision to be taken", self.desk.request(request)).await
    }

    /// Accepts the next review unchanged.
    pub(crate) async fn accept(&mut self) -> Review {
        let review = self.review().await;
        self.decide(&review, Decision::Accept).await.unwrap();
        review
    }

    /// Rejects the next review.
    pub(crate) async fn reject(&mut self) -> Review {
        let review = self.review().await;
        self.decide(&review, Decision::Reject).await.unwrap();
        review
    }

    /// The present discovery files.
    pub(crate) fn records(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut directories = vec![self.temp.path().join("tmp"), self.temp.path().join("home")];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
                match entry.file_type().unwrap().is_dir() {
                    true => directories.push(entry.path()),
                    false => found.push(entry.path()),
                }
            }
        }
        found
    }
}
