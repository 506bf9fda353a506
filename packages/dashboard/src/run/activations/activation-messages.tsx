import type { ActivationDetail } from '@millrace/client';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { FoldedText } from '../../kit/text/folded-text.tsx';
import { formatBytes } from '../../kit/values/format.ts';
import { saveText } from '../../kit/values/save-text.ts';
import classes from './activation-view.module.css';

type Said = ActivationDetail['input'][number];

interface ActivationMessagesProps {
  readonly title: string;
  readonly messages: readonly Said[];
  readonly isOpen: boolean;
}

/** Messages of an activation, as Markdown or as they are; they are rendered once somebody opens them. */
export function ActivationMessages({ title, messages, isOpen: isOpenAtFirst }: ActivationMessagesProps) {
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
          <Message key={at} said={said} isPlain={look === 'raw'} />
        ))}
    </section>
  );
}

function Message({ said: { role, source, text }, isPlain }: { readonly said: Said; readonly isPlain: boolean }) {
  const bytes = new Blob([text]).size;
  return (
    <figure className={classes['message']}>
      <figcaption>
        <span>
          {source} · {role}
        </span>
        <span>{formatBytes(bytes)}</span>
        <button
          type="button"
          className={classes['icon']}
          aria-label="Download the message"
          onClick={() => saveText(`${source}.txt`, text)}
        >
          <Download aria-hidden size={13} />
        </button>
      </figcaption>
      <FoldedText text={text} isPlain={isPlain} />
    </figure>
  );
}
