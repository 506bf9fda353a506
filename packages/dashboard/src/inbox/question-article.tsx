import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { FoldedText } from '../kit/text/folded-text.tsx';
import { formatBytes, formatMoment } from '../kit/values/format.ts';
import { Age } from '../kit/values/time.tsx';
import { AnswerForm } from './answer-form.tsx';
import classes from './inbox.module.css';
import type { InputSection } from './input-sections.ts';
import { inputSections } from './input-sections.ts';
import { PreviousInput } from './previous-input.tsx';
import type { AskedTask } from './use-tasks.ts';

/** Characters of a question above which it is set as text instead of as a title. */
const longestTitle = 200;

interface QuestionArticleProps {
  readonly task: AskedTask;
  /** Called once the answer is stored. */
  readonly answered: () => void;
  /** Origin of the question, shown beside the name of its node. */
  readonly children?: ReactNode;
}

/** One question with all that a person needs to answer it, and the form for the answer. */
export function QuestionArticle({ task, answered, children }: QuestionArticleProps) {
  const { id, runId, node, prompt, memory, askedAt, dueAt, attachments = [] } = task;
  const heading = `question-${id}`;
  return (
    <article className={classes['question']} aria-labelledby={heading}>
      <header>
        <h2 id={heading} tabIndex={-1} dir="auto" data-long={prompt.length > longestTitle}>
          {prompt === '' ? `${node} asks` : prompt}
        </h2>
        <p className={classes['origin']}>
          <span>
            asked by <bdi>{node}</bdi>
            {askedAt !== undefined && (
              <>
                {' '}
                <Age at={askedAt} />
              </>
            )}
          </span>
          {children}
          {dueAt !== undefined && <span>withdrawn at {formatMoment(dueAt)}</span>}
        </p>
      </header>
      {inputSections(task.input).map((section, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the input of a question never changes
        <Section key={at} task={task} section={section} />
      ))}
      {attachments.length > 0 && (
        <ul className={classes['given']} aria-label="Files of the input">
          {attachments.map(({ id: file, name, mimeType, size }) => (
            <li key={file ?? name}>
              {file === undefined ? (
                name
              ) : (
                <a href={`/v1/tasks/${encodeURIComponent(id)}/attachments/${file}`} download={name}>
                  {name}
                </a>
              )}{' '}
              <small>{size === undefined ? mimeType : `${mimeType}, ${formatBytes(size)}`}</small>
            </li>
          ))}
        </ul>
      )}
      <div className={classes['context']}>
        {memory !== undefined && (
          <details>
            <summary>Memory</summary>
            <pre>{memory}</pre>
          </details>
        )}
        <Link to="/runs/$run/conversation" params={{ run: runId }}>
          Run so far
        </Link>
        <Link to="/runs/$run" params={{ run: runId }}>
          Graph
        </Link>
      </div>
      <AnswerForm task={task} answered={answered} />
    </article>
  );
}

interface SectionProps {
  readonly task: AskedTask;
  readonly section: InputSection;
}

function Section({ task, section: { from, text } }: SectionProps) {
  const [compares, setCompares] = useState(false);
  return (
    <section className={classes['input']} aria-label={from === undefined ? 'Input' : `From ${from}`}>
      {from !== undefined && (
        <header>
          <b>
            from <bdi>{from}</bdi>
          </b>
          {from !== 'the task' && task.askedBefore === true && (
            <button type="button" className="button" aria-pressed={compares} onClick={() => setCompares(!compares)}>
              Changes since last time
            </button>
          )}
        </header>
      )}
      {compares && from !== undefined ? (
        <PreviousInput task={task} from={from} text={text} />
      ) : (
        <FoldedText text={text} />
      )}
    </section>
  );
}
