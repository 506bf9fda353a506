import type { ConfigProblem, OptionalPackages } from '@millrace/core';
import { installation, loadOptional, NodeError, RequestError } from '@millrace/core';
import { hasPackage } from '../optional/has-package.ts';

/** An SDK that is installed only where its provider is used. */
interface Sdk extends OptionalPackages {
  readonly name: string;
}

const sdk = (provider: string, name: string, version: string): Sdk => ({
  name,
  neededBy: `The provider "${provider}"`,
  install: [`${name}@${version}`],
});

const sdks = {
  anthropic: sdk('anthropic', '@anthropic-ai/sdk', '1'),
  gemini: sdk('gemini', '@google/genai', '2'),
};

/** Loads the SDK of a provider. Throws a NodeError PACKAGE_MISSING when it is not installed. */
export async function loadSdk<T>(provider: keyof typeof sdks, load: () => Promise<T>): Promise<T> {
  try {
    return await loadOptional(sdks[provider], load);
  } catch (error) {
    if (error instanceof RequestError) throw new NodeError(error.code, error.message);
    throw error;
  }
}

/** Returns the problem, found before a run starts, that the SDK of a provider is not installed in this process. */
export function sdkProblems(provider: string, isInstalled = hasPackage): readonly ConfigProblem[] {
  const needed = Object.hasOwn(sdks, provider) ? sdks[provider as keyof typeof sdks] : undefined; // its own key
  if (needed === undefined || isInstalled(needed.name)) return [];
  return [
    {
      code: 'W_PACKAGE_MISSING',
      severity: 'warning',
      path: ['provider'],
      message: `${needed.neededBy} needs the package ${needed.name}, which is not installed here`,
      hint: `${installation(needed.install)}.`,
    },
  ];
}
