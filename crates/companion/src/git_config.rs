//! A parser of git's settings files: sections, keys and values. The callers know what a setting means.

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The section in lower case, without its subsection.
    pub(crate) section: String,
    /// Whether the section has a subsection, such as the condition of an `includeIf`.
    pub(crate) has_subsection: bool,
    /// The key in lower case.
    pub(crate) key: String,
    /// The value without quotes and comment.
    pub(crate) value: String,
}

/// The settings in the text of a file, in order. Lines without a setting are skipped.
pub(crate) fn settings(text: &str) -> Vec<Setting> {
    let (mut section, mut has_subsection, mut found) = (String::new(), false, Vec::new());
    for line in text.lines().map(str::trim) {
        let line = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((named, rest)) => {
                let (name, below) = named.split_once([' ', '\t', '"']).unwrap_or((named, ""));
                section = name.trim().to_ascii_lowercase();
                has_subsection = !below.trim().is_empty();
                rest.trim()
            }
            None => line,
        };
        if let Some((key, value)) = line.split_once('=') {
            let (section, key) = (section.clone(), key.trim().to_ascii_lowercase());
            found.push(Setting { section, has_subsection, key, value: unquoted(value.trim()) });
        }
    }
    found
}

/// Removes the quotes, escapes and comment of a value.
fn unquoted(value: &str) -> String {
    let (mut text, mut is_quoted, mut chars) = (String::new(), false, value.chars());
    while let Some(char) = chars.next() {
        match char {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            '\\' => text.extend(chars.next()),
            char => text.push(char),
        }
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keys_and_values_are_read_as_git_reads_them() {
        let text =
            "[Core] a = 1\n[core \"x\"]\nB=\"c;d\" # e\n; [no]\n[includeIf \"onbranch:x\"]\n\tpath = \\\\y\n";
        let setting = |section: &str, has_subsection, key: &str, value: &str| Setting {
            section: section.into(),
            has_subsection,
            key: key.into(),
            value: value.into(),
        };
        let (plain, below) = (setting("core", false, "a", "1"), setting("core", true, "b", "c;d"));
        assert_eq!(settings(text), [plain, below, setting("includeif", true, "path", "\\y")]);
    }
}
