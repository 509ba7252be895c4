//! The installation into a new profile, the doctor, and the removal.

use crate::home::{Home, files_below};

#[test]
fn a_hook_is_installed_examined_and_removed() {
    let home = Home::new();
    let settings = home.path("home").join(".claude").join("settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, "{\n  \"model\": \"opus\"\n}\n").unwrap();
    let before = files_below(&home.path("home/.claude"));
    let said = home.succeeds(&["install", "claude", "--hook", "--yes"]);
    let installed = std::fs::read_to_string(&settings).unwrap();
    assert!(
        installed.contains("hook claude") && installed.contains("\"model\": \"opus\""),
        "{said}{installed}"
    );
    let doctor = home.run(&["doctor", "claude", "--json"]);
    let found = String::from_utf8_lossy(&doctor.stdout);
    assert!(found.contains("claude"), "{found}{}", String::from_utf8_lossy(&doctor.stderr));
    home.succeeds(&["uninstall", "--all", "--yes"]);
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), "{\n  \"model\": \"opus\"\n}\n");
    assert_eq!(files_below(&home.path("home/.claude")), before);
}

#[tokio::test]
async fn status_and_environment_name_the_running_companion() {
    let home = Home::new();
    let desk = home.desk();
    let status = desk.hears("alongside/didChangeStatus", |_| true).await;
    let port = status["port"].to_string();
    let said = home.succeeds(&["status"]);
    assert!(said.contains(&port), "{said}");
    assert!(!said.contains(r"\\?\"), "{said}");
    let variables = home.succeeds(&["env"]);
    assert!(variables.contains(&port), "{variables}");
}
