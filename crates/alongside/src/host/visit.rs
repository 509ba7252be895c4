//! Those who dial the socket: what each wants is told to the [loop](super::serve), and desks are served until
//! they part.

use std::path::PathBuf;

use alongside_desk::socket::{Arrival, Goodbye, Hello, Parting, Report, Visitor, Welcome, receive};
use alongside_desk::{Desk, Request};
use interprocess::local_socket::tokio::Stream;
use tokio::sync::{mpsc, oneshot, watch};

use super::VERSION;

/// Everything that happens to a host, beside signals and time.
pub(super) enum Event {
    Arrived {
        hello: Box<Hello>,
        seated: oneshot::Sender<Seated>,
    },
    Parted {
        id: u64,
        left: bool,
        ends: oneshot::Sender<bool>,
    },
    Focused,
    /// A desk tells what its person has open.
    TellsContext(u64),
    RootsChanged {
        added: Vec<PathBuf>,
        removed: Vec<PathBuf>,
    },
    Curious(oneshot::Sender<Report>),
    /// A successor is to take over, or somebody stops us; answered when it is done.
    End {
        how: Goodbye,
        arrival: Arrival<Stream>,
    },
}

/// What a desk that was let in is served with.
pub(super) struct Seated {
    pub(super) id: u64,
    pub(super) desk: Desk,
    pub(super) welcome: Welcome,
}

/// Hears what a visitor wants, and serves it if it is a desk.
pub(super) async fn receive_and_serve(
    stream: Stream,
    events: mpsc::UnboundedSender<Event>,
    mut goodbye: watch::Receiver<Option<Goodbye>>,
) {
    let (hello, arrival) = match receive(stream, VERSION).await {
        Ok(Some(Visitor::Desk(hello, arrival))) => (Box::new(hello), arrival),
        Ok(Some(Visitor::Successor(arrival))) => {
            let _ = events.send(Event::End { how: Goodbye::HandedOver, arrival });
            return;
        }
        Ok(Some(Visitor::Stop(arrival))) => {
            let _ = events.send(Event::End { how: Goodbye::Stopped, arrival });
            return;
        }
        Ok(Some(Visitor::Curious(mut arrival))) => {
            let (answer, answered) = oneshot::channel();
            let _ = events.send(Event::Curious(answer));
            if let Ok(report) = answered.await {
                // Whoever asked may be gone.
                let _ = arrival.report(&report).await;
            }
            return;
        }
        Ok(None) => return,
        Err(error) => return tracing::info!(%error, "somebody dialled and was not understood"),
    };
    let (seat, seated) = oneshot::channel();
    let _ = events.send(Event::Arrived { hello, seated: seat });
    // The loop may have ended in between.
    let Ok(Seated { id, desk, welcome }) = seated.await else { return };
    let noticed = |request: &Request| {
        if matches!(request, Request::ChangeContext(_)) {
            let _ = events.send(Event::TellsContext(id));
        }
        let event = match request {
            // Its person turns to it.
            Request::Focus => Event::Focused,
            Request::ChangeContext(report) if report.active.is_some() => Event::Focused,
            Request::ChangeRoots { added, removed } => {
                Event::RootsChanged { added: added.clone(), removed: removed.clone() }
            }
            _ => return,
        };
        let _ = events.send(event);
    };
    let left = async || {
        let (ends, answered) = oneshot::channel();
        let _ = events.send(Event::Parted { id, left: true, ends });
        answered.await.unwrap_or(true)
    };
    let goodbye = async || match goodbye.wait_for(Option::is_some).await {
        Ok(how) => (*how).unwrap_or(Goodbye::Stopped),
        // The loop is gone, and with it the host.
        Err(_) => Goodbye::Stopped,
    };
    let parting = arrival.serve(&welcome, desk, noticed, left, goodbye).await;
    tracing::info!(desk = id, ?parting, "a desk parts");
    if parting == Parting::Lost {
        let _ = events.send(Event::Parted { id, left: false, ends: oneshot::channel().0 });
    }
}
