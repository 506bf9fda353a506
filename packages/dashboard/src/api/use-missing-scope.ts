import { useCaller } from './use-caller.ts';

/** Returns the reason why the caller lacks a scope; undefined if the caller has it, or is not known yet. */
export function useMissingScope(needed: 'run' | 'answer' | 'admin' | undefined): string | undefined {
  const { data: me } = useCaller();
  if (needed === undefined || me === undefined) return undefined;
  if (me.scopes.some((scope) => scope === needed || scope === 'admin')) return undefined;
  return `This needs a key with the scope "${needed}"; yours has ${me.scopes.join(', ')}.`;
}
