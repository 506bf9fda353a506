import { boundedResponse, defineTool, installation } from '@millrace/core';
import { z } from 'zod';
import { startDeadline } from '../../deadlines/deadline.ts';
import { hasPackage } from '../../optional/has-package.ts';
import { readPage } from './page-text.ts';

/** Packages that read pages, which are installed only where the tool is used. */
const packages = ['linkedom@0.18', '@mozilla/readability@0.6', 'turndown@7.2'];

const mebibyte = 1024 * 1024;
/** Only bytes are counted: pages are not JSON. */
const limits = { bytes: 5 * mebibyte, values: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };
const timeoutMs = 20_000;
/** Maximum number of characters of a page that the model gets. */
const longestText = 100_000;

let isInstalled: boolean | undefined;

function missing(): string | undefined {
  isInstalled ??= packages.every((spec) => hasPackage(spec.slice(0, spec.lastIndexOf('@'))));
  return isInstalled ? undefined : `packages that are not installed here. ${installation(packages)}`;
}

/** Tool that reads a page of the web as Markdown. Servers are reached under the rules of the run. */
export const readWebpage = defineTool<{ url: string }>({
  name: 'read_webpage_content',
  module: 'web',
  effect: 'read',
  description: 'Read a page of the web as Markdown.',
  parameters: z.object({ url: z.string().describe('Address of the page.') }),
  get unavailable() {
    return missing();
  },
  async execute({ url }, { fetch, signal, run }) {
    const lacking = missing();
    if (lacking !== undefined) throw new Error(`this installation does not have it: it needs ${lacking}`);
    const { type, text } = await textAt(url, { fetch, signal });
    if (!isHtml(type)) return shortened(text);
    const page = await readPage(text, run);
    return shortened(page.title === '' ? page.text : `# ${page.title}\n\n${page.text}`);
  },
});

const isHtml = (type: string): boolean => type === 'text/html' || type === 'application/xhtml+xml';

const shortened = (text: string): string =>
  text.length > longestText
    ? `${text.slice(0, longestText)}\n[cut: the first ${longestText} of ${text.length} characters]`
    : text;

interface Fetching {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

/** Returns the text of a page and its media type. Throws an Error for the model. */
async function textAt(url: string, { fetch, signal }: Fetching): Promise<{ type: string; text: string }> {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new Error(`"${url}" is no address of a page`);
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const accept = 'text/html, text/*;q=0.8';
    const response = await fetch(url, { headers: { accept }, signal: deadline.signal });
    const written = response.headers.get('content-type') ?? 'text/html';
    const type = written.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const problem = problemOf(response, type);
    if (problem !== undefined) {
      await response.body?.cancel();
      throw new Error(problem);
    }
    const tooLarge = () => new Error(`the page has more than ${limits.bytes / mebibyte} MiB`);
    const bytes = await boundedResponse(response, { body: limits, refuse: tooLarge }).arrayBuffer();
    return { type, text: decoded(new Uint8Array(bytes), written) };
  } catch (error) {
    if (deadline.expired) throw new Error(`the page did not arrive within ${timeoutMs / 1000} s`);
    throw error;
  } finally {
    deadline.clear();
  }
}

function problemOf({ ok, status }: Response, type: string): string | undefined {
  if (!ok) return `the server answered with the status ${status}`;
  return isHtml(type) || type.startsWith('text/') ? undefined : `the page is "${type}", which is no text`;
}

/** Number of bytes at the beginning of a page that may name its encoding. */
const markupBytes = 1024;

/** Decodes a page by the encoding that its header or its markup names; UTF-8 if they name none that is known. */
function decoded(bytes: Uint8Array, contentType: string): string {
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, markupBytes));
  const [, label = 'utf-8'] =
    /charset=["']?([\w:-]+)/i.exec(contentType) ?? /<meta[^>]{0,200}charset=["']?([\w:-]+)/i.exec(beginning) ?? [];
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    // The platform throws a RangeError for an unknown label.
    return new TextDecoder().decode(bytes);
  }
}
