import { InvalidArgumentError } from 'commander';
import { collect } from './collect-argument.ts';

/** Maximum number of tags of a run. */
const mostTags = 20;

/** Collects tags of a run, with the limits of the API. */
export function collectTags(tag: string, earlier: string[] = []): string[] {
  if (!/^[^\p{C}\n]{1,64}$/u.test(tag)) throw new InvalidArgumentError('A tag has 1 to 64 characters.');
  if (earlier.length === mostTags) throw new InvalidArgumentError(`A run has at most ${mostTags} tags.`);
  return collect(tag, earlier);
}
