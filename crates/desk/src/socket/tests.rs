//! Both ends against each other, over a pipe in memory.

use std::time::Duration;

use alongside_contract::rpc::{self, Id};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::compact_review::Introduction;
use super::server::{Spoken, receive_within};
use super::*;
use crate::connection::{Seat, pair};
use crate::{
    Decision, Event, Gone, HookProposal, Marked, Problem, Refusal, Request, ReviewId, Revised, SnapshotKind,
    SnapshotTaken, Status, Turn, TurnFile,
};

fn hello(protocol: u32) -> Hello {
    let info = ClientInfo { name: "test".into(), version: "9".into() };
    let terms = Terms { protocol, ..Terms::default() };
    Hello { client_info: info, initialization_options: Options { alongside: terms }, ..Hello::default() }
}

/// A host for one desk, and why that disconnected. `more` is answered to a desk that leaves.
struct OneDesk {
    seat: Seat,
    parting: JoinHandle<DisconnectReason>,
    left: oneshot::Receiver<()>,
}

async fn let_in(stream: DuplexStream, more: bool) -> OneDesk {
    let Ok(Some(FirstRequest::Join(_, arrival))) = receive(stream, "1.0").await else { panic!("a desk") };
    let (desk, seat) = pair();
    let (tell, left) = oneshot::channel();
    let parting = tokio::spawn(async move {
        let host = Host { name: "h".into(), port: 7, ..Host::default() };
        let welcome = Welcome { alongside: host, ..Welcome::default() };
        let left = async || {
            tell.send(()).unwrap();
            more
        };
        arrival.serve(&welcome, desk, |_| {}, left, async || Goodbye::HandedOver).await
    });
    OneDesk { seat, parting, left }
}

async fn joined(more: bool) -> (Joined, OneDesk) {
    let (theirs, ours) = tokio::io::duplex(1 << 10);
    let hello = hello(PROTOCOL);
    let (joined, host) = tokio::join!(join(theirs, &hello), let_in(ours, more));
    (joined.unwrap(), host)
}

#[tokio::test(start_paused = true)]
async fn requests_events_and_refusals_cross() {
    let (mut one, mut host) = joined(false).await;
    assert_eq!((one.welcome.alongside.name.as_str(), one.welcome.alongside.port), ("h", 7));
    let request = Request::DecideReview { id: ReviewId(1), revision: 2, decision: Decision::Accept };
    let answered = one.desk.send(request.clone());
    let call = host.seat.calls.recv().await.unwrap();
    assert_eq!(call.request, request);
    // Told before it is answered, in this order also at the other end.
    let problem = Problem::without_hint("x".repeat(1 << 20));
    host.seat.events.send(Event::Problem(problem.clone())).unwrap();
    call.answer.send(Err(Refusal::Stale { revision: 3 })).unwrap();
    assert_eq!(one.desk.next().await, Ok(Event::Problem(problem)));
    assert_eq!(answered.await.unwrap(), Err(Refusal::Stale { revision: 3 }));
}

/// Returns a list of files, and the same with a mark.
fn lists() -> [Event; 2] {
    let file = |path: &str| TurnFile { path: path.into(), ..TurnFile::default() };
    let list = Turn { revision: 1, files: vec![file("a.txt"), file("b.txt")], ..Turn::default() };
    let mut marked = Turn { revision: 2, ..list.clone() };
    marked.files[1].marked = Marked::Whole;
    [Event::Turn(list), Event::Turn(marked)]
}

