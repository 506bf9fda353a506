import { describe, expect, it } from 'vitest';
import type { Framing, MessageLimits } from './bounded-body.ts';
import { boundedResponse, describeExceeded, MessageMeter, readTextStart } from './bounded-body.ts';

const limits: MessageLimits = { bytes: 100, values: 10, depth: 3, streamBytes: 500, messages: 20 };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The limit that a text exceeds when it arrives whole, and byte by byte. */
function exceededBy(framing: Framing, text: string) {
  const whole = new MessageMeter(framing, limits).add(bytesOf(text));
  const meter = new MessageMeter(framing, limits);
  const single = [...bytesOf(text)].map((byte) => meter.add(Uint8Array.of(byte))).find((limit) => limit !== undefined);
  expect(single).toBe(whole);
  return whole;
}

describe('a meter of messages', () => {
  it('counts bytes, values and nesting', () => {
    expect(exceededBy('body', '[1,2,3]')).toBeUndefined();
    expect(exceededBy('body', 'x'.repeat(101))).toBe('bytes');
    expect(exceededBy('body', `[${'1,'.repeat(10)}1]`)).toBe('values');
    expect(exceededBy('body', '[[[[]]]]')).toBe('depth');
  });

  it('does not count what texts contain', () => {
    expect(exceededBy('body', `{"a":"${'[,{'.repeat(20)}"}`)).toBeUndefined();
    expect(exceededBy('body', '{"a":"\\"[[[[[","b":"\\\\"}')).toBeUndefined();
    expect(exceededBy('body', '{"a":"\\\\","b":[[[]]]}')).toBe('depth');
  });

  it('counts each line, and each event, anew', () => {
    expect(exceededBy('lines', '[1,2,3]\n'.repeat(20))).toBeUndefined();
    expect(exceededBy('lines', '[]\n'.repeat(21))).toBe('messages');
    expect(exceededBy('events', 'data: [1,2,3]\n\n'.repeat(20))).toBeUndefined();
    expect(exceededBy('events', 'data: [1,2,3]\r\n\r\n'.repeat(20))).toBeUndefined();
    expect(exceededBy('lines', `${'x'.repeat(90)}\n`.repeat(6))).toBe('streamBytes');
  });

  it.each([
    ['one event of many lines', 'data: xxxx\n'.repeat(20), 'bytes'],
    ['an event without an end', 'data: xxxx'.repeat(20), 'bytes'],
    ['lines of spaces, which end no event', 'data: xxxx\n \n'.repeat(20), 'bytes'],
    ['carriage returns, which end the lines of some servers', 'data: xxxx\r'.repeat(20), 'bytes'],
    ['a quote in a comment, which hides nothing', ': "\ndata: [[[[\n', 'depth'],
    ['a quote in a line that a carriage return ends', ': "\rdata: [[[[\n', 'depth'],
    ['brackets in comments, which close nothing', 'data: [[\n: ]]\ndata: [[\n', 'depth'],
    ['a byte order mark before the data', '\uFEFFdata: [[[[\n', 'depth'],
  ])('is not misled by %s', (_name, text, limit) => {
    expect(exceededBy('events', text)).toBe(limit);
  });

  it('limits the pieces of a message, each of which takes memory', () => {
    const meter = new MessageMeter('body', { ...limits, bytes: 1e9, streamBytes: 1e9 });
    let pieces = 0;
    while (meter.add(Uint8Array.of(32)) === undefined) pieces++;

    expect(pieces).toBe(100_000);
  });

  it('counts a stream anew on request', () => {
    const meter = new MessageMeter('lines', limits);
    for (let round = 0; round < 50; round++) {
      expect(meter.add(bytesOf('[1]\n'.repeat(10)))).toBeUndefined();
      meter.restart();
    }
  });

  it('describes limits as people read them', () => {
    expect(describeExceeded('bytes', { bytes: 2 ** 24, values: 0, depth: 0 })).toBe('is larger than 16 MiB');
    expect(describeExceeded('pieces', limits)).toBe('arrives in more than 100,000 pieces');
  });
});

describe('a bounded response', () => {
  it('fails with the error of its limit, and stops the server', async () => {
    let sent = 0;
    let isStopped = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent++;
        controller.enqueue(new Uint8Array(60));
      },
      cancel() {
        isStopped = true;
      },
    });
    const refuse = (limit: string) => new Error(`too many ${limit}`);

    await expect(boundedResponse(new Response(body), { body: limits, refuse }).text()).rejects.toThrow(
      'too many bytes',
    );
    expect({ isStopped, sent: sent < 5 }).toEqual({ isStopped: true, sent: true });
  });

  it.each([
    ['events', 'text/event-stream', ['data: 1\n\ndata: 2\n\n', 'data: 3\n\n', 'data: 4']],
    ['events under another type', 'text/plain', ['data: 1\n\ndata: 2\n\n', 'data: 3\n\n', 'data: 4']],
  ])('passes %s on as a whole, as soon as they have ended', async (_what, type, expected) => {
    const pieces = ['data: 1', '\n', '\ndata: 2\n\ndata:', ' 3\n\nda', 'ta: 4'];
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(bytesOf(piece));
        controller.close();
      },
    });
    const response = new Response(stream, { headers: { 'content-type': type } });
    const bounded = boundedResponse(response, { body: limits, events: limits, refuse: () => new Error('never') });

    const seen: string[] = [];
    for await (const chunk of bounded.body as unknown as AsyncIterable<Uint8Array>)
      seen.push(new TextDecoder().decode(chunk));
    expect(seen).toEqual(expected);
  });

  it('has its status and headers', async () => {
    const response = new Response('[1]', { status: 404, headers: { 'x-a': 'b' } });
    const bounded = boundedResponse(response, { body: limits, refuse: () => new Error('never') });

    expect([bounded.status, bounded.headers.get('x-a'), await bounded.json()]).toEqual([404, 'b', [1]]);
  });
});

it('reads the beginning of an endless body', async () => {
  async function* endless() {
    for (;;) yield bytesOf('ä');
  }

  expect(await readTextStart(endless(), 6)).toBe('äää');
});
