import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVocabulary } from '@millrace/catalog';
import type { ReadResult } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../support/fixtures.ts';
import { openStage } from '../support/runs/stage.ts';

/** The workflows that come with the original engine, where they lie beside the checkout. */
const folder = fileURLToPath(new URL('../../../shared/chatdev/yaml_instance/', import.meta.url));
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
  : [];

/** Files that the original engine refuses as well, and what is wrong with them. */
const refused: Readonly<Record<string, RegExp>> = {
  'GameDev_with_manager.yaml': /^E_FIELD_TYPE graph\.nodes\[\d\]\.config\.(provider|name)$/,
  'react.yaml': /^E_FIELD_TYPE graph\.nodes\[1\]\.config\.tooling$/,
  'subgraphs/react_agent.yaml': /^E_FIELD_TYPE graph\.nodes\[1\]\.config\.tooling$/,
};

const vocabulary = createVocabulary();
/** A Python program, too: workflows that repair a program until it succeeds end early. */
const reply = "'reply'";
const environment = { BASE_URL: 'http://127.0.0.1:9/v1', API_KEY: 'scripted', MODEL_NAME: 'm' };

function read(name: string, mode: 'check' | 'run'): ReadResult {
  const file = join(folder, name);
  return readWorkflow(
    { file, text: readFileSync(file, 'utf8') },
    { vocabulary, mode, environment, readFile, ...(mode === 'run' ? { compat: 'chatdev' as const } : {}) },
  );
}

/** A subgraph's file: beside the file that names it, or counted from the folder of all. */
function readFile(path: string, from: string): { file: string; text: string } | undefined {
  const file = [join(dirname(from), path), join(folder, path)].find((candidate) => existsSync(candidate));
  return file === undefined ? undefined : { file, text: readFileSync(file, 'utf8') };
}

const errorsOf = ({ issues }: ReadResult): string[] =>
  issues.filter(({ severity }) => severity === 'error').map(({ code, path }) => `${code} ${path}`);

describe.skipIf(files.length === 0)('the workflows that come with ChatDev', () => {
  const stage = openBeforeAll(() => openStage({ where: { local: true } }));

  it.for(files)('are accepted, or refused for known errors: %s', (name) => {
    const errors = errorsOf(read(name, 'check'));
    const known = refused[name];

    if (known === undefined) expect(errors).toEqual([]);
    else for (const error of errors) expect(error).toMatch(known);
    expect(errors.length > 0).toBe(known !== undefined);
  });

  const runnable = files.filter((name) => !(name in refused));

  it.for(runnable)('run to completion with a scripted model: %s', async (name) => {
    const { workflow } = read(name, 'run');
    expect(workflow).toBeDefined();
    if (workflow === undefined) return;

    const scripted = { ...workflow, script: { default: reply } };
    const { description } = await stage.run(scripted, 'TASK-INPUT', () => 'ACCEPT');

    expect({ status: description.status, error: description.error }).toEqual({ status: 'completed', error: undefined });
  });

  it('run the ReAct loop with a tool, once its tooling lists existing functions', async () => {
    const repaired = (file: string) =>
      readFileSync(file, 'utf8')
        .replace(/^( +)tooling:\n +type: function\n/gm, '$1tooling:\n$1- type: function\n')
        // There is no function of this name in either engine.
        .replaceAll('get_webpage_content', 'read_webpage_content');
    const file = join(folder, 'react.yaml');
    const { workflow, issues } = readWorkflow(
      { file, text: repaired(file) },
      {
        vocabulary,
        mode: 'run',
        environment,
        compat: 'chatdev',
        readFile(path, from) {
          const found = readFile(path, from);
          return found === undefined ? undefined : { file: found.file, text: repaired(found.file) };
        },
      },
    );
    if (workflow === undefined) throw new Error(JSON.stringify(issues));
    const call = { name: 'get_city_num', arguments: { city: 'Paris' } };
    const rules = [
      { when: { has_tools: true, last_role: 'user' }, reply: { tool_calls: [call] } },
      { when: { system_contains: 'ReAct controller' }, replies: ['Action: get_city_num', 'Action: FINAL'] },
    ];

    const { description, journal } = await stage.run(
      { ...workflow, script: { default: 'reply', rules } },
      'TASK-INPUT',
    );

    expect({ status: description.status, error: description.error }).toEqual({ status: 'completed', error: undefined });
    const steps = journal.flatMap(({ event }) => (event.type === 'step.started' ? [event.name] : []));
    expect(steps.filter((name) => name.startsWith('tool '))).toEqual(['tool get_city_num']);
  });
});
