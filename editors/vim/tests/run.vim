vim9script
# The plugin's own tests. In its directory: vim --clean --not-a-term -es -N -S tests/run.vim

&runtimepath = $'{getcwd()},{&runtimepath}'
runtime plugin/alongside.vim

import autoload 'alongside/context.vim'
import autoload 'alongside/server.vim'
import autoload 'alongside/tabline.vim'
import autoload 'alongside/text.vim'
import autoload 'alongside/view.vim'

# No test starts the program alongside.
g:alongside_program = 'no-such-program'

def Test_every_function_compiles()
  for file in globpath('autoload', '**/*.vim', true, true)
    execute 'source' file
    final script = getscriptinfo({name: $'{file}$'})[0]
    # A lambda is compiled with the function around it.
    for function in getscriptinfo({sid: script.sid})[0].functions->filter((_, name) => name !~ 'lambda')
      execute 'silent defcompile' function
    endfor
  endfor
  # Earlier timers call functions that are deleted.
  timer_stopall()
enddef

# Creates a buffer with this text.
def BufferWith(content: string): number
  new
  setlocal nofixendofline
  text.Replace(bufnr(), content)
  return bufnr()
enddef

def Test_the_text_of_a_buffer_is_the_text_that_was_set()
  for content in ['', "\n", 'one', "one\n", "one\n\n", "one\ntwo", "\n\none\n", "é\t\n"]
    final buffer = BufferWith("before\nafter\n")
    text.Replace(buffer, content)
    assert_equal(content, text.Of(buffer))
    bwipeout!
  endfor
enddef

def Test_the_first_lines_of_a_text_can_be_removed()
  final buffer = BufferWith("one\ntwo\nthree\n")
  text.Replace(buffer, "three\n")
  assert_equal("three\n", text.Of(buffer))
  bwipeout!
enddef

def Test_a_replacement_turns_the_old_text_into_the_new()
  final texts = ['', "\n", 'one', "one\n", "one\ntwo\nthree\n", "one\n2\nthree\n", "three\n", "one\ntwo", "\n\none\n"]
  for before in texts
    for after in texts
      final replacement = text.Replacement(before, after)
      assert_equal(after, text.ApplyReplacement(before, replacement), $'{before} {replacement}')
    endfor
  endfor
  assert_equal({lines: {start: 1, end: 2}, text: "2\n"}, text.Replacement("one\ntwo\nthree\n", "one\n2\nthree\n"))
enddef

def Test_only_lines_that_differ_are_replaced()
  final buffer = BufferWith("one\ntwo\nthree\nfour\n")
  # `undo` reverts the next change alone.
  &l:undolevels = &l:undolevels
  cursor(4, 2)
  setpos("'a", [0, 1, 1, 0])
  text.Replace(buffer, "one\n2\n2b\nthree\nfour\n")
  assert_equal([5, 2], [line('.'), col('.')])
  assert_equal(1, line("'a"))
  undo
  assert_equal("one\ntwo\nthree\nfour\n", text.Of(buffer))
  bwipeout!
enddef

def Test_a_uri_is_percent_encoded()
  assert_equal('file:///a%20b/%C3%A9/c%25', server.Uri('/a b/é/c%'))
enddef

def Test_only_listed_files_are_reported()
  final directory = tempname()
  mkdir($'{directory}/.git/hooks', 'p')
  execute 'edit' $'{directory}/a.txt'
  assert_equal($'{directory}/a.txt', context.File(bufnr()))
  assert_equal(resolve(directory), context.Root(bufnr()))
  setlocal nobuflisted
  assert_equal('', context.File(bufnr()))
  execute 'edit' $'{directory}/.git/hooks/pre-commit'
  assert_equal('', context.File(bufnr()))
  new scp://host/file
  assert_equal('', context.Root(bufnr()))
  :%bwipeout!
enddef

var reported: dict<any> = {}

def Test_a_selection_begins_where_its_text_begins()
  BufferWith("one two\nwörld 漢字 x\n\tfour\n")
  # These tests run in Ex mode, so mode() does not return the mode of the selection.
  xnoremap <buffer> <F2> <ScriptCmd>reported = context.ActiveFile(visualmode())<CR>
  for [keys, expected] in items({
    # By keys: the end in the first line, and whether it is that of the cursor.
    '2G5|Vj': [{line: 1, character: 0}, false], '3GVk5|': [{line: 1, character: 0}, true],
    '2G9|V': [{line: 1, character: 0}, true], "1G5|\<C-v>jh": [{line: 0, character: 3}, false],
    '2G9|v$h': [{line: 1, character: 7}, false], '2G$vb': [{line: 1, character: 6}, true],
  })
    # visualmode() returns the mode of the last selection, which is now this one.
    execute $"normal {keys}\<Esc>gv\<F2>\<Esc>"
    assert_equal(expected[0], reported[expected[1] ? 'cursor' : 'anchor'], keys)
  endfor
  bwipeout!
