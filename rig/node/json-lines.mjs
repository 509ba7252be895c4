// The protocol of all drivers: a line of JSON in, {"id", "cmd", …}, and a line out, {"id", "result"} or {"id", "error"}.

import readline from 'node:readline';

// Carries out commands until the input ends, and with it the process.
export function serve(commands, input, send) {
  readline
    .createInterface({ input })
    .on('line', async (line) => {
      const { id, cmd, ...parameters } = JSON.parse(line);
      try {
        send({ id, result: (await commands[cmd](parameters)) ?? null });
      } catch (error) {
        send({ id, error: String(error?.message ?? error) });
      }
    })
    .on('close', () => process.exit(0));
  send({ event: 'ready', pid: process.pid });
}
