import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { remoteConfig } from './remote-config.ts';
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
