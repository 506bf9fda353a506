import { expect, it } from 'vitest';
import type { Issue } from '../../model/errors.ts';
import { readDocument } from './document.ts';

function problemsOf(text: string): readonly string[] {
  const issues: Issue[] = [];
  readDocument({ file: 'flow.yaml', text }, issues);
  return issues.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

it.each([
  ['a tab', 'graph:\n  start: [x]\n  nodes:\n\t- { id: D }\n    - { id: P }\n', '4:1 A tab is used as indentation'],
  ['a colon in a text', 'a:\n  role: Say: hello\n', '2:9 A text that contains ": " needs quotes'],
  ['a colon in brackets', 'a: { role: Say: hello }\n', '1:12 There are two colons without a comma between them'],
  ['a missing comma', 'a: { b: 1 c: 2 }\n', '1:9 There are two colons without a comma between them'],
  ['no space after the colon', 'a:\n  id:A\n  b: 1\n', '2:3 There is no space after the colon'],
  ['no colon', 'graph\n  id: x\n', '1:1 This line is no field: it has no key with a colon'],
  ['a text that goes on', 'role: hello\nworld\nname: x\n', '2:1 This line is no field: it has no key with a colon'],
  ['an unclosed bracket', 'a:\n  - { id: A, b: [1] \nc: []\n', '2:5 The bracket "{" is not closed'],
  ['an unclosed bracket at the end', '{"graph": {"id": "x"', '1:11 The bracket "{" is not closed'],
  ['a bracket too many', 'a: [1]]\n', '1:7 The "]" closes no bracket'],
  ['a comma too many', 'a: [1, 2,, 3]\n', '1:10 There is no entry before the comma'],
  ['an unclosed quote', 'a: "x"\nb: "hello\nc: 3\n', '2:4 The quote is not closed'],
  ['a quote in quotes', "a: 'it's'\n", '1:8 Nothing may follow a closing quote or bracket'],
  ['a template without quotes', 'a: {{ text }} more\n', '1:15 Nothing may follow a closing quote or bracket'],
  ['a backslash', 'a: "C:\\Users"\n', '1:7 The escape sequence \\U is unknown'],
  ['a reserved character', 'a: @file\n', '1:4 A text cannot begin with @'],
  ['an asterisk', 'a: 1\nb: **bold**\n', '2:4 There is no anchor "*bold**"'],
  ['an ampersand', 'a: & b\n', '1:4 A text that begins with & needs quotes'],
  ['text behind the bar', 'a: | hello\n  world\n', '1:6 A text after | or > begins on the next line'],
  [
    'an item with another indentation',
    'n:\n    - a: 1\n   - b: 2\n',
    '3:4 This line does not continue the list or mapping',
  ],
  ['a key with another indentation', 'a:\n    b: 1\n  c: 1\n', '3:3 This line does not continue the list or mapping'],
  ['a list in a mapping', 'a:\n  c: d\n  - b\n', '3:3 This line does not continue the list or mapping'],
  ['a key below a value', 'a:\n  b: c\n    # note\n    d: 1\n', '4:5 This line does not continue the list or mapping'],
  ['a key directly below a value', 'a:\n  b: c\n    d: 1\n', '3:5 This line is indented deeper than the one above it'],
  ['two anchors', 'a: &x &y 1\n', '1:7 A node can have at most one anchor'],
])('reports %s once, where it has to be corrected', (_what, text, expected) => {
  expect(problemsOf(text)).toEqual([expect.stringContaining(expected)]);
});
