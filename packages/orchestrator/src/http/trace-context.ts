const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The W3C `traceparent` that a request came with; undefined when it has none, or none that is well-formed. */
export const traceOf = (headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined => {
  const given = headers['traceparent'];
  return typeof given === 'string' && form.test(given) ? given : undefined;
};
