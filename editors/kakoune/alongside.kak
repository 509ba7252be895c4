# alongside: review the changes that coding agents propose.
#
# `alongside lsp` runs as an additional language server of kakoune-lsp. It executes the hidden commands below with
# `kak -p SESSION`, because a language server cannot make Kakoune show a file.

# No default here: it would replace a value that was set before this file is loaded.
declare-option -docstring 'the program alongside: a name in $PATH, or a file' str alongside_program
declare-option -docstring 'proposals that wait, for modelinefmt' str alongside_modeline

declare-option -hidden str alongside_server
declare-option -hidden str alongside_last_client
declare-option -hidden str alongside_last_file
declare-option -hidden bool alongside_is_proposal false
declare-option -hidden str alongside_problem

# ---- The language server ----

evaluate-commands %sh{
    [ -n "$kak_opt_alongside_program" ] || echo 'set-option global alongside_program alongside'
    program=${kak_opt_alongside_program:-alongside}
    command -v "$program" >/dev/null 2>&1 && exit
    printf "set-option global alongside_problem '%s is missing: run \`alongside install kakoune\` again'\n" \
        "$(printf %s "$program" | sed "s/'/''/g")"
}

# The parent process of the shell is Kakoune's server. kakoune-lsp sends the settings in the section `_` when it starts our
# server, which needs the session for `kak -p`.
evaluate-commands %sh{
    quoted=$(printf %s "$kak_opt_alongside_program" | sed 's/[\\"]/\\&/g')
    printf 'set-option global alongside_server %%§
[alongside]
command = "%s"
args = ["lsp", "--pid", "%s"]
root_globs = [".git", ".hg", ".jj", ".svn"]
settings_section = "_"
[alongside.settings._.alongside]
session = "%s"
§\n' "$quoted" "$PPID" "$kak_session"
}

# Adds our server to the servers of the buffer's filetype. kakoune-lsp does not serve a buffer if one of its servers is not
# installed, or if it has no language. So if a server is missing, ours becomes the only one, and a buffer without a
# language gets the language plaintext.
define-command -hidden alongside-add-server %{
    evaluate-commands %sh{
        case "$kak_buffile" in /*) ;; *) exit ;; esac
        [ -z "$kak_opt_alongside_problem" ] || exit
        case "$kak_opt_lsp_servers" in *'[alongside]'*) exit ;; esac
        [ -n "$kak_opt_lsp_language_id$kak_opt_filetype" ] || echo 'set-option buffer lsp_language_id plaintext'
        missing=$(printf '%s\n' "$kak_opt_lsp_servers" | awk '
            /^[ \t]*\[/ {
                name = $0; gsub(/[][ \t"]/, "", name)
                is_server = name !~ /\./
                if (is_server) { count++; program[count] = name }
            }
            is_server && /^[ \t]*command[ \t]*=/ {
                sub(/^[^=]*=[ \t]*"/, ""); sub(/".*/, "")
                program[count] = $0
            }
            END { for (i = 1; i <= count; i++) print program[i] }' |
            while read -r program; do
                command -v "$program" >/dev/null 2>&1 || printf ', %s' "$program"
            done)
        if [ -n "$missing" ]; then
            printf "echo -debug alongside is the only language server here; not installed: '%s'\n" "${missing#, }"
            echo 'set-option buffer lsp_servers %opt{alongside_server}'
        else
            echo 'set-option -add buffer lsp_servers %opt{alongside_server}'
        fi
    }
}

