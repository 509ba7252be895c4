//! A full disk: no text is lost, desks are told, and the host completes its files once there is space.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_agent::Outcome;
use rustix::process::Signal;

use crate::support::{Home, Running, accepted, files_below, mode_of, propose, send, soon, until};

/// The mount options of most file systems in these tests.
const SMALL: &str = "size=256k,nr_inodes=200";

/// Runs a shell command and starts a desk in a mount namespace with a file system for each of these
/// directories. The file systems end with the desk. Returns `None` if this user may not mount file systems.
fn desk_on(home: &Home, directories: &[PathBuf], size: &str, done: &str) -> Option<Running> {
    let mount: Vec<String> = directories
        .iter()
        .map(|directory| {
            std::fs::create_dir_all(directory).unwrap();
            format!("mount -t tmpfs -o {size},mode=700 none '{}'", directory.display())
        })
        .collect();
    let mount = mount.join(" && ");
    let can = home.command("unshare").args(["-m", "sh", "-c", &mount]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        alongside_testing::skip("this user cannot mount a small file system");
        return None;
    }
    let script = format!("{mount} && {done}; exec '{}' review", env!("CARGO_BIN_EXE_alongside"));
    let mut command = home.command("unshare");
    command.args(["-m", "sh", "-c", &script]).env("EDITOR", "sed -i s/A/precious/");
    command.env("ALONGSIDE_LOG", home.path("log"));
    Some(home.start(&mut command))
}

/// Returns the path by which the test reaches a path of the host's mount namespace.
fn seen_by(pid: u32, path: &Path) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/root{}", path.display()))
}

/// Fills the file system of a directory with a file. Returns its path.
fn fill(directory: &Path) -> PathBuf {
    fill_with(directory.join("filler"))
}

/// Fills a file system with this new file. Returns its path.
fn fill_with(path: PathBuf) -> PathBuf {
    use std::io::Write as _;
    let mut file = std::fs::File::create(&path).unwrap();
    for size in [4096, 1] {
        while file.write_all(&vec![b'x'; size]).is_ok() {}
    }
    path
}

#[tokio::test]
async fn edits_on_a_full_disk_are_saved_once_there_is_room() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let state = home.path("home/.local/state");
    let Some(mut desk) = desk_on(&home, std::slice::from_ref(&state), SMALL, "true") else { return };
    let agent = home.agent().await;
    let host = home.hosts_pid().unwrap();
    let state = seen_by(host, &state.join("alongside"));
    let filler = fill(&state);
    // The text does not fit into the free part of the last block of the journal.
    let rest = "-".repeat(10_000);
    let diff = propose(&agent, &file, &format!("A{rest}\n")).await;
    desk.shows("the recovery journal cannot be written").await;
    desk.answers_and_shows("(1/1) keep", "e", "could not be saved in").await;
    assert_eq!(
        std::fs::read_dir(state.join("drafts")).map_or(0, Iterator::count),
        0,
        "nothing unfinished stays"
    );
    // The writer of the journal tries again during this time.
    tokio::time::sleep(Duration::from_secs(3)).await;
    std::fs::remove_file(filler).unwrap();
    let said = desk.shows("are saved now: ").await + &desk.shows("a.txt").await;
    let texts =
        files_below(state.join("drafts")).into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
    assert!(texts.collect::<Vec<_>>().contains(&format!("precious{rest}\n")), "{said}");
    until("the journal", || {
        files_below(state.join("journal"))
            .iter()
            .any(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains("precious")))
            .then_some(())
    })
    .await;
    let unfinished =
        files_below(&state).into_iter().filter(|file| file.to_string_lossy().contains("/.alongside-"));
    assert_eq!(unfinished.collect::<Vec<_>>(), Vec::<PathBuf>::new());
    let logged = |what| std::fs::read_to_string(home.path("log")).unwrap().matches(what).count();
    until("the log to say so", || (logged("the journal is written again") == 1).then_some(())).await;
    assert_eq!(logged("cannot write the journal"), 1, "a lasting error is logged once");
    desk.types("a");
    // Line mode prints only a part of a line of this length.
    desk.answers("Accept all the same (n shows the rest) [y,n]? ", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&format!("precious{rest}\n")));
}

