import { useCaller } from './use-caller.ts';

/** Returns why the caller may not do what needs a scope; undefined when it may, or while the caller is not known. */
export function useMissingScope(needed: 'run' | 'answer' | 'admin'): string | undefined {
  const { data: me } = useCaller();
  if (me === undefined || me.scopes.some((scope) => scope === needed || scope === 'admin')) return undefined;
  return `This needs a key with the scope "${needed}"; yours has ${me.scopes.join(', ')}.`;
}
