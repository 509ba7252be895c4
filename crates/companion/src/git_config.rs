//! Git's settings as they are written: sections, keys and values. What a setting means is the caller's.

/// A setting of a file, in the order in which they stand.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// In small letters, without its subsection.
    pub(crate) section: String,
    /// Whether the section has a subsection, such as the condition of an `includeIf`.
    pub(crate) has_subsection: bool,
    /// In small letters.
    pub(crate) key: String,
    /// Without its quotes and comment.
    pub(crate) value: String,
}

/// The settings in the text of a file. Lines that hold none are passed over.
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

/// A value without its quotes and comment, and with what a backslash hides.
fn unquoted(value: &str) -> String {
    let (mut text, mut is_quoted, mut signs) = (String::new(), false, value.chars());
    while let Some(sign) = signs.next() {
        match sign {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            '\\' => text.extend(signs.next()),
            sign => text.push(sign),
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
        let read: Vec<_> = settings(text)
            .into_iter()
            .map(|one| (one.section, one.has_subsection, one.key, one.value))
            .collect();
        let meant =
            [("core", false, "a", "1"), ("core", true, "b", "c;d"), ("includeif", true, "path", "\\y")];
        let meant =
            meant.map(|(section, below, key, value)| (section.into(), below, key.into(), value.into()));
        assert_eq!(read, meant);
    }
}
