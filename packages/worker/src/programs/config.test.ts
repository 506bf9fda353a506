import { expect, it, onTestFinished, vi } from 'vitest';
import { inheritableEnvironment } from './config.ts';

it('hands no settings of the worker to commands that inherit its environment', () => {
  const settings = {
    REDIS_URL: 'redis://:secret@redis',
    MILLRACE_SECRET: 'secret',
    OTEL_EXPORTER_OTLP_HEADERS: 'key=secret',
  };
  for (const [name, value] of Object.entries({ ...settings, GITHUB_TOKEN: 'for a tool' })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());

  const inherited = inheritableEnvironment();

  expect(inherited).toMatchObject({ GITHUB_TOKEN: 'for a tool' });
  for (const name of Object.keys(settings)) expect(inherited).not.toHaveProperty(name);
});
