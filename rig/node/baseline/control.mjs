// The actions of the person at the editor, told by the bench: a line of JSON for each action,
// `["cursor", "/file", "3", "1"]`, answered `ok`, or `no` if there is nothing to do it to.

import fs from 'node:fs';
import net from 'node:net';
import readline from 'node:readline';

export class Control {
  #server;

  constructor(socket, actions) {
    fs.rmSync(socket, { force: true });
    this.#server = net.createServer((connection) => {
      connection.on('error', () => {});
      readline.createInterface({ input: connection }).on('line', (line) => {
        const [name, ...args] = JSON.parse(line);
        connection.write(actions[name]?.(...args) ? 'ok\n' : 'no\n');
      });
    });
    this.#server.listen(socket);
    // It keeps nothing running.
    this.#server.unref();
  }

  close() {
    this.#server.close();
  }
}
