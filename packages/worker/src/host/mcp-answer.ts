import { createHash } from 'node:crypto';
import { assertCount, assertFits, indentedJson } from '@millrace/catalog';
import type { Block, ToolAnswer } from '@millrace/core';
import type { CallToolResult } from '@modelcontextprotocol/client';

/**
 * Returns the result of a tool of an MCP server: its blocks, or else its structured content as JSON. Throws an Error for
 * the model when it is too large for it.
 */
export function mcpAnswer({ content, structuredContent, isError }: CallToolResult): ToolAnswer {
  const answer = {
    content: contentOf(content, structuredContent),
    ...(isError === true ? { failed: true as const } : {}),
  };
  assertFits(answer.content);
  return answer;
}

function contentOf(content: CallToolResult['content'], structured: unknown): ToolAnswer['content'] {
  if (content.length === 0) return structured === undefined ? '' : indentedJson(structured);
  assertCount(content.length);
  const blocks = content.map(blockOf);
  const [first] = blocks;
  // One text is a text, as with functions.
  return blocks.length === 1 && first?.type === 'text' ? first.text : blocks;
}

type Content = CallToolResult['content'][number];

function blockOf(content: Content): Block {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'image':
    case 'audio':
      return attached(content.type, { name: content.type, mimeType: content.mimeType, data: content.data });
    case 'resource_link':
      return {
        type: 'file',
        attachment: {
          id: content.uri,
          name: content.name,
          mimeType: content.mimeType ?? 'application/octet-stream',
          uri: content.uri,
        },
      };
    case 'resource': {
      const { resource } = content;
      if ('text' in resource) return { type: 'text', text: resource.text };
      const mimeType = resource.mimeType ?? 'application/octet-stream';
      return attached(kindOf(mimeType), { name: resource.uri, mimeType, data: resource.blob });
    }
  }
}

type Kind = 'image' | 'audio' | 'video' | 'file';

const kindOf = (mimeType: string): Kind => {
  const kind = mimeType.split('/')[0];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
};

function attached(type: Kind, { name, mimeType, data }: { name: string; mimeType: string; data: string }): Block {
  const bytes = Buffer.from(data, 'base64');
  const digest = createHash('sha256').update(bytes).digest('hex');
  const uri = `data:${mimeType};base64,${data}`;
  return { type, attachment: { id: digest.slice(0, 32), name, mimeType, size: bytes.length, digest, uri } };
}
