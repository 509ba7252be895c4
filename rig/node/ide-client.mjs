// Puts the real IdeClient of an agent's release under a test's control.
//
//   node ide-client.mjs <package directory> [socket]
//
// Speaks JSON lines on stdin and stdout, or over a Unix socket when the process sits in a terminal pane:
//   → {"id": 1, "cmd": "openDiff", "path": "…", "text": "…"}
//   ← {"id": 1, "result": {"status": "accepted", "content": "…"}}  or  {"id": 1, "error": "…"}
//   ← {"event": "context", "context": {…}}, {"event": "status", "status": "connected", "details": "…"} and
//     {"event": "answered", "tool": "openDiff", "text": "…"}
// An openDiff is answered when the agent itself has its outcome. End of input ends the process.
//
// It drives every release since there is an IdeClient. The `lacks` in their status says what early ones lack: the
// names of this protocol's commands that have nothing to call, or "context".

import net from 'node:net';
import { serve } from './json-lines.mjs';
import { load } from './load-ide-client.mjs';

const [packageDir, socketPath] = process.argv.slice(2);
const [input, output] = socketPath ? await connectTo(socketPath) : [process.stdin, takeStdout()];
const send = (message) => output.write(`${JSON.stringify(message)}\n`);

const { IdeClient, ideContextStore } = await load(packageDir);
const subscribe = ideContextStore?.subscribe ?? ideContextStore?.subscribeToIdeContext;
subscribe?.call(ideContextStore, (context) => send({ event: 'context', context }));
let client;

const commands = {
  // Discovery happens here: the process environment and the files at this moment count.
  async connect() {
    const before = client;
    client ??= await instance();
    if (!before) client.addStatusChangeListener?.((status) => send({ event: 'status', ...status }));
    // A few connect when they are made although they can be told to: told again, they would be connected twice.
    if (client.connect && connection().status !== 'connecting') await client.connect();
    else await settled(before);
    if (client.client) watchAnswers(client.client);
    return commands.status();
  },
  status: () => ({
    ...connection(),
    // Before there was a question, every companion that answered was one for diffs.
    diffing: client.isDiffingEnabled?.() ?? connection().status === 'connected',
    name: client.getDetectedIdeDisplayName?.(),
    protocol: client.client?.transport?._protocolVersion,
    lacks: lacking(),
  }),
  openDiff: ({ path, text }) => client.openDiff(path, text),
  resolveFromCli: ({ path, outcome }) => client.resolveDiffFromCli(path, outcome),
  closeDiff: async ({ path }) => ({ content: await client.closeDiff(path) }),
  disconnect: () => client.disconnect(),
};

serve(commands, input, send);

// The one there is. The first releases had none, and wanted to be told that IDE mode is on.
async function instance() {
  return IdeClient.getInstance ? IdeClient.getInstance(true) : new IdeClient();
}

// Before there was a connect(), the constructor connected by itself, and connecting again took a new client.
async function settled(before) {
  if (before?.reconnect) {
    await before.reconnect(true);
    client = IdeClient.instance;
  } else if (before) {
    client = await instance();
  }
  while (connection().status === 'connecting') await new Promise((resolve) => setTimeout(resolve, 20));
}

// `status` and `details`: the first releases returned the bare status.
function connection() {
  const state = client.getConnectionStatus();
  return typeof state === 'string' ? { status: state } : state;
}

function lacking() {
  const methods = { openDiff: 'openDiff', resolveFromCli: 'resolveDiffFromCli', closeDiff: 'closeDiff' };
  const absent = Object.keys(methods).filter((command) => !client[methods[command]]);
  return subscribe ? absent : [...absent, 'context'];
}

// Says when the companion has answered a tool call: IdeClient keeps that to itself, and a test that kills the
// companion must know how far it got.
function watchAnswers(mcp) {
  const request = mcp.request.bind(mcp);
  mcp.request = async (message, ...rest) => {
    const answer = await request(message, ...rest);
    const { name, arguments: given } = message.params ?? {};
    if (name) send({ event: 'answered', tool: name, text: given?.newContent });
    return answer;
  };
}

// The output of a library must not end up between our lines.
function takeStdout() {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return { write };
}

function connectTo(path) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path, () => resolve([socket, socket])).on('error', reject);
  });
}

// The real agents survive these; a test must see what follows, not a dead driver.
process.on('uncaughtException', (error) => console.error('uncaught', error));
process.on('unhandledRejection', (error) => console.error('unhandled', error));
