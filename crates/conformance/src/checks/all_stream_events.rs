//! Judges a rule over everything that came on all streams of a run.

use std::time::Duration;

use alongside_contract::context::CONTEXT_UPDATE;
use futures_util::future::BoxFuture;

use crate::check_ending::{Checked, fail, unseen};
use crate::harness::case::Case;
use crate::harness::connect;
use crate::http::stream_listener::Listener;
use crate::http::stream_rules::Rule;

/// Judges a rule over all events of the run. If no event has come yet, first listens for a short time.
pub(crate) fn over_all<'a>(case: &'a Case<'_>, rule: Rule) -> BoxFuture<'a, Checked> {
    Box::pin(judge(case, rule))
}

async fn judge(case: &Case<'_>, rule: Rule) -> Checked {
    if case.fixture.rules.count(rule).0 == 0 {
        let peer = connect::join(case).await?;
        let listener = Listener::of(&peer).await?;
        listener.message(0, case.timeouts().answer.min(Duration::from_secs(2)), &[CONTEXT_UPDATE]).await;
    }
    let broken = case.fixture.rules.broken(rule);
    if let Some(first) = broken.first() {
        broken.iter().take(5).for_each(|line| case.evidence.note(format!("← {line}")));
        let first: String = first.chars().take(160).collect();
        return fail(match broken.len() {
            1 => first,
            times => format!("{first} ({times} times)"),
        });
    }
    match case.fixture.rules.count(rule) {
        (0, what) => unseen(format!("no {what} came on any stream")),
        (count, what) => {
            case.evidence.note(format!("← {count} {what} in the whole run, and nothing wrong with any"));
            Ok(())
        }
    }
}
