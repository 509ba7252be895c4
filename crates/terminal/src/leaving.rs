//! The last events of a companion that a desk leaves: they say how the reviews end that nobody keeps.

use alongside_desk::{Desk, Event, Request};
use tokio::time::{Duration, timeout};

use crate::app::App;

/// How long the companion may take to say goodbye: a frozen one says nothing.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(1);

/// Leaves for good, and returns a sentence for each review that ends with it. A desk that is dropped instead
/// counts as lost, and the host waits for it for a while.
pub(crate) async fn leave(desk: &mut Desk, app: &App) -> Vec<String> {
    // The end of the events is the reply.
    drop(desk.send(Request::Leave));
    let mut ends = Vec::new();
    while let Ok(Ok(event)) = timeout(GOODBYE_TIMEOUT, desk.next()).await {
        if let Event::Closed(closed) = event
            && let Some(view) = app.view(closed.id)
            && !app.options.rehearsal
        {
            ends.push(app.companion.review_closed(view.review(), &closed, app.roots()).text);
        }
    }
    ends
}
