import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RecordKey } from '../records/keys.ts';
import { RunRecords } from './run-records.ts';

const keys: readonly RecordKey[] = [
  'run',
  'scope/s1',
  'activation/a1',
  'result/s1/0',
  'result/s1/10',
  'result/s1/12345',
  'result/s11/0',
];

const change = fc.record({ key: fc.constantFrom(...keys), value: fc.option(fc.nat(), { nil: undefined }) });

it('keeps records as a map does', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const [records, map] = [new RunRecords(), new Map<RecordKey, unknown>()];
      for (const { key, value } of changes) {
        for (const one of [records, map]) value === undefined ? one.delete(key) : one.set(key, value);
        const copy = records.copy();
        copy.delete(key);
        copy.set('result/s2/0', 'of the copy alone');
      }

      expect(new Map(records)).toEqual(map);
      expect(records.size).toBe(map.size);
      expect(records.values().flat().sort()).toEqual([...map.values()].sort());
      for (const key of keys) expect(records.get(key)).toBe(map.get(key));
      for (const prefix of ['', 'r', 'run', 'scope/', 'result/', 'result/s1/', 'result/s1/1'])
        expect([...records.keys(prefix)].sort()).toEqual(
          [...map.keys()].filter((key) => key.startsWith(prefix)).sort(),
        );
      expect(new Map(records.except(['result/s1/']))).toEqual(
        new Map([...map].filter(([key]) => !key.startsWith('result/s1/'))),
      );
    }),
  );
});
