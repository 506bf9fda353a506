import { expect, it } from 'vitest';
import { columns } from './columns.ts';

const head = ['RUN', 'WORKFLOW', 'BY', 'PROMPT'];
const rows = [
  ['run_0123456789abcdef0123456789abcdef', 'a-long-name-of-a-workflow', '', 'Enter ACCEPT, or say what should change.'],
  ['run_123456789abcdef0123456789abcdef0', 'short', '', 'Well?'],
];
const fit = { shrink: { RUN: 16, WORKFLOW: 8, PROMPT: 9 }, prefixes: ['RUN'] };
const lengths = (text: string) => text.split('\n').map((line) => line.length);

it('leaves out empty columns and cuts cells, so that no line is longer than the terminal', () => {
  const text = columns(head, rows, { ...fit, width: 60 });

  expect(Math.max(...lengths(text))).toBeLessThanOrEqual(60);
  expect(text).not.toContain('BY');
  expect(text).toMatch(/^RUN +WORKFLOW +PROMPT\nrun_[0-9a-f]+ +a-\S+… .*…\nrun_[0-9a-f]+ +short +Well\?$/);
});

it('leaves out optional columns one after the other where cut ones do not fit, and keeps the others whole', () => {
  const narrow = { ...fit, optional: ['WORKFLOW', 'PROMPT'] };

  expect(columns(head, rows, { ...narrow, width: 30 }).split('\n')[0]).toMatch(/^RUN +PROMPT$/);
  expect(Math.max(...lengths(columns(head, rows, { ...narrow, width: 30 })))).toBeLessThanOrEqual(30);
  expect(columns(head, rows, { ...narrow, width: 20 })).toMatch(/^RUN\n/);
});

it('cuts nothing where there is room, nor without a width', () => {
  expect(columns(head, rows, { ...fit, width: 120 })).toContain('should change.');
  expect(columns(head, rows)).toContain('BY');
});
