import { expect, it } from 'vitest';
import { addressProblems } from './address.ts';

it.each([
  undefined,
  null,
  '',
  'http://localhost:11434/v1',
  'https://models.example/v1?key=1',
  'HTTPS://models.example',
  '${BASE_URL}',
  'http://${HOST}/v1',
])('takes %j', (written) => {
  expect(addressProblems(written, ['base_url'])).toEqual([]);
});

it.each([
  ['localhost:11434/v1', 'Write http://localhost:11434/v1.'],
  ['10.0.0.5:8000', 'Write http://10.0.0.5:8000.'],
  ['ollama', 'Write http://ollama.'],
  ['api.openai.com/v1', 'Write https://api.openai.com/v1.'],
  ['ftp://models.example', 'Write one such as https://models.example/v1.'],
  ['http://', 'Write one such as https://models.example/v1.'],
  ['two words', 'Write one such as https://models.example/v1.'],
])('refuses %j', (written, hint) => {
  expect(addressProblems(written, ['base_url'])).toMatchObject([
    { code: 'E_URL_INVALID', severity: 'error', path: ['base_url'], hint },
  ]);
});
