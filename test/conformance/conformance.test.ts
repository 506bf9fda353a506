import { createVocabulary } from '@millrace/catalog';
import { afterAll, describe, expect, it } from 'vitest';
import { oracleTools } from '../support/reference/oracle-tools.ts';
import { casesIn } from './case.ts';
import { deliberateDifferences } from './deliberate.ts';
import { openEngine } from './engines/engines.ts';
import { judge } from './judge.ts';
import { defaultFolders } from './main.ts';

const cases = defaultFolders().flatMap(casesIn);
const differences = deliberateDifferences();
const deliberate = new Set(differences.map((entry) => entry.case));
const vocabulary = createVocabulary({ tools: oracleTools });

describe.each(['memory', 'redis'])('every golden case has the same result on the engine "%s"', async (name) => {
  const engine = await openEngine(name);
  if (engine === undefined) throw new Error(`there is no engine "${name}"`);
  afterAll(() => engine.close());

  it.concurrent.for(cases)('$name', { timeout: 30_000 }, async (golden, { skip, expect }) => {
    const judgement = await judge(golden, { vocabulary, engine, deliberate, timeoutMs: 20_000 });
    if (judgement.status === 'unsupported') skip(`needs ${judgement.feature}`);
    expect(judgement.status === 'failed' ? judgement.difference : undefined).toBeUndefined();
  });
});

describe('the list of deliberate differences', () => {
  it('has a rule and a reason for each case, and names none twice', () => {
    expect(deliberate.size).toBe(differences.length);
    for (const { rule, reason } of differences) expect([rule, reason].every((text) => text.length > 20)).toBe(true);
  });
});
