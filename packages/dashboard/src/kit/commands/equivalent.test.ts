import { expect, it } from 'vitest';
import { cliOf, curlOf } from './equivalent.ts';

it('quotes texts so that a shell reads them as they are', () => {
  const output = `It's $HOME "x" \\ *`;
  const equivalent = {
    command: ['fork', 'run_1', '--at', 'a2', '--output', output],
    request: { method: 'POST', path: '/v1/runs/run_1/fork', body: { output } },
  } as const;

  expect(cliOf(equivalent)).toBe(`millrace fork run_1 --at a2 --output 'It'\\''s $HOME "x" \\ *'`);
  expect(curlOf(equivalent, 'http://here')).toBe(
    `curl http://here/v1/runs/run_1/fork --json '{"output":"It'\\''s $HOME \\"x\\" \\\\ *"}'`,
  );
});

it('names the method where curl would send another one', () => {
  const put = { command: [], request: { method: 'PUT', path: '/v1/x', body: {} } } as const;
  expect(curlOf(put, 'http://here')).toBe("curl -X PUT http://here/v1/x --json '{}'");
});
