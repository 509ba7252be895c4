// Puts the real IdeClient of an agent's release under a test's control.
//
//   node ide-client.mjs gemini|qwen <package directory> [socket]
//
// Speaks JSON lines on stdin and stdout, or over a Unix socket when the process sits in a terminal pane:
//   → {"id": 1, "cmd": "openDiff", "path": "…", "text": "…"}
//   ← {"id": 1, "result": {"status": "accepted", "content": "…"}}  or  {"id": 1, "error": "…"}
//   ← {"event": "context", "context": {…}}, {"event": "status", "status": "connected", "details": "…"} and
//     {"event": "answered", "tool": "openDiff"}
// An openDiff is answered when the agent itself has its outcome. End of input ends the process.

import net from 'node:net';
import { serve } from './json-lines.mjs';
import { load } from './load-ide-client.mjs';

const [family, packageDir, socketPath] = process.argv.slice(2);
const [input, output] = socketPath ? await connectTo(socketPath) : [process.stdin, takeStdout()];
const send = (message) => output.write(`${JSON.stringify(message)}\n`);

const { IdeClient, ideContextStore } = await load(family, packageDir);
ideContextStore.subscribe((context) => send({ event: 'context', context }));
let client;

const commands = {
  // Discovery happens here: the process environment and the files at this moment count.
  async connect() {
    if (!client) {
      client = await IdeClient.getInstance();
      client.addStatusChangeListener((status) => send({ event: 'status', ...status }));
    }
    await client.connect();
    if (client.client) watchAnswers(client.client);
    return commands.status();
  },
  status: () => ({
    ...client.getConnectionStatus(),
    diffing: client.isDiffingEnabled(),
    name: client.getDetectedIdeDisplayName(),
  }),
  openDiff: ({ path, text }) => client.openDiff(path, text),
  resolveFromCli: ({ path, outcome }) => client.resolveDiffFromCli(path, outcome),
  closeDiff: async ({ path }) => ({ content: await client.closeDiff(path) }),
  disconnect: () => client.disconnect(),
};

serve(commands, input, send);

// Says when the companion has answered a tool call: IdeClient keeps that to itself, and a test that kills the
// companion must know how far it got.
function watchAnswers(mcp) {
  const request = mcp.request.bind(mcp);
  mcp.request = async (message, ...rest) => {
    const answer = await request(message, ...rest);
    if (message.params?.name) send({ event: 'answered', tool: message.params.name });
    return answer;
  };
}

// What a library prints must not end up between our lines.
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
