// An IDE companion as a plugin author would write it today, with the official TypeScript SDK and express, as the contract's
// authors recommend and as the SDK's own example of a server with sessions does it. `cargo xtask bench` runs it beside ours.
//
//   node companion.mjs <node_modules> <project> <control socket>
//
// It leaves out what the bench does not measure: drafts, hunks, crashes, receipts. The control socket
// (see control.mjs) tells it what an editor would.

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import { Context } from './context.mjs';
import { Control } from './control.mjs';
import { publish, withdraw } from './discovery.mjs';

const [modules, project, socket] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'anchor.cjs'));
const sdk = (file) => import(pathToFileURL(path.join(modules, 'sdk-1.32/dist/esm', file)));
const express = require('express');
const { z } = require('zod');
const { McpServer } = await sdk('server/mcp.js');
const { StreamableHTTPServerTransport } = await sdk('server/streamableHttp.js');
const { isInitializeRequest } = await sdk('types.js');

const token = randomUUID();
/** Sessions by id: `{ server, transport, isListening }`. */
const sessions = new Map();
/** Diffs that are open, by path: `{ session, content }`. */
const diffs = new Map();

const context = new Context((params) => {
  for (const session of sessions.values()) notify(session, 'ide/contextUpdate', params);
});

function notify(session, method, params) {
  session.transport.send({ jsonrpc: '2.0', method, params }).catch((error) => console.error(method, error));
}

function newSession() {
  const session = {};
  session.transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => sessions.set(id, session),
  });
  session.transport.onclose = () => sessions.delete(session.transport.sessionId);
  session.server = newServer(session);
  return session;
}

function newServer(session) {
  const server = new McpServer({ name: 'baseline', version: '1.0.0' });
  server.registerTool(
    'openDiff',
    {
      description: 'Opens a diff view for a file. The outcome follows as a notification.',
      inputSchema: { filePath: z.string(), newContent: z.string() },
    },
    async ({ filePath, newContent }) => {
      diffs.set(filePath, { session, content: newContent });
      return { content: [] };
    },
  );
  server.registerTool(
    'closeDiff',
    {
      description: 'Closes the diff view of a file, and answers its last text.',
      inputSchema: { filePath: z.string(), suppressNotification: z.boolean().optional() },
    },
    async ({ filePath }) => {
      const diff = diffs.get(filePath);
      diffs.delete(filePath);
      return { content: [{ type: 'text', text: JSON.stringify({ content: diff?.content }) }] };
    },
  );
  return server;
}

function decide(filePath, accepted) {
  const diff = diffs.get(filePath);
  if (!diff) return false;
  diffs.delete(filePath);
  if (accepted) notify(diff.session, 'ide/diffAccepted', { filePath, content: diff.content });
  else notify(diff.session, 'ide/diffRejected', { filePath });
  return true;
}

const app = express();
app.use((request, response, next) => {
  if (request.headers.authorization === `Bearer ${token}`) return next();
  response.status(401).send('Unauthorized');
});
// The official companions take ten megabytes; the bench asks for more.
app.use(express.json({ limit: '100mb' }));

const refuse = (response, status, message) =>
  response.status(status).json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null });

app.post('/mcp', async (request, response) => {
  const id = request.headers['mcp-session-id'];
  if (id) {
    const session = sessions.get(id);
    if (!session) return refuse(response, 404, 'Session not found');
    return session.transport.handleRequest(request, response, request.body);
  }
  if (!isInitializeRequest(request.body)) return refuse(response, 400, 'No session ID provided');
  const session = newSession();
  await session.server.connect(session.transport);
  await session.transport.handleRequest(request, response, request.body);
});

app.get('/mcp', async (request, response) => {
  const session = sessions.get(request.headers['mcp-session-id']);
  if (!session) return refuse(response, 404, 'Session not found');
  await session.transport.handleRequest(request, response);
  if (context.newest) notify(session, 'ide/contextUpdate', context.newest);
});

app.delete('/mcp', async (request, response) => {
  const session = sessions.get(request.headers['mcp-session-id']);
  if (!session) return refuse(response, 404, 'Session not found');
  await session.transport.handleRequest(request, response);
});

const server = app.listen(0, '127.0.0.1', () => {
  const files = publish(project, server.address().port, token);
  const control = new Control(socket, {
    cursor: (file, line, column) => context.cursor(file, Number(line), Number(column)),
    accept: (filePath) => decide(filePath, true),
    reject: (filePath) => decide(filePath, false),
  });
  const stop = async () => {
    for (const filePath of diffs.keys()) decide(filePath, false);
    await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
    withdraw(files);
    control.close();
    server.close(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
});
