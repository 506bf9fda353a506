import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../../test/support/fakes/fake-host.ts';
import { MemoryWriteConfig, memoryWrite } from './memory-write.ts';

/** Runs the node on a text with this configuration, checks that it passes the text on, and returns its writes. */
async function write(config: object, text: string) {
  const written: unknown[] = [];
  const memoryFiles = {
    read: () => Promise.reject(new Error('Nothing is read.')),
    async write(...args: unknown[]) {
      written.push(args);
    },
  };
  const message = textMessage('assistant', text, 'A');
  const read = MemoryWriteConfig.parse({ store: 'logs', ...config });
  const outcome = await memoryWrite.execute(read, [message], { ...fakeHost(), memoryFiles });
  expect(outcome).toMatchObject({ outputs: [{ content: text, source: 'A' }] });
  return written;
}

describe('memory_write', () => {
  it.each([
    [{}, 'done', [['logs', 'done', undefined]]],
    [{ value: '{{source}}: {{text}}', mode: 'append' }, 'done', [['logs', 'A: done', 'append']]],
    [{}, ' ', []],
    [{ on_empty: 'placeholder' }, ' ', [['logs', '(empty)', undefined]]],
  ])('configured by %j, writes of %j: %j', async (config, text, expected) => {
    expect(await write(config, text)).toEqual(expected);
  });

  it('fails for a blank text when it is so configured', async () => {
    await expect(write({ on_empty: 'fail' }, '')).rejects.toMatchObject({ code: 'MEMORY_VALUE_EMPTY' });
  });
});
