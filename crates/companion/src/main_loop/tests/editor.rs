//! The editor changes, leaves, and comes back.

use std::path::MAIN_SEPARATOR;

use super::*;

#[tokio::test(start_paused = true)]
async fn the_environment_of_terminals_has_the_variables_of_every_family() {
    let mut story = Story::with_builder(|builder| builder.pid(4242).stdio("/a b", ["stdio"])).await;
    let [project, other] = ["project", "other"].map(|name| format!("{MAIN_SEPARATOR}{name}"));
    let environment = story.next_status(|_| true).await.environment;
    let value = |name: &str| environment.0.get(name).map(String::as_str);
    let token = story.companion.token().to_owned();
    assert_eq!(value("GEMINI_CLI_IDE_SERVER_PORT"), Some(story.companion.port().to_string().as_str()));
    assert_eq!(value("GEMINI_CLI_IDE_AUTH_TOKEN"), Some(format!("{token}.gemini").as_str()));
    assert_eq!(value("LLXPRT_CODE_IDE_AUTH_TOKEN"), Some(format!("{token}.llxprt").as_str()));
    assert_eq!(value("GEMINI_CLI_IDE_PID"), Some("4242"));
    assert_eq!(value("QWEN_CODE_IDE_SERVER_STDIO_COMMAND"), Some("/a b"));
    assert!(value("QWEN_CODE_IDE_WORKSPACE_PATH").is_some_and(|path| path.contains(&project)));

    fs::create_dir(story.path("other")).unwrap();
    story.set_roots(vec![story.path("other")]).await.unwrap();
    let roots = |status: &Status| status.environment.0["QWEN_CODE_IDE_WORKSPACE_PATH"].clone();
    let moved = story.next_status(|status| roots(status).contains(&other)).await;
    assert!(!roots(&moved).contains(&project));
}

/// Returns the names of the current Gemini CLI's discovery files.
fn records(story: &Story) -> Vec<String> {
    // The directory is removed with its last file.
    let entries = fs::read_dir(story.path("tmp/gemini/ide")).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("gemini-")).collect()
}

/// A child process of this one.
struct Child(std::process::Child);

impl Child {
    fn start() -> Self {
        Self(start_waiting_program())
    }

    fn editor(&self) -> Editor {
        Editor { name: "other".into(), display_name: "Other".into(), pid: self.0.id() }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn agents_find_a_changed_editor_only_by_its_process() {
    let mut story = Story::begin().await;
    let (first, second) = (Child::start(), Child::start());
    let port = story.companion.port();
    let name = |pid: u32| format!("gemini-ide-server-{pid}-{port}.json");
    assert_eq!(story.companion.set_editors(vec![first.editor()]).await, []);
    assert!(records(&story).contains(&name(first.0.id())));
    assert!(records(&story).contains(&name(std::process::id())), "the parent of the editor");
    let path = story.path("tmp/gemini/ide").join(name(first.0.id()));
    let record: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(record["ideInfo"]["displayName"], "Other");

    story.companion.set_editors(vec![second.editor()]).await;
    assert!(records(&story).contains(&name(second.0.id())));
    assert!(!records(&story).contains(&name(first.0.id())), "{:?}", records(&story));
    let pid = second.0.id().to_string();
    story.next_status(|status| status.environment.0["GEMINI_CLI_IDE_PID"] == pid).await;
}

#[tokio::test(start_paused = true)]
async fn agents_find_the_companion_under_every_editor() {
    let mut story = Story::begin().await;
    let (first, second) = (Child::start(), Child::start());
    let port = story.companion.port();
    let name = |child: &Child| format!("gemini-ide-server-{}-{port}.json", child.0.id());
    let named = Editor { display_name: "Second".into(), ..second.editor() };
    let read =
        |path: PathBuf| -> serde_json::Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let lock = story.path(&format!("home/.qwen/ide/{port}.lock"));

    story.companion.set_editors(vec![first.editor(), named.clone()]).await;
    let shown = |child: &Child| read(story.path("tmp/gemini/ide").join(name(child)))["ideInfo"].clone();
    assert_eq!(
        (&shown(&first)["displayName"], &shown(&second)["displayName"]),
        (&"Other".into(), &"Second".into())
    );
    assert_eq!(
        read(lock.clone())["ideName"],
        "Other",
        "a file without a process in its name is of the first editor"
    );

    story.companion.set_editors(vec![named, first.editor()]).await;
    assert_eq!(read(lock)["ideName"], "Second");
    let pid = second.0.id().to_string();
    story.next_status(|status| status.environment.0["GEMINI_CLI_IDE_PID"] == pid).await;

    story.companion.set_editors(vec![first.editor()]).await;
    assert!(records(&story).contains(&name(&first)) && !records(&story).contains(&name(&second)));
    assert_eq!(story.companion.set_editors(Vec::new()).await, [], "an empty list changes nothing");
    assert!(records(&story).contains(&name(&first)));
}

#[tokio::test(start_paused = true)]
async fn a_leaving_editor_decides_nothing_and_removes_its_files() {
    let mut story = Story::begin().await;
    story.focus(&story.file).await;
    story.next_status(|status| !status.context.is_empty()).await;
    let (agent, mut stream) = story.listener().await;
    let mut review = story.propose_as(&agent, "one\n2\nthree\n").await;
    story.type_over(&mut review, "one\nmine\nthree\n").await;

    story.companion.hide().await;
    assert_eq!(records(&story), [""; 0]);
    let closed = story.next_closed().await;
    assert_eq!(closed.closing, Closing::EditorGone);
    let draft = closed.draft.expect("the typed text is kept");
    assert_eq!(next_outcome(&mut stream).await.0["method"], "ide/diffRejected");
    story.next_status(|status| status.context.is_empty()).await;
    assert_eq!(fs::read_to_string(draft).unwrap(), "one\nmine\nthree\n");

    // Neither time nor new roots nor the focus bring the files back.
    story.set_roots(vec![story.path("project")]).await.unwrap();
    story.desk.request(Request::Focus).await.unwrap();
    tokio::time::sleep(Duration::from_secs(35)).await;
    story.set_roots(vec![story.path("project")]).await.unwrap();
    assert_eq!(records(&story), [""; 0]);

    // The agent is still connected, and its new proposal waits for a decision.
    let review = story.propose_as(&agent, "one\n2!\nthree\n").await;
    expect_only_context_within(&mut stream, Duration::from_secs(40)).await;

    let editor = Editor { name: "e".into(), display_name: "E".into(), pid: std::process::id() };
    assert_eq!(story.companion.set_editors(vec![editor]).await, []);
    let name = format!("gemini-ide-server-{}-{}.json", std::process::id(), story.companion.port());
    assert!(records(&story).contains(&name));
    story.decide(&review, Decision::Accept).await.unwrap();
    assert_eq!(next_outcome(&mut stream).await.0["params"]["content"], "one\n2!\nthree\n");
}

#[tokio::test]
async fn the_focus_renews_files_of_which_agents_take_the_newest() {
    let story = Story::begin().await;
    let lock = story.path(&format!("home/.qwen/ide/{}.lock", story.companion.port()));
    let modified = || fs::metadata(&lock).unwrap().modified().unwrap();
    let long_ago = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&lock).unwrap().set_modified(long_ago).unwrap();
    story.desk.request(Request::Focus).await.unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while modified() == long_ago {
        assert!(Instant::now() < end, "the lock is as old as before");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
