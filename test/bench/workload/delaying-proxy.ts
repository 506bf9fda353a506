import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/*
 * A process between clients and Redis, which holds what clients send back for a while, as a network does: everything for
 * the same time, whatever else is on its way. It looks at the clock in each turn of its event loop while there is
 * something to pass on, because timers are no finer than a millisecond.
 */

const [, , redisUrl = '', delay = ''] = process.argv;
const target = new URL(redisUrl);
const delayMs = Number(delay);

const held: { readonly due: number; readonly socket: Socket; readonly data: Buffer }[] = [];

function passOn(): void {
  while (held[0] !== undefined && held[0].due <= performance.now()) {
    const { socket, data } = held[0];
    held.shift();
    socket.write(data);
  }
  if (held.length > 0) setImmediate(passOn);
}

const server = createServer((client) => {
  const redis = connect({ host: target.hostname, port: Number(target.port) });
  client.setNoDelay(true);
  redis.setNoDelay(true);
  client.on('data', (data: Buffer) => {
    held.push({ due: performance.now() + delayMs, socket: redis, data });
    if (held.length === 1) setImmediate(passOn);
  });
  redis.pipe(client);
  for (const socket of [client, redis])
    socket.on('error', () => undefined).on('close', () => void [client.destroy(), redis.destroy()]);
});
server.listen(0, '127.0.0.1', () => {
  // It listens on a port, so its address is not the path of a socket.
  process.send?.((server.address() as AddressInfo).port);
});
process.on('disconnect', () => process.exit(0));
