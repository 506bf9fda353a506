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
  async function pair(): Promise<{ readonly local: Socket; readonly remote: Socket }> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const local = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [remote] = (await once(server, 'connection')) as [Socket];
    opened.push(server, local, remote);
    return { local, remote };
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
    const { local, remote } = await pair();
    const written: unknown[] = [];
    const write = local.write.bind(local);
    local.write = ((chunk: Uint8Array) => written.push(chunk) > 0 && write(chunk)) as Socket['write'];
    new PacketWriter(local);

    local.write('größer 🙂 ');
    local.write(Buffer.from([0, 255, 10]));
    local.write('end');
    const expected = Buffer.concat([Buffer.from('größer 🙂 '), Buffer.from([0, 255, 10]), Buffer.from('end')]);

    expect(await received(remote, expected.length)).toEqual(expected);
    expect(written).toHaveLength(1);
  });

  it('writes what promises of the turn lead to along with its first commands', async () => {
    const { local, remote } = await pair();
    const written: unknown[] = [];
    const write = local.write.bind(local);
    local.write = ((chunk: Uint8Array) => written.push(chunk) > 0 && write(chunk)) as Socket['write'];
    new PacketWriter(local);

    local.write('commit ');
    const sent = new Promise<void>((resolve) => process.nextTick(resolve));
    await sent.then(() => undefined).then(() => local.write('finish'));

    expect((await received(remote, 'commit finish'.length)).toString()).toBe('commit finish');
    expect(written).toHaveLength(1);
  });

  it('writes long bytes as they are, between what comes before and after them', async () => {
    const { local, remote } = await pair();
    new PacketWriter(local);
    const long = Buffer.alloc(1024 * 1024, 'long ');
    local.write('before ');
    local.write(long);
    local.write('after');
    const expected = Buffer.concat([Buffer.from('before '), long, Buffer.from('after')]);

    expect((await received(remote, expected.length)).equals(expected)).toBe(true);
  });

  it('writes the beginning of a long packet before the turn ends', async () => {
    const { local, remote } = await pair();
    const writer = new PacketWriter(local);
    const commands = Array.from({ length: 300 }, (_, at) => String(at).repeat(200));
    for (const command of commands) local.write(command);
    const before = local.bytesWritten;
    writer.flush();

    expect(before).toBeGreaterThan(0);
    const expected = commands.join('');
    expect(before).toBeLessThan(expected.length);
    expect((await received(remote, expected.length)).toString() === expected).toBe(true);
  });

  it('keeps the bytes of a packet that the kernel has not taken yet', async () => {
    const { local, remote } = await pair();
    new PacketWriter(local);
    remote.pause();
    const packets = Array.from({ length: 40 }, (_, at) => String.fromCharCode(97 + (at % 26)).repeat(300_000));
    for (const packet of packets) {
      local.write(packet);
      await Promise.resolve();
      await new Promise(setImmediate);
    }

    expect(local.writableLength).toBeGreaterThan(0);
    const expected = packets.join('');
    expect((await received(remote, expected.length)).toString() === expected).toBe(true);
  });

  it('writes nothing to a socket that has ended', async () => {
    const { local, remote } = await pair();
    const writer = new PacketWriter(local);
    local.write('first');
    writer.flush();
    local.write('second');
    local.end();

    expect((await received(remote, 100)).toString()).toBe('first');
  });
});
