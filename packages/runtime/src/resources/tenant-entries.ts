import type { TenantId } from '@millrace/core';
import type { RegisterEntry, Registry } from '../ports/store/registry.ts';

const atOnce = 200;

/** Yields the entries of a register whose ids are `<tenant>~<id>`: those of all tenants, or of one, which follow one another. */
export async function* tenantEntries(
  registry: Pick<Registry, 'page'>,
  register: string,
  tenant?: TenantId,
): AsyncGenerator<RegisterEntry> {
  const beginning = tenant === undefined ? '' : `${tenant}~`;
  for (let after = beginning; ; ) {
    const entries = await registry.page(register, after, atOnce);
    for (const entry of entries) {
      if (!entry.id.startsWith(beginning)) return;
      yield entry;
    }
    after = entries.at(-1)?.id ?? '';
    if (entries.length < atOnce) return;
  }
}