enddef

def Test_a_file_without_a_repository_belongs_to_the_current_directory()
  final directory = resolve(tempname())
  mkdir($'{directory}/below', 'p')
  final before = getcwd()
  execute 'edit' $'{directory}/below/a.txt'
  assert_equal('', context.Root(bufnr()))
  context.ForgetRoots()
  execute 'cd' directory
  assert_equal(directory, context.Root(bufnr()))
  execute 'cd' before
  :%bwipeout!
enddef

var event_names: list<string> = []

# Shows the review of a new file without a server, and returns the buffer names with which autocommands ran meanwhile.
def ShowReview(file: string, proposed: string): list<string>
  final desk = {number: 7, reviews: []}
  final hunk = {state: 'kept', current: {start: 0}}
  event_names = []
  augroup others
    autocmd BufNew,BufAdd,BufNewFile,BufReadPre,BufReadPost,BufReadCmd,BufFilePre,BufFilePost,FileReadCmd *
      \ event_names->add(expand('<afile>'))
  augroup END
  view.Show({
    desk: desk, id: 3, file: file, left: 0, right: 0, return_window: 0, current: proposed, proposed: proposed, base: 1, revision: 1,
    hunks: [hunk], display: {name: file[1 :], states: '', notes: []}, pending_sends: 0, timer: 0, is_decided: false,
  })
  autocmd! others
  return event_names
enddef

# Names that make plugins or Vim itself open, read or run something.
const DANGEROUS_NAMES = [
  'sftp://-oProxyCommand=x/x.md', 'scp://host//x.md', 'tarfile::/tmp/x.tar', 'zipfile:///tmp/x.zip::x.md', 'x.tar.gz',
  'x.zip', 'x.gz', 'x.vba', '*?[a-z]{a,b}**.md', "`=system('false')`.md", '% # #1 <cfile> <afile>.md', '$HOME ~root.md',
  'x|silent !false|.md', '+!false', 'x.md.orig', 'etc/modutils/`false`.md',
]

def Test_the_name_of_a_review_makes_nothing_run()
  for name in DANGEROUS_NAMES
    final text_of_review = "one\n# vim: set filetype=obeyed textwidth=7:\n"
    assert_equal([], ShowReview($'/{name}', text_of_review), name)
    assert_match('^alongside://review/7-3/[A-Za-z0-9._+,=-]\+ \[proposal\]$', bufname())
    assert_match('^alongside://original/7-3/[A-Za-z0-9._+,=-]\+ \[file\]$', bufname(winbufnr(1)))
    assert_equal(['nofile', 'acwrite'], [getbufvar(winbufnr(1), '&buftype'), &buftype])
    assert_equal(text_of_review, text.Of(bufnr()), name)
    assert_notequal(7, &textwidth, name)
    assert_notequal('obeyed', &filetype, name)
    # A session does this with the name of a review of another Vim.
    edit!
    assert_equal(['This review has ended.'], getline(1, '$'), name)
    view.CloseEndedReviews()
    assert_equal([], getbufinfo()->filter((_, one) => one.name =~ 'alongside:'))
  endfor
enddef

# Returns the text of a tab line, without its items.
def Words(line: string): string
  return line->substitute('%#\w*#\|%\d*[TX=]', '', 'g')
enddef

def Test_a_tab_has_the_name_of_the_proposal()
  ShowReview('/src/deep/basket.py', "one\n")
  assert_equal('%!alongside#tabline#Draw()', &tabline)
  assert_match('^ \[No Name\]  2 basket.py \[proposal\] X$', Words(tabline.Draw()))
  tabprevious
  assert_match(' 2 basket.py \[proposal\] ', Words(tabline.Draw()), 'from another tab page as well')
  view.CloseEndedReviews()
  tabline.Refresh()
  assert_equal('', &tabline)
  &tabline = 'mine'
  ShowReview('/50%.md', "one\n")
  assert_equal('mine', &tabline)
  assert_match('50%%.md \[proposal\]', tabline.Draw())
  view.CloseEndedReviews()
  &tabline = ''
