//! Keeps the code map of ARCHITECTURE.md true: dependencies between our crates point down only.

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// Every crate, and which of ours it may know.
    const MAY_KNOW: &[(&str, &[&str])] = &[
        ("alongside-platform", &[]),
        ("alongside-contract", &["alongside-platform"]),
        ("alongside-desk", &["alongside-contract", "alongside-platform"]),
        ("alongside-agent", &["alongside-contract", "alongside-platform"]),
        ("alongside-companion", &["alongside-desk", "alongside-contract", "alongside-platform"]),
        ("alongside-lsp", &["alongside-desk", "alongside-contract", "alongside-platform"]),
        ("alongside-terminal", &["alongside-desk", "alongside-contract", "alongside-platform"]),
        (
            "alongside",
            &[
                "alongside-agent",
                "alongside-companion",
                "alongside-contract",
                "alongside-desk",
                "alongside-lsp",
                "alongside-platform",
                "alongside-terminal",
            ],
        ),
    ];

    /// All crates that one of ours is built of, but for its tests.
    fn tree(package: &str) -> Vec<String> {
        let args = [
            "tree",
            "--offline",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--package",
            package,
        ];
        let output = Command::new(env!("CARGO")).args(args).output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
        lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
    }

    #[test]
    fn dependencies_between_our_crates_point_down() {
        for (package, known) in MAY_KNOW {
            let ours =
                tree(package).into_iter().filter(|name| name.starts_with("alongside") && name != package);
            let unknown: Vec<_> = ours.filter(|name| !known.contains(&name.as_str())).collect();
            assert!(unknown.is_empty(), "{package} must not know {unknown:?}");
        }
    }

    #[test]
    fn the_terminal_desk_links_no_review_logic_and_the_companion_no_highlighter() {
        let desk = tree("alongside-terminal");
        assert!(desk.iter().any(|name| name == "ratatui"), "the tree was not read: {desk:?}");
        for comparing in ["similar", "axum"] {
            assert!(!desk.iter().any(|name| name == comparing), "the terminal desk links {comparing}");
        }
        let companion = tree("alongside-companion");
        assert!(companion.iter().any(|name| name == "similar"), "the tree was not read: {companion:?}");
        for drawing in ["syntect", "two-face", "ratatui", "crossterm"] {
            assert!(!companion.iter().any(|name| name == drawing), "the companion links {drawing}");
        }
    }
}
