import { useRef } from 'react';
import { AnswerFrame, useDraft } from './answer-frame.tsx';
import { AnswerWords, Destinations } from './destinations.tsx';
import type { AskedTask } from './use-tasks.ts';

interface TextAnswerProps {
  readonly task: AskedTask;
  readonly answered: () => void;
}

/** Characters of an answer that its confirmation repeats. */
const shownCharacters = 80;

/** The answer to a question without a schema: a text. */
export function TextAnswer({ task, answered }: TextAnswerProps) {
  const { id, status, goesTo = [] } = task;
  const [text, write] = useDraft(id);
  const textarea = useRef<HTMLTextAreaElement>(null);
  const field = `text-${id}`;
  const isClosed = status === 'closed';
  const choose = (word: string) => {
    write(word);
    textarea.current?.focus();
  };
  const beginning = Array.from(text).slice(0, shownCharacters).join('');
  return (
    <AnswerFrame
      task={task}
      answer={{
        content: { text },
        action: 'Answer',
        done: `Answered “${beginning}${beginning.length < text.length ? '…' : ''}”`,
      }}
      draft={text}
      takesFiles
      answered={() => {
        write('');
        answered();
      }}
    >
      {!isClosed && <AnswerWords exits={goesTo} choose={choose} />}
      <label htmlFor={field}>Your answer</label>
      <textarea
        ref={textarea}
        id={field}
        data-answer
        rows={4}
        value={text}
        readOnly={isClosed}
        onChange={({ target }) => write(target.value)}
      />
      {goesTo.length > 0 && !isClosed && <Destinations exits={goesTo} text={text} />}
    </AnswerFrame>
  );
}
