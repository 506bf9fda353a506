import { expect, it } from 'vitest';
import { copyOf, curlOf } from './copy-of.ts';

const server = { origin: 'http://here' };

it('copies the path, the method and the body of a request', () => {
  expect(curlOf(copyOf('queues.pause', { queue: 'default' }).request, server)).toBe(
    'curl -X POST http://here/v1/queues/default/pause',
  );
  expect(curlOf(copyOf('limits.setTenant', { tenant: 'acme', activations: 20 }).request, server)).toBe(
    `curl -X PUT http://here/v1/limits/acme --json '{"activations":20}'`,
  );
  expect(curlOf(copyOf('runs.fork', { id: 'run_1', at: 'a2', output: `It's "x" \\` }).request, server)).toBe(
    `curl http://here/v1/runs/run_1/fork --json '{"at":"a2","output":"It'\\''s \\"x\\" \\\\"}'`,
  );
});

it('copies a form with its file', () => {
  const input = { workflow: 'poem', columns: { Letter: 'input' as const } };
  const { commands, request } = copyOf('batches.create', input, { file: 'letters.csv' });

  expect(commands).toEqual([['batch', 'start', 'poem', 'letters.csv', '--column', 'Letter=input']]);
  expect(curlOf(request, server)).toContain(`-F 'columns={"Letter":"input"}' -F file=@letters.csv`);
});

it('copies headers, and the key from the environment for a server that requires one', () => {
  const { request } = copyOf('workflows.archive', { name: 'poem', 'if-match': '"0a"' });

  expect(curlOf(request, { ...server, isOpen: false })).toBe(
    `curl -X DELETE http://here/v1/workflows/poem -H 'if-match: "0a"' -H "Authorization: Bearer $MILLRACE_API_KEY"`,
  );
});
