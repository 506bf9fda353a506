import { expect, it } from 'vitest';
import { printList } from './print-list.ts';
import { processTerminal } from './terminal/terminal.ts';

const id = 'run_01a2226d70e6772b903368f5f9abfd21.a2';

async function printed(columns: number | undefined): Promise<readonly string[]> {
  const lines: string[] = [];
  const { columns: _own, ...terminal } = processTerminal();
  const silent = { ...terminal, data: (text: string) => void lines.push(...text.split('\n')) };
  await printList(
    columns === undefined ? silent : { ...silent, columns },
    ['Is the draft good enough to be printed?'],
    {
      json: false,
      empty: '',
      head: ['TASK', 'PROMPT'],
      row: (prompt) => [id, prompt],
      fit: { shrink: { PROMPT: 9 }, optional: ['PROMPT'] },
      block: { below: 60, lines: (prompt) => [id, prompt] },
    },
  );
  return lines;
}

it('prints items below each other where a terminal has no room for columns, with whole ids', async () => {
  expect(await printed(40)).toEqual([id, '  Is the draft good enough to be', '  printed?']);
  expect(await printed(60)).toEqual([expect.stringMatching(/^TASK +PROMPT$/), `${id}  Is the draft good …`]);
  expect(await printed(undefined)).toEqual([
    expect.stringMatching(/^TASK +PROMPT$/),
    `${id}  Is the draft good enough to be printed?`,
  ]);
});
