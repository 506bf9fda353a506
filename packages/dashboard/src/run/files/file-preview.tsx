import type { RunArtifact } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { FilterSelect, Segmented } from '../../kit/controls/choices.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { Markdown, PlainText } from '../../kit/text/markdown.tsx';
import { formatBytes, formatMoment } from '../../kit/values/format.ts';
import { kindOf, longestImage, previewBytes } from './files.ts';
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
    staleTime: 'static',
  });
  const shown = versions.find(({ digest }) => digest === version) ?? file;
  const place = `/v1/runs/${encodeURIComponent(run)}/artifacts/${encodeURIComponent(file.id)}`;
  return (
    <section className={`${classes['preview']} panel stack`} aria-label={`File ${file.path}`}>
      <header className={`${classes['head']} row wrap`}>
        <h2 className="grow">
          <bdi>{file.path}</bdi>
        </h2>
        {versions.length > 1 && (
          <FilterSelect
            label="Version"
            none="present"
            value={shown.digest === file.digest ? undefined : shown.digest}
            options={versions
              .map(({ digest, node }, at) => ({ value: digest, label: `${at + 1} · ${node}` }))
              .filter(({ value }) => value !== file.digest)}
            choose={choose}
          />
        )}
        <a className="button" href={`${place}?digest=${shown.digest}`} download={nameOf(file.path)}>
          <Download aria-hidden size={14} /> Download
        </a>
      </header>
      <p className={`${classes['facts']} row wrap muted`}>
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

interface FileContentProps {
  readonly file: RunArtifact;
  /** Address of the content. */
  readonly place: string;
}

/** The content of a file: text, Markdown or an image. HTML and SVG are shown as text and never run. */
function FileContent({ file, place }: FileContentProps) {
  const kind = kindOf(file);
  if (kind === 'none' || (kind === 'image' && file.size > longestImage))
    return <Nothing title="There is no preview of this file. Download it to open it." />;
  if (kind === 'image') return <ImageContent file={file} place={place} />;
  return <TextContent file={file} place={place} isMarkdown={kind === 'markdown'} />;
}

const Nothing = ({ title }: { readonly title: string }) => (
  <div className={classes['nothing']}>
    <Empty title={title} />
  </div>
);

function ImageContent({ file, place }: FileContentProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['content', place],
    queryFn: ({ signal }) => loadContent(place, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [url, setUrl] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (data === undefined) return;
    const made = URL.createObjectURL(new Blob([data], { type: file.mimeType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data, file.mimeType]);
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (isBroken) return <Nothing title="The browser cannot draw this image. Download it to open it." />;
  if (url === undefined) return <Skeleton rows={4} />;
  return <img className={classes['image']} src={url} alt={file.path} onError={() => setBroken(true)} />;
}

function TextContent({ file, place, isMarkdown }: FileContentProps & { readonly isMarkdown: boolean }) {
  const [isAll, setAll] = useState(file.size <= previewBytes);
  const [look, setLook] = useState<'text' | 'raw'>('text');
  const { data, error, refetch } = useQuery({
    queryKey: ['content', place, isAll],
    queryFn: ({ signal }) => loadContent(place, isAll ? { signal } : { signal, bytes: previewBytes }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  });
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={8} />;
  const text = new TextDecoder().decode(data);
  return (
    <>
      {isMarkdown && (
        <Segmented label="Look of the file" options={{ text: 'Text', raw: 'Raw' }} value={look} choose={setLook} />
      )}
      {isMarkdown && look === 'text' ? (
        <div className={classes['text']}>
          <Markdown text={text} />
        </div>
      ) : (
        <div className={`${classes['text']} mono`}>
          <PlainText text={text} />
        </div>
      )}
      {!isAll && (
        <p className={`${classes['facts']} row wrap muted`}>
          These are the first {formatBytes(previewBytes)}.
          <button type="button" className="button" onClick={() => setAll(true)}>
            Show all {formatBytes(file.size)}
          </button>
        </p>
      )}
    </>
  );
}

interface LoadOptions {
  readonly signal: AbortSignal;
  /** Loads only this many bytes from the beginning. */
  readonly bytes?: number;
}

/** Loads the content of a file, or the beginning of it. */
async function loadContent(place: string, { signal, bytes }: LoadOptions): Promise<ArrayBuffer> {
  const headers = bytes === undefined ? {} : { range: `bytes=0-${bytes - 1}` };
  const response = await fetch(place, { signal, headers });
  if (!response.ok) throw new Error(`The server answered with the status ${response.status}.`);
  return response.arrayBuffer();
}
