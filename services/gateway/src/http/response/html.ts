import { createHash } from 'node:crypto';
import { once } from './reply.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an HTML page, so that a browser shows it unchanged in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Returns the hash source for a Content-Security-Policy that allows exactly the given style sheet or script. */
export function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Returns the text of an HTML page as the content of a response. */
export function contentOf(text: string): AsyncIterable<Uint8Array> {
  return once(Buffer.from(text, 'utf8'));
}
