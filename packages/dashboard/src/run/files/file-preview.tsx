import type { RunArtifact } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { millrace } from '../../api/millrace.ts';
import { FilterSelect } from '../../kit/controls/filter-select.tsx';
import { formatBytes, formatMoment } from '../../kit/values/format.ts';
import { FileContent } from './file-content.tsx';
import classes from './files-tab.module.css';

interface FilePreviewProps {
  readonly run: string;
  /** The present version. */
  readonly file: RunArtifact;
  /** Digest of the version that is shown; absent: the present one. */
  readonly version: string | undefined;
  readonly choose: (digest: string | undefined) => void;
}

/** One file: its author, its versions, and its content. */
export function FilePreview({ run, file, version, choose }: FilePreviewProps) {
  const { data: versions = [] } = useQuery({
    queryKey: ['run', run, 'file-versions', file.id, file.digest],
    queryFn: () => millrace.runs.get(run).fileVersions(file.id),
  });
  const shown = versions.find(({ digest }) => digest === version) ?? file;
  const place = `/v1/runs/${encodeURIComponent(run)}/artifacts/${encodeURIComponent(file.id)}`;
  return (
    <section className={classes['preview']} aria-label={`File ${file.path}`}>
      <header className={classes['head']}>
        <h2>
          <bdi>{file.path}</bdi>
        </h2>
        {versions.length > 1 && (
          <FilterSelect
            label="Version"
            none="present"
            value={shown.digest === file.digest ? undefined : shown.digest}
            options={versions
              .map(({ digest, node }, at) => ({ value: digest, words: `${at + 1} · ${node}` }))
              .filter(({ value }) => value !== file.digest)}
            choose={choose}
          />
        )}
        <a className="button" href={`${place}?digest=${shown.digest}`} download={nameOf(file.path)}>
          <Download aria-hidden size={14} /> Download
        </a>
      </header>
      <p className={classes['facts']}>
        <span>{formatBytes(shown.size)}</span>
        <span>{shown.mimeType}</span>
        <span>
          written by{' '}
          <Link to="/runs/$run/activations" params={{ run }} search={{ a: shown.activation }}>
            {shown.node} {shown.activation}
          </Link>
        </span>
        <time dateTime={new Date(shown.at).toISOString()}>{formatMoment(shown.at)}</time>
      </p>
      <FileContent key={shown.digest} file={shown} place={`${place}?digest=${shown.digest}`} />
    </section>
  );
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
