import { NodeError } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReportedFailure } from '../../model-calls/reported-error.ts';
import { accumulateCompletion } from './chat-completions.ts';
import { readEvents } from './event-stream.ts';

const delta = (fields: object, finish?: string) => ({
  choices: [{ delta: fields, ...(finish && { finish_reason: finish }) }],
});
const call = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) =>
  delta({ tool_calls: [{ index, id, function: { name, arguments: args } }] });

const chunks = [
  delta({ role: 'assistant', content: '<thi' }),
  delta({ content: 'nk>Größe 😀?</th' }),
  delta({ content: 'ink>\n\nJa, 😀 größer.' }),
  delta({ reasoning_content: 'aha' }),
  call(0, 'c1', 'add', '{"a"'),
  call(0, undefined, undefined, ':1}'),
  call(0, 'c2', 'sub', { b: 2 }),
  delta({}, 'tool_calls'),
  { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
];

/** Reads a stream whose bytes arrive in pieces. */
async function read(bytes: Uint8Array, cuts: readonly number[]) {
  const pieces = [0, ...cuts].map((from, at) => bytes.slice(from, cuts[at] ?? bytes.length));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const emitted: string[] = [];
  const completion = accumulateCompletion({
    model: 'm',
    emit: (piece) => void emitted.push(piece),
    round: 0,
    thinkTags: true,
  });
  let isDone = false;
  for await (const event of readEvents(new Response(body))) {
    if (event.type === 'done') isDone = true;
    else completion.add(event.data);
  }
  return { reply: completion.reply(isDone), emitted: emitted.join('') };
}

const streamOf = (events: readonly unknown[], end = '\n\n') =>
  Buffer.from(
    [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}${end}`).join(''),
  );

describe('a streamed chat completion', () => {
  it.each(['\n\n', '\r\n\r\n'])('reads the same wherever its bytes are split (%j)', async (end) => {
    const bytes = streamOf(chunks, end);
    const whole = await read(bytes, []);

    expect(whole).toMatchObject({
      emitted: 'Ja, 😀 größer.',
      reply: {
        text: 'Ja, 😀 größer.',
        end: 'calls',
        thoughts: 'Größe 😀?aha',
        toolCalls: [
          { id: 'c1', name: 'add', arguments: '{"a":1}' },
          { id: 'c2', name: 'sub', arguments: '{"b":2}' },
        ],
      },
    });
    for (let at = 1; at < bytes.length; at++) expect(await read(bytes, [at])).toEqual(whole);
    expect(
      await read(
        bytes,
        Array.from({ length: bytes.length - 1 }, (_, at) => at + 1),
      ),
    ).toEqual(whole);
  });

  it('ends with a reply or with an error that has a code, in whatever order its chunks come', async () => {
    const odd: readonly unknown[] = [
      ...chunks,
      null,
      [],
      'text',
      { choices: null },
      { choices: [{}] },
      { choices: [{ message: { content: [{ type: 'thinking', thinking: [{ text: 'x' }] }, { text: 'y' }] } }] },
      delta({ tool_calls: [{ index: 1e9, function: null }] }),
      delta({ tool_calls: {}, content: 7, reasoning_details: [{ index: 0, type: 'a', text: 'b' }, null] }),
      call(undefined, undefined, 'add', null),
      { error: { message: 'overloaded', code: 502 } },
      [{ error: { message: 'no', code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '2s' }] } }],
    ];
    const order = fc.array(fc.constantFrom(...odd), { maxLength: 12 });

    await fc.assert(
      fc.asyncProperty(order, async (events) => {
        const result = await read(streamOf(events), []).catch((error: unknown) => error);
        if (result instanceof Error)
          expect(result instanceof NodeError || result instanceof ReportedFailure).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads the names of objects that servers write as what they are', async () => {
    const names = ['constructor', '__proto__', '__defineGetter__', 'toString'];
    const message = JSON.parse(
      `{${names.map((name) => `"${name}": "x"`).join()}, "content": [{"type": "constructor", "text": "a"}]}`,
    );

    for (const finish of names) {
      const { reply } = await read(streamOf([delta(message, finish)]), []);
      expect(reply).toMatchObject({ text: 'a', end: 'unknown', finishReason: finish });
    }
  });

  it.each([
    ['pieces of one call that each have its name', () => call(0, 'c1', 'add', '}')],
    ['calls with one id', () => call(0, 'same', 'add', '{}')],
    ['details of thoughts', (at: number) => delta({ reasoning_details: [{ index: at, type: 'a', text: 'b' }] })],
    ['white space', () => delta({ content: ' ' })],
  ])('reads 50,000 %s in a moment', (_what, chunk) => {
    const completion = accumulateCompletion({ model: 'm', emit: () => undefined, round: 0, thinkTags: true });
    completion.add(call(0, 'c1', 'add', `{"a":[${'1,'.repeat(500_000)}`));
    const start = performance.now();
    for (let at = 0; at < 50_000; at++) completion.add(chunk(at));
    completion.reply(true);

    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('refuses thoughts and arguments without an end', () => {
    const piece = 'x'.repeat(1_000_000);
    for (const fields of [
      { reasoning: piece },
      { refusal: piece },
      { tool_calls: [{ index: 0, function: { arguments: piece } }] },
    ]) {
      const completion = accumulateCompletion({ model: 'm', emit: () => undefined, round: 0, thinkTags: true });
      const endless = () => {
        for (let at = 0; at < 20; at++) completion.add(delta(fields));
      };
      expect(endless).toThrow(expect.objectContaining({ code: 'MODEL_REPLY_TOO_LARGE' }));
    }
  });
});
