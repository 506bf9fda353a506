import { expect, it } from 'vitest';
import { cliOf, curlOf } from './equivalent.ts';

it('quotes texts so that a shell reads them as they are', () => {
  const output = `It's $HOME "x" \\ *`;
  const equivalent = {
    command: ['fork', 'run_1', '--at', 'a2', '--output', output],
    request: { method: 'POST', path: '/v1/runs/run_1/fork', body: { output } },
  } as const;

  expect(cliOf(equivalent)).toBe(`millrace fork run_1 --at a2 --output 'It'\\''s $HOME "x" \\ *'`);
  expect(curlOf(equivalent, { origin: 'http://here' })).toBe(
    `curl http://here/v1/runs/run_1/fork --json '{"output":"It'\\''s $HOME \\"x\\" \\\\ *"}'`,
  );
});

it('names the method where curl would send another one', () => {
  const put = { command: [], request: { method: 'PUT', path: '/v1/x', body: {} } } as const;
  expect(curlOf(put, { origin: 'http://here' })).toBe("curl -X PUT http://here/v1/x --json '{}'");
});

it('copies several commands with their input, and nothing without a command', () => {
  const request = { method: 'POST', path: '/v1/x' } as const;
  expect(
    cliOf({
      command: [
        ['cancel', 'a'],
        ['cancel', 'b'],
      ],
      request,
    }),
  ).toBe('millrace cancel a\nmillrace cancel b');
  expect(cliOf({ command: ['answer', 'a.a1', '-'], stdin: '@all', request })).toBe(
    'printf %s @all | millrace answer a.a1 -',
  );
  expect(cliOf({ command: ['run', 'a.yaml'], file: { name: 'a.yaml', text: 'a: b' }, request })).toBe(
    "printf %s 'a: b' > a.yaml\nmillrace run a.yaml",
  );
  expect(cliOf({ request })).toBeUndefined();
});

it('sends headers, and the key from the environment to a server that requires one', () => {
  const request = { method: 'GET', path: '/v1/x', headers: { 'if-match': '"0a"' } } as const;
  expect(curlOf({ request }, { origin: 'http://here', isOpen: false })).toBe(
    `curl http://here/v1/x -H 'if-match: "0a"' -H "Authorization: Bearer $MILLRACE_API_KEY"`,
  );
});
