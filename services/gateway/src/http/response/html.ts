import { createHash } from 'node:crypto';
import { once } from './reply.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns a text of an HTML page in a form that a browser shows as it is, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Returns the source in a Content-Security-Policy that allows exactly the given style sheet or script. */
export function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Returns a text with the HTML page as the content of a reply. */
export function contentOf(text: string): AsyncIterable<Uint8Array> {
  return once(Buffer.from(text, 'utf8'));
}
