import { diffWordsWithSpace } from 'diff';
import { TextDiff } from './text-diff.tsx';
import classes from './word-diff.module.css';

/** Characters of both texts up to which words are compared; longer ones are compared line by line. */
const mostCharacters = 20_000;
/** Maximum time of a comparison, in milliseconds: longer ones block the page. */
const maxMs = 200;

/** Changes from one text to another, word by word; line by line in long texts. */
export function WordDiff({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <pre className={classes['text']}>{before}</pre>;
  const parts =
    before.length + after.length > mostCharacters ? undefined : diffWordsWithSpace(before, after, { timeout: maxMs });
  if (parts === undefined) return <TextDiff before={before} after={after} />;
  return (
    <pre className={classes['text']}>
      {parts.map(({ value, added, removed }, at) => {
        const Part = added ? 'ins' : removed ? 'del' : 'span';
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one comparison never change their places
        return <Part key={at}>{value}</Part>;
      })}
    </pre>
  );
}
