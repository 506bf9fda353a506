import { randomUUID } from 'node:crypto';
import type { Registry } from '../ports/store/registry.ts';

const register = 'installation';
const entry = 'id';

/** Returns the id of an installation: a random one, which the first process that asks for it stores. */
export async function installationId(registry: Pick<Registry, 'read' | 'add'>): Promise<string> {
  const known = await registry.read(register, entry);
  if (known !== undefined) return JSON.parse(known) as string; // as this function writes it
  const json = JSON.stringify(randomUUID());
  if (await registry.add(register, entry, json)) return JSON.parse(json) as string;
  return installationId(registry);
}