enddef

def Test_a_file_with_the_name_of_a_review_is_not_read()
  final before = getcwd()
  execute 'cd' tempname()->fnamemodify(':h')
  mkdir('alongside:/review/7-3', 'p')
  writefile(['read'], 'alongside:/review/7-3/x.md [proposal]')
  ShowReview('/x.md', "shown\n")
  assert_equal(['shown'], getline(1, '$'))
  undo
  assert_equal(['shown'], getline(1, '$'))
  view.CloseEndedReviews()
  execute 'cd' before
enddef

def Test_the_file_type_follows_from_the_name()
  filetype on
  for [name, expected] in items({'/a b/x|y.md': 'markdown', '/Größe.c++': 'cpp', '/scp://host//x.py': 'python', '/x.md.orig': 'markdown'})
    ShowReview(name, "one\n")
    assert_equal(expected, &filetype, name)
    assert_match(name =~ 'Größe' ? 'Größe.c++ ' : '', bufname())
    view.CloseEndedReviews()
  endfor
  filetype off
enddef

# Returns all messages, on the command line and in popups.
def AllMessages(): string
  return execute(':messages') .. execute('Alongside messages')
enddef

def Test_failed_commands_show_the_reason()
  Alongside
  assert_match('No proposal waits', AllMessages())
  Alongside accept
  assert_match('No proposal for this file waits', AllMessages())
  Alongside dance
  assert_match('There is no :Alongside dance; there are accept, doctor, messages', AllMessages())
enddef

def Test_a_missing_program_is_named_once()
  final directory = tempname()
  mkdir($'{directory}/.git', 'p')
  server.Start(directory)
  assert_match('there is no program no-such-program', AllMessages())
  final before = AllMessages()
  server.Start(directory)
  assert_equal(before, AllMessages())
enddef

# Waits until a condition holds. Vim handles messages meanwhile.
def Await(Holds: func(): any)
  for _ in range(1000)
    if Holds()
      return
    endif
    sleep 10m
  endfor
  v:errors->add('the condition does not hold after 10 s')
enddef

def Test_a_written_file_is_reported_as_saved()
  final directory = resolve(tempname())
  mkdir($'{directory}/.git', 'p')
  final [server_program, received] = [$'{directory}/server', $'{directory}/.git/received']
  final answer = '{"jsonrpc":"2.0","id":1,"result":{}}'
  final printed = $'Content-Length: {strlen(answer)}\r\n\r\n{answer}'
  # Vim takes a program that closes its output for ended, so `cat` keeps the output open.
  writefile(['#!/bin/sh', $"printf '{printed}'", $'exec cat 3>&1 > {received}'], server_program)
  setfperm(server_program, 'rwx------')
  g:alongside_program = server_program
  execute 'edit' $'{directory}/a b.txt'
  server.Start(directory)
  final desk = server.DeskOf(directory)
  Await(() => desk.ready)
  final SaveReports = () => filereadable(received)
    ? readfile(received)->join()->split('Content-Length')->filter((_, message) => message =~ 'alongside/didSave') : []
  # A write of the buffer to another file is no save.
  silent execute 'write' $'{directory}/copy.txt'
  silent write
  Await(() => !empty(SaveReports()))
  assert_equal(1, len(SaveReports()))
  assert_match($'"path":"{directory}/a b.txt"', SaveReports()[0])
  # The next report would start the server of a file that is still shown.
  :%bwipeout!
  job_stop(desk.job)
  Await(() => empty(server.DeskOf(directory)))
  g:alongside_program = 'no-such-program'
enddef

var failed = 0
final tests = getscriptinfo({name: 'tests/run.vim$'})[0]
final names = getscriptinfo({sid: tests.sid})[0].functions->filter((_, name) => name =~ 'Test_')
var report: list<string> = []
for name in names
  v:errors = []
  try
    call(name, [])
  catch
    v:errors->add($'{v:exception} at {v:throwpoint}')
  endtry
  failed += empty(v:errors) ? 0 : 1
  report->extend(v:errors->mapnew((_, error) => $'{name}: {error}'))
endfor
report->add($'{len(names) - failed} passed, {failed} failed')
writefile(report, '/dev/stdout', 'a')
execute failed == 0 ? 'qall!' : 'cquit'
