import { describe, expect, it } from 'vitest';
import { formatYaml } from './format.ts';

const formatted = (text: string): string => {
  const result = formatYaml(text);
  return result.type === 'formatted' ? result.text : result.reason;
};

describe('a formatted text', () => {
  it('is indented evenly, and keeps comments, order, quotes and empty lines', () => {
    const text = `# top
graph:
    id:   poem  # the name

    nodes:
        - {id: A,   type: literal}
`;
    expect(formatted(text)).toBe(`# top
graph:
  id: poem # the name

  nodes:
    - { id: A, type: literal }
`);
  });

  it.each([
    'yes',
    '010',
    '1e3',
    '1_000',
    '0x1F',
    '~',
    '',
    'null',
    '12:30',
    '2026-01-01',
    '.5',
    'true',
    '"true"',
    "'7'",
  ])('has the scalar %j as it was written', (scalar) => {
    const text = `a:${scalar === '' ? '' : ` ${scalar}`}\n`;
    expect(formatted(text)).toBe(text);
  });

  it('keeps long lines, block texts, anchors and variables', () => {
    const text = `a: &x \${NAME}\nb: *x\nc: |\n  one\n    two\nd: >-\n  folded\n  text\ne: ${'long words '.repeat(30).trim()}\n`;
    expect(formatted(text)).toBe(text);
  });

  it('is the same when it is formatted again', () => {
    const once = formatted('a:\n    - b\n    -   c: [1,2,  3]\n');
    expect(formatted(once)).toBe(once);
  });

  it('is none where the text is no YAML', () => {
    expect(formatYaml('a: [')).toEqual({ type: 'refused', reason: expect.stringContaining('no YAML') });
  });
});
