//! Checks of the texts of proposals: they are returned unchanged, whatever their content and size.

use crate::check::Clause::Shipped;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure};
use crate::harness::case::Case;
use crate::harness::connect;
use crate::harness::diff_calls::{self, is_opened, open_message};

/// Slightly more than a megabyte.
const MEGABYTE: usize = (1 << 20) + 1;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "diffs.exact",
        title: "A text comes back exactly as it was proposed",
        clause: Shipped {
            says: "what comes back is written to the file as it is",
            breaks: "every release: line endings, byte-order marks and last newlines change on accepting",
        },
        harm: "accepting one line changes every line of the file",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(exact(case)))
    },
    Check {
        id: "diffs.surrogate",
        title: "A lone surrogate does no harm",
        clause: Shipped {
            says: "agents are JavaScript, whose strings may hold a lone surrogate",
            breaks: "every release, where a model's text was cut within a character",
        },
        harm: "the agent says that the diff cannot be opened",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(surrogate(case)))
    },
    Check {
        id: "diffs.megabyte",
        title: "A proposal of a megabyte comes there and back",
        clause: Shipped {
            says: "openDiff carries whole files",
            breaks: "every release: both issue trackers report 413 Payload Too Large",
        },
        harm: "larger files cannot be reviewed in the editor",
        ..Check::of(Group::Diffs, When::InTurn, |case| {
            Box::pin(there_and_back(case, "megabyte.txt", MEGABYTE))
        })
    },
    Check {
        id: "diffs.large",
        title: "A large proposal comes there and back",
        clause: Shipped {
            says: "openDiff carries whole files, also those beyond 10 MB",
            breaks: "every release: both issue trackers report 413 Payload Too Large",
        },
        harm: "large files cannot be reviewed in the editor",
        ..Check::of(Group::Diffs, When::InTurn, |case| {
            Box::pin(there_and_back(case, "large.txt", usize::MAX))
        })
    },
];

async fn exact(case: &Case<'_>) -> Checked {
    let texts = [
        "one\r\ntwo\r\nthree\r\n",
        "\u{feff}with a byte-order mark\n",
        "no newline at the end",
        "mixed\r\nends\nand\ta tab, a \u{1f600}, e\u{301}, and a trailing blank \n\n",
        "\u{1b}[31mcontrol\u{1b}[0m \u{0} characters\n",
    ];
    let peer = connect::join(case).await?;
    for (number, text) in texts.into_iter().enumerate() {
        let path = case.proposal(&format!("exact-{number}.txt"));
        diff_calls::open_diff(case, &peer, &path, text).await?;
        let back = diff_calls::final_text(&peer, &path).await?;
        ensure(back == text, || format!("{text:?} came back as {back:?}"))?;
    }
    Ok(())
}

async fn surrogate(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let path = case.proposal("surrogate.txt");
    // Another check judges proposals without a lone surrogate.
    diff_calls::open_diff(case, &peer, &case.proposal("no-surrogate.txt"), "a whole one first\n").await?;
    case.took(&peer, Some(&path));
    let id = peer.next_id();
    let message = open_message(&id, &path, "half: @@HALF@@ .\n");
    let body = message.to_string().replace("@@HALF@@", "\\ud83d");
    let answer = peer.send(&peer.request("POST").with_body(body)).await?;
    let opened = answer.reply(&id).is_some_and(|reply| is_opened(&reply));
    ensure(opened, || format!("a proposal with half a character was answered with {}", answer.status()))
}

/// Proposes a text of this size, limited to that of a large proposal, and compares the outcome.
async fn there_and_back(case: &Case<'_>, name: &str, size: usize) -> Checked {
    let size = size.min(case.timeouts().large);
    let peer = connect::join(case).await?;
    let path = case.proposal(name);
    // Another check judges small proposals.
    diff_calls::open_diff(case, &peer, &case.proposal("small.txt"), "a small one first\n").await?;
    case.took(&peer, Some(&path));
    let line = "A line of a large file, as there are many of them.\n";
    let text = line.repeat(size.div_ceil(line.len()));
    let id = peer.next_id();
    let answer = peer.send(&peer.post(&open_message(&id, &path, &text))).await?;
    ensure(answer.status() == 200, || format!("{size} bytes were answered {}", answer.status()))?;
    let failed = answer.reply(&id).is_none_or(|reply| reply["result"]["isError"] == true);
    ensure(!failed, || format!("{size} bytes could not be opened"))?;
    let back = diff_calls::final_text(&peer, &path).await?;
    ensure(back == text, || format!("of {} bytes, {} came back, or others", text.len(), back.len()))
}
