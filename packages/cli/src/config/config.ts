import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { dataDirectory } from './data-directory.ts';
import type { Config } from './settings.ts';

/** Reads the environment and the `.env` file of the working directory; a variable that is set already wins. */
export async function readConfig(): Promise<Config> {
  applyDotEnv();
  const remote = remoteConfig(process.env);
  if (remote !== undefined) return remote;
  const { parseConfig } = await import('./parse-config.ts');
  return parseConfig(process.env);
}

/** Copies the file's variables to the environment of the process, from which its worker reads secrets. */
function applyDotEnv(): void {
  if (!existsSync('.env')) return;
  for (const [name, value] of Object.entries(parseEnv(readFileSync('.env', 'utf8')))) process.env[name] ??= value;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that commands over an HTTP API use. If any other one is set, the full configuration is parsed and checked. */
const known: ReadonlySet<string> = new Set(['MILLRACE_URL', 'MILLRACE_API_KEY']);

/**
 * Parses the settings of a command over an HTTP API without the schemas of all settings, which take long to load;
 * undefined if the environment has other settings, or an invalid one.
 */
export function remoteConfig(variables: Variables): Config | undefined {
  const { MILLRACE_URL: url = '', MILLRACE_API_KEY: apiKey = '' } = variables;
  const others = Object.keys(variables).some((name) => isSetting(name) && !known.has(name) && variables[name] !== '');
  if (others || !isAddress(url) || !/^[\x21-\x7e]*$/.test(apiKey)) return undefined;
  return {
    api: { url, ...(apiKey === '' ? {} : { apiKey }) },
    ...dataDirectory(variables),
    sandbox: 'auto',
    sandboxTmpMb: 512,
    maxDeaths: 3,
    concurrency: 16,
    stopGraceMs: 25_000,
    limits: {},
    httpLimits: { corsOrigins: [] },
    environment: Object.fromEntries(
      Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  };
}

const isSetting = (name: string): boolean => /^(MILLRACE_|REDIS_URL$|OTEL_)/.test(name);

const isAddress = (url: string): boolean =>
  /^https?:\/\/[^/?#@]+/.test(url) && !/^\w+:\/\/[^/?#]*@/.test(url) && URL.canParse(url);
