//! Models of the companions that the makers of Gemini CLI and of Qwen Code ship: all their faults that the
//! reference companion can have, at once. Where faults meet, one must not hide another, and no verdict may
//! contradict what the model is known to do.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_conformance::{Report, Timeouts};
use futures_util::future::join;

use crate::fault::{Fault, Faults};
use crate::{MACHINE, PATIENT, every_check, not_passed, report};

/// A companion with many faults. The checks that catch them fail unless they are skipped, others pass.
struct Model {
    /// Those beside [`OF_BOTH`].
    faults: &'static [Fault],
    /// Checks beside [`SKIPPED`] that need something which another check fails.
    skipped: &'static [&'static str],
    /// Checks that are not observable.
    unseen: &'static [&'static str],
}

/// The faults that both have.
const OF_BOTH: &[Fault] = &[
    Fault::StaleSessionIs400,
    Fault::OutcomesAreToldToEverybody,
    Fault::DiffsAreEverybodys,
    Fault::DeleteNotAllowed,
    Fault::SessionsAreNeverFreed,
    Fault::KeepAliveIsRare,
    Fault::OutcomesLostBeforeAStream,
    Fault::OutcomesLostBetweenStreams,
    Fault::OutcomesInFlightAreLost,
    Fault::OlderStreamWins,
    Fault::ContextOnlyAfterSilence,
    Fault::EqualContextsAreRepeated,
    Fault::SelectionIsCutInACharacter,
    Fault::SecondProposalOpensAnother,
    Fault::ClosedTextForgotten,
    Fault::DecidedTextForgotten,
    Fault::Ipv6HostRefused,
    Fault::BodyReadBeforeTheToken,
    Fault::NoIdeInfo,
    Fault::OnlyLiteralRoots,
    Fault::DirectoryOpenToOthers,
    Fault::RelativePathOpened,
    Fault::DirectoryOpened,
    Fault::PendingForgottenAtStop,
    Fault::StreamsOutliveTheStop,
    Fault::FilesLeftAtStop,
];

/// There is no DELETE, no second stream, nothing is sent again, and everything can be opened.
const SKIPPED: [&str; 5] = [
    "diffs.error-text",
    "sessions.delete-own",
    "streams.newest-hears",
    "streams.not-too-soon",
    "streams.older-ends",
];

/// One server object for all agents, which answers on the connection of the newest; outcomes sent to every
/// transport there is; no DELETE, no queue, no end for streams at the stop.
const OF_GEMINI: Model = Model {
    faults: &[Fault::OlderAgentsUnanswered, Fault::ContainerHostRefused, Fault::OnlyGeminiFile],
    skipped: &[
        // It publishes nothing for Qwen Code.
        "discovery.ppid",
        "discovery.qwen-file",
        "discovery.qwen-lock",
        "discovery.qwen-old-file",
        // The first of two agents is not answered.
        "diffs.same-file",
        "sessions.equal-ids",
    ],
    unseen: &[],
};

/// A server object for each agent, and otherwise the same; it tidies paths up, and calls every end of a diff
/// closed.
const OF_QWEN: Model = Model {
    faults: &[
        Fault::ClosingRejectsUnlessSuppressed,
        Fault::OnlyQwenLock,
        Fault::PathsAreNormalised,
        Fault::RejectedIsClosed,
    ],
    skipped: &["discovery.gemini-file", "discovery.gemini-old-file"],
    unseen: &["discovery.pid-in-name"],
};

/// Requests that are never answered are many.
const TIMEOUTS: Timeouts = Timeouts { answer: Duration::from_secs(2), ..PATIENT };

/// Returns the wrong verdicts on a model.
async fn untrue(model: &Model) -> Option<String> {
    let faults = Faults::all([OF_BOTH, model.faults].concat());
    model.complaint(&report(faults, true, &every_check(TIMEOUTS)).await)?;
    // So many companions at once may be more than this machine can do.
    let _machine = MACHINE.lock().await;
    model.complaint(&report(faults, true, &every_check(TIMEOUTS)).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cargo xtask test --all"]
async fn no_fault_hides_another() {
    let (of_gemini, of_qwen) = join(untrue(&OF_GEMINI), untrue(&OF_QWEN)).await;
    assert!(of_gemini.is_none(), "{}", of_gemini.unwrap_or_default());
    assert!(of_qwen.is_none(), "{}", of_qwen.unwrap_or_default());
}

impl Model {
    /// Returns the wrong verdicts of a report on it.
    fn complaint(&self, seen: &Report) -> Option<String> {
        let with = |word: &str| -> BTreeSet<&str> {
            seen.results
                .iter()
                .filter(|result| result.verdict.word() == word)
                .map(|result| result.check.id)
                .collect()
        };
        let skipped: BTreeSet<&str> = self.skipped.iter().chain(&SKIPPED).copied().collect();
        let faults = OF_BOTH.iter().chain(self.faults);
        let caught: BTreeSet<&str> = faults.flat_map(|fault| fault.caught_by()).copied().collect();
        let unseen = self.unseen.iter().copied().collect();
        let others = [("fail", &caught - &skipped), ("skipped", skipped), ("not observable", unseen)];
        let wrong = others.into_iter().filter(|(word, expected)| with(word) != *expected);
        let wrong: Vec<String> = wrong
            .map(|(word, expected)| format!("{word}: {:?} instead of {expected:?}", with(word)))
            .collect();
        (!wrong.is_empty()).then(|| format!("{}\n{}", wrong.join("\n"), not_passed(seen).join("\n")))
    }
}
