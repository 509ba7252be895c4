// Puts a client of the official TypeScript SDK under a test's control, whatever its generation.
//
//   node sdk-client.mjs <package directory> <url> <token>
//
// Speaks JSON lines on stdin and stdout as ide-client.mjs does. Messages of the server that answer nothing come as
// {"event": "notification", "method": "…", "params": {…}}; what the SDK finds wrong as {"event": "trouble", "error": "…"}.

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from './json-lines.mjs';

const [packageDir, url, token] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const { Client, StreamableHTTPClientTransport } = await load();
// The newest generation can do without sessions. Where it may choose, it must find out that we cannot.
const client = new Client({ name: 'rig-sdk', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
});
client.fallbackNotificationHandler = async ({ method, params }) => send({ event: 'notification', method, params });
client.onerror = (error) => send({ event: 'trouble', error: String(error) });

const commands = {
  async connect() {
    await client.connect(transport);
    return { server: client.getServerVersion(), session: typeof transport.sessionId };
  },
  listTools: async () => (await client.listTools()).tools.map((tool) => tool.name),
  ping: () => client.ping(),
  callTool: ({ name, arguments: given }) => client.callTool({ name, arguments: given }),
  terminate: () => transport.terminateSession(),
};

serve(commands, process.stdin, send);

async function load() {
  const file = (name) => path.join(packageDir, 'dist', name);
  const module = (name) => import(pathToFileURL(file(name)));
  if (fs.existsSync(file('index.mjs'))) return module('index.mjs');
  const [index, http] = await Promise.all([module('esm/client/index.js'), module('esm/client/streamableHttp.js')]);
  return { ...index, ...http };
}
