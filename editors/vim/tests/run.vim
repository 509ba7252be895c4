vim9script
# The plugin's own tests. In its directory: vim --clean --not-a-term -es -N -S tests/run.vim

&runtimepath = $'{getcwd()},{&runtimepath}'
runtime plugin/alongside.vim

import autoload 'alongside/context.vim'
import autoload 'alongside/server.vim'
import autoload 'alongside/text.vim'

# No test starts a server.
g:alongside_program = 'no-such-program'

def Test_every_function_compiles()
  for file in globpath('autoload', '**/*.vim', true, true)
    execute 'source' file
    final script = getscriptinfo({name: $'{file}$'})[0]
    # A lambda compiles with the function around it.
    for function in getscriptinfo({sid: script.sid})[0].functions->filter((_, name) => name !~ 'lambda')
      execute 'silent defcompile' function
    endfor
  endfor
enddef

# A buffer with this text.
def BufferWith(content: string): number
  new
  setlocal nofixendofline
  text.Replace(bufnr(), content)
  return bufnr()
enddef

def Test_a_text_returns_as_it_came()
  for content in ['', "\n", 'one', "one\n", "one\n\n", "one\ntwo", "\n\none\n", "é\t\n"]
    final buffer = BufferWith("before\nafter\n")
    text.Replace(buffer, content)
    assert_equal(content, text.Of(buffer))
    bwipeout!
  endfor
enddef

def Test_only_lines_that_differ_are_replaced()
  final buffer = BufferWith("one\ntwo\nthree\nfour\n")
  # The next change is one that `undo` takes back by itself.
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

def Test_a_uri_has_bytes_in_percent()
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

def Test_a_file_without_a_repository_belongs_to_the_current_directory()
  final directory = resolve(tempname())
  mkdir($'{directory}/below', 'p')
  final before = getcwd()
  execute 'edit' $'{directory}/below/a.txt'
  assert_equal('', context.Root(bufnr()))
  context.Forget()
  execute 'cd' directory
  assert_equal(directory, context.Root(bufnr()))
  execute 'cd' before
  :%bwipeout!
enddef

# All messages, wherever they were shown.
def Said(): string
  return execute(':messages') .. execute('Alongside messages')
enddef

def Test_commands_say_what_is_wrong()
  Alongside
  assert_match('No proposal waits', Said())
  Alongside accept
  assert_match('No proposal for this file waits', Said())
  Alongside dance
  assert_match('There is no :Alongside dance; there are accept, doctor, messages', Said())
enddef

def Test_a_missing_program_is_named_once()
  final directory = tempname()
  mkdir($'{directory}/.git', 'p')
  server.Start(directory)
  assert_match('there is no program no-such-program', Said())
  final before = Said()
  server.Start(directory)
  assert_equal(before, Said())
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
