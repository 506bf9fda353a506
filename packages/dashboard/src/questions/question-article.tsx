import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { PartBefore, TimelineRow } from '../activations/timeline-row.ts';
import { firstPartBefore, loadRows, partBefore } from '../activations/timeline-row.ts';
import { millrace } from '../api/millrace.ts';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { FoldedText } from '../kit/text/markdown.tsx';
import { TextDiff } from '../kit/text/text-diff.tsx';
import { formatBytes, formatMoment } from '../kit/values/format.ts';
import { Age } from '../kit/values/time.tsx';
import { AnswerForm } from './answer-form.tsx';
import { callQuestion } from './approval.ts';
import { AskedCall } from './asked-call.tsx';
import classes from './questions.module.css';
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
  const { id, runId, node, approval, memory, askedAt, dueAt, attachments = [] } = task;
  const prompt = callQuestion(task);
  const heading = `question-${id}`;
  const sections = inputSections(task.input).map((section, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the input of a question never changes
    <Section key={at} task={task} section={section} />
  ));
  return (
    <article className={`${classes['question']} panel stack`} aria-labelledby={heading}>
      <header>
        <h2 id={heading} tabIndex={-1} dir="auto" data-long={prompt.length > longestTitle}>
          {prompt === '' ? `${node} asks` : prompt}
        </h2>
        <p className={`${classes['origin']} row wrap muted`}>
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
          {dueAt !== undefined && dueAt !== approval?.expiresAt && <span>withdrawn at {formatMoment(dueAt)}</span>}
        </p>
      </header>
      {approval !== undefined && <AskedCall approval={approval} />}
      {approval === undefined && sections}
      {attachments.length > 0 && (
        <ul className={`${classes['given']} row wrap`} aria-label="Files of the input">
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
      <div className={`${classes['context']} row wrap`}>
        {approval !== undefined && sections.length > 0 && (
          <details>
            <summary>
              What <bdi>{node}</bdi> was given
            </summary>
            {sections}
          </details>
        )}
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
        <header className="row wrap">
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

/** Part of the input of a question: the message of one node. */
interface InputSection {
  /** Source node; absent if the text does not name it. */
  readonly from?: string;
  readonly text: string;
}

const headline = /^=== INPUT FROM (.+) \((?:system|user|assistant|tool)\) ===\n\n/gm;

/** Splits the input of a question into its messages, by the headlines that the engine writes. */
function inputSections(input: string): readonly InputSection[] {
  const heads = [...input.matchAll(headline)];
  if (heads[0]?.index !== 0) return input.trim() === '' ? [] : [{ text: input }];
  return heads.map((head, at) => ({
    from: head[1] === 'TASK' ? 'the task' : (head[1] ?? ''),
    text: input.slice(head.index + head[0].length, heads[at + 1]?.index ?? input.length).trimEnd(),
  }));
}

interface PreviousInputProps {
  readonly task: AskedTask;
  /** Node whose words are compared. */
  readonly from: string;
  readonly text: string;
}

/** Text of a node, compared with its text at the previous question. */
function PreviousInput({ task, from, text }: PreviousInputProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['tasks', 'previous input', task.id, from],
    queryFn: () => previousTextFrom(task, from),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  return data === null ? <p>It is asked for the first time.</p> : <TextDiff before={data} after={text} />;
}

/** Returns the last input of the same node in its previous activation; null if there is none. */
async function previousTextFrom({ id, runId }: AskedTask, from: string): Promise<string | null> {
  const previous = await previousActivation(runId, Number(id.slice(id.lastIndexOf('.a') + 2)));
  if (previous === undefined) return null;
  const { input } = await millrace.runs.get(runId).activation(previous);
  return input.findLast(({ source }) => source === from)?.text ?? null;
}

/** Returns the previous activation of the same node; undefined for the first. Searches the run backwards. */
async function previousActivation(runId: string, asking: number): Promise<string | undefined> {
  let own: TimelineRow | undefined;
  for (let part: PartBefore | undefined = firstPartBefore(`a${asking}`); part !== undefined; part = partBefore(part)) {
    const rows = await loadRows(millrace.runs.get(runId), part);
    own ??= rows.find((row) => row.id === `a${asking}`);
    const found = rows.findLast(
      (row) => row !== own && row.node === own?.node && row.graph === own.graph && row.unit === own.unit,
    );
    if (found !== undefined) return found.id;
  }
  return undefined;
}
