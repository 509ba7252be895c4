//! The token opens the door to the person's reviews: it stands in private files and in the environment of agents, and nowhere
//! else that anybody sees, keeps or sends in.

use alongside_agent::find;

use crate::support::{Home, propose};

/// The arguments of every process of this user that runs in the home.
fn arguments(home: &Home) -> String {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ours = |path: &std::path::Path| {
        let mark = format!("HOME={}", home.path("home").display()).into_bytes();
        std::fs::read(path.join("environ")).is_ok_and(|it| it.windows(mark.len()).any(|part| part == mark))
    };
    processes
        .map(|entry| entry.path())
        .filter(|path| ours(path))
        .filter_map(|path| std::fs::read(path.join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_in_no_output_report_argument_or_log() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.start(home.alongside(&["review"]).env("ALONGSIDE_LOG_LEVEL", "trace"));
    let agent = home.agent().await;
    let token = find::all_records(&home.surroundings())[0].1.auth_token.clone().unwrap();
    let secret = token.split('.').next().unwrap();
    assert!(secret.len() >= 64, "else nothing is proven here");
    let _diff = propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;

    let junit = home.path("check.xml");
    let check = ["check", "--only", "access,diffs.immediate", "--json", "--junit", junit.to_str().unwrap()];
    for args in [
        &["status"][..],
        &["status", "--json"],
        &["doctor", "--verbose"],
        &["doctor", "--json"],
        &["check", "--only", "access", "--details"],
        &check,
        &["log", "-n", "100000"],
        &["drafts"],
    ] {
        let ran = home.run(args);
        let said = [ran.stdout, ran.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        assert!(!said.concat().is_empty() || args == ["drafts"], "{args:?} says nothing");
        assert!(!said.concat().contains(secret), "{args:?}: {said:?}");
    }
    let report = std::fs::read_to_string(&junit).expect("a report was asked for");
    assert!(report.contains("access.") && !report.contains(secret), "{report}");
    assert!(!desk.out.text().contains(secret));
    #[cfg(target_os = "linux")]
    {
        let arguments = arguments(&home);
        assert!(arguments.contains("review"), "the desk is among them: {arguments}");
        assert!(!arguments.contains(secret), "{arguments}");
    }
}
