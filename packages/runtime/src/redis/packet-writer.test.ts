import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PacketWriter } from './packet-writer.ts';

describe('PacketWriter', () => {
  const opened: (Server | Socket)[] = [];
  afterEach(() => {
    for (const one of opened.splice(0)) 'close' in one ? one.close() : one.destroy();
  });

  /** Two ends of one TCP connection. */
  async function pair(): Promise<{ readonly near: Socket; readonly far: Socket }> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [far] = (await once(server, 'connection')) as [Socket];
    opened.push(server, near, far);
    return { near, far };
  }

  async function received(socket: Socket, length: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= length) break;
    }
    return Buffer.concat(chunks);
  }

  it('writes texts and bytes of one turn in their order, as one chunk', async () => {
    const { near, far } = await pair();
    const written: unknown[] = [];
    const write = near.write.bind(near);
    near.write = ((chunk: Uint8Array) => written.push(chunk) > 0 && write(chunk)) as Socket['write'];
    new PacketWriter(near);

    near.write('größer 🙂 ');
    near.write(Buffer.from([0, 255, 10]));
    near.write('end');
    const expected = Buffer.concat([Buffer.from('größer 🙂 '), Buffer.from([0, 255, 10]), Buffer.from('end')]);

    expect(await received(far, expected.length)).toEqual(expected);
    expect(written).toHaveLength(1);
  });

  it('keeps the bytes of a packet that the kernel has not taken yet', async () => {
    const { near, far } = await pair();
    new PacketWriter(near);
    far.pause();
    const packets = Array.from({ length: 40 }, (_, at) => String.fromCharCode(97 + (at % 26)).repeat(300_000));
    for (const packet of packets) {
      near.write(packet);
      await Promise.resolve();
      await new Promise(setImmediate);
    }

    expect(near.writableLength).toBeGreaterThan(0);
    const expected = packets.join('');
    expect((await received(far, expected.length)).toString() === expected).toBe(true);
  });

  it('writes nothing to a socket that has ended', async () => {
    const { near, far } = await pair();
    const writer = new PacketWriter(near);
    near.write('first');
    writer.flush();
    near.write('second');
    near.end();

    expect((await received(far, 100)).toString()).toBe('first');
  });
});
