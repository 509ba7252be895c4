vim9script
# The commands, and the handlers of the server's messages.

import autoload './alongside/agent.vim'
import autoload './alongside/context.vim'
import autoload './alongside/deciding.vim'
import autoload './alongside/review.vim'
import autoload './alongside/messages.vim'
import autoload './alongside/sending.vim'
import autoload './alongside/server.vim'
import autoload './alongside/view.vim'

# By the word after `:Alongside`: the function for it, which gets the further words, the bang and the range.
const COMMANDS: dict<func> = {
  accept: (call) => deciding.Decide('accept', call.bang),
  doctor: (call) => agent.ShowOutput(['doctor'] + call.words),
  messages: (_) => messages.ShowAll(),
  next: (_) => review.ShowNext(),
  pause: (_) => context.TogglePause(),
  reject: (_) => deciding.Decide('reject', true),
  review: (_) => review.Show(),
  send: (call) => agent.Send(call.lines),
  status: (_) => agent.ShowOutput(['status']),
  terminal: (call) => agent.RunInTerminal(call.words),
}

server.SetHandler('alongside/didChangeStatus', server.HandleStatus)
server.SetHandler('alongside/didOpenReview', review.HandleOpen)
server.SetHandler('alongside/didChangeReview', review.HandleChange)
server.SetHandler('alongside/didCloseReview', review.HandleClose)
server.SetHandler('alongside/flushReview', sending.Flush)
server.SetExitHandler(review.ReleaseAll)

export def Complete(_: string, _: string, _: number): string
  return keys(COMMANDS)->sort()->join("\n")
enddef

# Executes `:Alongside WORD …`. Without a word, the word is `review`. `lines` is the range, or empty.
export def Command(words: list<string>, bang: bool, lines: list<number>)
  if getcmdwintype() != ''
    messages.Error('Close the command-line window first.')
    return
  endif
  final first_word = get(words, 0, 'review')
  final word = first_word->substitute('!$', '', '')
  if !has_key(COMMANDS, word)
    messages.Error($'There is no :Alongside {word}; there are {keys(COMMANDS)->sort()->join(", ")}.')
    return
  endif
  COMMANDS[word]({words: words[1 :], bang: bang || first_word =~ '!$', lines: lines})
enddef

export def ReportSoon()
  context.ReportSoon()
enddef

export def ReportSave(buffer: number, path: string)
  context.ReportSave(buffer, path)
enddef

# Handles a change of Vim's current directory, on which the project of files outside repositories depends.
export def ForgetRoots()
  context.ForgetRoots()
enddef

export def ReportFocus()
  context.ReportFocus()
enddef

# Handles a command line that the person has entered.
export def RememberCommandLine()
  deciding.RememberCommandLine()
enddef

export def CloseEndedReviews()
  view.CloseEndedReviews()
enddef

export def WarnBeforeQuit()
  deciding.WarnBeforeQuit()
enddef

# Sends all unsent text before Vim ends.
export def SendAll()
  sending.SendAll()
enddef

# Returns the waiting work in the project of this buffer, for 'statusline', or ''.
export def Statusline(): string
  return get(server.DeskOf(context.Root(bufnr())), 'line', '')
enddef
