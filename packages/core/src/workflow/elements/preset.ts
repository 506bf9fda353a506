import type { Block, Message, Role } from '../../model/messages/message.ts';
import { isMapping, toList } from '../document/mapping.ts';
import { MessageSchema } from '../schema/document-schemas.ts';
import { pythonStr } from '../variables/python-text.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { readBySchema } from './read-context.ts';

/** Reads the messages that a node has before the run starts: texts in the given role, or whole messages. */
export function readPresets(context: ReadContext, located: LocatedValue, role: Role): readonly Message[] {
  return toList(located.value).flatMap((value, index): Message[] => {
    if (!isMapping(value) || !('role' in value)) return [{ role, content: pythonStr(value), source: '', keep: false }];
    const path = Array.isArray(located.value) ? [...located.path, index] : located.path;
    const read = readBySchema(context, MessageSchema, { value, path });
    return read === undefined ? [] : [messageFrom(read.value)];
  });
}

function messageFrom(written: ReturnType<typeof MessageSchema.parse>): Message {
  const { source, ...metadata } = written.metadata ?? {};
  return {
    role: written.role,
    content: Array.isArray(written.content) ? written.content.map(blockFrom) : pythonStr(written.content ?? ''),
    source: typeof source === 'string' ? source : '',
    keep: written.keep,
    ...(written.preserve_role ? { preserveRole: true } : {}),
    ...(written.name ? { name: written.name } : {}),
    ...(written.tool_call_id ? { toolCallId: written.tool_call_id } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

/** Returns a block of a message: text or data, because files cannot be written into a workflow. */
function blockFrom(written: unknown): Block {
  if (!isMapping(written)) return { type: 'text', text: pythonStr(written) };
  const text = typeof written.text === 'string' ? written.text : undefined;
  if (!isMapping(written.data)) return { type: 'text', text: text ?? '' };
  return text === undefined ? { type: 'data', data: written.data } : { type: 'data', data: written.data, text };
}
