// Preloaded into every agent the rig starts: whatever it tries, nothing leaves this machine.
const net = require("node:net");

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const connect = net.Socket.prototype.connect;

net.Socket.prototype.connect = function (...given) {
  const [options] = net._normalizeArgs(Array.isArray(given[0]) ? given[0] : given);
  const host = options.host ?? "localhost";
  if (options.path || LOOPBACK.has(host)) return connect.apply(this, given);
  process.nextTick(() => this.destroy(new Error(`the rig lets nothing out: ${host}:${options.port}`)));
  return this;
};
