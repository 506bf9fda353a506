import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import type { ApiResponse } from '../../support/http/http.ts';

const api = openBeforeAll(serveApi);
const attacker = openBeforeAll(() => api.tenant('attacker', 'read'));
const acme = openBeforeAll(() => api.tenant('acme', 'run', 'read'));

const list = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join('\n');
const chain = (count: number): string => `graph:
  id: chain
  start: [N0]
  nodes:
${list(count, (at) => `    - {id: N${at}, type: literal, config: {content: x}}`)}
  edges:
${list(count - 1, (at) => `    - {from: N${at}, to: N${at + 1}}`)}
`;
const patterns = (pattern: string): string => `graph:
  id: patterns
  nodes: [{id: A, type: literal, config: {content: x}}, {id: B, type: passthrough, config: {}}]
  edges:
${list(120, () => `    - {from: A, to: B, condition: {type: regex, config: {pattern: '${pattern}'}}}`)}
`;

/** Texts that each held up a server for seconds. */
const hostile: Readonly<Record<string, string>> = {
  'many nodes': chain(20_000),
  'escapes that are none': `"${'\\x'.repeat(680_000)}`,
  'brackets that are never closed': '['.repeat(100_000),
  'keys that are unknown': list(20_000, (at) => `k${at}: x`),
  'nodes with errors': `graph:\n  nodes:\n${list(20_000, (at) => `    - {id: N${at}, typ: literal}`)}`,
  'variables within each other': `vars:\n  a0: ${'x'.repeat(1000)}\n${list(40, (at) => `  a${at + 1}: "\${a${at}}\${a${at}}"`)}`,
  'aliases that multiply': `a: &a [${'x,'.repeat(5000)}]\nvars: {q: [${'*a,'.repeat(190)}]}`,
  'patterns that multiply': patterns('(a?){1000}'.repeat(60)),
};

const validate = async (yaml: string): Promise<ApiResponse> => attacker.ask('/v1/workflows/validate', { yaml });

/** Has all of them validated at once. */
function attack(): {
  readonly validated: Promise<readonly (readonly [string, ApiResponse])[]>;
  readonly isOver: () => boolean;
} {
  let over = false;
  const answers = Object.entries(hostile).map(async ([name, yaml]) => [name, await validate(yaml)] as const);
  const validated = Promise.all(answers).finally(() => {
    over = true;
  });
  return { validated, isOver: () => over };
}

/** Starts a run with a small workflow, and one with a large one, for another tenant. */
async function startTwo(): Promise<void> {
  for (const yaml of [chain(3), `${chain(300)}#${' '.repeat(40_000)}`]) {
    expect((await acme.ask('/v1/runs', { workflow: { yaml } })).status).toBe(201);
  }
}

it('serves others while one key has hostile workflows validated', { timeout: 120_000 }, async () => {
  const { validated, isOver } = attack();
  const waited = startTwo().then(isOver);
  const took: number[] = [];
  while (!isOver()) {
    const before = performance.now();
    expect((await fetch(`${api.orchestrator.url}/healthz`)).status).toBe(200);
    took.push(performance.now() - before);
    await sleep(5);
  }
  for (const [name, { status, body }] of await validated) {
    expect([name, status, body]).toMatchObject([name, 200, { valid: false }]);
    expect(body['diagnostics']).toSatisfy((found: unknown[]) => found.length > 0 && found.length <= 202);
  }
  expect(await waited).toBe(false);
  took.sort((a, b) => a - b);
  expect(took.length).toBeGreaterThan(20);
  // One in twenty may be late, as other processes of the machine have their turns, too.
  expect(took[Math.floor(took.length * 0.95)]).toBeLessThan(200);
});
