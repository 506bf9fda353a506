import type { ActivationDetail } from '@millrace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { FoldedText } from '../../kit/text/folded-text.tsx';
import { formatBytes } from '../../kit/values/format.ts';
import classes from './activation-view.module.css';

type Said = ActivationDetail['input'][number];

interface ActivationMessagesProps {
  readonly run: string;
  readonly title: string;
  readonly messages: readonly Said[];
  readonly isOpen: boolean;
}

/** Messages of an activation, as Markdown or as plain text; they are rendered when they are opened. */
export function ActivationMessages({ run, title, messages, isOpen: isOpenAtFirst }: ActivationMessagesProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [look, setLook] = useState<'markdown' | 'raw'>('markdown');
  if (messages.length === 0) return null;
  const count = messages.length === 1 ? '' : ` · ${messages.length} messages`;
  return (
    <section aria-label={title}>
      <header className={classes['head']}>
        <h3>
          <button type="button" className={classes['fold']} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {title}
            <small>{count}</small>
          </button>
        </h3>
        {isOpen && (
          <Segmented
            label={`Look of ${title.toLowerCase()}`}
            options={{ markdown: 'Text', raw: 'Raw' }}
            value={look}
            choose={setLook}
          />
        )}
      </header>
      {isOpen &&
        messages.map((said, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids here, and never change their order
          <Message key={at} run={run} said={said} isPlain={look === 'raw'} />
        ))}
    </section>
  );
}

/** Characters of a message that an activation contains; the rest is loaded on request. */
const headLength = 2_048;
/** Bytes of a long message that are loaded first. */
const startBytes = 32_768;
/** Bytes of the largest message that is shown; larger ones are downloaded. */
const mostBytes = 8_000_000;

interface MessageProps {
  readonly run: string;
  readonly said: Said;
  readonly isPlain: boolean;
}

/** Shown part of a message: the part that came with its activation, its beginning, or all of it. */
type Extent = 'head' | 'start' | 'whole';

function Message({ run, said: { id, role, source, text, size = 0 }, isPlain }: MessageProps) {
  const [extent, setExtent] = useState<Extent>('head');
  const isHead = text.length >= headLength;
  const { data, error, isFetching } = useQuery({
    queryKey: ['run', run, 'message', id, extent],
    queryFn: ({ signal }) => {
      const handle = millrace.runs.get(run);
      return extent === 'start' ? handle.textStart(id, startBytes, { signal }) : handle.text(id, { signal });
    },
    placeholderData: keepPreviousData,
    staleTime: 'static',
    enabled: extent !== 'head',
  });
  const next: Extent | undefined = !isHead
    ? undefined
    : extent === 'head' && size > startBytes
      ? 'start'
      : extent !== 'whole' && size <= mostBytes
        ? 'whole'
        : undefined;
  return (
    <figure className={classes['message']}>
      <figcaption>
        <span>
          {source} · {role}
        </span>
        <span>{formatBytes(size)}</span>
        <a
          className={classes['icon']}
          href={`/v1/runs/${encodeURIComponent(run)}/messages/${encodeURIComponent(id)}/text`}
          download={`${source}.txt`}
          aria-label="Download the message"
        >
          <Download aria-hidden size={13} />
        </a>
      </figcaption>
      <FoldedText text={data ?? text} isPlain={isPlain} />
      {error !== null && <Problem error={error} />}
      {next !== undefined && (
        <button type="button" className="button" disabled={isFetching} onClick={() => setExtent(next)}>
          {isFetching ? 'Loading …' : next === 'start' ? 'Load 32 KB' : `Load all ${formatBytes(size)}`}
        </button>
      )}
      {isHead && next === undefined && extent !== 'whole' && <p>Download the message to read the rest of it.</p>}
    </figure>
  );
}
