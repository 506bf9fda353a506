import type { McpServer } from '@modelcontextprotocol/server';

/** A server with tools for every kind of answer. */
export function createServer(): McpServer;
