import { useCaller } from '../../api/use-caller.ts';

/** Returns the reason why the caller lacks a scope; undefined if the caller has it, or is not known yet. */
export function useObstacle(scope: 'run' | 'admin'): string | undefined {
  const { data: me } = useCaller();
  if (me === undefined || me.scopes.some((one) => one === scope || one === 'admin')) return undefined;
  return `This needs a key with the scope "${scope}"; yours has ${me.scopes.join(', ')}.`;
}
