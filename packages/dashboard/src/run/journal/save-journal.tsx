import type { RunHandle } from '@millrace/client';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { formatCount } from '../../kit/values/format.ts';
import { saveText } from '../../kit/values/save-text.ts';

/** Downloads all events of a run as lines of JSON. */
export function SaveJournal({ run }: { readonly run: RunHandle }) {
  const [loaded, setLoaded] = useState<number>();
  const [hasFailed, setFailed] = useState(false);
  const save = async () => {
    setFailed(false);
    setLoaded(0);
    try {
      const lines: string[] = [];
      for await (const event of run.journal()) {
        lines.push(`${JSON.stringify(event)}\n`);
        if (lines.length % 1_000 === 0) setLoaded(lines.length);
      }
      saveText(`${run.id}.jsonl`, new Blob(lines, { type: 'application/x-ndjson' }));
    } catch {
      setFailed(true);
    }
    setLoaded(undefined);
  };
  return (
    <button type="button" className="button" disabled={loaded !== undefined} onClick={() => void save()}>
      <Download aria-hidden size={14} />
      {loaded !== undefined ? `${formatCount(loaded)} events` : hasFailed ? 'Failed: download again' : 'Download JSONL'}
    </button>
  );
}
