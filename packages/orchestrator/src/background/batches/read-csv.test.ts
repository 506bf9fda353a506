import { expect, it } from 'vitest';
import { readCsv } from './read-csv.ts';

const read = (text: string) => readCsv(Buffer.from(text), 'utf-8');

/** Returns the number of turns that other tasks had while the work was done. */
async function turnsWhile(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work.finally(() => {
    isDone = true;
  });
  return turns;
}

it('yields to other work while it reads', async () => {
  const reading = read(`input\n${`${'x'.repeat(99)}\n`.repeat(4000)}`);

  expect(await turnsWhile(reading)).toBeGreaterThan(50);
  expect((await reading).rows).toHaveLength(4000);
});

it.each([
  ['has too many rows', `input\n${'x\n'.repeat(400_000)}`, /more than 50,000 rows/],
  ['has rows without end', `input\n${'x,'.repeat(400_000)}`, /more than 100 fields/],
  ['has columns without end', 'x,'.repeat(400_000), /has more than 65,536 bytes/],
  ['has a name without end', 'x'.repeat(800_000), /has more than 65,536 bytes/],
  ['has a quoted name without end', `"${'x'.repeat(800_000)}`, /has more than 65,536 bytes/],
  ['has empty lines without end', '\n'.repeat(800_000), /has more than 65,536 bytes/],
  ['has more columns than a table', `${'x,'.repeat(20_000)}\n`, /more than 100 fields/],
])('stops reading early at a table that %s', async (_what, text, why) => {
  const refused = expect(read(text)).rejects.toMatchObject({
    code: 'BATCH_INVALID',
    message: expect.stringMatching(why) as string,
  });

  expect(await turnsWhile(refused)).toBeLessThan(100);
});

it('keeps quotes literally where they have no meaning, once for each row', async () => {
  const { rows } = await read('id,input\na,5" pipe\nb,"said ""yes"""\nc\nd,"never closed');

  expect(rows).toMatchObject([
    { work: { id: 'a', input: '5" pipe' } },
    { work: { id: 'b', input: 'said "yes"' } },
    { problem: 'It does not have 2 columns.' },
    { type: 'problem' },
  ]);
});

it.each([
  ['semicolons', 'id;input\na;"x; y, z"\n', 'x; y, z'],
  ['tabs', 'id\tinput\na\tx; y, z\n', 'x; y, z'],
  ['commas, whatever the rows contain', 'id,input\na,x; y\tz\n', 'x; y\tz'],
])('reads columns between %s', async (_what, text, input) => {
  expect((await read(text)).rows).toMatchObject([{ work: { id: 'a', input } }]);
});

it('reads UTF-16 that a byte order mark announces, as spreadsheets write it', async () => {
  const file = Buffer.from('\ufeffinput\nMüller\n', 'utf16le');
  expect((await readCsv(file, 'utf-8')).rows).toMatchObject([{ work: { input: 'Müller' } }]);
  expect((await readCsv(Buffer.from(file).swap16(), 'utf-8')).rows).toMatchObject([{ work: { input: 'Müller' } }]);
});
