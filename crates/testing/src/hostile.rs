//! The names and texts that some program would run, follow or open if it interpreted them. The tests of every
//! editor and desk open each row as an agent's proposal, and then look for [`WITNESS_FILE`].

/// A program that obeys a row makes a file of this name.
pub const WITNESS_FILE: &str = "PWNED";

/// Programs that a name can lead an editor to start. Tests put a program that makes the [`WITNESS_FILE`]
/// under each of these names first on the `PATH`.
pub const PROGRAMS: [&str; 16] = [
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "plink",
    "curl",
    "wget",
    "ftp",
    "cadaver",
    "docker",
    "sudo",
    "su",
    "xdg-open",
    "kde-open",
    "kioclient",
    "gio",
];

/// Names of agents and of files, each with what would interpret it, or as what.
pub const NAMES: [(&str, &str); 30] = [
    (
        "a link in VS Code",
        "[Show the change](command:workbench.action.terminal.sendSequence?%7B%22\
         text%22%3A%22touch%20PWNED%5Cn%22%7D).md",
    ),
    ("a link to a file", "[notes](file:///etc/passwd) ![](http://127.0.0.1:9/x).md"),
    ("an icon, and markup", "$(zap) **bold** `code` <img src=x onerror=alert(1)>.md"),
    ("netrw, with an option of ssh", "sftp://-oProxyCommand=touch PWNED/x.md"),
    ("netrw, a host", "scp://host//x.md"),
    ("netrw, a page", "http://127.0.0.1:9/PWNED.md"),
    ("an archive of Vim", "tarfile::/tmp/x.tar"),
    ("another archive of Vim", "zipfile:///tmp/x.zip::x.md"),
    ("TRAMP, a host", "/ssh:host:/x.md"),
    ("TRAMP, another user", "/sudo::/x.md"),
    ("a header line of Emacs", "%f %b %% %-.md"),
    ("a status line of Vim", "%{system('touch PWNED')}%!system('touch PWNED').md"),
    ("a status line of Neovim", "%{v:lua.os.execute('touch PWNED')}%#Error#%@:quit@.md"),
    ("a click in a status line", "%@system@click%X%=%<.md"),
    ("an expression of Vim", "`=system('touch PWNED')`.md"),
    ("rules for file types of Neovim", "etc/modutils/`touch PWNED`.md"),
    ("a shell", "$(touch PWNED)`touch PWNED`;touch PWNED;'\";touch PWNED.md"),
    ("a shell, in a variable", "${HOME}$HOME ~root.md"),
    ("a command line of Vim", "x|silent!!touch PWNED|.md"),
    ("Vim's own names", "% # #1 <cfile> <afile>.md"),
    ("a pattern", "*?[a-z]{a,b}**.md"),
    ("an option of a program", "--cmd=!touch PWNED"),
    ("an argument of Vim", "+!touch PWNED"),
    ("keys", "<C-o>:!touch PWNED<CR><Esc>\\<CR>.md"),
    ("Kakoune, a shell", "%sh{touch PWNED}%opt{filetype}%val{session}.md"),
    ("Kakoune, markup and quotes", "{red}'';evaluate-commands %{nop %sh{touch PWNED}};\"\".md"),
    ("tmux", "#(touch PWNED)#{session_name}#[fg=red].md"),
    ("printf and Lisp", "%s%n%d {0} \\(shell-command \"touch PWNED\") ,@x.md"),
    ("a terminal, and text that runs backwards", "\u{1b}]0;PWNED\u{7}\u{9b}31m\u{202e}dm.\u{2066}x\r\n.md"),
    ("a document on another server", "alongside://review/1-1/x?query#fragment%2e%2e%2f.md"),
];

/// Texts of proposals that an editor would obey on opening them, each with its kind.
pub const TEXTS: [(&str, &str); 6] = [
    (
        "a modeline of Vim",
        "one\ntwo\n# vim: set foldmethod=expr foldexpr=system('touch\\ PWNED') \
         statusline=%{system('touch\\ PWNED')}:\n",
    ),
    (
        "a modeline with an unsafe option",
        "# vim: set makeprg=touch\\ PWNED shell=/bin/false readonly nomodifiable:\none\n",
    ),
    (
        "local variables of Emacs, first line",
        "-*- mode: text; eval: (shell-command \"touch PWNED\"); buffer-read-only: t -*-\none\n",
    ),
    (
        "local variables of Emacs, at the end",
        "one\n# Local Variables:\n# eval: (shell-command \"touch PWNED\")\n\
         # compile-command: \"touch PWNED\"\n# End:\n",
    ),
    ("a modeline of Kakoune", "one\n# kak: eval=%sh{touch PWNED} filetype=%sh{touch PWNED}:\n"),
    (
        "markup of hovers and lenses",
        "[one](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22touch\
         %20PWNED%5Cn%22%7D)\n```\n$(zap) <img src=x onerror=alert(1)>\n",
    ),
];

/// Returns a row as the name of one file: `/` becomes `:`, and a name that means a directory gets an `x`.
/// Each row is short enough for a file name.
pub fn file_name(name: &str) -> String {
    let name = name.replace('/', ":");
    match name.as_str() {
        "." | ".." | "" => format!("{name}x"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_the_name_of_a_file_and_no_other_row() {
        for (why, name) in NAMES {
            let file = file_name(name);
            assert!(file.len() <= 255 && !file.contains(['/', '\0']), "{why}: {name}");
            assert_eq!(NAMES.iter().filter(|(_, other)| file_name(other) == file).count(), 1, "{why}");
        }
    }
}
