// Preloaded into one Node of the rig: it finds a container's marker file, whatever the test machine is.
'use strict';
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const existsSync = fs.existsSync;
fs.existsSync = (path) => path === '/.dockerenv' || existsSync(path);
syncBuiltinESMExports();
