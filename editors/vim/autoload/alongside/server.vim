vim9script
# The connections to the companions: one `alongside lsp` for each project.

import autoload './messages.vim'

# By project: {root, number, job, channel, ready, paused, reviews, line, environment, report}
#   number: the running number of this server, from 1
#   ready: whether the server has answered `initialize`
#   line: the text for a status line
#   environment: variables for agents, with a token
#   report: the report of open files that was sent last
var desks: dict<dict<any>> = {}
var server_count = 0

# The failures of servers: {root, at}, `at` in seconds since 1970.
var failures: list<dict<any>> = []

# By method: the function that handles a message of the server.
var handlers: dict<func(dict<any>, dict<any>)> = {}
var ExitHandler: func(dict<any>) = (_) => {
}

export def SetHandler(method: string, Handler: func(dict<any>, dict<any>))
  handlers[method] = Handler
enddef

export def SetExitHandler(Handler: func(dict<any>))
  ExitHandler = Handler
enddef

export def Program(): string
  return get(g:, 'alongside_program', 'alongside')
enddef

export def DeskOf(root: string): dict<any>
  return get(desks, root, {})
enddef

export def Desks(): list<dict<any>>
  return values(desks)
enddef

# Starts the server of a project, unless it has failed twice within a minute.
export def Start(root: string)
  failures->filter((_, failure) => localtime() - failure.at < 60)
  if has_key(desks, root) || failures->copy()->filter((_, failure) => failure.root == root)->len() >= 2
    return
  endif
  if !executable(Program())
    BlockStart(root)
    messages.Error($'alongside: there is no program {Program()}; set g:alongside_program.')
    return
  endif
  server_count += 1
  final desk: dict<any> = {
    root: root, number: server_count, ready: false, paused: false, reviews: [], line: '', environment: {}, report: {},
  }
  desks[root] = desk
  desk.job = job_start([Program(), 'lsp'], {
    in_mode: 'lsp', out_mode: 'lsp', err_io: 'null', cwd: root,
    out_cb: (_, message) => HandleMessage(desk, message),
    exit_cb: (_, _) => HandleExit(desk),
  })
  desk.channel = job_getchannel(desk.job)
  Request(desk, 'initialize', {
    processId: getpid(),
    clientInfo: {name: 'Vim', version: $'{v:version / 100}.{v:version % 100}'},
    capabilities: {},
    workspaceFolders: [{uri: Uri(root), name: fnamemodify(root, ':t')}],
    initializationOptions: {alongside: {protocol: 1, presentation: true}},
  }, (_) => {
    Notify(desk, 'initialized', {})
    desk.ready = true
  }, (error) => {
    messages.Error($'alongside: {error.message}')
    BlockStart(root)
    job_stop(desk.job)
  })
enddef

# Counts as two failures, so that the server is not started again within a minute.
def BlockStart(root: string)
  failures->extend([{root: root, at: localtime()}, {root: root, at: localtime()}])
enddef

export def Uri(path: string): string
  return 'file://' .. path->substitute('[^A-Za-z0-9/._~-]', (found) => Percent(found[0]), 'g')
enddef

def Percent(character: string): string
  return range(strlen(character))->mapnew((_, at) => printf('%%%02X', char2nr(strpart(character, at, 1))))->join('')
enddef

export def Notify(desk: dict<any>, method: string, params: dict<any>)
  if job_status(desk.job) == 'run'
    ch_sendexpr(desk.channel, {method: method, params: params})
  endif
enddef

# Sends a request. Calls `Then` with the result, or `Otherwise` with the error, which by default is shown.
export def Request(desk: dict<any>, method: string, params: dict<any>, Then: func = null_function,
    Otherwise: func = null_function)
  if job_status(desk.job) == 'run'
    ch_sendexpr(desk.channel, {method: method, params: params}, {
      callback: (_, answer) => HandleAnswer(answer, Then, Otherwise),
    })
  endif
enddef

# Sends a request, and waits up to two seconds for the answer.
export def RequestNow(desk: dict<any>, method: string, params: dict<any>)
  if job_status(desk.job) == 'run'
    ch_evalexpr(desk.channel, {method: method, params: params}, {timeout: 2000})
  endif
enddef

def HandleAnswer(answer: dict<any>, Then: func, Otherwise: func)
  if !has_key(answer, 'error')
    if Then != null_function
      Then(get(answer, 'result', v:null))
    endif
  elseif Otherwise != null_function
    Otherwise(answer.error)
  else
    messages.Error(answer.error.message)
  endif
enddef

# Answers a request of the server. The id may be a string, which `ch_sendexpr()` refuses.
def AnswerRequest(desk: dict<any>, id: any)
  final body = json_encode({jsonrpc: '2.0', id: id, result: v:null})
  ch_sendraw(desk.channel, $"Content-Length: {strlen(body)}\r\n\r\n{body}")
enddef

def HandleMessage(desk: dict<any>, message: dict<any>)
  final method = get(message, 'method', '')
  final params = get(message, 'params', {})
  if has_key(handlers, method)
    handlers[method](desk, params)
  endif
  if has_key(message, 'id')
    AnswerRequest(desk, message.id)
  endif
  if type(params) == v:t_dict
    messages.Announce(get(get(params, 'display', {}), 'messages', []))
  endif
  redrawstatus!
enddef

export def HandleStatus(desk: dict<any>, params: dict<any>)
  desk.line = params.display.line
  desk.paused = params.paused
  desk.environment = params.environment
enddef

def HandleExit(desk: dict<any>)
  failures->add({root: desk.root, at: localtime()})
  if get(desks, desk.root, {}) is desk
    remove(desks, desk.root)
  endif
  ExitHandler(desk)
  redrawstatus!
enddef
