import { readFileSync } from 'node:fs';
import { planModelUpdate, readModelList } from '@millrace/core';
import { expect, it } from 'vitest';
import { shippedLookup } from './shipped-models.ts';

const feed: unknown = JSON.parse(
  readFileSync(new URL('../../../../test/fixtures/models-dev.json', import.meta.url), 'utf8'),
);

/**
 * Differences between the shipped prices and those of models.dev, with the reason why ours stay. In doubt the dearer price is
 * shipped: a budget must not count too little.
 */
const explained: Readonly<Record<string, string>> = {
  'gpt-5.6-sol price.input 4 → 2': 'genai-prices of 2026-09-23 says 4; no page of the vendor was seen',
  'gpt-5.6-sol price.cached_input 0.4 → 0.2': 'follows from the input',
  'gpt-5.6-sol price.cache_write 5 → 2.5': 'follows from the input',
  'gpt-5.6-sol price.output 20 → 10': 'genai-prices of 2026-09-23 says 20; no page of the vendor was seen',
  'gpt-5.6-sol price.long.input 8 → 4': 'follows from the input',
  'gpt-5.6-sol price.long.cached_input 0.8 → 0.4': 'follows from the input',
  'gpt-5.6-sol price.long.cache_write 10 → 5': 'follows from the input',
  'gpt-5.6-sol price.long.output 30 → 15': 'follows from the output',
  'deepseek-reasoner price.input 0.28 → 0.14': 'ours was seen on 2026-07-10, theirs on 2026-02-28',
  'deepseek-reasoner price.cached_input 0.028 → 0.0028': 'as the input',
  'deepseek-reasoner price.output 0.42 → 0.28': 'as the input',
  'gemini-3.8-flash price.audio_input unknown → 0.75': 'the same as its input, which counts where a rate is absent',
};

it('ships the prices of models.dev, but for differences that are explained', () => {
  const read = readModelList(feed, { source: 'https://models.dev/api.json', today: '2026-11-27' });
  if ('problem' in read) throw new Error(read.problem);
  const { changes } = planModelUpdate(read.list, { known: shippedLookup() });
  const differences = changes.flatMap(({ model, fields }) =>
    fields
      .filter(({ field }) => field.startsWith('price.'))
      .map(({ field, before = 'unknown', after }) => `${model} ${field} ${before} → ${after}`),
  );

  expect(changes.filter(({ type }) => type === 'new')).toEqual([]);
  expect(differences.sort()).toEqual(Object.keys(explained).sort());
});
