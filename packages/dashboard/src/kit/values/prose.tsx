import { Fragment } from 'react';

/** A message of the server or of a program: what it sets between backticks is shown as code, without them. */
export const Prose = ({ text }: { readonly text: string }) =>
  proseParts(text).map(({ text: part, isCode }, at) =>
    isCode ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts are places in the text
      <code key={at}>{part}</code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts are places in the text
      <Fragment key={at}>{part}</Fragment>
    ),
  );

/** A part of a message. */
interface ProsePart {
  readonly text: string;
  readonly isCode: boolean;
}

/** Returns a message as parts: words, and what stands between two backticks of one line. */
export const proseParts = (text: string): readonly ProsePart[] =>
  text
    .split(/`([^`\n]+)`/)
    .map((part, at) => ({ text: part, isCode: at % 2 === 1 }))
    .filter((part) => part.text !== '');

/** Returns a message without the backticks around code, for places that show no other font, such as tooltips. */
export const plainProse = (text: string): string =>
  proseParts(text)
    .map((part) => part.text)
    .join('');
