//! After a cut, an agent opens its stream again, and sends its next proposal of the same file at the same
//! time. In any order and size, the second proposal must not get the decision on the first one, and that
//! decision must arrive.

use std::time::{Duration, Instant};

use alongside_agent::{Endpoint, Identity, Outcome, Session};
use alongside_companion::desk::Decision;
use alongside_rig::wire::{Direction, Fault, Kind, Peer, Proxy, Raw, Stream, open_diff_call, within};

use crate::stage::Stage;

const KB: usize = 1 << 10;

/// The sizes of the proposals, in bytes.
const SIZES: [usize; 3] = [10 * KB, 1 << 20, 5 << 20];

/// The loss after the first decision.
#[derive(Debug, Clone, Copy)]
enum Loss {
    /// The stream is cut before the outcome's last byte: the agent does not get it.
    Outcome,
    /// The agent gets the outcome but never answers the ping.
    Pong,
    /// The pong is cut on its way.
    PongOnItsWay,
    /// Only the stream is cut, after the pong.
    Nothing,
}

/// Which of the second stream and the second proposal reaches the companion first.
#[derive(Debug, Clone, Copy)]
enum First {
    /// The whole proposal, then the stream.
    Post,
    /// The head of the proposal and half of it, the stream, and the rest much later.
    HalfPost,
    /// The stream, and at once the proposal.
    Get,
}

fn text(of: &str, size: usize) -> String {
    let mut text = format!("{of}\n");
    text.extend(std::iter::repeat_n("0123456789abcdef\n", size / 17));
    text
}

struct Crossing {
    stage: Stage,
    proxy: Proxy,
    peer: Peer,
    path: String,
    size: usize,
}

impl Crossing {
    async fn new(size: usize) -> Self {
        let (stage, proxy, peer) = Stage::with_proxied_peer().await;
        Self { path: stage.path("crossed.txt"), stage, proxy, peer, size }
    }

    /// Accepts the first proposal, and cuts the connection as `lost` says. Returns whether the agent got the
    /// decision.
    async fn first_diff(&mut self, lost: Loss) -> bool {
        if let Loss::Outcome = lost {
            self.proxy.arm(Kind::Stream, Direction::Down, self.size / 2, Fault::Cut);
        }
        let faults = usize::from(!matches!(lost, Loss::Nothing | Loss::Pong));
        let mut stream = self.peer.listen().await;
        self.peer.open_diff(1, &self.path, &text("first", self.size)).await;
        self.stage.accept().await;
        if let Loss::Outcome = lost {
            self.proxy.until_struck(faults).await;
            self.proxy.cut();
            return false;
        }
        let accepted = stream.wait_for("ide/diffAccepted").await;
        assert!(accepted["params"]["content"].as_str().unwrap().starts_with("first\n"));
        let ping = stream.wait_for("ping").await;
        match lost {
            Loss::Nothing => self.peer.pong(&ping).await,
            Loss::PongOnItsWay => {
                self.proxy.arm(Kind::Post, Direction::Up, 150, Fault::Cut);
                let pong = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, ping["id"]);
                let mut raw = Raw::dial(self.proxy.port).await;
                let _ = raw.try_send(format!("{}{pong}", self.peer.post_head(pong.len()))).await;
                self.proxy.until_struck(faults).await;
            }
            _ => {}
        }
        self.proxy.cut();
        true
    }

    /// Opens the stream again, and sends the second proposal, in this order. Returns `None` if this machine
    /// was too slow to do both at the same time.
    async fn cross(&self, first: First) -> Option<Stream> {
        let call = open_diff_call(2, &self.path, &text("second", self.size));
        let head = self.peer.post_head(call.len());
        let mut post = Raw::dial(self.proxy.port).await;
        let stream = match first {
            First::Post => {
                post.send(head + &call).await;
                self.peer.get().await
            }
            First::HalfPost => {
                post.send(head + &call[..call.len() / 2]).await;
                let stream = self.peer.get().await;
                tokio::time::sleep(Duration::from_millis(250)).await;
                post.send(&call[call.len() / 2..]).await;
                stream
            }
            First::Get => {
                let started = Instant::now();
                let stream = self.peer.get().await;
                post.send(head + &call[..100]).await;
                if started.elapsed() > Duration::from_millis(50) {
                    return None;
                }
                post.send(&call[100..]).await;
                stream
            }
        };
        assert_eq!(post.answer().await.status(), 200);
        Some(Stream::over(stream).await)
    }

    /// Fails if the second proposal gets an outcome before its own decision, or another one after that.
    async fn second_diff(&mut self, mut stream: Stream, case: &str) {
        stream.silent_for(Duration::from_millis(400)).await;
        let review = self.stage.review().await;
        assert!(review.proposed.starts_with("second\n"), "{case}");
        self.stage.decide(&review, Decision::Accept).await.unwrap();
        let accepted = stream.wait_for("ide/diffAccepted").await;
        assert!(accepted["params"]["content"] == *text("second", self.size), "{case}");
    }
}

