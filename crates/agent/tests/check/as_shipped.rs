//! A model of the companion that the makers of Gemini CLI ship: all its faults that the reference companion can have, at once. Where
//! faults meet, one must not hide another, and no verdict may contradict what the model is known to do.

use std::collections::BTreeSet;

use alongside_agent::check::Report;

use crate::fault::{Fault, Faults};
use crate::{MACHINE, PATIENT, not_passed, report};

/// What its source does: one server object for all agents, which answers on the connection of the newest; outcomes sent to every
/// transport there is; no DELETE, no queue, no end for streams at the stop.
const FAULTS: &[Fault] = &[
    Fault::StaleSessionIs400,
    Fault::OlderAgentsUnanswered,
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
    Fault::ContainerHostRefused,
    Fault::Ipv6HostRefused,
    Fault::BodyReadBeforeTheToken,
    Fault::OnlyGeminiFile,
    Fault::NoIdeInfo,
    Fault::OnlyLiteralRoots,
    Fault::DirectoryOpenToOthers,
    Fault::RelativePathOpened,
    Fault::DirectoryOpened,
    Fault::PendingForgottenAtStop,
    Fault::StreamsOutliveTheStop,
    Fault::FilesLeftAtStop,
];

/// What depends on something that another check fails, and must not be guessed.
const SKIPPED: &[&str] = &[
    // It publishes nothing for Qwen Code.
    "discovery.ppid",
    "discovery.qwen-file",
    "discovery.qwen-lock",
    "discovery.qwen-old-file",
    // The first of two agents is not answered.
    "diffs.same-file",
    "sessions.equal-ids",
    // There is no DELETE, no second stream, nothing is sent again, and everything can be opened.
    "diffs.error-text",
    "sessions.delete-own",
    "streams.newest-hears",
    "streams.not-too-soon",
    "streams.older-ends",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_faults_at_once_none_hides_another() {
    let mut told = complaint(&report(Faults::all(FAULTS), true, PATIENT).await);
    if told.is_some() {
        // So many companions at once may be more than this machine can do.
        let _machine = MACHINE.lock().await;
        told = complaint(&report(Faults::all(FAULTS), true, PATIENT).await);
    }
    assert!(told.is_none(), "{}", told.unwrap_or_default());
}

/// What is wrong with a report on the model.
fn complaint(seen: &Report) -> Option<String> {
    let with = |word: &str| -> BTreeSet<&str> {
        seen.results.iter().filter(|it| it.verdict.word() == word).map(|it| it.check.id).collect()
    };
    let skipped: BTreeSet<&str> = SKIPPED.iter().copied().collect();
    let caught: BTreeSet<&str> = FAULTS.iter().flat_map(|fault| fault.caught_by()).copied().collect();
    let failed = &caught - &skipped;
    let others = [("fail", &failed), ("skipped", &skipped), ("not observable", &BTreeSet::new())];
    let wrong = others.into_iter().filter(|(word, expected)| with(word) != **expected);
    let wrong: Vec<String> = wrong.map(|(word, expected)| format!("{word} should be {expected:?}")).collect();
    (!wrong.is_empty()).then(|| format!("{}\n{}", wrong.join("\n"), not_passed(seen).join("\n")))
}
