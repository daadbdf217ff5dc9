import { create } from 'content-disposition';

const LENGTH_MAX = 120;

/** Extensions by the media types of stored documents and of their renderings. */
const extensions: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'application/xml': 'xml',
  'application/pkcs7-mime': 'p7m',
  'text/html': 'html',
};

/**
 * A name under which a document can be saved anywhere: the extension says what the document is, whatever the name claims.
 * @param name as a stranger wrote it
 * @param fallback where nothing of the name is left; without extension
 */
export function safeFileName(name: string, mediaType: string, fallback: string): string {
  const extension = `.${extensions[mediaType] ?? 'bin'}`;
  const clean = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .normalize('NFC')
    .replaceAll(/[/\\:*?"<>|]/g, '_')
    .replace(new RegExp(`\\${extension}$`, 'i'), '');
  const stem = [...trimmed(clean)].slice(0, LENGTH_MAX - extension.length).join('');
  return `${trimmed(stem) || fallback}${extension}`;
}

function trimmed(name: string): string {
  return name.replaceAll(/^[.\s]+|(?<![.\s])[.\s]+$/g, '');
}

/** The header that shows a document in place, and names it when it is saved. */
export function inlineAs(fileName: string): string {
  return create(fileName, { type: 'inline' });
}
