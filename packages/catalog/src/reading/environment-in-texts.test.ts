import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReadResult } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { createVocabulary } from '../index.ts';

const vocabulary = createVocabulary();
const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

const address = 'postgres://ann:canary@db/flows';
const secrets = {
  API_KEY: 'canary-01-0123456789',
  OPENAI_API_KEY: 'canary-02-0123456789',
  AWS_SECRET_ACCESS_KEY: 'canary-03-0123456789',
  AWS_ACCESS_KEY_ID: 'canary-04-0123456789',
  BACKUP_ACCESS_KEY_ID: 'canary-05-0123456789',
  GITHUB_TOKEN: 'canary-06-0123456789',
  GITHUB_TOKEN_2: 'canary-07-0123456789',
  GITLAB_PAT: 'canary-08-0123456789',
  SENTRY_DSN: 'canary-09-0123456789',
  PGPASSWORD: 'canary-10-0123456789',
  DB_PWD: 'canary-11-0123456789',
  STRIPE_SECRET: 'canary-12-0123456789',
  GOOGLE_CREDENTIALS: 'canary-13-0123456789',
  github_token: 'canary-14-0123456789',
  DATABASE_URL: address,
  REDIS_URL: 'redis://canary-15-0123456789',
  MILLRACE_SECRET: 'canary-16-0123456789',
  MILLRACE_DIR: '/canary-17-0123456789',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=canary-18-0123456789',
  COPY_OF_A_SECRET: 'canary-01-0123456789',
  HEADER: 'Bearer canary-02-0123456789',
};
const machine = {
  PATH: '/canary/bin',
  HOME: '/canary-19-0123456789',
  USER: 'canary-20-0123456789',
  HOSTNAME: 'canary-21-0123456789',
  TMPDIR: '/canary-22-0123456789',
  LC_ALL: 'canary-23-0123456789',
  SSH_AUTH_SOCK: '/canary-24-0123456789',
  XDG_DATA_HOME: '/canary-25-0123456789',
  npm_config_registry: 'canary-26-0123456789',
  NODE_OPTIONS: '--canary-27-0123456789',
};
const environment = { ...secrets, ...machine, MODEL_NAME: 'm', BASE_URL: 'https://models.example/v1' };

const read = (text: string, more: { variables?: Record<string, unknown>; allowedEnvironment?: string[] } = {}) =>
  readWorkflow({ file: 'flow.yaml', text }, { vocabulary, mode: 'run', environment, ...more });
const codes = ({ issues }: ReadResult) => issues.map(({ code }) => code);
const literal = (content: string, more = '') =>
  `${more}\ngraph:\n  id: g\n  nodes: [{id: A, type: literal, config: {content: ${JSON.stringify(content)}}}]\n`;
const contentOf = ({ workflow }: ReadResult) => workflow?.graph.nodes[0]?.config;

