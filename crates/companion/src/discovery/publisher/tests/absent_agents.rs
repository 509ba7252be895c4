//! Agents that the user does not have get no directory in home.

use super::*;

fn path(directory: &tempfile::TempDir, below: &str) -> PathBuf {
    directory.path().join(below)
}

/// The names in a directory; empty if there is none.
fn entries(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the names of the directories in home of proven agents, and of these others.
fn directories_of_proven_agents(publisher: &Publisher, others: &[&str]) -> Vec<String> {
    let proven = locations::search_places(&publisher.dirs)
        .filter(|place| place.agent.is_proven() && matches!(place.kind, locations::SearchedFile::Record(_)));
    let own = proven.filter_map(|place| Some(place.directory.agent_directory()?.file_name()?.to_owned()));
    let own: BTreeSet<_> = own.chain(others.iter().map(Into::into)).collect();
    own.into_iter().map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn an_unproven_agent_gets_a_directory_only_where_the_user_has_it() {
    let (directory, roots, mut publisher) = publisher_of_roots(4711);
    let home = path(&directory, "home");
    let published = publisher.publish(&roots, true);
    assert_eq!(published.problems, [], "a missing agent is no problem");
    let proven = directories_of_proven_agents(&publisher, &[]);
    assert!(proven.contains(&".qwen".to_owned()));
    assert_eq!(entries(&home), proven, "a proven agent finds the companion at its first start");
    let own = |place: SearchPlace| place.directory.agent_directory().map(Path::to_owned);
    let mut awaited: BTreeSet<_> = locations::search_places(&publisher.dirs).filter_map(own).collect();
    awaited.retain(|own| !proven.iter().any(|name| own.ends_with(name)));
    assert_eq!(published.awaited, awaited);
    // The agent creates its directory at its first start.
    fs::create_dir(home.join(".ola")).unwrap();
    let published = publisher.publish(&roots, false);
    assert_eq!(published.problems, []);
    assert_eq!(entries(&home.join(".ola/ide")), ["4711.lock"]);
    assert!(awaited.remove(&home.join(".ola")));
    assert_eq!(published.awaited, awaited);
    publisher.withdraw();
    assert_eq!((entries(&home), entries(&home.join(".ola")).len()), (vec![".ola".to_owned()], 0));
}

#[test]
fn a_directory_for_a_command_is_removed_again() {
    let (directory, roots, mut publisher) = publisher_of_roots(4711);
    install(directory.path(), "ola");
    let home = path(&directory, "home");
    assert_eq!(publisher.publish(&roots, true).problems, []);
    assert_eq!(entries(&home.join(".ola/ide")), ["4711.lock"]);
    publisher.withdraw();
    assert_eq!(entries(&home), [""; 0]);
    // The agent has begun to use the directory.
    publisher.publish(&roots, true);
    fs::write(home.join(".ola/settings.json"), "{}").unwrap();
    publisher.withdraw();
    assert_eq!(entries(&home.join(".ola")), ["settings.json"]);
}

#[test]
fn a_crash_leaves_no_directory_for_good() {
    let (directory, roots) = directories();
    let home = path(&directory, "home");
    install(directory.path(), "ola");
    let crashed = || publisher(directory.path(), 4711).publish(&roots, true);
    crashed();
    // Its successor has the same port and token.
    let mut successor = publisher(directory.path(), 4711);
    assert_eq!(entries(&home), directories_of_proven_agents(&successor, &[".ola"]));
    successor.publish(&roots, true);
    successor.withdraw();
    assert_eq!(entries(&home), [""; 0]);
    // No successor comes.
    crashed();
    fs::write(home.join(".qwen/settings.json"), "{}").unwrap();
    crate::remove_stale_files(&AppDirs::below(directory.path()));
    assert_eq!(entries(&home), [".qwen"]);
    assert_eq!(entries(&home.join(".qwen")), ["settings.json"]);
}
