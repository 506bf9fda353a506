import { relative, resolve } from 'node:path';
import type { Issue } from '@millrace/core';

/**
 * Returns an issue as a workflow command of GitHub Actions, which shows it at its place in the file. Paths are given from
 * the folder of the checkout, if it is known: a step may run in another one.
 */
export function githubAnnotation(issue: Issue, checkout: string | undefined): string {
  const { severity, file, line, column, code, path, message, hint } = issue;
  const properties = { file: shownPathOf(file, checkout), line, col: column, title: code };
  const listed = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  const text = `${path === '' ? '' : `${path} `}${message}${hint === undefined ? '' : `\nhint: ${hint}`}`;
  return `::${severity} ${listed.join(',')}::${escapedText(text)}`;
}

function shownPathOf(file: string, checkout: string | undefined): string {
  if (checkout === undefined) return file;
  const inside = relative(checkout, resolve(file));
  return inside.startsWith('..') ? file : inside;
}

/** A line break would end the command, and begin another one. */
const escapedText = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapedProperty = (text: string): string => escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