describe('a text of a workflow', () => {
  it.each(Object.keys(secrets))('never contains the secret %s of the environment', (name) => {
    const result = read(literal(`x \${${name}}`));

    expect(codes(result)).toEqual(['E_VARIABLE_SECRET']);
    expect(result.issues[0]).toMatchObject({ line: 4, column: 52, hint: expect.stringContaining('--var') });
    expect(JSON.stringify(result)).not.toContain('canary');
  });

  it.each(Object.keys(machine))('contains the name %s of the machine only if `vars` asks for it', (name) => {
    const asked = read(literal(`\${${name}}`, `vars: {${name}: "\${${name}}"}`));

    expect(codes(read(literal(`\${${name}}`)))).toEqual(['E_VARIABLE_UNRESOLVED']);
    expect(contentOf(asked)).toMatchObject({ content: machine[name as keyof typeof machine] });
    expect(asked.environmentVariables).toEqual([name]);
  });

  it('contains other variables of the environment', () => {
    const result = read(literal('${MODEL_NAME} at ${BASE_URL}'));

    expect(contentOf(result)).toMatchObject({ content: 'm at https://models.example/v1' });
    expect(result.environmentVariables).toEqual(['BASE_URL', 'MODEL_NAME']);
  });

  it('contains no secret through variables of the workflow', () => {
    const vars = 'vars: {A: "Bearer ${B}", B: ["${C}"], C: "${OPENAI_API_KEY}", OPENAI_API_KEY: "${OPENAI_API_KEY}"}';
    for (const name of ['A', 'B', 'C', 'OPENAI_API_KEY']) {
      const result = read(literal(`\${${name}}`, vars));

      expect(codes(result)).toContain('E_VARIABLE_SECRET');
      expect(JSON.stringify(result)).not.toContain('canary');
    }
  });

  it('contains values that are given, and those of names that are allowed, but no settings of Millrace', () => {
    const text = literal('${GITHUB_TOKEN} ${HOME}');

    expect(contentOf(read(text, { variables: { GITHUB_TOKEN: 'given', HOME: 'here' } }))).toMatchObject({
      content: 'given here',
    });
    expect(contentOf(read(text, { allowedEnvironment: ['GITHUB_TOKEN', 'HOME'] }))).toMatchObject({
      content: 'canary-06-0123456789 /canary-19-0123456789',
    });
    expect(codes(read(literal('${REDIS_URL}'), { allowedEnvironment: ['REDIS_URL'] }))).toEqual(['E_VARIABLE_SECRET']);
  });

  it('contains ${NAME} where $${NAME} is written, with a warning if NAME has a value', () => {
    const result = read(literal('$${MODEL_NAME} $${API_KEY} $${x}'));

    expect(contentOf(result)).toMatchObject({ content: '${MODEL_NAME} ${API_KEY} ${x}' });
    expect(codes(result)).toEqual(['W_VARIABLE_ESCAPED']);
    expect(codes(read(literal('${x}')))).toEqual(['E_VARIABLE_UNRESOLVED']);
    expect(read(literal('${x}')).issues[0]?.hint).toContain('$${x}');
  });

  it('contains $ and the value in the compatible mode, and no secret there', () => {
    const compat = (content: string) =>
      readWorkflow(
        { file: 'flow.yaml', text: literal(content) },
        { vocabulary, mode: 'run', environment, compat: 'chatdev' },
      );

    expect(contentOf(compat('$${MODEL_NAME}'))).toMatchObject({ content: '$m' });
    expect(codes(compat('$${API_KEY}'))).toEqual(['E_VARIABLE_SECRET']);
  });
});

/** Returns the document with every text of its graph replaced. */
function withEveryText(value: unknown, replacement: string): unknown {
  if (typeof value === 'string') return replacement;
  if (Array.isArray(value)) return value.map((entry) => withEveryText(entry, replacement));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    // The type decides which fields are secrets, so it stays.
    Object.entries(value).map(([key, entry]) => [key, key === 'type' ? entry : withEveryText(entry, replacement)]),
  );
}

const files = readdirSync(examples).filter((name) => /^[^.]+\.yaml$/.test(name));

describe.each(['OPENAI_API_KEY', 'DATABASE_URL', 'HOME'])('every field of the examples', (name) => {
  it.each(files)(`contains no value of ${name} in %s`, (file) => {
    const { graph } = parse(readFileSync(join(examples, file), 'utf8')) as { graph: unknown };

    const result = read(stringify({ graph: withEveryText(graph, `x \${${name}}`) }));

    expect(result.issues.length).toBeGreaterThan(0);
    expect(JSON.stringify(result)).not.toContain('canary');
  });
});

it('keeps secrets in secret fields as references', () => {
  const result = read(`vars: {KEY: "\${API_KEY}"}
graph:
  id: g
  nodes:
    - id: A
      type: agent
      config:
        provider: openai
        name: \${MODEL_NAME}
        base_url: \${BASE_URL}
        api_key: \${KEY}
        tooling: [{type: mcp_remote, config: {server: https://tools.example, headers: {Authorization: "Bearer \${GITHUB_TOKEN}"}}}]
    - {id: P, type: python, config: {env: {DSN: "\${SENTRY_DSN}", TEXT: "$\${HOME}"}}}
  edges: [{from: A, to: P}]
`);

  expect(codes(result)).toEqual([]);
  expect(JSON.stringify(result)).not.toContain('canary');
  expect(result.workflow?.graph.nodes[0]?.config).toMatchObject({ api_key: '${API_KEY}', name: 'm' });
  expect(result.workflow?.graph.nodes[1]?.config).toMatchObject({ env: { DSN: '${SENTRY_DSN}', TEXT: '$${HOME}' } });
});
