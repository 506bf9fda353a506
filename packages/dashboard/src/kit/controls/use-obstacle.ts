import { useCaller } from '../../api/use-caller.ts';

/** Returns why the caller may not do what needs a scope; undefined while it may, or is not known. */
export function useObstacle(scope: 'run' | 'admin'): string | undefined {
  const { data: me } = useCaller();
  if (me === undefined || me.scopes.some((one) => one === scope || one === 'admin')) return undefined;
  return `This needs a key with the scope "${scope}"; yours has ${me.scopes.join(', ')}.`;
}
