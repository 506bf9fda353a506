import { createVocabulary } from '@millrace/catalog';
import { describe, it } from 'vitest';
import { openBeforeAll } from '../support/fixtures.ts';
import { oracleTools } from '../support/reference/oracle-tools.ts';
import { casesIn } from './case.ts';
import { deliberateDifferences } from './deliberate.ts';
import type { engineNames } from './engines/engines.ts';
import { openEngine } from './engines/engines.ts';
import { judge } from './judge.ts';
import { defaultFolders } from './main.ts';

/** Tests that every golden case has the recorded result on an engine, or a difference that is deliberate. */
export function testGoldenCases(name: (typeof engineNames)[number]): void {
  const deliberate = new Set(deliberateDifferences().map((entry) => entry.case));
  const vocabulary = createVocabulary({ tools: oracleTools });

  describe(`every golden case has the same result on the engine "${name}"`, () => {
    const engine = openBeforeAll(async () => {
      const opened = await openEngine(name);
      if (opened === undefined) throw new Error(`there is no engine "${name}"`);
      return opened;
    });

    it.concurrent.for(defaultFolders().flatMap(casesIn))('$name', async (golden, { skip, expect }) => {
      const judgement = await judge(golden, { vocabulary, engine, deliberate, timeoutMs: 60_000 });
      if (judgement.status === 'unsupported') skip(`needs ${judgement.feature}`);
      expect(judgement.status === 'failed' ? judgement.difference : undefined).toBeUndefined();
    });
  });
}
