import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadToolPolicy, toolPolicyWarnings } from './load-tables.ts';

/** Returns the path of a file with this text. */
async function fileWith(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-tables-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'policy.yaml');
  await writeFile(file, text);
  return file;
}

describe('the policy of the operator for calls of tools', () => {
  it('is a list of rules', async () => {
    const file = await fileWith(
      '- {tool: "delete_*", do: deny, reason: Never.}\n- {annotation: destructive, do: ask, expires: 2h}\n',
    );

    expect(await loadToolPolicy(file)).toEqual([
      { tool: 'delete_*', do: 'deny', reason: 'Never.' },
      { annotation: 'destructive', do: 'ask', expires: '2h' },
    ]);
  });

  it('is warned of a name that is similar to that of a function', async () => {
    const rules = await loadToolPolicy(await fileWith('- {tool: reed_file, do: ask}\n'));

    const warnings = await toolPolicyWarnings(rules, createVocabulary());

    expect(warnings.map(({ code, hint }) => [code, hint])).toEqual([
      ['W_POLICY_TOOL_UNKNOWN', 'Did you mean "read_file"?'],
    ]);
  });

  it.each([
    ['- {tool: x, do: forbid}\n', /0\.do: Write `allow`, `ask` or `deny`\./],
    ['- {tool: x, when: {path: a, abvoe: 3}, do: deny}\n', /abvoe/],
    ['- {tool: x, when: {path: a, matches: "("}, do: deny}\n', /0\.when\.matches: The pattern/],
    ['tool: x\n', /Write a list of rules/],
    ['- {tool: x, do: ask\n', /policy\.yaml/],
  ])('that cannot be used ends the command: %s', async (text, message) => {
    const file = await fileWith(text);

    await expect(loadToolPolicy(file)).rejects.toMatchObject({ exit: 2, message: expect.stringMatching(message) });
  });
});