/// Tries every loss and order with texts of this size.
async fn assert_crossings(size: usize) {
    for first in [First::Post, First::HalfPost, First::Get] {
        for lost in [Loss::Pong, Loss::PongOnItsWay, Loss::Nothing] {
            let case = format!("{size} bytes, {lost:?} lost, {first:?} first");
            let mut tries = 0;
            loop {
                let mut crossing = Crossing::new(size).await;
                assert!(crossing.first_diff(lost).await, "{case}");
                if let Some(stream) = crossing.cross(first).await {
                    crossing.second_diff(stream, &case).await;
                    break;
                }
                tries += 1;
                assert!(tries < 20, "{case}: this machine never got a GET and a POST out within 50 ms");
            }
        }
    }
    // The agent did not get the decision and waits for it, so the decision must be sent again.
    let mut crossing = Crossing::new(size).await;
    assert!(!crossing.first_diff(Loss::Outcome).await);
    let mut stream = crossing.peer.listen().await;
    assert!(stream.wait_for("ide/diffAccepted").await["params"]["content"] == *text("first", size));
    crossing.peer.acknowledge(&mut stream).await;
    stream.silent_for(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn crossing_of_10_kb_loses_and_invents_no_decision() {
    assert_crossings(SIZES[0]).await;
}

#[tokio::test]
async fn crossing_of_1_mb_loses_and_invents_no_decision() {
    assert_crossings(SIZES[1]).await;
}

#[tokio::test]
#[ignore = "cargo xtask test --all"]
async fn crossing_of_5_mb_loses_and_invents_no_decision() {
    assert_crossings(SIZES[2]).await;
}

/// Tries the crossing with a client that opens its stream again by itself, as the TypeScript SDK does. Its
/// pong and its stream are cut, and it proposes again at once, or with `wait_for_stream` after its stream is
/// open again.
async fn client_crossing(size: usize, wait_for_stream: bool) {
    let mut stage = Stage::new().await;
    let proxy = Proxy::before(stage.port()).await;
    let identity = Identity::new("gemini-cli-mcp-client", "1");
    let session = Session::connect(Endpoint::local(proxy.port), Some(stage.companion.token()), identity);
    let session = within("a session", session).await.unwrap();
    proxy.until_streams(1).await;
    let path = stage.path("crossed.txt");
    let (first, second) = (text("first", size), text("second", size));

    let pending = session.open_diff(&path, &first).await.unwrap();
    let review = stage.review().await;
    proxy.arm(Kind::Post, Direction::Up, 0, Fault::Cut);
    stage.decide(&review, Decision::Accept).await.unwrap();
    assert!(within("the first outcome", pending.outcome()).await == Outcome::Accepted { content: first });
    proxy.until_struck(1).await;
    proxy.cut();
    if wait_for_stream {
        proxy.until_streams(2).await;
    }
    let pending = within("the second diff to open", session.open_diff(&path, &second)).await.unwrap();
    let mut outcome = Box::pin(pending.outcome());
    // Longer than the client needs to open its stream again, plus the companion's 100 ms.
    let early = tokio::time::timeout(Duration::from_millis(2500), &mut outcome).await;
    assert!(early.is_err(), "{size} bytes: nobody has decided, but the agent heard {:?}", early.map(name));
    let review = stage.review().await;
    assert!(review.proposed.starts_with("second\n"));
    stage.decide(&review, Decision::Accept).await.unwrap();
    assert!(within("the second outcome", outcome).await == Outcome::Accepted { content: second });
}

fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Accepted { .. } => "accepted",
        Outcome::Rejected => "rejected",
        Outcome::Closed { .. } => "closed",
        Outcome::Lost => "lost",
    }
}

#[tokio::test]
async fn proposal_right_after_reconnect_gets_its_own_decision() {
    for size in SIZES {
        futures_util::future::join_all((0..5).map(|_| client_crossing(size, false))).await;
    }
}

#[tokio::test]
async fn proposal_during_stream_return_gets_its_own_decision() {
    futures_util::future::join_all((0..5).map(|_| client_crossing(10 * KB, true))).await;
}
