import { formatCount } from '../../../kit/values/format.ts';
import type { Box } from '../layout/geometry.ts';
import type { EdgeView } from '../view/edge-view.ts';
import type { EdgePart } from './parts.ts';

/** Characters of a condition that are drawn; its title has all of them. */
const mostCharacters = 26;

/** Returns the label of an edge: its condition in words, a dash when that was not met last, and how often it passed. */
export function labelOf({ condition, conditional, onError, passed, missed }: EdgeView): string {
  const label = condition ?? (onError ? 'on failure' : conditional ? 'if' : '');
  const short = label.length > mostCharacters ? `${label.slice(0, mostCharacters - 1)}…` : label;
  const isMissed = missed === true && conditional;
  return [isMissed ? `– ${short}` : short, passed > 0 ? `${formatCount(passed)}×` : '']
    .filter((word) => word !== '')
    .join(' · ');
}

/** Width of a character of a label, and height of a label, in pixels. */
const letter = { width: 6.5, height: 16 } as const;

/** Returns the box that the label of an edge takes, more or less. */
export function labelBox({ edge, label: { x, y } }: EdgePart): Box {
  const width = labelOf(edge).length * letter.width;
  return { x: x - width / 2, y: y - letter.height / 2, width, height: letter.height };
}
