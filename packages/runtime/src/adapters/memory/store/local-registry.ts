import type { Registry } from '../../../ports/store/registry.ts';

/** The registry of a store that ends with the process. */
export function createLocalRegistry(now: () => number): Registry {
  const registers = new Map<string, Map<string, string>>();
  const held = new Map<string, { readonly text: string; readonly until: number }>();
  const register = (name: string): Map<string, string> => {
    const there = registers.get(name) ?? new Map<string, string>();
    registers.set(name, there);
    return there;
  };
  return {
    read: async (name, id) => register(name).get(id),
    async write(name, id, json) {
      register(name).set(id, json);
    },
    async add(name, id, json) {
      if (register(name).has(id)) return false;
      register(name).set(id, json);
      return true;
    },
    async exchange(name, id, { before, after }) {
      if (register(name).get(id) !== before) return false;
      if (after === undefined) register(name).delete(id);
      else register(name).set(id, after);
      return true;
    },
    named: async (beginning) => [...registers.keys()].filter((name) => name.startsWith(beginning)),
    remove: async (name, id) => register(name).delete(id),
    async page(name, after, limit) {
      return [...register(name)]
        .map(([id, json]) => ({ id, json }))
        .sort((one, other) => byBytes(one.id, other.id))
        .filter(({ id }) => byBytes(id, after) > 0)
        .slice(0, limit);
    },
    async trim(name, keep) {
      for (const id of [...register(name).keys()].sort(byBytes).slice(keep)) register(name).delete(id);
    },
    async hold(name, text, forMs) {
      const kept = held.get(name);
      if (kept !== undefined && kept.until > now()) return kept.text;
      held.set(name, { text, until: now() + forMs });
      return undefined;
    },
    held: async (names) =>
      names.map((name) => {
        const kept = held.get(name);
        return kept !== undefined && kept.until > now() ? kept.text : undefined;
      }),
    async replace(name, text, forMs) {
      held.set(name, { text, until: now() + forMs });
    },
    async swap(name, { before, after }) {
      const kept = held.get(name);
      if (kept === undefined || kept.until <= now() || kept.text !== before) return false;
      if (after === undefined) held.delete(name);
      else held.set(name, { text: after.text, until: now() + after.forMs });
      return true;
    },
  };
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
