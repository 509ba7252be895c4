//! Checks that every test named in `docs/contract-rules.md` and in the pages with promises exists.

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::rust_sources::files_below;
    use alongside_testing::chores::checkout;

    /// The code of these directories.
    fn code(directories: &[&str]) -> String {
        let files = directories.iter().flat_map(|directory| files_below(&checkout().join(directory)));
        files.map(|file| fs::read_to_string(file).unwrap()).collect()
    }

    /// Whether the code has a test of this name: a function, an imported one, or a row of a macro.
    fn has_test(code: &str, test: &str) -> bool {
        let forms =
            [format!("fn {test}("), format!(" as {test},"), format!(" {test}: "), format!(" {test}:\n")];
        forms.iter().any(|form| code.contains(form))
    }

    fn rows(contract: &str) -> impl Iterator<Item = &str> {
        contract.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"))
    }

    /// The test names in the last column of the tables.
    fn named_tests(contract: &str) -> Vec<String> {
        rows(contract)
            .filter_map(|row| row.trim_end_matches('|').rsplit_once('|'))
            .flat_map(|(_, tests)| tests.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn every_test_named_in_the_contract_exists() {
        let contract = fs::read_to_string(checkout().join("docs/contract-rules.md")).unwrap();
        let code = code(&["crates", "rig"]);
        let named = named_tests(&contract);
        assert!(named.len() > 80, "found only {} tests in the tables", named.len());
        let missing: Vec<_> = named.iter().filter(|test| !has_test(&code, test)).collect();
        assert!(missing.is_empty(), "docs/contract-rules.md names tests that do not exist: {missing:#?}");
    }

    #[test]
    fn every_test_that_a_page_promises_exists() {
        let code = code(&["crates", "rig", "xtask"]);
        for page in ["ARCHITECTURE.md", "SECURITY.md", "docs/reliability.md"] {
            let text = fs::read_to_string(checkout().join(page)).unwrap();
            let is_test = |word: &&str| {
                word.matches('_').count() > 2
                    && word.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit())
            };
            let named: Vec<&str> = text.split('`').skip(1).step_by(2).filter(is_test).collect();
            assert!(named.len() > 10, "found too few tests in {page}: {named:?}");
            let missing: Vec<_> = named.iter().filter(|test| !has_test(&code, test)).collect();
            assert!(missing.is_empty(), "{page} names tests that do not exist: {missing:#?}");
        }
    }

    #[test]
    fn every_contract_rule_names_a_test() {
        let contract = fs::read_to_string(checkout().join("docs/contract-rules.md")).unwrap();
        let without: Vec<_> = rows(&contract)
            .filter(|row| !row.starts_with("| rule |"))
            .filter(|row| {
                !row.trim_end_matches('|').rsplit_once('|').is_some_and(|(_, tests)| tests.contains('`'))
            })
            .collect();
        assert!(without.is_empty(), "{without:#?}");
    }
}
