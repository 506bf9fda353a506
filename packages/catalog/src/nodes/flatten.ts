import type { Message } from '@millrace/core';
import { textOf } from '@millrace/core';

/** Returns messages as one text with a headline each: for people, and for models in prompt mode. */
export const flatten = (messages: readonly Message[]): string =>
  messages
    .map((message) => `=== INPUT FROM ${message.source || 'UNKNOWN'} (${message.role}) ===\n\n${textOf(message)}`)
    .join('\n\n');
