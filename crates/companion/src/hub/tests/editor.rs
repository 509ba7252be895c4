//! The editor changes, goes, and comes back.

use super::*;

#[tokio::test(start_paused = true)]
async fn terminals_are_given_the_variables_of_every_family() {
    let mut story = Story::of(|builder| builder.pid(4242).stdio("/a b", ["stdio"])).await;
    let environment = story.status(|_| true).await.environment;
    let value = |name: &str| environment.get(name).map(String::as_str);
    let token = story.companion.token().to_owned();
    assert_eq!(value("GEMINI_CLI_IDE_SERVER_PORT"), Some(story.companion.port().to_string().as_str()));
    assert_eq!(value("GEMINI_CLI_IDE_AUTH_TOKEN"), Some(format!("{token}.gemini").as_str()));
    assert_eq!(value("LLXPRT_CODE_IDE_AUTH_TOKEN"), Some(format!("{token}.llxprt").as_str()));
    assert_eq!(value("GEMINI_CLI_IDE_PID"), Some("4242"));
    assert_eq!(value("QWEN_CODE_IDE_SERVER_STDIO_COMMAND"), Some("/a b"));
    assert!(value("QWEN_CODE_IDE_WORKSPACE_PATH").is_some_and(|path| path.contains("/project")));

    let other = story.directory.path().join("other");
    fs::create_dir(&other).unwrap();
    story.companion.set_roots(vec![other]).await.unwrap();
    let of = |status: &Status| status.environment["QWEN_CODE_IDE_WORKSPACE_PATH"].contains("/other");
    assert!(!story.status(of).await.environment["QWEN_CODE_IDE_WORKSPACE_PATH"].contains("/project"));
}
