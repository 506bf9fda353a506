import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { render } from '../deploy/render.ts';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

it('starts the Redis of docker compose with a password that it requires, and that no argument contains', () => {
  const { redis, orchestrator, worker } = parse(read('docker-compose.yml'), { merge: true }).services;

  expect(redis.command.join(' ')).toContain('requirepass $$REDISCLI_AUTH');
  expect(redis.environment.REDISCLI_AUTH).toMatch(/^\$\{MILLRACE_REDIS_PASSWORD:\?.+\}$/);
  for (const { environment } of [orchestrator, worker]) {
    expect(environment.REDIS_URL).toBe('redis://default:${MILLRACE_REDIS_PASSWORD}@redis:6379');
  }
});

it('starts the Redis of the overlay for development with a password from its secret', async () => {
  const manifests = await render('overlays/development');
  const [secret] = manifests.filter(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name.startsWith('millrace-redis'),
  );
  const { url, password } = (secret as unknown as { data: Record<string, string> }).data; // a manifest of a secret

  const decoded = (text = '') => Buffer.from(text, 'base64').toString();
  expect(new URL(decoded(url)).password).toBe(decoded(password));
  const [text] = parseAllDocuments(read('deploy/kubernetes/components/redis-dev/redis.yaml'));
  expect(JSON.stringify(text)).toContain('requirepass $REDISCLI_AUTH');
});

it('advises to start a Redis with a password', () => {
  const advice = read('packages/runtime/src/adapters/redis-server/ways-to-redis.ts');

  expect(advice).toMatch(/docker run .*--requirepass PASSWORD/);
  expect(advice).toContain('REDIS_URL=redis://:PASSWORD@127.0.0.1:6379');
});
