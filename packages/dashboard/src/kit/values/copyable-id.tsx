import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import classes from './copyable-id.module.css';

/** An id that can be selected, and copied with a button. */
export function CopyableId({ id }: { readonly id: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(id);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <span className={`${classes['id']} inline`}>
      <code>{id}</code>
      <button
        type="button"
        className="icon-button muted"
        onClick={() => void copy()}
        aria-label={isCopied ? `Copied ${id}` : `Copy ${id}`}
      >
        <Icon aria-hidden size={13} />
      </button>
    </span>
  );
}
