vim9script
# Agents and other programs in terminals of Vim.

import autoload './context.vim'
import autoload './messages.vim'
import autoload './server.vim'

# Runs the program alongside with these arguments in a terminal window.
export def ShowOutput(words: list<string>)
  term_start([server.Program()] + words, TerminalOptions(join(['alongside'] + words)))
enddef

def TerminalOptions(name: string): dict<any>
  final root = context.Project()
  final options: dict<any> = {term_name: name, term_kill: 'hup'}
  if root != ''
    options.cwd = root
  endif
  return options
enddef

# Runs an agent in a terminal: this command, or else an installed agent. Without a command, goes to an agent that runs.
export def RunInTerminal(words: list<string>)
  final running = RunningTerminal()
  if empty(words) && running != 0
    GoTo(running)
    return
  endif
  final command = empty(words) ? ChooseAgent() : words
  if empty(command)
    return
  endif
  if !executable(command[0])
    messages.Error($'There is no program {command[0]}.')
    return
  endif
  final options = TerminalOptions(join(command))
  options.env = get(server.DeskOf(context.Project()), 'environment', {})
  options.term_finish = 'close'
  final buffer = term_start(command, options)
  if buffer != 0
    setbufvar(buffer, 'alongside_agent', true)
  endif
enddef

# Returns the only agent on this machine, or the agent that the person chooses.
def ChooseAgent(): list<string>
  final offered = get(g:, 'alongside_agents', ['gemini', 'qwen', 'claude'])
  final agents = offered->copy()->filter((_, name) => executable(name) == 1)
  if len(agents) > 1
    final chosen = inputlist(['Which agent?'] + agents->mapnew((at, name) => $'{at + 1}: {name}'))
    return chosen > 0 && chosen <= len(agents) ? [agents[chosen - 1]] : []
  elseif empty(agents)
    messages.Error('Neither gemini, qwen nor claude is in $PATH; name a command: :Alongside terminal COMMAND')
  endif
  return agents
enddef

# Returns the buffer of a terminal in which an agent runs, or 0.
def RunningTerminal(): number
  final found = term_list()->filter((_, buffer) =>
    getbufvar(buffer, 'alongside_agent', false) && term_getstatus(buffer) =~ 'running')
  return get(found, 0, 0)
enddef

def GoTo(buffer: number)
  final windows = win_findbuf(buffer)
  if empty(windows)
    execute 'sbuffer' buffer
  else
    win_gotoid(windows[0])
  endif
enddef

# Puts the file, and its lines if there is a range, into the prompt of an agent, and submits nothing. The agent is the one
# in a terminal of Vim, or else one that accepts files from the companion.
export def Send(lines: list<number>)
  final file = context.File(bufnr())
  final agent = RunningTerminal()
  if file == ''
    messages.Error('This buffer is not a file.')
    return
  elseif agent == 0
    Mention(file, lines)
    return
  endif
  final root = $'{context.Project()}/'
  final path = stridx(resolve(file), root) == 0 ? strpart(resolve(file), strlen(root)) : file
  if strtrans(path) != path
    # The terminal would interpret a line ending or an escape sequence as a key.
    messages.Error($'Not sent, because the name of the file has control or invisible characters: {strtrans(path)}')
    return
  endif
  final words = empty(lines) ? '' : lines[0] == lines[1] ? $' line {lines[0]}' : $' lines {lines[0]}-{lines[1]}'
  term_sendkeys(agent, $'@{escape(path, " \\")}{words} ')
  GoTo(agent)
enddef

# Adds the file to the prompt of an agent by the companion.
def Mention(file: string, lines: list<number>)
  final desk = server.DeskOf(context.Project())
  final params: dict<any> = {path: file}
  if !empty(lines)
    params.lines = {start: lines[0] - 1, end: lines[1]}
  endif
  if empty(desk)
    messages.Error('No agent runs here; :Alongside terminal starts one.')
    return
  endif
  server.Request(desk, 'alongside/mentionFile', params, null_function, (error) => {
    final has_no_agent = get(get(error, 'data', {}), 'why', '') == 'noAgentTakesFiles'
    messages.Error(has_no_agent ? 'No agent runs here, and no connected agent accepts mentions; :Alongside terminal starts one.'
      : error.message)
  })
enddef