#[tokio::test]
async fn agents_find_a_companion_once_a_full_disk_has_room() {
    let home = Home::new();
    let tmp = home.path("tmp");
    let Some(mut desk) = desk_on(&home, std::slice::from_ref(&tmp), SMALL, "true") else { return };
    desk.shows("alongside serves").await;
    let host = home.hosts_pid().unwrap();
    let tmp = seen_by(host, &tmp);
    std::fs::remove_dir_all(tmp.join("gemini")).unwrap();
    let filler = fill(&tmp);
    desk.shows("some agents will not find this companion by themselves").await;
    let unfinished =
        files_below(&tmp).into_iter().filter(|file| file.to_string_lossy().contains(".alongside-"));
    assert_eq!(unfinished.count(), 0);
    std::fs::remove_file(filler).unwrap();
    desk.shows("every agent can find this companion by itself again").await;
    assert!(files_below(tmp.join("gemini/ide")).len() > 1);
    assert_eq!(mode_of(tmp.join("gemini")), 0o700);
    // The file system ends with the desk, and so does the host.
    desk.signal(Signal::TERM);
}

/// Returns a desk whose runtime directory is full, and the path by which the test reaches that directory.
fn desk_without_room_to_be_found(home: &Home) -> Option<(Running, PathBuf)> {
    let run = home.path("run");
    let fill = format!("head -c 1M /dev/zero > '{}/filler' 2> /dev/null", run.display());
    let desk = desk_on(home, std::slice::from_ref(&run), SMALL, &fill)?;
    let seen = seen_by(desk.pid(), &run);
    Some((desk, seen))
}

#[tokio::test]
async fn a_host_without_room_for_its_entry_serves() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let Some((mut desk, run)) = desk_without_room_to_be_found(&home) else { return };
    let said =
        desk.shows("new desks cannot join this companion").await + &desk.shows("ALONGSIDE_RUNTIME_DIR").await;
    assert!(said.contains(home.path("run").to_str().unwrap()), "{said}");
    let (_agent, diff) = home.proposes(&file, "A\n").await;
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
    std::fs::remove_file(run.join("filler")).unwrap();
    desk.shows("new desks can join this companion again").await;
    let kinds =
        files_below(run.join("alongside")).into_iter().filter_map(|path| path.extension().map(Into::into));
    assert_eq!(kinds.collect::<Vec<PathBuf>>(), ["json", "sock", "lock"].map(PathBuf::from));
}

#[tokio::test]
async fn a_host_without_room_for_its_entry_leaves_no_file() {
    let home = Home::new();
    let Some((mut desk, run)) = desk_without_room_to_be_found(&home) else { return };
    desk.shows("new desks cannot join this companion").await;
    // The open file keeps the file system after the end of the desk.
    let open = std::fs::File::open(run.join("alongside")).unwrap();
    let open = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open)));
    desk.leaves();
    until("the host to leave nothing but the lock", || {
        files_below(&open).iter().all(|path| path.ends_with("start.lock")).then_some(())
    })
    .await;
    assert!(alongside_agent::find::all_records(&home.surroundings()).is_empty());
}

#[tokio::test]
async fn an_idle_host_retries_its_journal() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let state = home.path("home/.local/state");
    let Some(mut desk) = desk_on(&home, std::slice::from_ref(&state), SMALL, "true") else { return };
    let agent = home.agent().await;
    let state = seen_by(desk.pid(), &state);
    // Without a free inode, a retry creates no file, and so causes no notification by the system.
    let fillers: Vec<_> = (0..).map(|n| state.join(n.to_string())).map_while(empty_file).collect();
    fill_with(fillers[0].clone());
    let diff = propose(&agent, &file, &format!("A{}\n", "-".repeat(10_000))).await;
    desk.answers("the recovery journal cannot be written", "r").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    // No review is open and no timer runs.
    tokio::time::sleep(Duration::from_secs(3)).await;
    for filler in fillers {
        std::fs::remove_file(filler).unwrap();
    }
    desk.shows("the recovery journal is written again").await;
}

