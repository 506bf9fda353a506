import { exactJson } from '@millrace/core/visible-text';
import { Fragment } from 'react';
import { TextDiff } from './text-diff.tsx';

/** JSON of which people must see exactly what it says: one value on a line, nothing hidden, all in the order of the text. */
export const ExactJson = ({ text }: { readonly text: string }) => <pre dir="ltr">{isolated(exactJson(text))}</pre>;

/** Changes from one JSON to another, both as {@link ExactJson}. */
export const ExactJsonDiff = ({ before, after }: { readonly before: string; readonly after: string }) => (
  <TextDiff before={exactJson(before)} after={exactJson(after)} lineOf={isolated} />
);

/** Isolates the strings of JSON: one in a right-to-left script would change the order of what is around it. */
const isolated = (json: string) =>
  json.split(/("(?:[^"\\]|\\.)*")/u).map((part, at) => {
    const Part = part.startsWith('"') ? 'bdi' : Fragment;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their places
    return <Part key={at}>{part}</Part>;
  });
