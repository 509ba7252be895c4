// Preloaded into every Node of the rig. Agents that find a container's marker file dial host.docker.internal
// instead of the loopback, and a test machine is often a container.
'use strict';
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const markers = new Set(['/.dockerenv', '/run/.containerenv']);
const existsSync = fs.existsSync;
fs.existsSync = (path) => !markers.has(path) && existsSync(path);
syncBuiltinESMExports();
