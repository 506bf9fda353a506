import { formatCount } from '../../../kit/values/format.ts';
import type { EdgeView } from '../view/edge-view.ts';

/** Characters of a condition that are drawn; its title has all of them. */
const mostCharacters = 26;

/** Returns the label of an edge: its condition in words, a dash when that was not met last, and how often it passed. */
export function labelOf({ condition, conditional, onError, passed, missed }: EdgeView): string {
  const words = condition ?? (onError ? 'on failure' : conditional ? 'if' : '');
  const short = words.length > mostCharacters ? `${words.slice(0, mostCharacters - 1)}…` : words;
  const isMissed = missed === true && conditional;
  return [isMissed ? `– ${short}` : short, passed > 0 ? `${formatCount(passed)}×` : '']
    .filter((word) => word !== '')
    .join(' · ');
}
