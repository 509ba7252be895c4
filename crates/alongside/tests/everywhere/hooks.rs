//! Hooks as agents start them: by the installed command line, in the shell that interprets it on each system.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use alongside_agent::settings::hooks::{OurHook, WantedHook, with_hook};
use alongside_contract::agent::HookAgent;
use alongside_contract::settings::Release;
use alongside_platform::Os;
use serde_json::{Value, json};

use crate::home::{Home, PROGRAM, soon};

/// Splits a command line into words as Git Bash does. Covers only the syntax of installed command lines.
fn bash_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(mark), c) if mark == c => quote = None,
            (None, '\\') => word.extend(chars.next()),
            (None, ' ') => words.push(std::mem::take(&mut word)),
            (_, c) => word.push(c),
        }
    }
    words.push(word);
    words
}

/// Splits a command line into words as PowerShell does, which runs a quoted program only after `&`. Covers
/// only the syntax of installed command lines.
fn powershell_words(line: &str) -> Vec<String> {
    let called = line.strip_prefix("& ");
    let line = called.unwrap_or(line);
    assert!(called.is_some() || !line.starts_with(['\'', '"']), "PowerShell prints {line}");
    let (program, rest) = match line.strip_prefix('\'') {
        Some(quoted) => quoted.split_once('\'').unwrap(),
        None => line.split_once(' ').unwrap(),
    };
    std::iter::once(program).chain(rest.split_whitespace()).map(str::to_owned).collect()
}

/// Returns the words of an installed entry: those that the entry lists, or those into which a shell splits
/// its command line.
fn words_of(wanted: &WantedHook, shell: fn(&str) -> Vec<String>) -> Vec<String> {
    let file: Value = serde_json::from_str(&with_hook(None, wanted).unwrap()).unwrap();
    let entry = &file["hooks"][wanted.registrations()[0].event][0]["hooks"][0];
    let command = entry["command"].as_str().unwrap();
    let Some(arguments) = entry["args"].as_array() else { return shell(command) };
    let arguments = arguments.iter().map(|word| word.as_str().unwrap());
    std::iter::once(command).chain(arguments).map(str::to_owned).collect()
}

/// Returns the command by which a release of an agent starts its installed hook.
fn installed(
    home: &Home,
    (agent, release): (&str, Option<Release>),
    words: fn(&str) -> Vec<String>,
    program: &str,
) -> Command {
    let agent = HookAgent::named(agent).unwrap();
    let wanted = WantedHook::new(OurHook::Write, agent, release, Os::HERE, program);
    let line = &wanted.command;
    let mut command = match Os::HERE {
        Os::Windows => {
            let words = words_of(&wanted, words);
            let mut command = home.command(&words[0]);
            command.args(&words[1..]);
            command
        }
        Os::Linux | Os::MacOs => {
            let mut command = home.command("sh");
            // The option keeps the hook from the hosts of the real user. The end of the guard follows it.
            let ours = format!(" hook {}", agent.id);
            let more = format!("{ours} --runtime-dir '{}'", home.runtime_dir().display());
            command.arg("-c").arg(line.replace(&ours, &more));
            command
        }
    };
    if Os::HERE == Os::Windows {
        command.arg("--runtime-dir").arg(home.runtime_dir());
    }
    command
}

/// Runs a hook on this input.
fn run(mut command: Command, input: &Value) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(input.to_string().as_bytes());
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// Returns the answer of a hook, which is null if the hook printed nothing. Asserts that the hook succeeded.
fn answer(ran: &Output) -> Value {
    let error = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && error.is_empty(), "{}: {error}", ran.status);
    if ran.stdout.is_empty() { Value::Null } else { serde_json::from_slice(&ran.stdout).unwrap() }
}

/// Copies the program to a directory of this name. Returns the path of the copy.
fn program_at(home: &Home, directory: &str) -> String {
    let directory = home.path(directory);
    std::fs::create_dir_all(&directory).unwrap();
    let copy = directory.join(std::path::Path::new(PROGRAM).file_name().unwrap());
    if cfg!(unix) {
        // In this process the copy would be open for writing, also in the programs that other tests start
        // meanwhile: no system runs such a file.
        assert!(Command::new("cp").args([PROGRAM.as_ref(), copy.as_os_str()]).status().unwrap().success());
    } else {
        std::fs::copy(PROGRAM, &copy).unwrap();
    }
    copy.to_str().unwrap().to_owned()
}

/// Returns the input of Claude Code's hook before it writes a file.
fn write_input(home: &Home, file: &str, content: &str) -> Value {
    json!({
        "session_id": "s", "cwd": home.project(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": file, "content": content},
    })
}

#[tokio::test]
async fn claudes_hook_asks_the_person_wherever_the_program_is() {
    let home = Home::new();
    let mut desk = home.desk();
    desk.hears("alongside/didChangeStatus", |_| true).await;
    let newest = Some((2, 1, 332));
    // Without Git Bash, PowerShell interprets the line. If the path has blanks, no shell does in the newest
    // release.
    for (number, (directory, release, shell)) in [
        ("plain", newest, bash_words as fn(&str) -> Vec<String>),
        ("plain", None, powershell_words),
        ("a b", newest, powershell_words),
        ("a b", None, bash_words),
    ]
    .into_iter()
    .enumerate()
    {
        let file = home.file(&format!("{number}.txt"), "a\n");
        let command = installed(&home, ("claude", release), shell, &program_at(&home, directory));
        let input = write_input(&home, &file, "A\n");
        let hook = tokio::task::spawn_blocking(move || run(command, &input));
        let review = desk.review(&file).await;
        desk.decides(&review, if number == 0 { "accept" } else { "reject" });
        let answer = answer(&soon("the hook", hook).await.unwrap());
        let verdict = &answer["hookSpecificOutput"]["permissionDecision"];
        assert_eq!(verdict, if number == 0 { "allow" } else { "deny" }, "{directory}: {answer}");
    }
}

#[tokio::test]
async fn geminis_hook_starts_in_powershell_wherever_the_program_is() {
    let home = Home::new();
    let mut desk = home.desk();
    desk.hears("alongside/didChangeStatus", |_| true).await;
    for (number, directory) in ["plain", "a b"].into_iter().enumerate() {
        let file = home.file(&format!("{number}.txt"), "a\n");
        let command = installed(&home, ("gemini", None), powershell_words, &program_at(&home, directory));
        let input = json!({
            "session_id": "s", "cwd": home.project(), "hook_event_name": "BeforeTool",
            "tool_name": "write_file",
            "tool_input": {"file_path": file, "content": "A\n"},
        });
        let hook = tokio::task::spawn_blocking(move || run(command, &input));
        let review = desk.review(&file).await;
        desk.decides(&review, "reject");
        let ran = soon("the hook", hook).await.unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        assert!(said.contains("deny") || ran.status.code() == Some(2), "{directory}: {}: {said}", ran.status);
    }
}

#[test]
fn a_hook_is_silent_without_a_companion() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let command = installed(&home, ("claude", None), bash_words, PROGRAM);
    assert_eq!(answer(&run(command, &write_input(&home, &file, "A\n"))), Value::Null);
}
