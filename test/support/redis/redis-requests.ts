/** Cuts what a client of Redis sends into requests, however the network has cut it. */
export function requestsIn(take: (request: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = endOfRequest(rest); end !== undefined; end = endOfRequest(rest)) {
      take(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

/** Returns the end of the first request, `*<count>` and as many `$<length>` with bytes; undefined while incomplete. */
function endOfRequest(bytes: Buffer): number | undefined {
  const head = lineAt(bytes, 0);
  if (head === undefined) return undefined;
  let at = head.end;
  for (let left = Number(head.text.slice(1)); left > 0; left--) {
    const length = lineAt(bytes, at);
    if (length === undefined) return undefined;
    at = length.end + Number(length.text.slice(1)) + 2;
  }
  return at <= bytes.length ? at : undefined;
}

function lineAt(bytes: Buffer, from: number): { readonly text: string; readonly end: number } | undefined {
  const end = bytes.indexOf('\r\n', from);
  return end < 0 ? undefined : { text: bytes.toString('latin1', from, end), end: end + 2 };
}
