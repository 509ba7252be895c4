//! The connection to the companion: connects at the start, and again at the person's next action after a
//! failure or a stop, at most every 2 s.

use std::path::PathBuf;
use std::time::Duration;

use alongside_desk::{Desk, Problem};
use futures_util::future::LocalBoxFuture;
use tokio::time::Instant;

use crate::client::Client;

/// The shortest time between two attempts.
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// Finds the companion of an editor's projects, or starts it.
type Connect<'a> = Box<dyn Fn(Client) -> Attempt<'a> + 'a>;
type Attempt<'a> = LocalBoxFuture<'a, Result<Desk, Problem>>;

/// The attempts to connect, and their times.
pub(crate) struct Connector<'a> {
    connect: Connect<'a>,
    attempt: Option<Attempt<'a>>,
    /// The roots of the attempt.
    roots: Vec<PathBuf>,
    /// The time of the next attempt, if one is due.
    next_attempt: Option<Instant>,
    not_before: Instant,
}

impl<'a> Connector<'a> {
    /// Creates a connector whose first attempt starts at once.
    pub(crate) fn new(connect: impl Fn(Client) -> Attempt<'a> + 'a) -> Self {
        let now = Instant::now();
        Self {
            connect: Box::new(connect),
            attempt: None,
            roots: Vec::new(),
            next_attempt: Some(now),
            not_before: now,
        }
    }

    /// Connects as soon as the delay allows.
    pub(crate) fn request_attempt(&mut self) {
        if self.attempt.is_none() {
            self.next_attempt = Some(self.not_before);
        }
    }

    /// Starts the delay after a lost connection.
    pub(crate) fn connection_lost(&mut self) {
        self.not_before = Instant::now() + RETRY_DELAY;
    }

    /// Returns the result of the next attempt, and the roots that it served; never returns while no attempt
    /// is wanted. Cancel safe.
    pub(crate) async fn next_result(&mut self, client: &Client) -> (Result<Desk, Problem>, Vec<PathBuf>) {
        let attempt = match &mut self.attempt {
            Some(attempt) => attempt,
            None => {
                sleep_until(self.next_attempt).await;
                self.next_attempt = None;
                self.roots.clone_from(&client.roots);
                self.attempt.insert((self.connect)(client.clone()))
            }
        };
        let result = attempt.await;
        (self.attempt, self.next_attempt) = (None, None);
        self.not_before = Instant::now() + RETRY_DELAY;
        (result, std::mem::take(&mut self.roots))
    }
}

/// Returns at `deadline`; never without one.
pub(crate) async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