#[tokio::test(start_paused = true)]
async fn a_list_of_which_only_changes_cross_is_whole_and_an_older_desk_gets_all_of_it() {
    let (mut one, host) = joined(false).await;
    for event in lists() {
        host.seat.events.send(event.clone()).unwrap();
        assert_eq!(one.desk.next().await, Ok(event));
    }
    for (is_older, name, has_all) in
        [(true, "alongside/didChangeTurn\"", true), (false, "alongside/didChangeTurnTersely\"", false)]
    {
        let (mut theirs, ours) = tokio::io::duplex(1 << 12);
        let mut introduction = serde_json::to_value(Introduction::of(&hello(PROTOCOL))).unwrap();
        if is_older {
            introduction.as_object_mut().unwrap().remove("terseTurns").unwrap();
        }
        framing::write(&mut theirs, &rpc::request(&Id::Number(0), "initialize", &introduction))
            .await
            .unwrap();
        let host = let_in(ours, false).await;
        for event in lists() {
            host.seat.events.send(event).unwrap();
        }
        let mut theirs = tokio::io::BufReader::new(theirs);
        let mut last = String::new();
        // The answer, the first list and the second one.
        for _ in 0..3 {
            last = String::from_utf8(framing::read(&mut theirs).await.unwrap().unwrap()).unwrap();
        }
        assert!(last.contains(name) && last.contains("b.txt") && last.contains("a.txt") == has_all, "{last}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_flush_is_answered_by_the_desk() {
    let (mut one, mut host) = joined(false).await;
    host.seat.events.send(Event::FlushReview { id: ReviewId(4) }).unwrap();
    assert_eq!(one.desk.next().await, Ok(Event::FlushReview { id: ReviewId(4) }));
    assert_eq!(one.desk.request(Request::Flushed { id: ReviewId(4) }).await, Ok(Revised::default()));
    assert_eq!(host.seat.calls.recv().await.unwrap().request, Request::Flushed { id: ReviewId(4) });
    assert!(tokio::time::timeout(Duration::from_secs(60), host.seat.calls.recv()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_desk_that_vanishes_is_lost_and_one_that_leaves_has_left() {
    let (one, host) = joined(false).await;
    drop(one);
    assert_eq!(host.parting.await.unwrap(), DisconnectReason::Lost);

    let (one, mut host) = joined(false).await;
    one.desk.leave().await;
    assert_eq!(host.parting.await.unwrap(), DisconnectReason::Left);
    host.left.await.unwrap();
    assert!(host.seat.calls.recv().await.is_none(), "leaving is the host's business");
}

#[tokio::test(start_paused = true)]
async fn the_last_desk_to_leave_hears_how_reviews_end() {
    let (mut one, host) = joined(true).await;
    let answered = one.desk.send(Request::Leave);
    host.left.await.unwrap();
    answered.await.unwrap().unwrap();
    host.seat.events.send(Event::Status(Status::default())).unwrap();
    drop(host.seat);
    assert_eq!(one.desk.next().await, Ok(Event::Status(Status::default())));
    assert_eq!(one.desk.next().await, Err(Gone));
    assert_eq!(host.parting.await.unwrap(), DisconnectReason::Left);
}

#[tokio::test(start_paused = true)]
async fn a_goodbye_is_told_apart_from_a_crash() {
    let (mut one, host) = joined(false).await;
    drop(host.seat);
    assert_eq!(one.desk.next().await, Err(Gone));
    assert_eq!(one.parted.await, Ok(Some(Goodbye::HandedOver)));
    assert_eq!(host.parting.await.unwrap(), DisconnectReason::Ended);

    let (mut one, host) = joined(false).await;
    host.parting.abort();
    assert_eq!(one.desk.next().await, Err(Gone));
    assert_eq!(one.parted.await, Ok(None));
    assert_eq!(one.desk.request(Request::Focus).await, Err(Refusal::Stopped));
}

#[tokio::test(start_paused = true)]
async fn another_protocol_version_is_refused_with_the_way_out() {
    for (protocol, remedy) in [(PROTOCOL - 1, "restart it"), (PROTOCOL + 1, "alongside host --replace")] {
        let (theirs, ours) = tokio::io::duplex(1 << 10);
        let hello = hello(protocol);
        let (refused, visitor) = tokio::join!(join(theirs, &hello), receive(ours, "1.0"));
        assert!(matches!(visitor, Ok(None)));
        let Err(JoinError::Mismatch { message, host }) = refused else { panic!("{refused:?}") };
        assert!(message.contains(remedy), "{message}");
        assert_eq!(host, Mismatch { protocol: PROTOCOL, version: "1.0".into() });
    }
}

/// Two programs of neighbouring versions, and those whose versions do not meet.
#[tokio::test(start_paused = true)]
async fn of_two_protocol_versions_the_smaller_one_is_spoken() {
    for (host, desk, agreed) in [
        (1..=2, 1..=1, Some(1)),
        (1..=2, 1..=2, Some(2)),
        (1..=1, 1..=2, Some(1)),
        (2..=3, 1..=2, Some(2)),
        (2..=3, 1..=1, None),
        (1..=1, 2..=3, None),
    ] {
        let spoken = Spoken { protocols: &host, version: "1.0" };
        let (mut tried, mut spoke) = (Some(*desk.end()), None);
        while let Some(protocol) = tried.take() {
            let (theirs, ours) = tokio::io::duplex(1 << 10);
            let visit = tokio::spawn(async move { join(theirs, &hello(protocol)).await });
            if let Ok(Some(FirstRequest::Join(hello, peer))) = receive_within(ours, spoken).await {
                spoke = Some(hello.initialization_options.alongside.protocol);
                drop(peer);
                let _ = visit.await;
            } else {
                let Ok(Err(JoinError::Mismatch { host, .. })) = visit.await else { panic!("no refusal") };
                tried = host.version_within(&desk, protocol);
            }
        }
        assert_eq!(spoke, agreed, "{host:?} and {desk:?}");
    }
}

/// A hook of before says nothing, and fields of later ones are ignored.
#[tokio::test(start_paused = true)]
async fn a_hook_says_its_version_and_the_first_one_said_none() {
    let proposal = HookProposal { file: "/a".into(), proposed: "x\n".into(), ..HookProposal::default() };
    for (protocol, host, is_taken) in
        [(None, 1..=2, true), (Some(1), 1..=2, true), (Some(3), 1..=2, false), (None, 2..=3, false)]
    {
        let mut params = serde_json::to_value(&proposal).unwrap();
        params["later"] = serde_json::json!({ "field": 1 });
        if let Some(protocol) = protocol {
            params["protocol"] = protocol.into();
        }
        let (mut theirs, ours) = tokio::io::duplex(1 << 12);
        framing::write(&mut theirs, &rpc::request(&Id::Number(0), "alongside/propose", &params))
            .await
            .unwrap();
        match receive_within(ours, Spoken { protocols: &host, version: "1.0" }).await.unwrap() {
            Some(FirstRequest::Propose(got, _)) => assert!(is_taken && got == proposal, "{protocol:?}"),
            other => assert!(!is_taken && other.is_none(), "{protocol:?} {other:?}"),
        }
    }
    let (theirs, ours) = tokio::io::duplex(1 << 12);
    let asking = tokio::spawn(async move { propose(theirs, &proposal, PROTOCOL).await });
    assert!(matches!(receive(ours, "1.0").await, Ok(Some(FirstRequest::Propose(..)))));
    assert!(matches!(asking.await.unwrap(), Err(JoinError::Broken(_))));
}

/// The hook ends at once, and fields and moments of later ones are ignored.
#[tokio::test(start_paused = true)]
async fn a_hook_tells_of_its_snapshot_and_waits_for_nothing() {
    let taken = SnapshotTaken { directory: "/p".into(), kind: SnapshotKind::Prompt };
    let (theirs, ours) = tokio::io::duplex(1 << 10);
    report_snapshot(theirs, &taken).await.unwrap();
    match receive(ours, "1.0").await {
        Ok(Some(FirstRequest::TurnTaken(told))) => assert_eq!(told, taken),
        other => panic!("{other:?}"),
    }
    for (params, kind) in [
        (serde_json::json!({ "directory": "/p", "later": 1 }), SnapshotKind::End),
        (serde_json::json!({ "directory": "/p", "kind": "middle" }), SnapshotKind::Other),
    ] {
        let (mut theirs, ours) = tokio::io::duplex(1 << 10);
        let line = rpc::request(&Id::Number(0), "alongside/turnTaken", &params);
        framing::write(&mut theirs, &line).await.unwrap();
        match receive(ours, "1.0").await {
            Ok(Some(FirstRequest::TurnTaken(told))) => assert_eq!(told.kind, kind),
            other => panic!("{other:?}"),
        }
    }
}

/// A host of before turns answers a request that it does not know.
#[tokio::test(start_paused = true)]
async fn a_companion_of_before_turns_is_named_as_older() {
    let (theirs, ours) = tokio::io::duplex(1 << 10);
    let host = tokio::spawn(async move {
        let (reader, mut writer) = tokio::io::split(ours);
        let mut reader = tokio::io::BufReader::new(reader);
        framing::read(&mut reader).await.unwrap();
        framing::write(&mut writer, &rpc::reply(&Id::Number(0), &Welcome::default())).await.unwrap();
        let asked = framing::read(&mut reader).await.unwrap().unwrap();
        assert!(String::from_utf8(asked).unwrap().contains("alongside/reviewTurn"));
        let unknown = rpc::error(Some(&Id::Number(1)), rpc::METHOD_NOT_FOUND, "there is no such method");
        framing::write(&mut writer, &unknown).await.unwrap();
        (reader, writer)
    });
    let one = join(theirs, &hello(PROTOCOL)).await.unwrap();
    let refused = one.desk.request(Request::ReviewTurn { directory: None, since: None }).await;
    let Err(Refusal::Other { words }) = refused else { panic!("{refused:?}") };
    assert!(words.contains("runs an older alongside"), "{words}");
    drop(host.await);
}

#[tokio::test(start_paused = true)]
async fn successors_and_stops_need_no_version_and_wait_for_the_end() {
    let (theirs, ours) = tokio::io::duplex(1 << 10);
    let asking = tokio::spawn(hand_over(theirs));
    let Ok(Some(FirstRequest::HandOver(mut arrival))) = receive(ours, "1.0").await else {
        panic!("a successor")
    };
    arrival.done().await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!asking.is_finished(), "the host has not ended yet");
    drop(arrival);
    asking.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_introduce_itself_is_let_go() {
    let (silent, ours) = tokio::io::duplex(1 << 10);
    assert!(receive(ours, "1.0").await.is_err());
    drop(silent);

    let (mut loud, ours) = tokio::io::duplex(1 << 10);
    loud.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    assert!(receive(ours, "1.0").await.is_err());

    let (mut early, ours) = tokio::io::duplex(1 << 10);
    framing::write(&mut early, &rpc::bare_request(&Id::Number(1), "alongside/decideReview")).await.unwrap();
    assert!(matches!(receive(ours, "1.0").await, Ok(None)));
    let mut answer = String::new();
    early.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("the first request must be `initialize`"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_desk_that_stops_reading_is_lost_after_half_a_minute() {
    let (theirs, ours) = tokio::io::duplex(64);
    let (reader, mut writer) = tokio::io::split(theirs);
    let host = tokio::spawn(let_in(ours, false));
    let line = serde_json::json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "initializationOptions": { "alongside": { "protocol": PROTOCOL } } } });
    framing::write(&mut writer, &line.to_string()).await.unwrap();
    let host = host.await.unwrap();
    for _ in 0..200 {
        let _ = host.seat.events.send(Event::Problem(Problem::without_hint("x".repeat(999))));
    }
    let parting = tokio::time::timeout(Duration::from_secs(120), host.parting).await.unwrap();
    assert_eq!(parting.unwrap(), DisconnectReason::Lost);
    drop((reader, writer));
}

#[tokio::test(start_paused = true)]
async fn the_curious_are_answered_and_do_not_join() {
    let (theirs, ours) = tokio::io::duplex(1 << 10);
    let asking = tokio::spawn(report(theirs));
    let Ok(Some(FirstRequest::Report(mut arrival))) = receive(ours, "1.0").await else {
        panic!("somebody curious")
    };
    let told = Report { name: "h".into(), hidden: true, ..Report::default() };
    arrival.report(&told).await.unwrap();
    assert_eq!(asking.await.unwrap().unwrap(), told);
}

#[test]
fn no_debug_form_shows_a_token() {
    let environment = crate::Environment([("QWEN_CODE_IDE_AUTH_TOKEN".into(), "secret".into())].into());
    let status = Status { environment, ..Status::default() };
    let host = Host { token: "secret".into(), ..Host::default() };
    let shown = format!("{:?} {status:?}", Welcome { alongside: host, ..Welcome::default() });
    assert!(shown.contains("QWEN_CODE_IDE_AUTH_TOKEN") && !shown.contains("secret"), "{shown}");
}
