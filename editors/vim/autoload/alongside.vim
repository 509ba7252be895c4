vim9script
# The commands, and the handlers of the server's messages.

import autoload './alongside/agent.vim'
import autoload './alongside/context.vim'
import autoload './alongside/deciding.vim'
import autoload './alongside/review.vim'
import autoload './alongside/say.vim'
import autoload './alongside/sending.vim'
import autoload './alongside/server.vim'
import autoload './alongside/view.vim'

# The words after `:Alongside`, and what they do with the words behind them.
const COMMANDS: dict<func> = {
  accept: (given) => deciding.Decide('accept', given.bang),
  doctor: (given) => agent.ShowOutput(['doctor'] + given.words),
  messages: (_) => say.ShowAll(),
  next: (_) => review.ShowNext(),
  pause: (_) => context.Pause(),
  reject: (_) => deciding.Decide('reject', true),
  review: (_) => review.Show(),
  send: (given) => agent.Send(given.lines),
  status: (_) => agent.ShowOutput(['status']),
  terminal: (given) => agent.Terminal(given.words),
}

server.Handle('alongside/didChangeStatus', server.ChangeStatus)
server.Handle('alongside/didOpenReview', review.Opened)
server.Handle('alongside/didChangeReview', review.Changed)
server.Handle('alongside/didCloseReview', review.Closed)
server.Handle('alongside/flushReview', sending.Flush)
server.WhenEnded(review.ForgetAll)

export def Complete(_: string, _: string, _: number): string
  return keys(COMMANDS)->sort()->join("\n")
enddef

# `:Alongside WORD …`; without a word, `review`. `lines` are the range, or empty.
export def Command(words: list<string>, bang: bool, lines: list<number>)
  if getcmdwintype() != ''
    say.Error('Close the command-line window first.')
    return
  endif
  final given = get(words, 0, 'review')
  final word = given->substitute('!$', '', '')
  if !has_key(COMMANDS, word)
    say.Error($'There is no :Alongside {word}; there are {keys(COMMANDS)->sort()->join(", ")}.')
    return
  endif
  COMMANDS[word]({words: words[1 :], bang: bang || given =~ '!$', lines: lines})
enddef

export def ReportSoon()
  context.ReportSoon()
enddef

export def Saved(buffer: number, path: string)
  context.Saved(buffer, path)
enddef

# Vim has another current directory, which decides for files outside repositories.
export def ForgetRoots()
  context.Forget()
enddef

export def Focused()
  context.Focused()
enddef

# The person has entered a command line.
export def Entered()
  deciding.Entered()
enddef

export def SessionLoaded()
  view.CloseGhosts()
enddef

export def Quitting()
  deciding.Quitting()
enddef

# Vim ends.
export def Leave()
  sending.SendAll()
enddef

# For 'statusline': what waits in the project of this buffer, or ''.
export def Statusline(): string
  return get(server.DeskOf(context.Root(bufnr())), 'line', '')
enddef
