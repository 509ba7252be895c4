//! The parts that a test needs: a companion, a desk and a project.

use std::path::PathBuf;

use alongside_companion::desk::{Change, Closed, Decision, Desk, Event, Refusal, Request, Review, Revised};
use alongside_companion::{AppDirs, Builder, Companion};
use alongside_rig::wire::{Peer, Proxy, Raw, Stream, within};

use crate::test_directory::TestDirectory;

/// A companion that runs in this process, and a desk of it.
pub(crate) struct Stage {
    pub(crate) companion: Companion,
    pub(crate) desk: Desk,
    pub(crate) temp: TestDirectory,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(|builder| builder).await
    }

    /// Creates a stage whose companion is built by the changed builder.
    pub(crate) async fn with(change: impl FnOnce(Builder) -> Builder) -> Self {
        let temp = TestDirectory::new();
        let project = temp.path().join("project");
        let builder = Companion::builder().editor("test-editor", "Test Editor").root(&project);
        let builder = change(builder.app_dirs(AppDirs::below(temp.path())));
        let companion = builder.start().await.unwrap();
        Self { desk: companion.join(), companion, temp }
    }

    /// Creates a stage with one connected agent.
    pub(crate) async fn with_peer() -> (Self, Peer) {
        let stage = Self::new().await;
        let peer = stage.peer().await;
        (stage, peer)
    }

    /// Creates a stage with one connected agent and the agent's stream.
    pub(crate) async fn with_listener() -> (Self, Peer, Stream) {
        let (stage, peer) = Self::with_peer().await;
        let stream = peer.listen().await;
        (stage, peer, stream)
    }

    /// Creates a stage with one agent, which is connected through a proxy.
    pub(crate) async fn with_proxied_peer() -> (Self, Proxy, Peer) {
        let stage = Self::new().await;
        let proxy = Proxy::before(stage.port()).await;
        let peer = stage.peer_through(proxy.port).await;
        (stage, proxy, peer)
    }

    /// Returns a path in the project.
    pub(crate) fn path(&self, name: &str) -> String {
        self.temp.path().join("project").join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file of the project, and returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = PathBuf::from(self.path(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        self.path(name)
    }

    pub(crate) fn port(&self) -> u16 {
        self.companion.port()
    }

    /// Connects an agent.
    pub(crate) async fn peer(&self) -> Peer {
        self.peer_through(self.port()).await
    }

    /// Connects an agent through the proxy at `port`.
    pub(crate) async fn peer_through(&self, port: u16) -> Peer {
        Peer::join(port, self.companion.token()).await
    }

    /// Sends a request as it is, and returns the status of the response.
    pub(crate) async fn status_of(&self, request: impl AsRef<[u8]>) -> u16 {
        let mut raw = Raw::dial(self.port()).await;
        raw.send(request).await;
        raw.head().await.status
    }

    /// Returns a peer that has the token and no session.
    pub(crate) fn stranger(&self) -> Peer {
        Peer::stranger(self.port(), self.companion.token())
    }

    /// Waits for the next review to open, and returns it.
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

    /// Waits for the next review to close, and returns the event.
    pub(crate) async fn next_closed(&mut self) -> Closed {
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

    /// Replaces the text of a review, and returns the new revision.
    pub(crate) async fn edit(&self, review: &Review, text: &str) -> u64 {
        let changes = vec![Change { range: None, text: text.into() }];
        let edit = Request::EditReview { id: review.id, revision: review.revision, changes };
        self.desk.request(edit).await.unwrap().revision
    }

    /// Waits for the next review, accepts it unchanged, and returns it.
    pub(crate) async fn accept(&mut self) -> Review {
        let review = self.review().await;
        self.decide(&review, Decision::Accept).await.unwrap();
        review
    }

    /// Sends a proposal of `peer`, and accepts its review unchanged.
    pub(crate) async fn open_and_accept(&mut self, peer: &Peer, id: u64, path: &str, text: &str) -> Review {
        peer.open_diff(id, path, text).await;
        self.accept().await
    }

    /// Waits for the next review, rejects it, and returns it.
    pub(crate) async fn reject(&mut self) -> Review {
        let review = self.review().await;
        self.decide(&review, Decision::Reject).await.unwrap();
        review
    }

    /// Returns the paths of the present discovery files.
    pub(crate) fn discovery_files(&self) -> Vec<PathBuf> {
        self.temp.files_below(&["tmp", "home"])
    }
}
