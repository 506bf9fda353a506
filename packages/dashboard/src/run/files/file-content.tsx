import type { RunArtifact } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { Markdown, PlainText } from '../../kit/text/markdown.tsx';
import { formatBytes } from '../../kit/values/format.ts';
import { kindOf, longestImage, previewBytes } from './file-kind.ts';
import classes from './files-tab.module.css';
import { loadContent } from './load-content.ts';

interface FileContentProps {
  readonly file: RunArtifact;
  /** Address of the content. */
  readonly place: string;
}

/** The content of a file: text, Markdown or an image. HTML and SVG are shown as text and never run. */
export function FileContent({ file, place }: FileContentProps) {
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
        <p className={classes['more']}>
          These are the first {formatBytes(previewBytes)}.
          <button type="button" className="button" onClick={() => setAll(true)}>
            Show all {formatBytes(file.size)}
          </button>
        </p>
      )}
    </>
  );
}
