import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadSdk, sdkProblems } from './sdk.ts';

const { peerDependencies } = z
  .object({ peerDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));

/** Fails as Node does where a package is not installed. */
const absent = (name: string) => async () => {
  const message = `Cannot find package '${name}' imported from /srv/app/node_modules/@millrace/catalog/dist/index.js`;
  throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
};

describe('the SDK of a provider', () => {
  it('that is absent is reported with the command that installs it', async () => {
    await expect(loadSdk('anthropic', absent('@anthropic-ai/sdk'))).rejects.toMatchObject({
      name: 'NodeError',
      code: 'PACKAGE_MISSING',
      transient: false,
      message:
        'The provider "anthropic" needs a package that is not installed. Install it where Millrace is installed: npm install @anthropic-ai/sdk@1',
    });
  });

  it('is not reported as absent when a package that it imports is missing', async () => {
    await expect(loadSdk('gemini', absent('google-auth-library'))).rejects.toMatchObject({
      code: 'ERR_MODULE_NOT_FOUND',
    });
  });

  it.each([
    ['anthropic', '@anthropic-ai/sdk'],
    ['gemini', '@google/genai'],
  ])('of %s is reported before a run where it is missing', (provider, name) => {
    const problems = sdkProblems(provider, () => false);

    expect(problems).toMatchObject([{ code: 'W_PACKAGE_MISSING', severity: 'warning', path: ['provider'] }]);
    expect(problems[0]?.hint).toContain(`npm install ${name}@${peerDependencies[name]?.match(/\d+/)?.[0]}.`);
    expect(sdkProblems(provider)).toEqual([]);
  });

  it('is not loaded by other providers', () => {
    expect(sdkProblems('openai', () => false)).toEqual([]);
    expect(sdkProblems('constructor', () => false)).toEqual([]);
  });
});
