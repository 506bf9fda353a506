import type { ActivationDetail } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { FoldedText } from '../../kit/text/folded-text.tsx';
import { formatBytes } from '../../kit/values/format.ts';
import { saveText } from '../../kit/values/save-text.ts';
import classes from './activation-view.module.css';

type Said = ActivationDetail['input'][number];

interface ActivationMessagesProps {
  readonly run: string;
  readonly title: string;
  readonly messages: readonly Said[];
  readonly isOpen: boolean;
}

/** Messages of an activation, as Markdown or as they are; they are rendered once somebody opens them. */
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

/** Characters of a message that an activation comes with; the rest is loaded when somebody asks for it. */
const headLength = 2_048;

interface MessageProps {
  readonly run: string;
  readonly said: Said;
  readonly isPlain: boolean;
}

function Message({ run, said: { id, role, source, text, size = 0 }, isPlain }: MessageProps) {
  const [isWanted, setWanted] = useState(false);
  const isHead = text.length >= headLength;
  const { data, error, isFetching } = useQuery({
    queryKey: ['run', run, 'message', id],
    queryFn: () => millrace.runs.get(run).text(id),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isWanted,
  });
  const save = async () => saveText(`${source}.txt`, isHead ? await millrace.runs.get(run).text(id) : text);
  return (
    <figure className={classes['message']}>
      <figcaption>
        <span>
          {source} · {role}
        </span>
        <span>{formatBytes(size)}</span>
        <button type="button" className={classes['icon']} aria-label="Download the message" onClick={() => void save()}>
          <Download aria-hidden size={13} />
        </button>
      </figcaption>
      <FoldedText text={data ?? text} isPlain={isPlain} />
      {error !== null && <Problem error={error} />}
      {isHead && data === undefined && (
        <button type="button" className="button" disabled={isFetching} onClick={() => setWanted(true)}>
          {isFetching ? 'Loading …' : `Load all ${formatBytes(size)}`}
        </button>
      )}
    </figure>
  );
}