hook -group alongside global BufSetOption lsp_servers=.* alongside-add-server
# When Kakoune has loaded a buffer, it sets every option again, and kakoune-lsp clears the language.
hook -group alongside global BufSetOption lsp_language_id= %{
    evaluate-commands %sh{
        case "$kak_opt_filetype:$kak_buffile" in :/*) echo 'set-option buffer lsp_language_id plaintext' ;; esac
    }
}
hook -group alongside global BufCreate /.* alongside-add-server
try %{ evaluate-commands -buffer * alongside-add-server }

hook -group alongside -once global ClientCreate .* %{
    try %{ nop %opt{lsp_servers} } catch %{
        set-option global alongside_problem 'kakoune-lsp is missing; kakrc needs: eval %sh{kak-lsp}, and lsp-enable'
    }
    evaluate-commands %sh{ [ -z "$kak_opt_alongside_problem" ] || echo 'alongside-warn %opt{alongside_problem}' }
}

define-command -hidden alongside-warn -params 1 %{
    echo -debug -- alongside: %arg{1}
    echo -markup "{Error}{\}alongside: %arg{1}"
}

# Remembers the client and the file that the person used last.
hook -group alongside global NormalIdle .* %{ set-option global alongside_last_client %val{client} }
hook -group alongside global InsertIdle .* %{ set-option global alongside_last_client %val{client} }
hook -group alongside global FocusIn .* %{ set-option global alongside_last_client %val{hook_param} }
hook -group alongside global WinDisplay /.* %{ set-option global alongside_last_file %val{hook_param} }

# ---- Commands of the language server ----

# Shows a message in all clients: its face and its text.
define-command -hidden alongside-say -params 2 %{
    echo -debug -- alongside: %arg{2}
    try %{ evaluate-commands -client * %{ echo -markup "{%arg{1}}{\}%arg{2}" } }
}

# Shows the number of proposals that wait.
define-command -hidden alongside-count -params 1 %{
    set-option global alongside_modeline %sh{
        case "$1" in 0) ;; 1) echo '[1 proposal] ' ;; *) echo "[$1 proposals] " ;; esac
    }
}

# Shows a file, by its path.
define-command -hidden alongside-file -params 1 %{
    evaluate-commands -client %opt{alongside_last_client} %{ edit -existing -- %arg{1} }
}

# Shows a proposal: the path of its file, and a line, counted from 1.
define-command -hidden alongside-proposal -params 2 %{
    evaluate-commands -client %opt{alongside_last_client} %{
        edit -existing -- %arg{1} %arg{2}
        set-option buffer alongside_is_proposal true
        set-option buffer autoreload no
        # Shows the states of the changes beside their lines, in a kakoune-lsp that can do so.
        try %{ lsp-inlay-diagnostics-enable buffer }
    }
}

# Closes the buffer of a decided proposal, by the path of its file: its text is with the agent, or in a draft.
define-command -hidden alongside-decided -params 1 %{
    try %{ delete-buffer! %arg{1} }
    # If the proposal was the last file, another open file takes its place, in case Kakoune now shows a buffer without one.
    evaluate-commands %sh{
        [ "$1" != "$kak_opt_alongside_last_file" ] || echo 'evaluate-commands -buffer * alongside-remember-file'
    }
}

define-command -hidden alongside-remember-file %{
    evaluate-commands %sh{
        case "$kak_buffile" in /*) echo 'set-option global alongside_last_file %val{buffile}' ;; esac
    }
}

# ---- Commands of the person ----

# Sends a command to the server. kakoune-lsp does not serve buffers without a file, so such a command is sent from the
# buffer of the last file. kakoune-lsp sends the newest text of the buffer first.
define-command -hidden alongside-run -params 1..2 %{
    set-option global alongside_last_client %val{client}
    evaluate-commands %sh{ [ -z "$kak_opt_alongside_problem" ] || echo 'fail alongside: %opt{alongside_problem}' }
    evaluate-commands %sh{
        case "$kak_buffile" in
            /*) echo 'alongside-send %arg{@}' ;;
            # A comma would begin the name of another buffer.
            *) printf "evaluate-commands -buffer '%s' %%{ alongside-send %%arg{@} }\n" \
                "$(printf %s "$kak_opt_alongside_last_file" | sed "s/[\\\\,]/\\\\&/g; s/'/''/g")" ;;
        esac
    }
}

define-command -hidden alongside-send -params 1..2 %{
    try %{
        lsp-did-change
        lsp-execute-command %arg{1} "[%arg{2}]" alongside
    } catch %{
        fail "kakoune-lsp does not serve %val{bufname}: run lsp-enable, or go to a buffer in which kakoune-lsp is enabled"
    }
}

# Sends a command only from a buffer with a proposal, so that a person cannot decide on one that is not on the screen.
define-command -hidden alongside-run-in-proposal -params 1..2 %{
    evaluate-commands %sh{
        [ "$kak_opt_alongside_is_proposal" = true ] || echo "fail 'this is not a proposal; run alongside-review to open one'"
    }
    alongside-run %arg{@}
}

define-command -hidden alongside-run-at-cursor -params 1 %{
    alongside-run-in-proposal %arg{1} "{""line"":%sh{echo $((kak_cursor_line - 1))}}"
}

define-command alongside-review -docstring 'show the proposal for this file, or the only one' %{
    alongside-run alongside.review
}
define-command alongside-accept -docstring 'accept this proposal as it stands; the agent writes the file' %{
    alongside-run-in-proposal alongside.accept
}
define-command alongside-reject -docstring 'reject this proposal; your edits go to a draft' %{
    alongside-run-in-proposal alongside.reject
}
define-command alongside-drop -docstring 'drop the change at the cursor: take the original lines' %{
    alongside-run-at-cursor alongside.drop
}
define-command alongside-keep -docstring 'keep the change at the cursor again' %{
    alongside-run-at-cursor alongside.keep
}
define-command alongside-next -docstring 'go to the next change' %{
    alongside-run-at-cursor alongside.next
}
define-command alongside-diff -docstring 'show the change at the cursor as a diff' %{ lsp-hover }
define-command alongside-actions -docstring 'choose from everything that is possible here' %{ lsp-code-actions }
define-command alongside-pause -docstring 'stop reports about your files to agents, or resume them' %{
    alongside-run alongside.pause
}
define-command alongside-desk -docstring 'open the review desk in a terminal beside Kakoune' %{
    terminal %opt{alongside_program}
}
define-command alongside-doctor -docstring 'show why an agent does not find this Kakoune, and the remedy' %{
    evaluate-commands %sh{
        directory=$(mktemp -d "${TMPDIR:-/tmp}/alongside.XXXXXXXX") && mkfifo "$directory/fifo" || {
            echo "fail 'cannot create a temporary directory'"; exit
        }
        (
            NO_COLOR=1 "$kak_opt_alongside_program" doctor >"$directory/fifo" 2>&1
            rm -r "$directory"
        ) >/dev/null 2>&1 </dev/null &
        printf "edit! -fifo '%s/fifo' *alongside-doctor*\n" "$(printf %s "$directory" | sed "s/'/''/g")"
    }
}

declare-user-mode alongside
map global alongside r ': alongside-review<ret>'  -docstring 'show the proposal'
map global alongside n ': alongside-next<ret>'    -docstring 'next change'
map global alongside d ': alongside-drop<ret>'    -docstring 'drop the change'
map global alongside k ': alongside-keep<ret>'    -docstring 'keep the change'
map global alongside h ': alongside-diff<ret>'    -docstring 'the change as a diff'
map global alongside a ': alongside-accept<ret>'  -docstring 'accept'
map global alongside x ': alongside-reject<ret>'  -docstring 'reject'
map global alongside . ': alongside-actions<ret>' -docstring 'all actions'
map global alongside l ': alongside-desk<ret>'    -docstring 'the review desk'