/// Creates an empty file. Returns its path, or `None` if there is no space.
fn empty_file(path: PathBuf) -> Option<PathBuf> {
    std::fs::File::create(&path).ok().map(|_| path)
}

#[tokio::test]
async fn a_host_killed_on_a_full_disk_comes_back() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let [state, run] = ["home/.local/state", "run"].map(|name| home.path(name));
    let Some(mut desk) = desk_on(&home, &[state.clone(), run.clone()], SMALL, "true") else { return };
    let agent = home.agent().await;
    let [state, run] = [state, run].map(|directory| seen_by(desk.pid(), &directory));
    let entry = || {
        let json = files_below(&run).into_iter().find(|path| path.extension().is_some_and(|it| it == "json"));
        let read = |path| serde_json::from_slice::<serde_json::Value>(&std::fs::read(path).ok()?).ok();
        json.and_then(read).and_then(|entry| u32::try_from(entry["pid"].as_u64()?).ok())
    };
    let fillers = [&state, &run].map(|directory| fill(directory));
    let _diff = propose(&agent, &file, &format!("A{}\n", "-".repeat(10_000))).await;
    desk.shows("the recovery journal cannot be written").await;
    let before = entry().unwrap();
    send(before, Signal::KILL);
    desk.shows("the companion was interrupted").await;
    desk.shows("the recovery journal cannot be written").await;
    for filler in fillers {
        std::fs::remove_file(filler).unwrap();
    }
    desk.shows("the recovery journal is written again").await;
    until("the entry of the host that runs", || entry().filter(|pid| *pid != before)).await;
}

#[tokio::test]
async fn text_typed_while_others_fill_the_disk_outlives_a_kill() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let below = home.path("home/.local/state");
    // The file system may run out of space or of inodes.
    let Some(mut desk) = desk_on(&home, std::slice::from_ref(&below), "size=16m,nr_inodes=200", "true")
    else {
        return;
    };
    let agent = home.agent().await;
    // The open file keeps the file system after the end of the desk.
    let open = std::fs::File::open(seen_by(home.hosts_pid().unwrap(), &below)).unwrap();
    let state = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open)));
    let state = state.join("alongside");
    until("the reserve", || (files_below(state.join("reserve")).len() >= 4).then_some(())).await;
    let fill = |round: u32| {
        let names: Vec<_> = (0..).map(|n| state.join(format!("{round}-{n}"))).map_while(empty_file).collect();
        names.first().map_or_else(|| state.join("0-0"), Clone::clone)
    };
    fill_with(fill(0));
    let rest = "-".repeat(30_000);
    let _diff = propose(&agent, &file, &format!("A{rest}\nA\n")).await;
    desk.shows("the disk is full: your edits are saved in the room that was reserved").await;
    desk.answers("(1/1) keep", "e").await;
    // When the draft is saved, other programs fill the rest of the disk while the person continues to type.
    let drafts = || {
        files_below(state.join("drafts")).into_iter().filter_map(|path| std::fs::read_to_string(path).ok())
    };
    let typed = format!("precious{rest}\nprecious\n");
    until("the draft", || drafts().any(|text| text == typed).then_some(())).await;
    let filler = fill(1);
    std::fs::File::options().append(true).create(true).open(&filler).unwrap();
    let _ = fill_more(&filler);
    super::kill_everybody(&home);
    assert!(drafts().any(|text| text == typed), "{:?}", files_below(&state));
    assert_eq!(mode_of(state.join("reserve")), 0o700);
}

/// Appends to a file until there is no space.
fn fill_more(path: &Path) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut file = std::fs::File::options().append(true).open(path)?;
    while file.write_all(&[b'x'; 4096]).is_ok() {}
    Ok(())
}
