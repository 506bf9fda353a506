const pages = 'https://github.com/millrace/millrace/blob/main/docs/errors';

/** An error code as a link to its page in the documentation; codes of programs and models have none. */
export function ErrorCode({ code }: { readonly code: string }) {
  if (!/^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return <code>{code}</code>;
  return (
    <a href={`${pages}/${code}.md`} target="_blank" rel="noopener noreferrer" title="What it means and what to do">
      <code>{code}</code>
    </a>
  );
}
