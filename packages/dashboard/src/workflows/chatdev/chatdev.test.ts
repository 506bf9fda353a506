import type { Diagnostic } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { adviceFor, followingChatDev, followsChatDev, isChatDev } from './chatdev.ts';

const problem = (code: string, line: number, message: string): Diagnostic => ({
  severity: code.startsWith('E') ? 'error' : 'warning',
  code,
  line,
  column: 1,
  path: '',
  message,
});

describe('a file of ChatDev', () => {
  it('is recognised by its fields', () => {
    expect(isChatDev('version: 0.4.0\ngraph:\n  is_majority_voting: false\n')).toBe(true);
    expect(isChatDev('graph:\n  nodes: []\n')).toBe(false);
    expect(isChatDev('version: 0.4.0\n  is_majority_voting: false\n')).toBe(false);
  });

  it('needs values for its variables, but not for its secrets', () => {
    const text = 'a: ${NAME}\napi_key: ${KEY}\n';
    const found = adviceFor(text, [
      problem('W_VARIABLE_UNRESOLVED', 1, 'The variable "NAME" has no value'),
      problem('E_FUNCTION_UNKNOWN', 1, 'There is no function "x"'),
      problem('E_SUBGRAPH_NOT_FOUND', 1, 'There is no file "x"'),
      problem('E_FIELD_TYPE', 1, 'Must be a number'),
    ]);

    expect(found).toMatchObject({ variables: ['NAME'], secrets: ['KEY'] });
    expect([found.functions, found.files, found.others].map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  it.each(['graph:\n  id: a\n', 'version: 0.4.0\ngraph:\n    # comment\n    id: a\n'])(
    'is told to do as ChatDev does, with its own indentation: %j',
    (text) => {
      const changed = followingChatDev(text);
      expect(followsChatDev(changed)).toBe(true);
      expect(changed.replace(/ +compat: chatdev\n/, '')).toBe(text);
      expect(changed.match(/^( +)compat/m)?.[1]).toBe(text.match(/^( +)id/m)?.[1]);
    },
  );
});
