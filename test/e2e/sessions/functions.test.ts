import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { command } from '../../support/processes/command.ts';
import { millrace } from '../../support/processes/millrace.ts';

const workflow = `graph:
  id: functions
  nodes:
    - {id: A, type: literal, config: {content: hello}}
    - {id: B, type: passthrough, config: {}}
  edges:
    - {from: A, to: B, condition: is_friendly, processor: {type: function, config: {name: cheer}}}
`;

const cwd = directoryBeforeAll({ 'flow.yaml': workflow });
beforeAll(() => {
  mkdirSync(join(cwd, 'functions/edge'), { recursive: true });
  writeFileSync(join(cwd, 'functions/edge/tone.py'), 'def is_friendly(text): return text == "hello"\n');
  writeFileSync(
    join(cwd, 'own.mjs'),
    "export const extensions = { processors: new Map([['cheer', (text) => `${text}!`]]) };\n",
  );
});

const env = { MILLRACE_FUNCTIONS_DIR: 'functions', MILLRACE_EXTENSIONS: 'own.mjs' };

describe('functions of the installation', () => {
  it('are unknown without the variables that name them', async () => {
    const { code, stdout } = await command(['check', join(cwd, 'flow.yaml')], {});

    expect(code).toBe(2);
    expect(stdout.match(/E_FUNCTION_UNKNOWN/g)).toHaveLength(2);
  });

  it('are known to check and run with them', async () => {
    const absolute = {
      MILLRACE_FUNCTIONS_DIR: join(cwd, env.MILLRACE_FUNCTIONS_DIR),
      MILLRACE_EXTENSIONS: join(cwd, env.MILLRACE_EXTENSIONS),
    };
    expect((await command(['check', join(cwd, 'flow.yaml')], absolute)).code).toBe(0);

    const { code, stdout } = await millrace(['run', 'flow.yaml', '--local', '--input', 'x'], { cwd, env });

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello!\n' });
  });

  it('are reported by name when they are missing', async () => {
    const { code, stderr } = await command(['check', join(cwd, 'flow.yaml')], {
      MILLRACE_EXTENSIONS: join(cwd, 'no.mjs'),
    });

    expect(code).toBe(2);
    expect(stderr).toContain('MILLRACE_EXTENSIONS is not usable');
  });
});
