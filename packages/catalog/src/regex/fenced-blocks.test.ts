import { expect, it } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu-ms.ts';
import { fencedBlocks } from './fenced-blocks.ts';

const fence = '```';

it.each([
  ['no block', []],
  [`a\n${fence}json\n{}\n${fence}\nb\n${fence}\n[]${fence}`, ['{}\n', '[]']],
  [`${fence}json\n{}`, []],
])('finds the fenced blocks of %j', (text, blocks) => {
  expect([...fencedBlocks(text)]).toEqual(blocks);
});

it.each([['`'], [`${fence} `], [`${fence}a\n`], [`a${fence}`]])(
  'takes linear time and few blocks for a text of many %j',
  async (part) => {
    const text = part.repeat(500_000);

    const ms = await cpuMs(() => expect([...fencedBlocks(text)].length).toBeLessThanOrEqual(1000));

    expect(ms).toBeLessThan(1000);
  },
);
